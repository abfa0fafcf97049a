package filter

import (
	"strings"
	"testing"
)

// unidentified are requests that name no client, or name two.
var unidentified = map[string][][2]string{
	"no header":            bare("GET", "/"),
	"empty":                get("/", ""),
	"blank":                get("/", " \t "),
	"two that differ":      with(get("/", "alice"), "x-api-key", "bob"),
	"one and an empty one": with(get("/", "alice"), "x-api-key", ""),
}

// TestSharingUnidentified holds that they are all one client, and that this client cannot be named.
func TestSharingUnidentified(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, `{"domain": "shop", "rules": [{"name": "api", "limits": [{"requests": 5, "window": "10s"}]}]}`)
	for name, request := range unidentified {
		if r := h.play(p, request); r.status != 200 {
			t.Errorf("%s: %d", name, r.status)
		}
	}
	for name, request := range unidentified {
		if r := h.play(p, request); r.status != 429 || r.local.details != "tollgate.api.10s" {
			t.Errorf("%s: %d, the budget they share is spent", name, r.status)
		}
	}
	for _, key := range []string{"anonymous", "alice", "\x00", "0"} {
		if r := h.play(p, get("/", key)); r.told() != "limit=5 remaining=4 reset=1010" {
			t.Errorf("key %q: %q", key, r.told())
		}
	}
}

// TestUnidentifiedGoOnToTheNextRule holds that their rule does not match then.
func TestUnidentifiedGoOnToTheNextRule(t *testing.T) {
	const keyed = `{"name": "keyed", "on_unidentified": "next", "limits": [{"requests": 3, "window": "10s"}]}`
	const rest = `{"name": "rest", "limits": [{"requests": 9, "window": "10s"}]}`
	for name, request := range unidentified {
		h := newFakeHost()
		p := startPlugin(t, h, `{"domain": "shop", "rules": [`+keyed+`,`+rest+`]}`)
		if r := h.play(p, request); r.told() != "limit=9 remaining=8 reset=1010" || h.decider(p) != "rest" {
			t.Errorf("%s: %q", name, r.told())
		}
		if r := h.play(p, get("/", "alice")); r.told() != "limit=3 remaining=2 reset=1010" || h.decider(p) != "keyed" {
			t.Errorf("after %s: the named client got %q", name, r.told())
		}
		alone := startPlugin(t, h, `{"domain": "shop", "rules": [`+keyed+`]}`)
		if r := h.play(alone, request); r.status != 200 || r.told() != "" || h.decider(alone) != "" {
			t.Errorf("%s, no rule left: %d with %q", name, r.status, r.told())
		}
	}
}

// TestUnidentifiedAreRefused holds the challenge of RFC 9110 section 11.6.1, and that nothing is counted.
func TestUnidentifiedAreRefused(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, `{"domain": "shop", "on_unidentified": "refuse", "rules": [{"name": "api", "limits": [{"requests": 3, "window": "10s"}]}]}`)
	keys := h.store.Keys()
	for name, request := range unidentified {
		r := h.play(p, request)
		if r.status != 401 || r.value("www-authenticate") != `ApiKey realm="shop"` || len(r.headers) != 1 {
			t.Errorf("%s: %d with %v", name, r.status, r.headers)
		}
		if r.local.details != "tollgate.unidentified" || r.local.body != "" || r.local.grpc != NoGRPC {
			t.Errorf("%s: reply %+v", name, r.local)
		}
	}
	if h.store.Keys() != keys || h.decider(p) != "" {
		t.Error("an unidentified request was counted")
	}
	if r := h.play(p, get("/", "alice")); r.status != 200 {
		t.Errorf("a named client got %d", r.status)
	}
}

// TestIdentitySources holds that the first source that names a client decides, and that sources are apart.
func TestIdentitySources(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, `{"domain": "shop", "identity": [{"header": "X-Token"}, {"header": "x-api-key"}], "rules": [
		{"name": "mail", "match": [{"path": "/mail"}], "identity": [{"header": "x-mail"}], "limits": [{"requests": 9, "window": "10s"}]},
		{"name": "api", "limits": [{"requests": 3, "window": "10s"}]}]}`)
	for _, c := range []struct {
		request   [][2]string
		remaining string
	}{
		{get("/", "alice"), "2"},
		{get("/", "  alice\t"), "1"},
		{with(get("/", "alice"), "x-token", "t"), "2"},
		{with(get("/", "bob"), "x-token", "t"), "1"},
		{with(get("/", "alice"), "x-token", " "), "0"},
		{with(bare("GET", "/"), "x-token", "alice"), "2"},
		{with(get("/", "carol"), "x-api-key", " carol"), "2"}, // one value, twice
		{get("/", "carol"), "1"},
		{with(get("/mail", "alice"), "x-mail", "m"), "8"},
		{with(get("/mail", "bob"), "x-mail", "m"), "7"},
		{get("/mail", "bob"), "8"},
	} {
		if r := h.play(p, c.request); r.value("x-ratelimit-remaining") != c.remaining {
			t.Errorf("%v: %q, want remaining %s", c.request, r.told(), c.remaining)
		}
	}
}

// TestRuleSelection holds that the first rule that matches decides alone, and that no rule means no limit and no headers.
func TestRuleSelection(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, `{"domain": "shop", "rules": [
		{"name": "login", "match": [{"methods": ["POST"], "path": "/login"}], "limits": [{"requests": 3, "window": "10s"}]},
		{"name": "reads", "match": [{"methods": ["GET"], "path_prefix": "/v1"}], "limits": [{"requests": 5, "window": "60s"}]},
		{"name": "v1", "match": [{"path_prefix": "/v1"}], "limits": [{"requests": 7, "window": "60s"}]}]}`)
	for _, c := range []struct{ method, target, rule, limit string }{
		{"POST", "/login?next=%2Fhome", "login", "3"},
		{"POST", "/x/../login", "login", "3"},
		{"GET", "/login", "", "none"},
		{"POST", "/login/", "", "none"},
		{"GET", "/v1/items", "reads", "5"},
		{"PUT", "/v1/items", "v1", "7"},
		{"GET", "/v1x", "", "none"},
		{"OPTIONS", "*", "", "none"},
		{"GET", "", "", "none"},
	} {
		r := h.play(p, with(bare(c.method, c.target), "x-api-key", "alice"))
		if rule := h.decider(p); rule != c.rule || r.value("x-ratelimit-limit") != c.limit || r.status != 200 {
			t.Errorf("%s %s: rule %q, limit %s, status %d; want %q, %s", c.method, c.target, rule, r.value("x-ratelimit-limit"), r.status, c.rule, c.limit)
		}
	}
}

// TestAnUnmatchedRequestIsLeftAlone holds that the upstream's own headers pass then.
func TestAnUnmatchedRequestIsLeftAlone(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, strings.Replace(threeInTen, `"limits"`, `"match": [{"path": "/api"}], "limits"`, 1))
	h.calls = nil
	r := h.play(p, get("/", "alice"), [2]string{"x-ratelimit-limit", "9"}, [2]string{"retry-after", "7"})
	if r.told() != "limit=9 retry-after=7" {
		t.Errorf("the upstream's headers became %q", r.told())
	}
	if calls := strings.Join(h.calls, ", "); calls != "request headers" {
		t.Errorf("host calls: %s", calls)
	}
}
