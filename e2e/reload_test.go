package e2e

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"tollgate/e2e/envoytest"
	"tollgate/e2e/wire"
)

// update replaces the listeners and returns when every worker has them.
func update(t testing.TB, envoy *envoytest.Envoy, listeners ...envoytest.Listener) {
	t.Helper()
	if err := envoy.Update(listeners...); err != nil {
		t.Fatal(err)
	}
}

// limited returns a listener with the filter of a configuration. The note makes it another listener than one with the
// same configuration.
func limited(t testing.TB, name, config, note string) envoytest.Listener {
	t.Helper()
	return envoytest.Listener{
		Name:     name,
		Filters:  []envoytest.Filter{tollgate(t, config)},
		Metadata: map[string]map[string]any{"test": {"note": note}},
	}
}

// A new configuration holds at once, in the VMs that run already, and finds the counters of all rules that it shares
// with the one before.
func TestReloadKeepsCounters(t *testing.T) {
	t.Parallel()
	window := farWindow()
	w := inSeconds(window)
	api := func(requests string) string {
		return `{"name": "api", "limits": [{"requests": ` + requests + `, "window": "` + w + `"}]}`
	}
	login := `{"name": "login", "match": [{"path": "/login"}], "limits": [{"requests": 9, "window": "` + w + `"}]}`
	config := func(rules string) string { return `{"domain": "update", "rules": [` + rules + `]}` }
	steps := []struct {
		what, config  string
		status        int
		limit, remain int64
	}{
		{"the same limits", config(api("3")), 429, 3, 0},
		{"a higher limit", config(api("5")), 200, 5, 1},
		{"a lower limit", config(api("2")), 429, 2, 0},
		{"a limit of exactly what was counted", config(api("4")), 429, 4, 0},
		{"a rule in front", config(login + "," + api("9")), 200, 9, 4},
		{"the rule in front taken away", config(api("9")), 200, 9, 3},
	}
	envoy := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{limited(t, "main", config(api("3")), "start")}})
	first := connect(t, http1, envoy.Addr("main"))
	for i := range int64(3) {
		first.get("/", "alice").check(t, 200, standing{3, 2 - i, window})
	}
	first.get("/", "alice").check(t, 429, standing{3, 0, window})
	machines := envoy.Stats()[activeVMs]
	for _, s := range steps {
		t.Run(s.what, func(t *testing.T) {
			update(t, envoy, limited(t, "main", s.config, s.what))
			connect(t, http1, envoy.Addr("main")).get("/", "alice").check(t, s.status, standing{s.limit, s.remain, window})
		})
	}
	if n := envoy.Stats()[activeVMs]; n != machines {
		t.Errorf("%d VMs after the updates, %d before: they were not reused", n, machines)
	}
}

const activeVMs = "wasm.envoy.wasm.runtime.v8.active"

// What a configuration counted for the metrics in its last second is not lost when another one takes its
// place.
func TestReloadKeepsMetrics(t *testing.T) {
	t.Parallel()
	const reloads, budget = 5, 7
	window := farWindow()
	listener := func(note string) envoytest.Listener {
		return limited(t, "main", oneRule("metrics", budget, inSeconds(window)), note)
	}
	envoy := envoytest.Start(t, envoytest.Config{DrainSeconds: 1, Listeners: []envoytest.Listener{listener("start")}})
	for i := range reloads {
		c := connect(t, http1, envoy.Addr("main"))
		c.get("/", "alice")
		c.get("/", "alice")
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		update(t, envoy, listener(fmt.Sprint("reload ", i)))
	}
	envoy.AwaitStat("listener_manager.total_filter_chains_draining", func(n uint64) bool { return n == 0 })
	const prefix = "wasmcustom.tollgate.metrics.api."
	envoy.AwaitStat(prefix+"allowed", func(n uint64) bool { return n == budget })
	envoy.AwaitStat(prefix+"limited", func(n uint64) bool { return n == 2*reloads-budget })
}

// A request that began under one configuration ends under it, whatever happens to the configuration meanwhile.
func TestStreamsEndUnderTheirConfiguration(t *testing.T) {
	t.Parallel()
	const streams, before, after = 8, 20, 30
	window := farWindow()
	upstream := newHeldUpstream(t)
	listener := func(limit int) envoytest.Listener {
		l := limited(t, "main", oneRule("streams", limit, inSeconds(window)), "")
		l.Upstream = upstream.addr
		return l
	}
	envoy := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{listener(before)}})
	old := gather(t, envoy.Addr("main"), streams)
	var responses []*wire.Response
	var burst sync.WaitGroup
	burst.Go(func() {
		var err error
		if responses, err = old.burst(wire.Request{Method: "GET", Target: "/held", Header: key("alice")}); err != nil {
			t.Error(err)
		}
	})
	upstream.awaitHeld(t, streams)
	update(t, envoy, listener(after))
	fresh := connect(t, http1, envoy.Addr("main"))
	fresh.get("/", "alice").check(t, 200, standing{after, after - streams - 1, window})
	upstream.release()
	burst.Wait()
	if !t.Failed() {
		checkHeld(t, responses, before)
	}
	fresh.get("/", "alice").check(t, 200, standing{after, after - streams - 2, window})
}

// checkHeld holds that the responses, a client's first ones, were allowed under that limit, and that each tells another
// remaining value.
func checkHeld(t testing.TB, responses []*wire.Response, limit int) {
	t.Helper()
	var told, want []int
	for i, r := range responses {
		shown, err := theNumber(r, "x-ratelimit-limit")
		if err != nil || r.Status != 200 || shown != limit {
			t.Errorf("status %d with limit %d (%v), want 200 with limit %d, under which it began", r.Status, shown, err, limit)
		}
		remaining, err := theNumber(r, "x-ratelimit-remaining")
		if err != nil {
			t.Error(err)
		}
		told, want = append(told, remaining), append(want, limit-1-i)
	}
	slices.Sort(told)
	slices.Sort(want)
	if !slices.Equal(told, want) {
		t.Errorf("remaining values %v, want %v", told, want)
	}
}
