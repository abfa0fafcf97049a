package e2e

import (
	"testing"

	"tollgate/e2e/envoytest"
)

// Which plugins count together: those with the same domain in the same vm_id, and no others.
func TestWhoSharesCounters(t *testing.T) {
	t.Parallel()
	window := farWindow()
	config := func(domain string, requests int) *string {
		text := oneRule(domain, requests, inSeconds(window))
		return &text
	}
	listener := func(name string, p envoytest.Plugin) envoytest.Listener {
		p.Module = envoytest.Module(t)
		return envoytest.Listener{Name: name, Filters: []envoytest.Filter{p.Filter()}}
	}
	envoy := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{
		listener("one", envoytest.Plugin{Config: config("one", 1)}),
		listener("three", envoytest.Plugin{Config: config("three", 3)}),
		listener("three again", envoytest.Plugin{Config: config("three", 3), Name: "another"}),
		listener("elsewhere", envoytest.Plugin{Config: config("three", 3), VMID: "another"}),
	}})
	steps := []struct {
		listener      string
		status        int
		limit, remain int64
	}{
		{"one", 200, 1, 0},
		{"one", 429, 1, 0},
		{"three", 200, 3, 2},
		{"three again", 200, 3, 1},
		{"three", 200, 3, 0},
		{"three again", 429, 3, 0},
		{"three", 429, 3, 0},
		{"elsewhere", 200, 3, 2},
		{"one", 429, 1, 0},
	}
	for _, s := range steps {
		c := connect(t, http1, envoy.Addr(s.listener))
		c.get("/", "alice").check(t, s.status, standing{s.limit, s.remain, window})
	}
}

// A listener that is taken away and comes back finds its counters as long as another plugin of its vm_id runs, or the old one has
// not drained yet. When the last plugin of a vm_id is gone, the proxy drops its shared data.
func TestListenerComesBack(t *testing.T) {
	t.Parallel()
	window := farWindow()
	main := limited(t, "main", oneRule("back", 9, inSeconds(window)), "")
	other := limited(t, "other", oneRule("other", 9, inSeconds(window)), "")
	envoy := envoytest.Start(t, envoytest.Config{DrainSeconds: 1, Listeners: []envoytest.Listener{main, other}})
	steps := []struct {
		what      string
		meanwhile []envoytest.Listener
		vms       bool // whether any VM is left then
		remaining int64
	}{
		{"another plugin runs", []envoytest.Listener{other}, true, 7},
		{"no plugin runs", nil, false, 8},
	}
	connect(t, http1, envoy.Addr("main")).get("/", "alice").check(t, 200, standing{9, 8, window})
	for _, s := range steps {
		t.Run(s.what, func(t *testing.T) {
			update(t, envoy, s.meanwhile...)
			envoy.AwaitStat("listener_manager.total_listeners_draining", func(n uint64) bool { return n == 0 })
			envoy.AwaitStat(activeVMs, func(n uint64) bool { return n > 0 == s.vms })
			update(t, envoy, main, other)
			connect(t, http1, envoy.Addr("main")).get("/", "alice").check(t, 200, standing{9, s.remaining, window})
		})
	}
}
