package e2e

import (
	"fmt"
	"slices"
	"testing"

	"tollgate/e2e/envoytest"
	"tollgate/e2e/wire"
	"tollgate/prove/forms"
)

// Requests as browsers and proxies make them, with thirty headers, each of a client that comes once: the memory of the proxy does
// not grow with them.
func TestSoak(t *testing.T) {
	const points, connections, workers = 50, 20, 2
	const slack = 1e6 // bytes: a leak of seven bytes for each request of the long form's second half is more
	requests := forms.Pick(10_000, 300_000)
	config := `{"domain": "soak", "max_counters": 4096, "rules": [
		{"name": "login", "match": [{"methods": ["POST"], "path": "/login"}], "limits": [{"requests": 3, "window": "10s"}]},
		{"name": "api", "limits": [{"requests": 100000, "window": "10s"}, {"requests": 1000000, "window": "1d"}]}
	]}`
	envoy := envoytest.Start(t, envoytest.Config{
		Concurrency: workers,
		Listeners:   []envoytest.Listener{limited(t, "main", config, "")},
	})
	c := gather(t, envoy.Addr("main"), connections)
	curve := make([]int64, points) // resident bytes
	for point := range curve {
		if err := c.soak(point*requests/points, requests/points); err != nil {
			t.Fatal(err)
		}
		curve[point] = envoy.RSS()
	}
	checkNone5xx(t, envoy, "main")
	logCurve(t, "requests", requests/points, curve)
	checkFlat(t, curve, slack)
	forms.Proved(t, "soak", "%d requests of 30 headers, each of another client: resident memory %s after the second quarter, %s in the last",
		requests, mb(slices.Max(curve[points/4:points/2])), mb(slices.Max(curve[3*points/4:])))
}

// soak sends requests with thirty headers, each of a client that nobody has seen before; first is the number of the first one.
func (c crowd) soak(first, n int) error {
	share := n / len(c)
	return c.each(func(connection int) error {
		for i := range share {
			r, err := c[connection].Do(thirtyHeaders(first + connection*share + i))
			if err != nil {
				return err
			}
			if r.Status != 200 {
				return fmt.Errorf("status %d", r.Status)
			}
		}
		return nil
	})
}

func thirtyHeaders(n int) wire.Request {
	header := key(fmt.Sprint("one-off ", n))
	for len(header) < 30 {
		header = append(header, wire.Field{Name: fmt.Sprint("x-header-", len(header)), Value: "a value of some forty bytes, as most are"})
	}
	return wire.Request{Method: "GET", Target: "/", Header: header}
}
