package filter

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"tollgate/limiter"
)

// TestMetricsAreSummedAndPassedOn holds their names, that an exchange passes none on, and that a tick passes each sum once.
func TestMetricsAreSummedAndPassedOn(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, `{"domain": "my.shop", "rules": [
		{"name": "log_in-1", "match": [{"path": "/login"}], "limits": [{"requests": 1, "window": "10s"}]},
		{"name": "api", "limits": [{"requests": 2, "window": "10s"}]}]}`)
	names := []string{
		"cas_conflicts", "table_full", "unknown_plans", "errors_store", "errors_contended", "errors_corrupt", "errors_clock", "errors_table",
		"errors_refund", "errors_headers", "errors_reply", "errors_route", "errors_panic",
		"log_in-1.allowed", "log_in-1.limited", "api.allowed", "api.limited",
	}
	for i, name := range names {
		names[i] = "tollgate.my_shop." + name
	}
	if !slices.Equal(h.names, names) {
		t.Errorf("metrics\n\t%s\nwant\n\t%s", strings.Join(h.names, "\n\t"), strings.Join(names, "\n\t"))
	}
	h.calls = nil
	for range 4 {
		h.play(p, get("/", "alice"))
	}
	h.play(p, get("/login", "alice"))
	if slices.ContainsFunc(h.calls, func(call string) bool { return strings.HasPrefix(call, "increment") }) {
		t.Errorf("an exchange passes metrics on: %q", h.calls)
	}
	for range 2 {
		p.OnTick()
		want := map[string]uint64{"tollgate.my_shop.api.allowed": 2, "tollgate.my_shop.api.limited": 2, "tollgate.my_shop.log_in-1.allowed": 1}
		if got := nonZero(h.counters); !maps.Equal(got, want) {
			t.Errorf("metrics %v, want %v", got, want)
		}
	}
}

func nonZero(counters map[string]uint64) map[string]uint64 {
	counters = maps.Clone(counters)
	maps.DeleteFunc(counters, func(_ string, value uint64) bool { return value == 0 })
	return counters
}

// TestMetricsThatAreNotTaken are tried again with the next tick.
func TestMetricsThatAreNotTaken(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, threeInTen)
	h.play(p, get("/", "alice"))
	h.failing("increment", 1, errBroken)
	p.OnTick()
	if got := nonZero(h.counters); len(got) != 0 {
		t.Errorf("metrics %v of a host that takes none", got)
	}
	h.play(p, get("/", "alice"))
	p.OnTick()
	if n := h.counters["tollgate.shop.api.allowed"]; n != 2 {
		t.Errorf("api.allowed = %d, want 2", n)
	}
}

// TestMetricsAtTheEnd holds that nothing is lost with the plugin.
func TestMetricsAtTheEnd(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, threeInTen)
	h.play(p, get("/", "alice"))
	if !p.OnPluginDone() {
		t.Error("the plugin asks for time")
	}
	if n := h.counters["tollgate.shop.api.allowed"]; n != 1 {
		t.Errorf("api.allowed = %d, want 1", n)
	}
}

// TestMetricsAreDefinedOnceInAVM holds that updates do not fill the host with definitions.
func TestMetricsAreDefinedOnceInAVM(t *testing.T) {
	h := newFakeHost()
	vm := NewVM(h)
	startIn(t, vm, h, threeInTen)
	defined := len(h.names)
	p := startIn(t, vm, h, strings.Replace(threeInTen, "3", "4", 1))
	if len(h.names) != defined {
		t.Errorf("the update defined %q again", h.names[defined:])
	}
	h.play(p, get("/", "alice"))
	p.OnTick()
	if n := h.counters["tollgate.shop.api.allowed"]; n != 1 {
		t.Errorf("api.allowed = %d, want 1", n)
	}
}

// TestAConflictIsCounted holds the metric of conflicts, and that the request is counted once.
func TestAConflictIsCounted(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, threeInTen)
	h.failing("create", 2, limiter.ErrExists)
	if r := h.play(p, get("/", "alice")); r.told() != "limit=3 remaining=2 reset=1010" {
		t.Errorf("told %q", r.told())
	}
	p.OnTick()
	if n := h.counters["tollgate.shop.cas_conflicts"]; n != 2 {
		t.Errorf("cas_conflicts = %d, want 2", n)
	}
}

// TestMetricName holds which characters a name may have; each other becomes an underscore.
func TestMetricName(t *testing.T) {
	const kept = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"
	for c := range 256 {
		want := "_"
		if strings.IndexByte(kept, byte(c)) >= 0 {
			want = string(rune(c))
		}
		if got := metricName(string([]byte{byte(c)})); got != want {
			t.Errorf("%#x becomes %q, want %q", c, got, want)
		}
	}
}

// TestAMissingMetricIsToldOnce holds that a metric which the host refuses stays away with a line in the log, at the start or with the
// rules of a route, and that later rules do not repeat it.
func TestAMissingMetricIsToldOnce(t *testing.T) {
	h := newFakeHost()
	p := startPerRoute(t, h)
	h.logs = nil
	h.failing("define", 1, errBroken)
	for _, rule := range []string{"missing", "fine", "missing"} {
		h.onRoute("route of "+rule, routeLimit(rule, 5))
		h.play(p, get("/", "alice"))
	}
	if want := (logLine{LogWarn, "tollgate shop: a metric could not be defined; it stays away"}); len(h.logs) != 1 || h.logs[0] != want {
		t.Errorf("log %v, want once %v", h.logs, want)
	}
	h.wantMetrics(t, p, "fine.allowed=1") // missing.allowed is the one that stays away
}
