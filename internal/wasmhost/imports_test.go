package wasmhost

import "testing"

// Every function that takes an address is called from a root context with addresses outside the memory: it must refuse,
// also when its first argument is a valid number.
func TestAddressesOutsideTheMemoryAreRefused(t *testing.T) {
	const outside = 0xffff_fff0
	vm := start(t, newHost(t)).VM()
	vm.current = 1
	harmless := map[string]bool{ // takes no address, or has no use for it here
		"set_tick_period_milliseconds": true, "done": true, "continue_stream": true, "close_stream": true,
		"clear_route_cache": true, "grpc_cancel": true, "increment_metric": true, "record_metric": true,
		"set_effective_context": true, "args_get": true, "environ_get": true, "sched_yield": true, "proc_exit": true,
		"fd_close": true, "fd_fdstat_set_flags": true,
	}
	for _, f := range importTable() {
		if harmless[f.label()] {
			continue
		}
		a := make(args, len(f.signature))
		for i := range a {
			a[i] = outside
		}
		if f.run(vm, a) == OK {
			t.Errorf("%s: got Ok", f.name)
		}
		if len(a) == 1 {
			continue // the argument is the address
		}
		a[0] = 0
		if f.run(vm, a) == OK {
			t.Errorf("%s with a first argument of 0: got Ok", f.name)
		}
	}
}

// A number that names no header map, buffer or metric kind is BadArgument.
func TestUnknownKindsAreRefused(t *testing.T) {
	vm := start(t, newHost(t)).VM()
	vm.current = 1
	for name, first := range map[string]uint64{
		"get_header_map_pairs": 8, "get_header_map_value": 8, "set_header_map_pairs": 8, "get_header_map_size": 8,
		"add_header_map_value": 8, "remove_header_map_value": 8, "get_buffer_bytes": 9, "get_buffer_status": 9,
		"define_metric": 3, "get_metric": 3, "increment_metric": 2, "log": 6, "continue_stream": 2, "close_stream": 4,
		"set_effective_context": 99,
	} {
		for _, f := range importTable() {
			if f.label() != name {
				continue
			}
			a := make(args, len(f.signature))
			a[0] = first
			wantEqual(t, name, f.run(vm, a), BadArgument)
		}
	}
}

// Imports have distinct labels, so that counts by label are counts of one function.
func TestLabelsAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range importTable() {
		if seen[f.label()] {
			t.Errorf("%s twice", f.label())
		}
		seen[f.label()] = true
	}
}
