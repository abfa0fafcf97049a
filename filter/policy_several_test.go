package filter

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestOverlappingRulesShareNoCounter holds that a rule which goes on counts beside a later one, and that what the later one refuses is
// counted by neither.
func TestOverlappingRulesShareNoCounter(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`
		{"name": "all", "continue": true, "limits": [{"requests": 1000, "window": "1h"}]},
		{"name": "call", "match": [{"methods": ["GET"], "path": "/call"}], "limits": [{"requests": 10, "window": "1h"}]}`))
	for i := range 10 {
		h.play(p, get("/call", "alice")).want(t, fmt.Sprint("call ", i), 200, fmt.Sprintf("limit=10 remaining=%d reset=3600", 9-i))
	}
	r := h.play(p, get("/call", "alice"))
	r.want(t, "the eleventh call", 429, "limit=10 remaining=0 reset=3600 retry-after=2600")
	if r.local.details != "tollgate.call.3600s" {
		t.Errorf("details %q", r.local.details)
	}
	h.wantCounts(t, "afterwards", "10 10")
	h.play(p, get("/", "alice")).want(t, "another path", 200, "limit=1000 remaining=989 reset=3600")
	h.wantMetrics(t, p, "all.allowed=11", "call.allowed=10", "call.limited=1")
}

// TestTwoWindows holds that a request refused by the short window is not counted in the long one.
func TestTwoWindows(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`{"name": "api", "limits": [{"requests": 2, "window": "10s"}, {"requests": 50, "window": "1h"}]}`))
	h.play(p, get("/", "alice")).want(t, "first", 200, "limit=2 remaining=1 reset=1010")
	h.play(p, get("/", "alice")).want(t, "second", 200, "limit=2 remaining=0 reset=1010")
	h.play(p, get("/", "alice")).want(t, "third", 429, "limit=2 remaining=0 reset=1010 retry-after=10")
	h.wantCounts(t, "both windows", "2 2")
	h.now += 10 * second
	h.wantCounts(t, "in the next ten seconds", "2")
	h.play(p, get("/", "alice")).want(t, "the first of the next ten seconds", 200, "limit=2 remaining=1 reset=1020")
	h.wantCounts(t, "afterwards", "3 1")
}

// TestRulesOfDifferentIdentities holds that a refusal by any of several rules leaves the counters of all others as they were, whether they
// lie in one bucket or in several.
func TestRulesOfDifferentIdentities(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`
		{"name": "network", "identity": [{"address": {}}], "continue": true, "limits": [{"requests": 3, "window": "1h"}]},
		{"name": "team", "identity": [{"header": "x-team"}], "on_unidentified": "next", "continue": true, "limits": [{"requests": 3, "window": "1h"}]},
		{"name": "keyed", "limits": [{"requests": 2, "window": "1h"}]}`, `"max_counters": 32`))
	spread := map[int]int{} // clients by the number of buckets that their counters lie in
	for i := range 40 {
		h.now += 3600 * second
		address, team, key := fmt.Sprintf("10.0.0.%d:80", i), fmt.Sprint("team-", i), fmt.Sprint("key-", i)
		ask := func(what string, status int, address, team, key, counts string) {
			t.Helper()
			h.from(address)
			before := h.buckets()
			if r := h.play(p, with(get("/", key), "x-team", team)); r.status != status {
				t.Fatalf("client %d, %s: %d, want %d", i, what, r.status, status)
			}
			if status == 429 && !maps.EqualFunc(before, h.buckets(), equalCounts) {
				t.Errorf("client %d, %s: a refusal made %v of %v", i, what, h.buckets(), before)
			}
			h.wantCounts(t, fmt.Sprintf("client %d, %s", i, what), counts)
		}
		ask("first", 200, address, team, key, "1 1 1")
		spread[len(h.buckets())]++
		ask("second", 200, address, team, key, "2 2 2")
		ask("the last rule has no room", 429, address, team, key, "2 2 2")
		ask("another key", 200, address, team, "other"+key, "3 3 2 1")
		ask("the first rule has no room", 429, address, "other"+team, "third"+key, "3 3 2 1")
		ask("the second rule has no room", 429, "11.0.0.1:80", team, "third"+key, "3 3 2 1")
		ask("no rule has room", 429, address, team, key, "3 3 2 1")
	}
	t.Logf("clients by buckets: %v", spread)
	if spread[1] == 0 || spread[2] == 0 || spread[3] == 0 {
		t.Errorf("clients by buckets: %v, want some in one, in two and in three", spread)
	}
}

func equalCounts(a, b []int) bool { return join(a) == join(b) }

// TestMetricsOfSeveralRules holds that a refused request is counted for the rule that had no room, and for no other.
func TestMetricsOfSeveralRules(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`
		{"name": "first", "continue": true, "limits": [{"requests": 3, "window": "1h"}]},
		{"name": "second", "continue": true, "limits": [{"requests": 2, "window": "1h"}]},
		{"name": "third", "limits": [{"requests": 2, "window": "1h"}]}`))
	for range 5 {
		h.play(p, get("/", "alice"))
	}
	h.wantMetrics(t, p, "first.allowed=2", "second.allowed=2", "second.limited=3", "third.allowed=2", "third.limited=3")
}

// TestAnUnidentifiedRequestIsChargedNowhere holds that a rule which wants the client named is asked before anything is counted.
func TestAnUnidentifiedRequestIsChargedNowhere(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`
		{"name": "all", "identity": [{"constant": "everyone"}], "continue": true, "limits": [{"requests": 1, "window": "1h"}]},
		{"name": "keyed", "on_unidentified": "refuse", "limits": [{"requests": 1, "window": "1h"}]}`))
	if r := h.play(p, bare("GET", "/")); r.status != 401 || r.told() != "" {
		t.Errorf("%d with %q", r.status, r.told())
	}
	h.wantCounts(t, "after a 401", "")
	h.play(p, get("/", "alice")).want(t, "the budget is untouched", 200, "limit=1 remaining=0 reset=3600")
	h.wantMetrics(t, p, "all.allowed=1", "keyed.allowed=1")
}

// TestWhoIsChallengedHow holds that the challenge asks for what the rule can use, wherever in its identity that stands.
func TestWhoIsChallengedHow(t *testing.T) {
	for identity, challenge := range map[string]string{
		`{"header": "x-api-key"}`:                              `ApiKey realm="shop"`,
		`{"bearer": {}}`:                                       `Bearer realm="shop"`,
		`{"header": "x-api-key"}, {"bearer":{}}`:               `Bearer realm="shop"`,
		`{"combine": [{"header": "x-org"}, {"bearer": {}}]}`:   `Bearer realm="shop"`,
		`{"combine": [{"header": "x-org"}, {"cookie": "id"}]}`: `ApiKey realm="shop"`,
	} {
		h := newFakeHost()
		p := startPlugin(t, h, shop(`{"name": "api", "identity": [`+identity+`], "on_unidentified": "refuse", "limits": [{"requests": 1, "window": "1h"}]}`))
		for contentType, grpc := range map[string]int32{"text/plain": NoGRPC, "application/grpc": grpcUnauthenticated} {
			r := h.play(p, with(bare("GET", "/"), "content-type", contentType))
			if r.status != 401 || r.lines() != "www-authenticate: "+challenge || r.local.grpc != grpc {
				t.Errorf("%s: %d, grpc-status %d, with %q; want 401, %d, with %q", identity, r.status, r.local.grpc, r.lines(), grpc, challenge)
			}
		}
	}
}

// TestAFloodOfInventedKeysFromOneAddress holds that a rule by address stops whom a rule by key never will, and what the flood costs.
func TestAFloodOfInventedKeysFromOneAddress(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`
		{"name": "network", "identity": [{"address": {"ipv6_prefix": 64}}], "continue": true, "limits": [{"requests": 50, "window": "1h"}]},
		{"name": "keyed", "limits": [{"requests": 5, "window": "1h"}]}`, `"max_counters": 512`))
	keys, passed := h.store.Keys(), 0
	for i := range 1000 {
		h.from(fmt.Sprintf("[2001:db8::%x]:4711", i)) // of one network
		if r := h.play(p, get("/", fmt.Sprint("invented-", i))); r.status == 200 {
			passed++
		}
	}
	if passed != 50 {
		t.Errorf("%d requests passed, want 50", passed)
	}
	if h.store.Keys()-keys > 64 {
		t.Errorf("%d keys were written for 64 buckets", h.store.Keys()-keys)
	}
	if total := strings.Count(h.counts(), "1"); total != 50 { // and the network's 50
		t.Errorf("%d keys are counted, want 50: refused requests must not take counters", total)
	}
	h.from("[2001:db8:0:1::1]:80")
	h.play(p, get("/", "alice")).want(t, "another network", 200, "limit=5 remaining=4 reset=3600")
}

// TestWhatIsRefusedFromMemory holds that a refusal asks the store again only where a later rule may have made the charge of an earlier
// one go back.
func TestWhatIsRefusedFromMemory(t *testing.T) {
	const once, plenty = `"limits": [{"requests": 1, "window": "1h"}]`, `"limits": [{"requests": 9, "window": "1h"}]`
	for what, c := range map[string]struct {
		rules  string
		memory bool
	}{
		"one rule":                        {`{"name": "api", ` + once + `}`, true},
		"a last rule that goes on":        {`{"name": "api", "continue": true, ` + once + `}`, true},
		"after a rule of other paths":     {`{"name": "login", "match": [{"path": "/login"}], ` + once + `}, {"name": "api", ` + once + `}`, true},
		"after a shadow rule":             {`{"name": "watched", "mode": "shadow", ` + plenty + `}, {"name": "api", ` + once + `}`, true},
		"before a rule":                   {`{"name": "api", "continue": true, ` + once + `}, {"name": "rest", ` + plenty + `}`, false},
		"after a rule that goes on":       {`{"name": "all", "continue": true, ` + plenty + `}, {"name": "api", ` + once + `}`, false},
		"of a rule that counts by status": {`{"name": "api", ` + once + `, "count_statuses": ["200"]}`, false},
	} {
		h := newFakeHost()
		p := startPlugin(t, h, shop(c.rules))
		h.status = 200
		h.play(p, get("/", "alice"))
		h.play(p, get("/", "alice"))
		h.calls = nil
		h.play(p, get("/", "alice")).want(t, what, 429, "limit=1 remaining=0 reset=3600 retry-after=2600")
		if asked := slices.Contains(h.calls, "get"); asked == c.memory {
			t.Errorf("%s: calls %q", what, h.calls)
		}
	}
}

// TestCost holds what a request costs in each limit of its rule, and that one which costs more than is left changes nothing.
func TestCost(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`
		{"name": "export", "match": [{"path": "/export"}], "cost": 5, "continue": true, "limits": [{"requests": 13, "window": "10s"}, {"requests": 100, "window": "1h"}]},
		{"name": "api", "limits": [{"requests": 50, "window": "10s"}]}`))
	h.play(p, get("/export", "alice")).want(t, "first", 200, "limit=13 remaining=8 reset=1010")
	h.play(p, get("/export", "alice")).want(t, "second", 200, "limit=13 remaining=3 reset=1010")
	h.play(p, get("/export", "alice")).want(t, "third", 429, "limit=13 remaining=3 reset=1010 retry-after=10")
	h.wantCounts(t, "the other rule costs one", "10 10 2")
}

// TestARuleThatIsSkipped holds that a rule which goes on, and whose client is not named, does not end the search either.
func TestARuleThatIsSkipped(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`
		{"name": "team", "identity": [{"header": "x-team"}], "on_unidentified": "next", "continue": true, "limits": [{"requests": 1, "window": "1h"}]},
		{"name": "api", "limits": [{"requests": 3, "window": "1h"}]}`))
	h.play(p, get("/", "alice")).want(t, "no team", 200, "limit=3 remaining=2 reset=3600")
	h.play(p, with(get("/", "alice"), "x-team", "red")).want(t, "a team", 200, "limit=1 remaining=0 reset=3600")
	h.wantCounts(t, "both", "2 1")
}

// TestAChargeThatALaterRuleCannotTakeBack holds the metric of it: what stays charged is exactly what it says.
func TestAChargeThatALaterRuleCannotTakeBack(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`
		{"name": "all", "identity": [{"constant": "everyone"}], "continue": true, "limits": [{"requests": 100, "window": "1h"}]},
		{"name": "keyed", "match": [{"path": "/keyed"}], "on_error": "refuse", "limits": [{"requests": 5, "window": "1h"}]}`))
	h.play(p, get("/", "alice"))
	for i := range 40 {
		// Where the bucket of the client comes second, it cannot be made after that of all was charged, and the charge cannot be taken back.
		h.trouble["create"] = trouble{err: errBroken, times: 1}
		h.trouble["swap"] = trouble{err: errBroken, after: 1, times: 1}
		h.play(p, get("/keyed", fmt.Sprint("client-", i))).want(t, "not counted", 503, "")
	}
	h.failing("swap", 0, nil)
	p.OnTick()
	lost := h.counters["tollgate.shop.errors_refund"]
	if lost == 0 || lost == 40 {
		t.Errorf("%d of 40 charges were lost, want those of the clients whose bucket comes second", lost)
	}
	h.wantCounts(t, "the first request and the lost charges", fmt.Sprint(lost+1))
}
