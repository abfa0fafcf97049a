package e2e

import (
	"fmt"
	"testing"

	"tollgate/e2e/envoytest"
	"tollgate/e2e/wire"
)

// statusPlays show that only failed logins count, whoever asks at the same time, and that the standing after that is told. A client
// that leaves before it has its answer keeps the charge.
func statusPlays(held *heldUpstream) []play {
	const failures = `"rules": [{"name": "login", "count_statuses": ["401", "5xx"], "limits": [{"requests": 3, "window": "hour"}, {"requests": 30, "window": "day"}]}]`
	return []play{
		{name: "statuses", config: failures, steps: []step{
			get("/200", "alice", "200 3/3 hour"), get("/404", "alice", "404 3/3 hour"), get("/204", "alice", "204 3/3 hour"),
			get("/401", "alice", "401 3/2 hour"), get("/200", "alice", "200 3/2 hour"), get("/503", "alice", "503 3/1 hour"),
			get("/403", "alice", "403 3/1 hour"), get("/401", "alice", "401 3/0 hour"), get("/200", "alice", "429 3/0 hour"),
		}},
		{name: "parallel", config: failures, check: checkParallel},
		{name: "leave", config: failures, upstream: held.addr, check: func(t *testing.T, envoy *envoytest.Envoy, w times) {
			leaveInTheMiddle(t, envoy.Addr("leave"), held, 2)
			envoy.AwaitStat("http.leave.downstream_rq_active", func(n uint64) bool { return n == 0 })
			w.run(t, envoy.Addr("leave"), []step{get("/", "alice", "200 3/1 hour")})
		}},
	}
}

func checkParallel(t *testing.T, envoy *envoytest.Envoy, w times) {
	c := gather(t, envoy.Addr("parallel"), 40)
	burst(t, c, "/401", "eve", map[int]int{401: 3, 429: 37})
	for i := range 5 { // however many at once: when they are through, nothing of them is left
		who := fmt.Sprint("client ", i)
		if _, err := c.burst(wire.Request{Method: "GET", Target: "/200", Header: key(who)}); err != nil {
			t.Fatal(err)
		}
		w.run(t, envoy.Addr("parallel"), []step{get("/401", who, "401 3/2 hour")})
	}
}

// burst sends a request on all connections at once and holds how often each status is answered.
func burst(t testing.TB, c crowd, target, who string, want map[int]int) {
	t.Helper()
	responses, err := c.burst(wire.Request{Method: "GET", Target: target, Header: key(who)})
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]int{}
	for _, r := range responses {
		got[r.Status]++
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s at %s: statuses %v, want %v", who, target, got, want)
	}
}
