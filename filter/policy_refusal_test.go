package filter

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const standsAt0 = "x-ratelimit-limit: 0\nx-ratelimit-remaining: 0\nx-ratelimit-reset: 1010"

// never is a rule that refuses everything, with more fields.
func never(fields string) string {
	return `{"name": "never", "limits": [{"requests": 0, "window": "10s"}]` + fields + `}`
}

// TestRefusals holds status, header lines in order, and body of every kind of refusal.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		what, top, rule string // fields
		status          int
		lines, body     string
	}{
		{"nothing configured", "", "", 429, standsAt0, ""},
		{"a status", "", `, "refusal": {"status": 503}`, 503, standsAt0, ""},
		{"a body", "", `, "refusal": {"body": "Slow down.\n"}`, 429, standsAt0 + "\ncontent-type: text/plain; charset=utf-8", "Slow down.\n"},
		{"a body of a type", "", `, "refusal": {"body": "{\"wait\":true}", "content_type": "application/json"}`, 429, standsAt0 + "\ncontent-type: application/json", `{"wait":true}`},
		{"a body that is no ASCII", "", `, "refusal": {"body": "später ☂"}`, 429, standsAt0 + "\ncontent-type: text/plain; charset=utf-8", "später ☂"},
		{"header lines", "", `, "refusal": {"headers": {"Cache-Control": "no-store", "x-a": "1"}}`, 429, standsAt0 + "\ncache-control: no-store\nx-a: 1", ""},
		{"inherited and merged", `"refusal": {"status": 503, "headers": {"cache-control": "no-store"}}`, `, "refusal": {"body": "Later.", "headers": {"x-a": "1"}}`,
			503, standsAt0 + "\ncache-control: no-store\nx-a: 1\ncontent-type: text/plain; charset=utf-8", "Later."},
		{"problem details", `"refusal": {"problem_details": true}`, `, "refusal": {"headers": {"x-a": "1"}}`,
			429, standsAt0 + "\nx-a: 1\ncontent-type: application/problem+json", problem(429, `"never.10s"`)},
		{"problem details of another status", `"refusal": {"problem_details": true}`, `, "refusal": {"status": 403}`,
			403, standsAt0 + "\ncontent-type: application/problem+json", problem(403, `"never.10s"`)},
		{"no rate-limit headers", `"ratelimit_headers": {"style": "none"}`, `, "refusal": {"body": "No."}`, 429, "content-type: text/plain; charset=utf-8", "No."},
		{"problem details of a hidden limit", `"ratelimit_headers": {"style": "none"}`, `, "refusal": {"problem_details": true}`,
			429, "content-type: application/problem+json", problem(429, "")},
		{"exposed", `"ratelimit_headers": {"expose": true}`, `, "refusal": {"headers": {"x-a": "1"}}`,
			429, standsAt0 + "\naccess-control-expose-headers: x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset\nx-a: 1", ""},
	} {
		h := newFakeHost()
		fields := []string{c.top}
		if c.top == "" {
			fields = nil
		}
		p := startPlugin(t, h, shop(never(c.rule), fields...))
		for range 2 {
			r := h.play(p, get("/", "alice"))
			if r.status != c.status || r.lines() != c.lines || r.local.body != c.body || r.local.details != "tollgate.never.10s" {
				t.Errorf("%s: %d, details %s\n%s\n%s\nwant %d\n%s\n%s", c.what, r.status, r.local.details, r.lines(), r.local.body, c.status, c.lines, c.body)
			}
		}
	}
}

// problem is a problem detail with these policies.
func problem(status int, policies string) string {
	return fmt.Sprintf(`{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Request cannot be satisfied as assigned quota has been exceeded","status":%d,"violated-policies":[%s]}`, status, policies)
}

// TestProblemDetails holds that the body is JSON and names exactly the limits that had no room and are no secret.
func TestProblemDetails(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`
		{"name": "hidden", "continue": true, "limits": [{"requests": 1, "window": "2h"}], "ratelimit_headers": {"style": "none"}},
		{"name": "watching", "mode": "shadow", "limits": [{"requests": 0, "window": "1h"}]},
		{"name": "roomy", "continue": true, "limits": [{"requests": 9, "window": "1h"}]},
		{"name": "both", "continue": true, "limits": [{"requests": 1, "window": "10s"}, {"requests": 1, "window": "1h"}, {"requests": 9, "window": "1d"}]},
		{"name": "last", "limits": [{"requests": 1, "window": "60s"}]}`, `"refusal": {"problem_details": true}`))
	if r := h.play(p, get("/", "alice")); r.status != 200 {
		t.Fatalf("the first request got %d", r.status)
	}
	for range 2 {
		r := h.play(p, get("/", "alice"))
		var got struct {
			Type     string
			Title    string
			Status   int
			Policies []string `json:"violated-policies"`
		}
		if err := json.Unmarshal([]byte(r.local.body), &got); err != nil {
			t.Fatalf("%v in %s", err, r.local.body)
		}
		if want := []string{"both.10s", "both.3600s", "last.60s"}; !slices.Equal(got.Policies, want) || got.Status != 429 || got.Type == "" || got.Title == "" {
			t.Errorf("%+v, want the policies %q", got, want)
		}
		r.want(t, "told of the visible limit with the latest reset, to wait for the hidden one", 429, "limit=1 remaining=0 reset=3600 retry-after=6200")
		if r.local.details != "tollgate.hidden.7200s" {
			t.Errorf("details %s", r.local.details)
		}
	}
}

// TestARefusalFromMemoryNamesThePolicyToWaitFor holds that the body of a later refusal has the limit that it waits for at least.
func TestARefusalFromMemoryNamesThePolicyToWaitFor(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`{"name": "api", "limits": [{"requests": 1, "window": "10s"}, {"requests": 1, "window": "1h"}]}`, `"refusal": {"problem_details": true}`))
	h.play(p, get("/", "alice"))
	if r := h.play(p, get("/", "alice")); r.local.body != problem(429, `"api.10s","api.3600s"`) {
		t.Errorf("asked: %s", r.local.body)
	}
	h.calls = nil
	if r := h.play(p, get("/", "alice")); r.local.body != problem(429, `"api.3600s"`) {
		t.Errorf("from memory: %s", r.local.body)
	}
	h.wantCalls(t, "from memory", "request headers", "now", "reply")
}

// TestTheRefusalIsThatOfTheRuleToWaitFor holds whose refusal, Retry-After and headers a request gets that several rules refuse.
func TestTheRefusalIsThatOfTheRuleToWaitFor(t *testing.T) {
	rules := []string{
		`{"name": "short", "continue": true, "limits": [{"requests": %d, "window": "10s"}], "refusal": {"status": 431, "body": "short"}}`,
		`{"name": "long", "continue": true, "limits": [{"requests": %d, "window": "1h"}], "refusal": {"status": 432, "body": "long"}}`,
		`{"name": "hidden", "continue": true, "limits": [{"requests": %d, "window": "2h"}], "refusal": {"status": 433}, "ratelimit_headers": {"style": "none"}}`,
		`{"name": "never", "limits": [{"requests": %d, "window": "20s"}], "refusal": {"status": 434}}`,
	}
	const shortIs, longIs, neverIs = "limit=1 remaining=0 reset=1010", "limit=1 remaining=0 reset=3600", "limit=0 remaining=0 reset=1020"
	for _, c := range []struct {
		budgets [4]int // 1 is spent when it counts
		status  int
		told    string
	}{
		{[4]int{1, 9, 9, 9}, 431, shortIs + " retry-after=10"},
		{[4]int{9, 1, 9, 9}, 432, longIs + " retry-after=2600"},
		{[4]int{1, 1, 9, 9}, 432, longIs + " retry-after=2600"},
		{[4]int{9, 9, 1, 9}, 433, "retry-after=6200"}, // and no word of the limits that had room
		{[4]int{1, 9, 1, 9}, 433, shortIs + " retry-after=6200"},
		{[4]int{1, 1, 1, 9}, 433, longIs + " retry-after=6200"},
		{[4]int{9, 9, 9, 0}, 434, neverIs},
		{[4]int{1, 1, 1, 0}, 434, neverIs}, // waiting cannot help
	} {
		for _, reversed := range []bool{false, true} {
			h := newFakeHost()
			p := startPlugin(t, h, shop(budgeted(rules, c.budgets, reversed)))
			h.play(p, get("/", "alice"))
			h.play(p, get("/", "alice")).want(t, fmt.Sprint(c.budgets, ", reversed ", reversed), c.status, c.told)
		}
	}
}

// budgeted fills the budgets into the rules, in their order or the other.
func budgeted(rules []string, budgets [4]int, reversed bool) string {
	var list []string
	for i, rule := range rules {
		list = append(list, fmt.Sprintf(rule, budgets[i]))
	}
	if reversed {
		slices.Reverse(list)
		list[0] = strings.Replace(list[0], `"limits"`, `"continue": true, "limits"`, 1)
	}
	return strings.Join(list, ",")
}

// TestRefusedGRPC holds that a gRPC client is told so in its own way, with the same headers, for every style of refusal.
func TestRefusedGRPC(t *testing.T) {
	for _, refusal := range []string{``, `, "refusal": {"status": 503}`, `, "refusal": {"body": "Slow down."}`, `, "refusal": {"problem_details": true}`} {
		h := newFakeHost()
		p := startPlugin(t, h, shop(never(refusal)))
		plain := h.play(p, get("/shop.Cart/Add", "alice"))
		grpc := h.play(p, with(get("/shop.Cart/Add", "alice"), "content-type", "application/grpc"))
		if plain.local.grpc != NoGRPC || grpc.local.grpc != grpcResourceExhausted {
			t.Errorf("%s: grpc-status %d and %d", refusal, plain.local.grpc, grpc.local.grpc)
		}
		if plain.lines() != grpc.lines() || plain.local.body != grpc.local.body || plain.status != grpc.status {
			t.Errorf("%s: %+v and %+v", refusal, *plain.local, *grpc.local)
		}
	}
}

// TestTheLastRequestIsNotThisOne holds that a request whose headers cannot be read is not taken for a gRPC one because the one before was.
func TestTheLastRequestIsNotThisOne(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(never(""), `"on_error": "refuse"`))
	h.request = with(get("/", "alice"), "content-type", "application/grpc")
	p.NewHttpContext(2).OnHttpRequestHeaders(len(h.request), true)
	h.lent = nil // the proxy happens to leave the memory of the callback as it was
	h.failing("request headers", 1, errBroken)
	if r := h.play(p, bare("GET", "/")); r.status != 503 || r.local.grpc != NoGRPC {
		t.Errorf("%d with grpc-status %d", r.status, r.local.grpc)
	}
}
