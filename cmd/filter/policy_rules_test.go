package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
)

// exchange is a request, the upstream's answer to it, and what the client must get.
type exchange struct {
	request  wasmhost.Headers
	upstream int // its status, 0 for 200
	status   int
	told     string
}

// play plays exchanges and compares what the clients get.
func play(t *testing.T, what string, root *wasmhost.Root, exchanges ...exchange) {
	t.Helper()
	for i, a := range exchanges {
		upstream := a.upstream
		if upstream == 0 {
			upstream = 200
		}
		want(t, fmt.Sprintf("%s, request %d", what, i), do(t, root, a.request, wasmhost.Respond(upstream)), a.status, a.told)
	}
}

// TestLimits holds several limits of a rule, that a refused request is counted in none, and the extremes of both numbers.
//
// Fields: rules.limits, rules.limits.requests, rules.limits.window, rules.description
func TestLimits(t *testing.T) {
	host := hosttest.New(t)
	root := start(t, host, shop(`
		{"name": "two", "match": [{"path": "/two"}], "description": "bursts, and in the long run", "limits": [{"requests": 2, "window": "10s"}, {"requests": 3, "window": "1h"}]},
		{"name": "free", "match": [{"path": "/free"}], "limits": "unlimited"},
		{"name": "never", "match": [{"path": "/never"}], "limits": [{"requests": 0, "window": "1m"}]},
		{"name": "most", "match": [{"path": "/most"}], "limits": [{"requests": 4294967295, "window": "366d"}]},
		{"name": "one", "match": [{"path": "/one"}], "limits": [{"requests": 1, "window": "1s"}]},
		{"name": "rest", "limits": [{"requests": 2147483647, "window": "2d"}]}`))
	play(t, "two limits", root,
		exchange{get("/two", "alice"), 0, 200, "limit=2 remaining=1 reset=1700000010"}, exchange{get("/two", "alice"), 0, 200, "limit=2 remaining=0 reset=1700000010"},
		exchange{get("/two", "alice"), 0, 429, "limit=2 remaining=0 reset=1700000010 retry-after=10"})
	host.Advance(10_000_000_000)
	play(t, "two limits, ten seconds later", root,
		exchange{get("/two", "alice"), 0, 200, "limit=3 remaining=0 reset=1700002800"},
		exchange{get("/two", "alice"), 0, 429, "limit=3 remaining=0 reset=1700002800 retry-after=2790"})
	play(t, "others", root,
		exchange{get("/free", "alice"), 0, 200, ""},
		exchange{get("/never", "alice"), 0, 429, "limit=0 remaining=0 reset=1700000040"},
		exchange{get("/most", "alice"), 0, 200, "limit=4294967295 remaining=4294967294 reset=1707609600"},
		exchange{get("/one", "alice"), 0, 200, "limit=1 remaining=0 reset=1700000011"},
		exchange{get("/one", "alice"), 0, 429, "limit=1 remaining=0 reset=1700000011 retry-after=1"},
		exchange{get("/", "alice"), 0, 200, "limit=2147483647 remaining=2147483646 reset=1700006400"})
}

// TestSeveralRules holds that a request is charged to all rules or to none, and which of them it is told of.
//
// Fields: rules.continue
func TestSeveralRules(t *testing.T) {
	host := hosttest.New(t)
	root := start(t, host, shop(`
		{"name": "all", "identity": [{"constant": "everyone"}], "continue": true, "limits": [{"requests": 5, "window": "1h"}]},
		{"name": "call", "match": [{"path": "/call"}], "limits": [{"requests": 2, "window": "1h"}]}`))
	play(t, "alice", root,
		exchange{get("/call", "alice"), 0, 200, "limit=2 remaining=1 reset=1700002800"}, exchange{get("/call", "alice"), 0, 200, "limit=2 remaining=0 reset=1700002800"},
		exchange{get("/call", "alice"), 0, 429, "limit=2 remaining=0 reset=1700002800 retry-after=2800"}, exchange{get("/call", "alice"), 0, 429, "limit=2 remaining=0 reset=1700002800 retry-after=2800"})
	play(t, "others", root,
		exchange{get("/", "alice"), 0, 200, "limit=5 remaining=2 reset=1700002800"}, exchange{get("/call", "bob"), 0, 200, "limit=5 remaining=1 reset=1700002800"},
		exchange{get("/", "bob"), 0, 200, "limit=5 remaining=0 reset=1700002800"}, exchange{get("/call", "carol"), 0, 429, "limit=5 remaining=0 reset=1700002800 retry-after=2800"})
	tick(t, root)
	wantMetrics(t, host, map[string]uint64{"all.allowed": 5, "all.limited": 1, "call.allowed": 3, "call.limited": 2})
}

// TestAFloodOfInventedKeys holds that a rule by address stops what a rule by key cannot.
//
// Fields: rules.continue, identity.address
func TestAFloodOfInventedKeys(t *testing.T) {
	host := hosttest.New(t)
	root := start(t, host, shop(`
		{"name": "network", "identity": [{"address": {}}], "continue": true, "limits": [{"requests": 50, "window": "1h"}]},
		{"name": "keyed", "limits": [{"requests": 5, "window": "1h"}]}`, `"max_counters": 256`))
	keys, passed := host.Shared("").Len(), 0
	set(host, []property{{address, "203.0.113.7:4711"}}, func() {
		for i := range 1000 {
			if do(t, root, get("/", fmt.Sprint("invented-", i)), nil).Status == 200 {
				passed++
			}
		}
	})
	if passed != 50 || host.Shared("").Len()-keys > 32 {
		t.Errorf("%d requests passed, and %d keys were written", passed, host.Shared("").Len()-keys)
	}
}

// TestCost holds what one request takes from each limit.
//
// Fields: rules.cost
func TestCost(t *testing.T) {
	root := start(t, hosttest.New(t), shop(`{"name": "export", "cost": 4, "limits": [{"requests": 10, "window": "10s"}, {"requests": 100, "window": "1h"}]}`))
	play(t, "cost", root, exchange{get("/", "alice"), 0, 200, "limit=10 remaining=6 reset=1700000010"}, exchange{get("/", "alice"), 0, 200, "limit=10 remaining=2 reset=1700000010"},
		exchange{get("/", "alice"), 0, 429, "limit=10 remaining=2 reset=1700000010 retry-after=10"})
}

// TestOnlyFailedLoginsCount holds that other statuses give the charge back, and that a client which leaves does not get it.
//
// Fields: rules.count_statuses
func TestOnlyFailedLoginsCount(t *testing.T) {
	host := hosttest.New(t)
	root := start(t, host, shop(`{"name": "login", "limits": [{"requests": 2, "window": "1h"}], "count_statuses": ["401", "5xx"]}`))
	play(t, "statuses", root,
		exchange{get("/", "alice"), 200, 200, "limit=2 remaining=2 reset=1700002800"}, exchange{get("/", "alice"), 401, 401, "limit=2 remaining=1 reset=1700002800"},
		exchange{get("/", "alice"), 403, 403, "limit=2 remaining=1 reset=1700002800"}, exchange{get("/", "alice"), 503, 503, "limit=2 remaining=0 reset=1700002800"},
		exchange{get("/", "alice"), 200, 429, "limit=2 remaining=0 reset=1700002800 retry-after=2800"})
	s, err := root.Begin(get("/", "bob"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	play(t, "after a client that left", root, exchange{get("/", "bob"), 401, 401, "limit=2 remaining=0 reset=1700002800"})
	root.VM().SetHooks(wasmhost.Hooks{Inject: wasmhost.Fail("get_header_map_value", -1, wasmhost.BadArgument)})
	play(t, "status unreadable", root, exchange{get("/", "carol"), 200, 200, "limit=2 remaining=1 reset=1700002800"})
	tick(t, root)
	wantMetrics(t, host, map[string]uint64{"errors_headers": 1})
}

// TestModes holds that a shadow rule counts and refuses nobody, that a disabled one is as if it were not there, and that the top level
// says so for all.
//
// Fields: mode, rules.mode, shadow_header
func TestModes(t *testing.T) {
	const rules = `{"name": "first", %s "limits": [{"requests": 1, "window": "1h"}]}, {"name": "second", "limits": [{"requests": 9, "window": "1h"}]}`
	alice := func(status int, told string) exchange { return exchange{get("/", "alice"), 0, status, told} }
	enforced := []exchange{alice(200, "limit=1 remaining=0 reset=1700002800"), alice(429, "limit=1 remaining=0 reset=1700002800 retry-after=2800")}
	second := []exchange{alice(200, "limit=9 remaining=8 reset=1700002800"), alice(200, "limit=9 remaining=7 reset=1700002800")}
	untold := []exchange{alice(200, ""), alice(200, "")}
	for _, c := range []struct {
		top, rule string
		exchanges []exchange
		upstream  string // what it is told with a third request
		metrics   map[string]uint64
	}{
		{"enforce", `"continue": true,`, enforced, "", map[string]uint64{"first.allowed": 1, "first.limited": 2, "second.allowed": 1}},
		{"enforce", `"mode": "shadow",`, second, "first=limited", map[string]uint64{"first.allowed": 1, "first.shadow_limited": 2, "second.allowed": 3}},
		{"enforce", `"mode": "disabled",`, second, "", map[string]uint64{"second.allowed": 3}},
		{"shadow", ``, untold, "first=limited, second=allowed", map[string]uint64{"first.allowed": 1, "first.shadow_limited": 2, "second.allowed": 3}},
		{"shadow", `"mode": "enforce", "continue": true,`, enforced, "", map[string]uint64{"first.allowed": 1, "first.limited": 2, "second.allowed": 1}},
		{"disabled", ``, untold, "", nil},
	} {
		host := hosttest.New(t)
		root := start(t, host, shop(fmt.Sprintf(rules, c.rule), `"mode": "`+c.top+`"`, `"shadow_header": "X-Shadow"`))
		play(t, c.top+" "+c.rule, root, c.exchanges...)
		told := ""
		do(t, root, with(get("/", "alice"), "x-shadow", "forged"), func(request wasmhost.Headers) wasmhost.Headers {
			told = strings.Join(request.Values("x-shadow"), "|")
			return nil
		})
		if told != c.upstream {
			t.Errorf("%s %s: the upstream is told %q, want %q", c.top, c.rule, told, c.upstream)
		}
		tick(t, root)
		wantMetrics(t, host, c.metrics)
	}
}

// TestPlans holds which limits a client has by its key, by a claim, or without either.
//
// Fields: plans, plans.members, plan_from, plan_from.metadata, rules.plans
func TestPlans(t *testing.T) {
	hash := sha256.Sum256([]byte("goldie"))
	host := hosttest.New(t)
	root := start(t, host, shop(`{"name": "api", "limits": [{"requests": 2, "window": "1h"}], "plans": {"gold": [{"requests": 9, "window": "1h"}], "staff": "unlimited"}}`,
		`"plans": {"gold": {"members": ["sha256:`+hex.EncodeToString(hash[:])+`"]}, "staff": {}}`,
		`"plan_from": [{"metadata": ["envoy.filters.http.jwt_authn", "payload", "claim"]}]`))
	for _, c := range []struct{ key, claim, told string }{
		{"alice", "", "limit=2 remaining=1 reset=1700002800"},
		{"alice", "gold", "limit=9 remaining=7 reset=1700002800"}, // the same counter
		{"carol", "platinum", "limit=2 remaining=1 reset=1700002800"},
		{"boss", "staff", ""},
		{" goldie ", "", "limit=9 remaining=8 reset=1700002800"},
		{"goldie", "staff", "limit=9 remaining=7 reset=1700002800"},
		{"*", "", "limit=2 remaining=1 reset=1700002800"},
	} {
		set(host, []property{{claim, c.claim}}, func() {
			play(t, c.key+" with the claim "+c.claim, root, exchange{get("/", c.key), 0, 200, c.told})
		})
	}
	tick(t, root)
	wantMetrics(t, host, map[string]uint64{"api.allowed": 6, "unknown_plans": 1})
}

// TestStagger holds that windows end at another second for each client, and that reset and Retry-After say when.
//
// Fields: stagger, rules.stagger
func TestStagger(t *testing.T) {
	const rule = `{"name": "api", %s "limits": [{"requests": 1, "window": "1h"}]}`
	for _, c := range []struct {
		top, rule string
		staggered bool
	}{
		{`"stagger": true`, "", true}, {`"stagger": true`, `"stagger": false,`, false}, {`"stagger": false`, `"stagger": true,`, true}, {`"stagger": false`, "", false},
	} {
		root := start(t, hosttest.New(t), shop(fmt.Sprintf(rule, c.rule), c.top))
		ends := map[string]bool{}
		for i := range 20 {
			key := fmt.Sprint("client-", i)
			reset := do(t, root, get("/", key), nil).Headers.Value("x-ratelimit-reset")
			ends[reset] = true
			var seconds int64
			if _, err := fmt.Sscan(reset, &seconds); err != nil {
				t.Fatal(err)
			}
			play(t, key, root, exchange{get("/", key), 0, 429, fmt.Sprintf("limit=1 remaining=0 reset=%d retry-after=%d", seconds, seconds-1_700_000_000)})
		}
		if c.staggered != (len(ends) > 10) || !c.staggered && len(ends) != 1 {
			t.Errorf("%s %s: the windows of 20 clients have %d ends", c.top, c.rule, len(ends))
		}
	}
}
