package e2e

import (
	"slices"
	"testing"

	"tollgate/e2e/envoytest"
)

// A thousand connections that stay open are served, counted exactly, and cost no more memory the longer they are used.
func TestManyKeepAliveConnections(t *testing.T) {
	const connections, rounds, budget = 1000, 40, 1_000_000
	const slack, bound = 4 << 10, 32 << 10 // bytes for each connection
	window := farWindow()
	envoy := envoytest.Start(t, envoytest.Config{
		Listeners: []envoytest.Listener{limited(t, "main", oneRule("many", budget, inSeconds(window)), "")},
	})
	idle := envoy.RSS()
	c := gather(t, envoy.Addr("main"), connections)
	var curve []int64
	for range rounds {
		if err := c.each(func(i int) error { return expectOK(c[i], "alice") }); err != nil {
			t.Fatal(err)
		}
		curve = append(curve, envoy.RSS())
	}
	if n := envoy.Stats()["http.main.downstream_cx_active"]; n != connections {
		t.Errorf("%d connections are open, want %d", n, connections)
	}
	connect(t, http1, envoy.Addr("main")).get("/", "alice").check(t, 200, standing{budget, budget - connections*rounds - 1, window})
	logCurve(t, "requests", connections, curve)
	checkFlat(t, curve, slack*connections)
	each := (slices.Max(curve) - idle) / connections
	if each > bound {
		t.Errorf("each connection costs %d bytes, which is more than %d", each, bound)
	}
	t.Logf("each of %d connections costs %d bytes", connections, each)
}
