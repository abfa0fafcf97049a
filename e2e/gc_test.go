package e2e

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tollgate/e2e/envoytest"
	"tollgate/prove/forms"
)

// The Go runtime collects garbage inside the proxy's callbacks. Nothing may come of it: no failure, and no lost count.
func TestExactUnderGarbageCollection(t *testing.T) {
	const clients, connections, budget, workers, collections = 20, 400, 100, 2, 20
	envoy := envoytest.Start(t, envoytest.Config{Concurrency: workers, Listeners: []envoytest.Listener{littering(t, budget)}})
	c := gather(t, envoy.Addr("main"), connections)
	// A rule with a path is matched with the normal form, which is a copy where the path is another: so much garbage does each
	// request leave.
	target := "//x/../" + strings.Repeat("y", 16<<10)
	for i := range clients {
		checkBurst(t, c, fmt.Sprint("client ", i), target, budget)
	}
	counts := collectionsByThread(t, envoy.Log())
	forms.Proved(t, "exact under garbage collection", "%d requests; collections by thread: %v", clients*connections, counts)
	busy := 0
	for _, n := range counts {
		if n >= collections {
			busy++
		}
	}
	if busy != workers {
		t.Errorf("%d threads collected garbage at least %d times, want all %d workers", busy, collections, workers)
	}
}

// littering returns a listener that leaves paths as they are, with a filter that collects garbage after little of it and
// logs each collection.
func littering(t testing.TB, budget int) envoytest.Listener {
	t.Helper()
	config := fmt.Sprintf(`{"domain": "garbage", "rules": [
		{"name": "login", "match": [{"path": "/login"}], "limits": [{"requests": 1, "window": "1h"}]},
		{"name": "api", "limits": [{"requests": %d, "window": %q}]}
	]}`, budget, inSeconds(farWindow()))
	plugin := envoytest.Plugin{Module: envoytest.Module(t), Config: &config}
	return envoytest.Listener{
		Name:     "main",
		RawPaths: true,
		Filters:  []envoytest.Filter{plugin.FilterWith(map[string]string{"GOGC": "1", "GODEBUG": "gctrace=1"})},
	}
}

// logged is a line of Envoy's log that a module wrote to its standard error: the number of the thread, and the text.
var logged = regexp.MustCompile(`(?m)^\[[^]]*\]\[(\d+)\]\[error\]\[wasm\] \[[^]]*\] wasm log[^:]*: (.*)$`)

// collectionsByThread returns how many garbage collections each thread's VM has finished. With gctrace=1 the runtime numbers
// them: "gc 1 @0.018s 0%: …". Each piece of that text is a line of its own in the log.
func collectionsByThread(t testing.TB, log string) map[string]int {
	t.Helper()
	counts, previous := map[string]int{}, map[string]string{}
	for _, m := range logged.FindAllStringSubmatch(log, -1) {
		thread, text := m[1], m[2]
		if previous[thread] == "gc " {
			n, err := strconv.Atoi(text)
			if err != nil {
				t.Errorf("thread %s: %v", thread, err)
			}
			counts[thread] = max(counts[thread], n)
		}
		previous[thread] = text
	}
	return counts
}
