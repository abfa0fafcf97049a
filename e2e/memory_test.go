package e2e

import (
	"fmt"
	"slices"
	"testing"

	"tollgate/e2e/envoytest"
	"tollgate/e2e/wire"
)

// Clients that come once and never again cost no memory beyond the table, and do not push out a client that is counted.
func TestFloodOfOneOffClients(t *testing.T) {
	const (
		flood, batch, connections = 100_000, 1000, 20
		maxCounters, budget       = 4096, 100_000
		slack                     = 1 << 20 // bytes: a leak of 21 bytes for each client of the second half is more
	)
	window := farWindow()
	config := fmt.Sprintf(`{"domain": "flood", "max_counters": %d,
		"rules": [{"name": "api", "limits": [{"requests": %d, "window": %q}]}]}`, maxCounters, budget, inSeconds(window))
	envoy := envoytest.Start(t, envoytest.Config{
		Listeners: []envoytest.Listener{{Name: "main", Filters: []envoytest.Filter{tollgate(t, config)}}},
	})
	alice := connect(t, http1, envoy.Addr("main"))
	for i := range int64(3) {
		alice.get("/", "alice").check(t, 200, standing{budget, budget - 1 - i, window})
	}
	c := gather(t, envoy.Addr("main"), connections)
	var curve []int64 // bytes, after each batch
	for first := 0; first < flood; first += batch {
		if err := c.oneOffs(first, batch); err != nil {
			t.Fatal(err)
		}
		curve = append(curve, envoy.RSS())
	}
	alice.get("/", "alice").check(t, 200, standing{budget, budget - 4, window})
	logCurve(t, "one-off clients", batch, curve)
	checkFlat(t, curve, slack)
	checkTableSize(t, envoy, flood+1, 2*maxCounters)
}

// oneOffs sends a request of each of n clients that nobody has seen before; first is the number of the first one.
func (c crowd) oneOffs(first, n int) error {
	share := n / len(c)
	return c.each(func(connection int) error {
		for i := range share {
			who := fmt.Sprint("one-off ", first+connection*share+i)
			if err := expectOK(c[connection], who); err != nil {
				return err
			}
		}
		return nil
	})
}

// expectOK sends a request of a client and returns an error if it is not served.
func expectOK(c wire.Client, who string) error {
	r, err := c.Do(wire.Request{Method: "GET", Target: "/", Header: key(who)})
	if err == nil && r.Status != 200 {
		err = fmt.Errorf("%s: status %d", who, r.Status)
	}
	return err
}

// checkTableSize holds that the clients that had a counter of their own are at most bound: the rest shared one, as the
// metric says.
func checkTableSize(t testing.TB, envoy *envoytest.Envoy, clients, bound uint64) {
	t.Helper()
	envoy.AwaitStat("wasmcustom.tollgate.flood.api.allowed", func(n uint64) bool { return n == clients+3 })
	shared := envoy.Stats()["wasmcustom.tollgate.flood.table_full"]
	if own := clients - shared; shared > clients || own > bound {
		t.Errorf("of %d clients %d shared a counter: %d had their own, want at most %d", clients, shared, own, bound)
	}
	t.Logf("of %d clients %d shared an overflow counter", clients, shared)
}

// checkFlat holds that the highest point of the last quarter of a curve is at most slack above that of the second
// quarter: by then everything is warm.
func checkFlat(t testing.TB, curve []int64, slack int64) {
	t.Helper()
	quarter := len(curve) / 4
	warm, last := slices.Max(curve[quarter:2*quarter]), slices.Max(curve[3*quarter:])
	if last > warm+slack {
		t.Errorf("resident memory rose from %d to %d bytes, which is more than %d", warm, last, slack)
	}
}

// logCurve prints ten points of a curve of resident memory.
func logCurve(t testing.TB, what string, step int, curve []int64) {
	t.Helper()
	every := max(1, len(curve)/10)
	for i := every - 1; i < len(curve); i += every {
		t.Logf("%7d %s: %6.2f MB resident", (i+1)*step, what, float64(curve[i])/1e6)
	}
}
