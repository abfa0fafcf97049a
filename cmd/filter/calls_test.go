package main

import (
	"slices"
	"strings"
	"testing"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
)

// TestHostCalls holds the whole list of host calls of an exchange: each costs more than everything the filter does itself.
func TestHostCalls(t *testing.T) {
	const configuration = `{"domain": "shop", "rules": [{"name": "api", "match": [{"path_prefix": "/api"}],
		"limits": [{"requests": 2, "window": "10s"}]}]}`
	root := start(t, hosttest.New(t), configuration)
	do(t, root, get("/api", "warm-up"), nil) // the first request allocates, and the runtime may look at its clock
	root.VM().SetTrace(true)
	reading := []string{"get_header_map_pairs(request)"}
	counting := append(slices.Clone(reading), "get_shared_data", "get_current_time_nanoseconds")
	telling := []string{
		"replace_header_map_value(response x-ratelimit-limit)",
		"replace_header_map_value(response x-ratelimit-remaining)",
		"replace_header_map_value(response x-ratelimit-reset)",
	}
	allowed := slices.Concat(counting, []string{"set_shared_data"}, telling)
	for _, c := range []struct {
		name, target string
		status       int
		calls        []string
	}{
		{"allowed, the first of its bucket", "/api", 200, allowed},
		{"allowed, in a bucket that exists", "/api", 200, allowed},
		{"refused", "/api", 429, append(slices.Clone(counting), "send_local_response")},
		{"refused from memory", "/api", 429, append(slices.Clone(reading), "get_current_time_nanoseconds", "send_local_response")},
		{"unmatched", "/", 200, reading},
	} {
		root.VM().ResetTrace()
		response := do(t, root, get(c.target, "alice"), wasmhost.Respond(200, [2]string{"x-ratelimit-limit", "of the upstream"}))
		if got := wasmhost.Lines(root.VM().Trace()); response.Status != c.status || !slices.Equal(got, c.calls) {
			t.Errorf("%s: status %d after\n\t%s\nwant %d after\n\t%s", c.name, response.Status,
				strings.Join(got, "\n\t"), c.status, strings.Join(c.calls, "\n\t"))
		}
	}
}

// TestCallsOfTheLifeCycle holds the host calls at the start of a plugin, and those of a tick.
func TestCallsOfTheLifeCycle(t *testing.T) {
	host := hosttest.New(t)
	vm, err := host.NewVM(built(t), "")
	if err != nil {
		t.Fatal(err)
	}
	vm.SetTrace(true)
	plugin := wasmhost.Plugin{Name: "plugin", Config: []byte(threeInTen)}
	root, err := vm.Start(plugin)
	if err != nil {
		t.Fatal(err)
	}
	defined := 0
	var got []string
	for _, line := range withoutRuntime(vm.Trace()) {
		if strings.HasPrefix(line, "define_metric(tollgate.shop.") {
			defined++
			continue
		}
		got = append(got, line)
	}
	want := []string{
		"get_buffer_bytes(plugin configuration)", "get_property(plugin_name)",
		"set_shared_data", "set_shared_data", "get_shared_data", "set_shared_data", "get_shared_data", "set_shared_data", // self-test
		"get_shared_data", "random_get", "set_shared_data", // hash key
		"set_tick_period_milliseconds", "log",
	}
	if !slices.Equal(got, want) {
		t.Errorf("calls of the start:\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
	if defined == 0 || defined != len(host.Metrics()) {
		t.Errorf("%d metrics were defined, the host knows %d", defined, len(host.Metrics()))
	}
	wantCalls(t, "an idle tick", root.Tick, vm)
	do(t, root, get("/", "alice"), nil)
	do(t, root, get("/", "bob"), nil)
	wantCalls(t, "a tick", root.Tick, vm, "increment_metric(tollgate.shop.api.allowed)")
	wantCalls(t, "the next tick", root.Tick, vm)
}

// wantCalls runs a callback and compares the host calls it makes.
func wantCalls(t *testing.T, what string, callback func() error, vm *wasmhost.VM, want ...string) {
	t.Helper()
	vm.ResetTrace()
	if err := callback(); err != nil {
		t.Fatal(err)
	}
	if got := withoutRuntime(vm.Trace()); !slices.Equal(got, want) {
		t.Errorf("calls of %s: %q, want %q", what, got, want)
	}
}

// withoutRuntime leaves out the clock that Go's scheduler and garbage collector read now and then.
func withoutRuntime(calls []wasmhost.Call) []string {
	return slices.DeleteFunc(wasmhost.Lines(calls), func(line string) bool { return strings.HasPrefix(line, "clock_time_get") })
}
