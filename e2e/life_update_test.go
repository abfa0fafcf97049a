package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tollgate/e2e/envoytest"
	"tollgate/e2e/wire"
	"tollgate/prove/forms"
)

// A configuration that changes all the time, under load: no request fails, no count is lost, no budget fills up again, and the
// memory of configurations that are gone comes back.
func TestLifeOfUpdates(t *testing.T) {
	const (
		interval       = 200 * time.Millisecond
		warm           = 10        // updates until all that is ever needed at once has been allocated
		slack, further = 10e6, 1e6 // bytes that memory may grow by after that, and from the second to the last quarter
	)
	updates := forms.Pick(25, 300)
	window := farWindow()
	envoy := envoytest.Start(t, envoytest.Config{DrainSeconds: 2, Listeners: []envoytest.Listener{updated(t, 0, window)}})
	l := startLoad(envoy.Addr("main"))

	curve := make([]int64, updates) // resident bytes after each update
	began := time.Now()
	for n := range updates {
		waitUntil(began.Add(time.Duration(n) * interval))
		update(t, envoy, updated(t, n+1, window))
		curve[n] = envoy.RSS()
	}
	took := time.Since(began)
	requests := l.end(t, loadBudget)
	envoy.AwaitStat("listener_manager.total_filter_chains_draining", func(n uint64) bool { return n == 0 })
	drained := envoy.RSS()

	checkNone5xx(t, envoy, "main")
	logCurve(t, "updates", 1, curve)
	checkFlat(t, curve, forms.Pick[int64](slack, further))
	if grown := drained - curve[warm-1]; grown > slack {
		t.Errorf("memory has grown by %d bytes since update %d, which is more than %d", grown, warm, int64(slack))
	}
	forms.Proved(t, "updates", "%d in %v under load: %d requests served, every remaining value told once; resident memory %s after update %d, %s at most, %s in the end",
		updates, took.Round(time.Second), requests, mb(curve[warm-1]), warm, mb(slices.Max(curve)), mb(drained))
}

// updated returns a listener whose configuration is another one for each n, all with the same budget for the load. The runtime
// collects garbage early, so that memory which is never freed shows soon: by itself it would first allocate 4 MB in each VM.
func updated(t testing.TB, n int, window time.Duration) envoytest.Listener {
	t.Helper()
	config := fmt.Sprintf(`{"domain": "updates", "rules": [
		{"name": "other", "match": [{"path": "/other"}], "limits": [{"requests": %d, "window": "1h"}]},
		{"name": "api", "limits": [{"requests": %d, "window": %q}]}
	]}`, n, loadBudget, inSeconds(window))
	plugin := envoytest.Plugin{Module: envoytest.Module(t), Config: &config}
	return envoytest.Listener{Name: "main", Filters: []envoytest.Filter{plugin.FilterWith(map[string]string{"GOGC": "10"})}}
}

// startLoad starts callers that dial an address again and again.
func startLoad(addr string) *load {
	const callers, perConnection = 8, 20
	l := newLoad("alice")
	l.start(callers, perConnection, func() (wire.Client, error) { return wire.DialHTTP1(addr) })
	return l
}

// A new module takes the place of the old one under load, and the old one comes back: no request fails, and the counts stay.
func TestLifeOfModules(t *testing.T) {
	updates := forms.Pick(3, 20)
	config := oneRule("modules", loadBudget, inSeconds(farWindow()))
	modules := []string{envoytest.Module(t), envoytest.Build(t, "./e2e/crashfilter")}
	listener := func(n int) envoytest.Listener {
		plugin := envoytest.Plugin{Module: modules[n%len(modules)], Config: &config}
		return envoytest.Listener{Name: "main", Filters: []envoytest.Filter{plugin.Filter()}}
	}
	envoy := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{listener(0)}})
	l := startLoad(envoy.Addr("main"))
	for n := range updates {
		update(t, envoy, listener(n+1))
	}
	requests := l.end(t, loadBudget)
	checkNone5xx(t, envoy, "main")
	forms.Proved(t, "new modules", "%d under load: %d requests served, every remaining value told once", updates, requests)
}

func mb(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

// checkNone5xx holds that no request to a listener was answered 5xx.
func checkNone5xx(t testing.TB, envoy *envoytest.Envoy, listener string) {
	t.Helper()
	if n := envoy.Stats()["http."+listener+".downstream_rq_5xx"]; n > 0 {
		t.Errorf("%d requests to %s were answered 5xx", n, listener)
	}
}
