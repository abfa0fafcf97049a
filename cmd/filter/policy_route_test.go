package main

import (
	"fmt"
	"strings"
	"testing"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
)

// onRoute plays a request of alice by a route of that name with these rules, "" for none.
func onRoute(t *testing.T, root *wasmhost.Root, name, rules string) (r wasmhost.Response) {
	t.Helper()
	properties := []property{{routeName, name}, {routeRules, rules}}
	if rules == "" {
		properties = properties[:1]
	}
	set(root.Host(), properties, func() { r = do(t, root, get("/", "alice"), nil) })
	return r
}

func routeLimit(requests int) string {
	return fmt.Sprintf(`[{"name": "api", "limits": [{"requests": %d, "window": "1h"}]}]`, requests)
}

// TestRulesOfRoutes holds that a route's own rules take the place of the plugin's, apart for each route, and that faulty ones get what
// the top level says and a line in the log for each text.
//
// Fields: per_route
func TestRulesOfRoutes(t *testing.T) {
	for onError, status := range map[string]int{"allow": 200, "refuse": 503} {
		host := hosttest.New(t)
		root := start(t, host, limited(9, "1h", `"per_route": true, "on_error": "`+onError+`",`))
		host.ResetLogs()
		for range 2 {
			onRoute(t, root, "faulty", `[{"name": "api", "limits": [{"requests": -1, "window": "1h"}]}]`)
		}
		want(t, "faulty", onRoute(t, root, "faulty", `{}`), status, "")
		want(t, "the plugin's own", onRoute(t, root, "plain", ""), 200, "limit=9 remaining=8 reset=1700002800")
		want(t, "first", onRoute(t, root, "first", routeLimit(5)), 200, "limit=5 remaining=4 reset=1700002800")
		want(t, "second", onRoute(t, root, "second", routeLimit(5)), 200, "limit=5 remaining=4 reset=1700002800")
		want(t, "first again", onRoute(t, root, "first", routeLimit(5)), 200, "limit=5 remaining=3 reset=1700002800")
		want(t, "first with another limit", onRoute(t, root, "first", routeLimit(7)), 200, "limit=7 remaining=4 reset=1700002800")
		tick(t, root)
		wantMetrics(t, host, map[string]uint64{"api.allowed": 5, "errors_route": 3})
		if n := strings.Count(host.LogText(), `rules of the route "faulty" refused: `); n != 2 || strings.Count(host.LogText(), "\n") != 3 {
			t.Errorf("log %s", host.LogText())
		}
	}
	root := start(t, hosttest.New(t), limited(9, "1h", `"per_route": false,`))
	want(t, "not asked for", onRoute(t, root, "first", routeLimit(5)), 200, "limit=9 remaining=8 reset=1700002800")
}

// TestManyRoutesTakeNoMemory sends requests by more routes than are kept compiled, with other texts each time: the VM's memory stays
// within what a garbage collector makes of a steady state, and every counter is right.
//
// Fields: per_route
func TestManyRoutesTakeNoMemory(t *testing.T) {
	const texts, rounds, steady, tolerance = 400, 10, 3, 1 << 20
	host := hosttest.New(t)
	root := start(t, host, limited(9, "1h", `"per_route": true,`))
	var memory [rounds]uint32
	for round := range rounds {
		for i := range texts {
			limit := 1000 + texts*round + i
			r := onRoute(t, root, fmt.Sprint("route-", i), routeLimit(limit))
			want(t, fmt.Sprint("route ", i), r, 200, fmt.Sprintf("limit=%d remaining=%d reset=1700002800", limit, limit-round-1))
		}
		tick(t, root)
		memory[round] = root.VM().MemorySize()
	}
	t.Logf("memory after each round: %d", memory)
	if memory[rounds-1] > memory[steady]+tolerance {
		t.Errorf("the memory grows: %d", memory)
	}
	wantMetrics(t, host, map[string]uint64{"api.allowed": texts * rounds})
}
