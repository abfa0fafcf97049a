package filter

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

const claim = "metadata.filter_metadata.envoy.filters.http.jwt_authn.payload."

// member is how a configuration names a key.
func member(key string) string {
	hash := sha256.Sum256([]byte(key))
	return `"sha256:` + hex.EncodeToString(hash[:]) + `"`
}

// planned has limits of its own and for three plans. Two of them have members, all may be named by one of two claims.
var planned = shop(`{"name": "api", "limits": [{"requests": 2, "window": "1h"}], "plans": {
		"gold": [{"requests": 9, "window": "1h"}, {"requests": 5, "window": "10s"}], "silver": [{"requests": 4, "window": "1h"}], "staff": "unlimited"}}`,
	`"plans": {"gold": {"members": [`+member("goldie")+`]}, "silver": {}, "staff": {"members": [`+member("boss")+`]}, "other": {}}`,
	`"plan_from": [{"metadata": ["envoy.filters.http.jwt_authn", "payload", "plan"]}, {"metadata": ["envoy.filters.http.jwt_authn", "payload", "tier"]}]`)

// TestPlans holds which limits apply to whom, and that a plan which nobody declared is counted.
func TestPlans(t *testing.T) {
	const own, gold, silver = "limit=2 remaining=1 reset=3600", "limit=5 remaining=4 reset=1010", "limit=4 remaining=3 reset=3600"
	for _, c := range []struct {
		what, key, plan, tier string
		told                  string
		unknown               bool
	}{
		{"no plan", "alice", "", "", own, false},
		{"the first claim", "alice", "silver", "", silver, false},
		{"the second claim", "alice", "", "gold", gold, false},
		{"the first of two claims", "alice", "silver", "gold", silver, false},
		{"an undeclared plan", "alice", "platinum", "", own, true},
		{"an undeclared plan, then a declared one", "alice", "platinum", "silver", silver, false},
		{"a plan without limits in the rule", "alice", "other", "", own, false},
		{"case matters", "alice", "Gold", "", own, true},
		{"a member", "goldie", "", "", gold, false},
		{"a member with blanks around the key", " goldie\t", "", "", gold, false},
		{"a member whatever the claims say", "goldie", "silver", "staff", gold, false},
		{"a key that is like a member's", "Goldie", "", "", own, false},
		{"a key that is the member's hash", strings.Trim(member("goldie"), `"`), "", "", own, false},
		{"a key that is an asterisk", "*", "", "", own, false},
		{"a key that is a plan's name", "gold", "", "", own, false},
		{"no key", "", "", "", own, false},
		{"no key, but a claim", "", "silver", "", silver, false},
		{"unlimited", "boss", "", "", "", false},
		{"unlimited by claim", "alice", "staff", "", "", false},
	} {
		h := newFakeHost()
		p := startPlugin(t, h, planned)
		if c.plan != "" {
			h.set(claim+"plan", c.plan)
		}
		if c.tier != "" {
			h.set(claim+"tier", c.tier)
		}
		h.play(p, get("/", c.key)).want(t, c.what, 200, c.told)
		want := []string{"api.allowed=1", "unknown_plans=1"}
		switch {
		case c.told == "":
			want = nil
		case !c.unknown:
			want = want[:1]
		}
		h.wantMetrics(t, p, want...)
	}
}

// TestWhatIsReadForAPlan holds that a member's claims are not asked for, that each claim is asked for once, and in which order.
func TestWhatIsReadForAPlan(t *testing.T) {
	h := newFakeHost()
	two := strings.Replace(planned, `"rules": [`, `"rules": [{"name": "before", "continue": true, "limits": [{"requests": 7, "window": "1h"}], "plans": {"silver": [{"requests": 8, "window": "1h"}]}},`, 1)
	p := startPlugin(t, h, two)
	for key, calls := range map[string][]string{
		"goldie": nil,
		"alice": {
			"property metadata\x00filter_metadata\x00envoy.filters.http.jwt_authn\x00payload\x00plan",
			"property metadata\x00filter_metadata\x00envoy.filters.http.jwt_authn\x00payload\x00tier",
		},
	} {
		h.calls = nil
		h.play(p, get("/", key))
		h.calls = propertyCalls(h.calls)
		h.wantCalls(t, key, calls...)
	}
}

func propertyCalls(calls []string) []string {
	var some []string
	for _, call := range calls {
		if strings.HasPrefix(call, "property ") {
			some = append(some, call)
		}
	}
	return some
}

// TestUnlimitedEndsTheSearch holds that an unlimited request passes uncounted and untold, that later rules do not hold it, and that
// the store is not asked.
func TestUnlimitedEndsTheSearch(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`
		{"name": "free", "match": [{"path": "/free"}], "limits": "unlimited"},
		{"name": "api", "limits": [{"requests": 0, "window": "10s"}]}`))
	h.calls = nil
	if r := h.play(p, get("/free", "alice"), [2]string{"x-ratelimit-limit", "9"}); r.status != 200 || r.lines() != "x-ratelimit-limit: 9" {
		t.Errorf("%d with %q", r.status, r.lines())
	}
	h.wantCalls(t, "unlimited", "request headers")
	h.play(p, get("/", "alice")).want(t, "another path", 429, "limit=0 remaining=0 reset=1010")
}

// TestUnlimitedByPlanWithinSeveralRules holds that a rule which goes on does so for the plans that it leaves unlimited too: what the
// later rules say holds for them.
func TestUnlimitedByPlanWithinSeveralRules(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`
		{"name": "org", "identity": [{"constant": "everyone"}], "continue": true, "limits": [{"requests": 1, "window": "1h"}], "plans": {"staff": "unlimited"}},
		{"name": "keyed", "limits": [{"requests": 3, "window": "1h"}]}`,
		`"plans": {"staff": {}}`, `"plan_from": [{"metadata": ["envoy.filters.http.jwt_authn", "payload", "plan"]}]`))
	h.set(claim+"plan", "staff")
	for _, remaining := range []string{"2", "1", "0"} {
		h.play(p, get("/", "boss")).want(t, "staff", 200, "limit=3 remaining="+remaining+" reset=3600")
	}
	h.play(p, get("/", "boss")).want(t, "staff", 429, "limit=3 remaining=0 reset=3600 retry-after=2600")
	h.wantCounts(t, "the first rule counts none of it", "3")
	h.set(claim+"plan", "")
	h.play(p, get("/", "alice")).want(t, "others", 200, "limit=1 remaining=0 reset=3600")
	h.play(p, get("/", "alice")).want(t, "others", 429, "limit=1 remaining=0 reset=3600 retry-after=2600")
}

// TestAClientChangesItsPlan holds that its counter stays: a better plan lets it in at once, a worse one refuses it, and nothing is
// counted twice.
func TestAClientChangesItsPlan(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, planned)
	for _, remaining := range []string{"1", "0"} {
		h.play(p, get("/", "alice")).want(t, "no plan", 200, "limit=2 remaining="+remaining+" reset=3600")
	}
	h.play(p, get("/", "alice")).want(t, "no plan", 429, "limit=2 remaining=0 reset=3600 retry-after=2600")
	h.set(claim+"plan", "silver")
	h.play(p, get("/", "alice")).want(t, "a better plan", 200, "limit=4 remaining=1 reset=3600")
	h.set(claim+"plan", "")
	h.play(p, get("/", "alice")).want(t, "no plan again", 429, "limit=2 remaining=0 reset=3600 retry-after=2600")
	h.wantCounts(t, "one counter", "3")
}
