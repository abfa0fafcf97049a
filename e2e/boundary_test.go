package e2e

import (
	"testing"
	"time"

	"tollgate/e2e/envoytest"
)

// What a fixed window cannot do: with 3 in 10 seconds, six requests pass within three seconds around a boundary.
func TestBoundaryBurst(t *testing.T) {
	t.Parallel()
	const budget, window = 3, 10 * time.Second
	envoy := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{
		{Name: "main", Filters: []envoytest.Filter{tollgate(t, oneRule("burst", budget, "10s"))}},
	}})
	c := connect(t, http1, envoy.Addr("main"))
	boundary := time.Unix(windowEnd(time.Now().Add(time.Second), window), 0)
	waitUntil(boundary.Add(-time.Second))
	first := time.Now()
	for i := range budget {
		c.get("/", "alice").check(t, 200, standing{budget, int64(budget - 1 - i), window})
	}
	c.get("/", "alice").check(t, 429, standing{budget, 0, window})
	waitUntil(boundary)
	for i := range budget {
		c.get("/", "alice").check(t, 200, standing{budget, int64(budget - 1 - i), window})
	}
	took := time.Since(first)
	c.get("/", "alice").check(t, 429, standing{budget, 0, window})
	if took > 3*time.Second {
		t.Errorf("six requests passed within %v, not within three seconds", took)
	}
	t.Logf("%d requests passed within %v, with %d allowed in %v", 2*budget, took.Round(time.Millisecond), budget, window)
}
