package e2e

import (
	"fmt"
	"strings"
	"testing"

	"tollgate/e2e/envoytest"
)

// fullPlays show what a client gets for whom there is no room in the table of counters, and how a rule is served that must not pass
// what it cannot count. The tables have two buckets.
func fullPlays() []play {
	const tiny, budget = `"max_counters": 16, `, `"limits": [{"requests": 50, "window": "hour"}]`
	return []play{
		{name: "share", config: tiny + `"rules": [{"name": "api", ` + budget + `}]`, check: checkShared},
		{name: "allow", config: tiny + `"on_full": "allow", "rules": [{"name": "api", ` + budget + `}]`, check: func(t *testing.T, envoy *envoytest.Envoy, w times) {
			fill(t, envoy.Addr("allow"), "/")
			w.run(t, envoy.Addr("allow"), []step{get("/", "late", "200 50/49 hour"), get("/", "late", "200 50/49 hour")})
		}},
		{name: "refuse", config: tiny + `"on_full": "refuse", "rules": [{"name": "api", ` + budget + `}]`, check: func(t *testing.T, envoy *envoytest.Envoy, w times) {
			fill(t, envoy.Addr("refuse"), "/")
			w.run(t, envoy.Addr("refuse"), []step{get("/", "late", "429 50/0 hour"), get("/", "late", "429 50/0 hour")})
		}},
		{name: "no-room", check: checkNoRoom, config: tiny + `"on_error": "refuse", "rules": [` + strings.Join([]string{
			eightLimits("a", ""), eightLimits("b", ""), eightLimits("c", ""), eightLimits("d", `"on_error": "allow", `)}, ", ") + `]`},
	}
}

// fill sends requests of so many clients that both buckets have no room for another.
func fill(t *testing.T, addr, path string) {
	t.Helper()
	c := connect(t, http1, addr)
	for i := range 60 {
		c.get(path, fmt.Sprint("client ", i))
	}
}

// checkNoRoom fills the places for clients and for overflow: each rule takes half of a bucket's.
func checkNoRoom(t *testing.T, envoy *envoytest.Envoy, w times) {
	fill(t, envoy.Addr("no-room"), "/a")
	fill(t, envoy.Addr("no-room"), "/b")
	w.run(t, envoy.Addr("no-room"), []step{get("/c", "late", "503"), get("/d", "late", "200")})
}

// eightLimits is a rule for one path with as many limits as a rule can have.
func eightLimits(name, fields string) string {
	var limits []string
	for i := range 8 {
		limits = append(limits, fmt.Sprintf(`{"requests": 1000, "window": "%dh"}`, 1000+i))
	}
	return fmt.Sprintf(`{"name": %q, "match": [{"path": "/%s"}], %s"limits": [%s]}`, name, name, fields, strings.Join(limits, ", "))
}

// checkShared holds that a client which comes late finds a counter that others have used, and uses it with them.
func checkShared(t *testing.T, envoy *envoytest.Envoy, _ times) {
	fill(t, envoy.Addr("share"), "/")
	c := connect(t, http1, envoy.Addr("share"))
	var remaining [2]int
	for i := range remaining {
		var err error
		if remaining[i], err = theNumber(c.get("/", "late").Response, "x-ratelimit-remaining"); err != nil {
			t.Fatal(err)
		}
	}
	if remaining[0] >= 49 || remaining[1] != max(remaining[0]-1, 0) {
		t.Errorf("a late client is told %d remaining of 50", remaining)
	}
}
