package config

import (
	"reflect"
	"strings"
	"testing"

	"tollgate/limiter"
)

const oneLimit = `"limits": [{"requests": 1, "window": "1s"}]`

func TestRefusalsMergeKeyByKey(t *testing.T) {
	cfg := mustParse(t, `{
		"refusal": {"status": 503, "body": "busy", "content_type": "text/html", "headers": {"Cache-Control": "no-store", "x-a": "top"}},
		"rules": [
			{"name": "inherits", "match": [{"path": "/1"}], `+oneLimit+`},
			{"name": "status", "match": [{"path": "/2"}], `+oneLimit+`, "refusal": {"status": 420}},
			{"name": "headers", "match": [{"path": "/3"}], `+oneLimit+`, "refusal": {"headers": {"X-A": "rule", "x-b": "b"}}},
			{"name": "empty", "match": [{"path": "/4"}], `+oneLimit+`, "refusal": {"body": ""}}]}`)
	top := [][2]string{{"cache-control", "no-store"}, {"x-a", "top"}}
	for i, want := range []Refusal{
		{Status: 503, Body: "busy", ContentType: "text/html", Headers: top},
		{Status: 420, Body: "busy", ContentType: "text/html", Headers: top},
		{Status: 503, Body: "busy", ContentType: "text/html", Headers: [][2]string{{"cache-control", "no-store"}, {"x-a", "rule"}, {"x-b", "b"}}},
		{Status: 503, Headers: top},
	} {
		if got := cfg.Rules[i].Refusal; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", cfg.Rules[i].Name, got, want)
		}
	}
}

func TestRefusalDefaults(t *testing.T) {
	for text, want := range map[string]Refusal{
		`{}`:                           {Status: 429},
		`{"body": "Too many."}`:        {Status: 429, Body: "Too many.", ContentType: "text/plain; charset=utf-8"},
		`{"problem_details": true}`:    {Status: 429, ProblemDetails: true},
		`{"problem_details": false}`:   {Status: 429},
		`{"headers": {}}`:              {Status: 429},
		`{"headers": {"x": "\u00e9"}}`: {Status: 429, Headers: [][2]string{{"x", "\u00e9"}}},
	} {
		cfg := mustParse(t, `{"refusal": `+text+`, "rules": [{"name": "api", `+oneLimit+`}]}`)
		if got := cfg.Rules[0].Refusal; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
}

func TestARuleMayReplaceProblemDetailsByABody(t *testing.T) {
	cfg := mustParse(t, `{"refusal": {"problem_details": true}, "rules": [{"name": "api", `+oneLimit+`, "refusal": {"problem_details": false, "body": "x"}}]}`)
	if got := cfg.Rules[0].Refusal; got.ProblemDetails || got.Body != "x" {
		t.Errorf("got %+v", got)
	}
}

func TestRatelimitHeadersMergeKeyByKey(t *testing.T) {
	cfg := mustParse(t, `{
		"ratelimit_headers": {"reset": "delta", "expose": true},
		"rules": [
			{"name": "a", "match": [{"path": "/1"}], `+oneLimit+`},
			{"name": "b", "match": [{"path": "/2"}], `+oneLimit+`, "ratelimit_headers": {"style": "ietf", "expose": false}},
			{"name": "c", "match": [{"path": "/3"}], `+oneLimit+`, "ratelimit_headers": {"style": "both", "reset": "epoch"}},
			{"name": "d", "match": [{"path": "/4"}], `+oneLimit+`, "ratelimit_headers": {"style": "none"}}]}`)
	for i, want := range []RatelimitHeaders{
		{Style: StyleXRatelimit, Reset: ResetDelta, Expose: true},
		{Style: StyleIETF, Reset: ResetDelta},
		{Style: StyleBoth, Reset: ResetEpoch, Expose: true},
		{Style: StyleNone, Reset: ResetDelta, Expose: true},
	} {
		if got := cfg.Rules[i].RatelimitHeaders; got != want {
			t.Errorf("%s: got %+v, want %+v", cfg.Rules[i].Name, got, want)
		}
	}
}

func TestModes(t *testing.T) {
	cfg := mustParse(t, `{
		"mode": "shadow", "on_error": "refuse", "on_unidentified": "refuse", "shadow_header": "X-Would-Be", "stagger": true,
		"rules": [
			{"name": "watched", `+oneLimit+`},
			{"name": "watched-shared", "on_unidentified": "share", "continue": false, `+oneLimit+`},
			{"name": "gone", "mode": "disabled", `+oneLimit+`},
			{"name": "enforced", "mode": "enforce", "stagger": false, `+oneLimit+`}]}`)
	if len(cfg.Rules) != 3 || cfg.ShadowHeader != "x-would-be" {
		t.Fatalf("got %+v", cfg)
	}
	for i, want := range []Rule{
		{Name: "watched", Shadow: true, Continue: true, OnError: AllowOnError, OnUnidentified: NextRule, Stagger: true},
		{Name: "watched-shared", Shadow: true, Continue: true, OnError: AllowOnError, OnUnidentified: ShareUnidentified, Stagger: true},
		{Name: "enforced", OnError: RefuseOnError, OnUnidentified: RefuseUnidentified},
	} {
		got := cfg.Rules[i]
		if got.Name != want.Name || got.Shadow != want.Shadow || got.Continue != want.Continue || got.OnError != want.OnError ||
			got.OnUnidentified != want.OnUnidentified || got.Stagger != want.Stagger {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if i := cfg.Next(request("GET", "/"), 2); i != 2 {
		t.Errorf("Next goes to rule %d after a disabled one", i)
	}
}

func TestEverythingDisabled(t *testing.T) {
	cfg := mustParse(t, `{"mode": "disabled", "rules": [{"name": "a", `+oneLimit+`}, {"name": "b", `+oneLimit+`}]}`)
	if len(cfg.Rules) != 0 || cfg.Next(request("GET", "/"), 0) != -1 {
		t.Errorf("got %+v", cfg.Rules)
	}
}

func TestCostAndStatuses(t *testing.T) {
	cfg := mustParse(t, `{"rules": [
		{"name": "a", "match": [{"path": "/a"}], "limits": [{"requests": 0, "window": "1s"}, {"requests": 7, "window": "1m"}], "cost": 7, "count_statuses": ["401", "5xx"], "continue": true},
		{"name": "b", `+oneLimit+`}]}`)
	a, b := cfg.Rules[0], cfg.Rules[1]
	if a.Cost != 7 || !a.Continue || a.CountStatuses.Empty() || b.Cost != 1 || b.Continue || !b.CountStatuses.Empty() {
		t.Errorf("got %+v and %+v", a, b)
	}
	for status, want := range map[int]bool{
		401: true, 500: true, 503: true, 599: true, 400: false, 402: false, 499: false, 600: false, 200: false, 0: false, -1: false, 99: false, 1 << 30: false,
	} {
		if got := a.CountStatuses.Has(status); got != want {
			t.Errorf("status %d: %v", status, got)
		}
	}
}

func TestRulesOfARoute(t *testing.T) {
	cfg := mustParse(t, `{
		"per_route": true, "identity": [{"header": "x-org"}], "on_error": "refuse", "refusal": {"status": 503},
		"plans": {"gold": {"members": ["`+hashOf("alice")+`"]}},
		"exempt": [{"path_prefix": "/healthz"}],
		"rules": [{"name": "api", `+oneLimit+`, "plans": {"gold": "unlimited"}}]}`)
	route, err := cfg.ParseRules([]byte(`[
		{"name": "login", "match": [{"path": "/login"}], "limits": [{"requests": 3, "window": "10s"}], "refusal": {"body": "no"}},
		{"name": "rest", "on_error": "allow", "limits": [{"requests": 5, "window": "10s"}], "plans": {"gold": "unlimited"}}]`))
	if err != nil {
		t.Fatal(err)
	}
	if !cfg.PerRoute || len(cfg.Rules) != 1 || cfg.Rules[0].Name != "api" || deciding(cfg, request("GET", "/login")) != "api" {
		t.Errorf("the plugin's own rules changed: %+v", cfg.Rules)
	}
	login, rest := route.Rules[0], route.Rules[1]
	if login.Identity[0].Name != "x-org" || login.OnError != RefuseOnError || login.Refusal.Status != 503 || login.Refusal.Body != "no" || rest.OnError != AllowOnError {
		t.Errorf("got %+v and %+v", login, rest)
	}
	if deciding(route, request("GET", "/login")) != "login" || deciding(route, request("GET", "/x")) != "rest" || !route.Exempt(request("GET", "/healthz")) {
		t.Error("the route's rules do not decide")
	}
	r := request("GET", "/x", [2]string{"x-org", "alice"})
	id, _ := r.Identify(nil, rest.Identity)
	if b := route.Budget(&rest, r, id); !b.Unlimited {
		t.Errorf("got %+v", b)
	}
}

func TestBadRulesOfARoute(t *testing.T) {
	cfg := mustParse(t, `{"exempt": [{"path": "/healthz"}], "on_unidentified": "next", "rules": [{"name": "api", `+oneLimit+`}]}`)
	for text, want := range map[string]string{
		``:                                     `rules 1:1 is empty; write a list of rules such as [{"name": "api", "limits": [{"requests": 10, "window": "10s"}]}]`,
		"\n":                                   `rules 1:1 is empty; write a list of rules such as [{"name": "api", "limits": [{"requests": 10, "window": "10s"}]}]`,
		`[]`:                                   `rules 1:1 is an empty list; write a list of rules such as [{"name": "api", "limits": [{"requests": 10, "window": "10s"}]}]`,
		`{}`:                                   `rules 1:1 is an object, not a list; write a list of rules such as [{"name": "api", "limits": [{"requests": 10, "window": "10s"}]}]`,
		`[{},]`:                                `rules 1:4 has a comma after the last entry; remove the comma`,
		`[`:                                    `rules[0] 1:2 ends too early; write a value: a string in double quotes, a number, true, false, {...} or [...]`,
		"\ufeff[]":                             `rules 1:1 starts with a byte-order mark; save the text as UTF-8 without one`,
		"[\n {\"name\": \"a\", \"limts\": 1}]": `rules[0].limts 2:16 is not a known field; did you mean "limits"?`,
		`[{"name": "a", ` + oneLimit + `, "plans": {"gold": "unlimited"}}]`:                              `rules[0].plans.gold 1:71 "gold" is not a declared plan; declare it at the top: "plans": {"gold": {}}`,
		`[{"name": "a", "match": [{"path": "/healthz"}], ` + oneLimit + `}]`:                             `rules[0] 1:2 can never be reached: exempt[0] comes first and takes all its requests; narrow what is exempt, or remove the rule`,
		`[{"name": "a", "on_unidentified": "share", ` + oneLimit + `}, {"name": "b", ` + oneLimit + `}]`: `rules[1] 1:90 can never be reached: rules[0] ("a") comes first and takes all its requests; move it to the front, narrow what comes first, or remove one of them`,
		`[{"name": "a", ` + oneLimit + `, "cost": 2}, {"name": "a", ` + oneLimit + `}]`: `rules[0].cost 1:69 is above the limit of 1: no request could ever pass; write a cost within every limit of the rule, or raise the limit` +
			"\n" + `rules[1].name 1:82 repeats the name at rules[0].name; give each rule a name of its own: it names the rule's counters`,
	} {
		route, err := cfg.ParseRules([]byte(text))
		if route != nil || err == nil || err.Error() != want {
			t.Errorf("%s\ngot  %v\nwant %s", text, err, want)
		}
	}
}

func TestWarnings(t *testing.T) {
	const rules = `"rules": [{"name": "a", ` + oneLimit + `}]`
	for _, c := range []struct{ text, want string }{
		{`{` + rules + `}`, ``},
		{`{"on_unidentified": "refuse", ` + rules + `}`, `rules[0] 1:41 refuses whoever is not identified, and so every preflight of a browser; exempt them: {"methods": ["OPTIONS"], "headers": [{"name": "origin"}, {"name": "access-control-request-method"}]}`},
		{`{"on_unidentified": "refuse", "exempt": [{"methods": ["OPTIONS"], "headers": [{"name": "origin"}]}], ` + rules + `}`, ``},
		{`{"on_unidentified": "refuse", "identity": [{"constant": "x"}], ` + rules + `}`, ``},
		{`{"on_unidentified": "refuse", "mode": "shadow", ` + rules + `}`, ``},
		{`{"on_unidentified": "refuse", "rules": [{"name": "a", "match": [{"methods": ["GET"]}], ` + oneLimit + `}]}`, ``},
		{`{"rules": [{"name": "preflights", "match": [{"methods": ["OPTIONS"]}], ` + oneLimit + `}, {"name": "a", "on_unidentified": "refuse", ` + oneLimit + `}]}`, ``},
		{`{"shadow_header": "x-shadow", ` + rules + `}`, `shadow_header 1:19 has no effect: no rule is in shadow mode; write "mode": "shadow" in a rule, or remove it`},
		{`{"shadow_header": "x-shadow", "per_route": true, ` + rules + `}`, ``},
		{`{"plans": {"gold": {}}, "plan_from": [{"metadata": ["a", "b"]}], ` + rules + `}`, `plans.gold 1:20 is a plan for which no rule has limits; give a rule "plans" with limits for it, or remove it`},
		{`{"plans": {"gold": {}}, "rules": [{"name": "a", ` + oneLimit + `, "plans": {"gold": "unlimited"}}]}`, `plans.gold 1:20 is a plan that nobody has; give it "members", or say in "plan_from" where a request's plan stands`},
		{`{"rules": [{"name": "a", "match": [{"path": "/api/*"}], ` + oneLimit + `}]}`, `rules[0].match[0].path 1:45 "*" stands for itself in a path; use "path_prefix", "path_template" or "path_regex" if it was meant as a pattern`},
		{`{"rules": [{"name": "a", "match": [{"path_prefix": "/users/{id}"}], ` + oneLimit + `}]}`, `rules[0].match[0].path_prefix 1:52 "{" stands for itself in a path; use "path_prefix", "path_template" or "path_regex" if it was meant as a pattern`},
	} {
		cfg := mustParse(t, c.text)
		if got := strings.Join(cfg.Warnings, "\n"); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestUnlimitedRulesEndTheSearch(t *testing.T) {
	cfg := mustParse(t, `{"rules": [{"name": "free", "match": [{"path": "/free"}], "limits": "unlimited"}, {"name": "rest", `+oneLimit+`}]}`)
	free := &cfg.Rules[0]
	if !free.Unlimited || free.Continue || len(free.Limits) != 0 {
		t.Errorf("got %+v", free)
	}
	if rest := cfg.Rules[1]; rest.Unlimited || len(rest.Limits) != 1 || rest.Limits[0] != (limiter.Limit{Requests: 1, Window: 1}) {
		t.Errorf("got %+v", rest)
	}
}
