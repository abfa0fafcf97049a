package wasmhost

import (
	"slices"
	"testing"
)

func TestTraceIsTheCallsInOrder(t *testing.T) {
	r := start(t, newHost(t))
	vm := r.VM()
	vm.SetTrace(true)
	s, err := r.Begin(command("get key"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Finish(nil); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range s.Trace() {
		if c.Callback == "proxy_on_request_headers" || c.Callback == "proxy_on_response_headers" {
			lines = append(lines, c.String()+" "+c.Status.String())
		}
	}
	wantLines(t, "trace", withoutRuntime(lines),
		"get_header_map_value(request do) Ok", "get_shared_data NotFound", "log Ok",
		"get_header_map_value(request do) BadArgument", "log Ok", "replace_header_map_value(response X-Replaced) Ok",
		"add_header_map_value(response x-added) Ok", "remove_header_map_value(response x-removed) Ok",
		"get_header_map_value(response x-refuse) NotFound", "get_header_map_value(response x-pause) NotFound")
	wantEqual(t, "key", keys(vm.Trace())["get_shared_data"], "key")
	vm.SetTrace(false)
	vm.ResetTrace()
	do(t, r, "get key")
	wantEqual(t, "recorded when off", len(vm.Trace()), 0)
	wantEqual(t, "counted when off", vm.Count("get_shared_data"), 1)
}

// withoutRuntime drops the clock readings of the guest's runtime, which come when they come.
func withoutRuntime(lines []string) []string {
	var kept []string
	for _, line := range lines {
		if line != "clock_time_get(monotonic) Ok" && line != "sched_yield Ok" {
			kept = append(kept, line)
		}
	}
	return kept
}

func keys(calls []Call) map[string]string {
	out := map[string]string{}
	for _, c := range calls {
		out[c.Name] = c.Key
	}
	return out
}

func TestWhatATraceSaysOfEachCall(t *testing.T) {
	h := newHost(t)
	r := start(t, h)
	r.VM().SetTrace(true)
	for words, want := range map[string]string{
		"pairs":             "get_header_map_pairs(request)",
		"property xds.name": "get_property(xds.name)",
		"metric m":          "increment_metric(m)",
		"buffer":            "get_buffer_status(vm configuration)",
		"close":             "close_stream(request)",
		"http":              "http_call(cluster)",
		"print":             "fd_write(stderr)",
		"reply 429":         "send_local_response",
	} {
		r.VM().ResetTrace()
		if _, err := r.Do(command(words), nil); err != nil {
			t.Fatal(err)
		}
		if lines := Lines(r.VM().Trace()); !slices.Contains(lines, want) {
			t.Errorf("%s: the trace lacks %s: %s", words, want, lines)
		}
	}
	s, _ := ask(t, r)
	wantEqual(t, "gRPC call", slices.Contains(Lines(s.Trace()), "grpc_call(pkg.Service/Method)"), true)
}

func TestCounts(t *testing.T) {
	h := newHost(t)
	r := start(t, h)
	vm := r.VM()
	vm.ResetTrace()
	wantEqual(t, "after a reset", len(vm.Counts()), 0)
	h.Shared("").Set("k", []byte("value"), 0)
	do(t, r, "get k")
	wantEqual(t, "gets", vm.Count("get_shared_data"), 1)
	wantEqual(t, "sets", vm.Count("set_shared_data"), 0)
	// The command, the shared value, and the command again in the log phase.
	wantEqual(t, "allocations", vm.Count("proxy_on_memory_allocate"), 3)
}

func TestTraceHasTheCallsToWASI(t *testing.T) {
	r := start(t, newHost(t))
	r.VM().SetTrace(true)
	do(t, r, "clock")
	wantEqual(t, "realtime readings", r.VM().Count("clock_time_get") > 0, true)
	wantEqual(t, "in the trace", slices.Contains(Lines(r.VM().Trace()), "clock_time_get(realtime)"), true)
}

func TestInjectedStatuses(t *testing.T) {
	h := newHost(t)
	r := start(t, h)
	r.VM().SetHooks(Hooks{Inject: Fail("set_shared_data", 2, CASMismatch)})
	for i, want := range []string{"set 8", "set 8", "set 0"} {
		wantEqual(t, "set", do(t, r, "set k v 0"), want)
		wantEqual(t, "keys", h.Shared("").Len(), i/2)
	}
	r.VM().SetHooks(Hooks{Inject: Fail("get_shared_data", -1, InternalFailure)})
	for range 3 {
		wantEqual(t, "get", do(t, r, "get k"), "get 10  0")
	}
	r.VM().SetHooks(Hooks{})
	wantEqual(t, "get without hooks", do(t, r, "get k"), "get 0 v 1")
}

func TestInjectSeesHowOftenACallWasMade(t *testing.T) {
	r := start(t, newHost(t))
	var seen []int
	r.VM().ResetTrace()
	r.VM().SetHooks(Hooks{Inject: func(c Call, n int) (Status, bool) {
		if c.Name == "get_shared_data" {
			seen = append(seen, n)
		}
		return OK, false
	}})
	do(t, r, "get k")
	do(t, r, "get k")
	wantEqual(t, "seen", len(seen) == 2 && seen[0] == 1 && seen[1] == 2, true)
}

func TestHooksOfTheHostAreInPlaceWhenAVMStarts(t *testing.T) {
	h := newHost(t)
	h.SetHooks(Hooks{Inject: Fail("get_buffer_bytes", 1, NotFound)})
	if _, err := h.Start(guest(t), Plugin{VMConfig: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "vm_start", logged(t, h, "vm_start"), "vm_start 1 1 ")
}

// A worker is stopped between its get and its set while another one changes the value.
func TestVMsCanBeInterleaved(t *testing.T) {
	h := newHost(t)
	a, b := start(t, h), start(t, h)
	h.Shared("").Set("k", []byte("old"), 0)
	a.VM().SetHooks(Hooks{Before: func(vm *VM, c Call) {
		if c.Name == "set_shared_data" {
			wantEqual(t, "the VM", vm, a.VM())
			wantEqual(t, "b's set", do(t, b, "set k b 1"), "set 0")
			h.ResetLogs()
		}
	}})
	wantEqual(t, "a's set", do(t, a, "set k a 1"), "set 8")
	value, _, _ := h.Shared("").Get("k")
	wantEqual(t, "value", string(value), "b")
}
