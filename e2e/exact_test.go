package e2e

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"tollgate/e2e/envoytest"
	"tollgate/e2e/wire"
	"tollgate/prove/forms"
)

// The promise: however many requests of a client arrive on however many workers at once, and be they the first that this
// process ever sees, exactly the budget passes.
func TestExactAcrossWorkers(t *testing.T) {
	const starts, clients, connections, budget = 5, 20, 400, 100
	for n := range starts {
		t.Run(fmt.Sprintf("start %d", n+1), func(t *testing.T) {
			config := oneRule("exact", budget, inSeconds(farWindow()))
			envoy := envoytest.Start(t, envoytest.Config{
				Concurrency: 4,
				Listeners:   []envoytest.Listener{{Name: "main", Filters: []envoytest.Filter{tollgate(t, config)}}},
			})
			c := gather(t, envoy.Addr("main"), connections)
			began := time.Now()
			for i := range clients {
				checkBurst(t, c, fmt.Sprint("client ", i), "/", budget)
			}
			took := time.Since(began)
			workers := checkWorkers(t, envoy)
			forms.Proved(t, "exact", "%d clients, each %d requests at once, %d allowed each; connections by worker %v, %d conflicts, %v",
				clients, connections, budget, workers, conflicts(envoy, clients*connections), took.Round(time.Millisecond))
		})
	}
}

// checkBurst asks for target as a fresh client on all connections at once, and holds that exactly budget requests are allowed.
func checkBurst(t testing.TB, c crowd, who, target string, budget int) {
	t.Helper()
	responses, err := c.burst(wire.Request{Method: "GET", Target: target, Header: key(who)})
	if err != nil {
		t.Fatal(err)
	}
	checkExact(t, who, responses, budget)
}

var workerConnections = regexp.MustCompile(`^listener\..*\.worker_(\d+)\.downstream_cx_total$`)

// checkWorkers returns how many connections each worker took, and holds that at least two took some: otherwise nothing was
// concurrent.
func checkWorkers(t testing.TB, envoy *envoytest.Envoy) map[string]uint64 {
	t.Helper()
	took := map[string]uint64{}
	for name, n := range envoy.Stats() {
		if m := workerConnections.FindStringSubmatch(name); m != nil && n > 0 {
			took[m[1]] = n
		}
	}
	if len(took) < 2 {
		t.Errorf("connections by worker: %v, want at least two workers", took)
	}
	return took
}

// conflicts returns how often a worker found that another had counted between its reading and its writing. It waits until
// all requests are in the metrics.
func conflicts(envoy *envoytest.Envoy, requests uint64) uint64 {
	envoy.AwaitStat("wasmcustom.tollgate.exact.api.limited", func(limited uint64) bool {
		return limited+envoy.Stats()["wasmcustom.tollgate.exact.api.allowed"] == requests
	})
	return envoy.Stats()["wasmcustom.tollgate.exact.cas_conflicts"]
}
