package wasmhost

import "maps"

// Call is one call of the guest to the host.
type Call struct {
	Callback string // the export that was running, such as "proxy_on_request_headers"
	Context  uint32 // the context that callback was for
	Name     string // the import without its "proxy_": "get_shared_data", "clock_time_get"
	Arg      string // what it was about: "request", "response x-ratelimit-limit", a property's path with dots; may be ""
	Key      string // the key of a shared-data call
	Status   Status // the result; OK while the call has not been made
}

// String returns "name(arg)", or the name alone where there is no argument worth showing. Shared-data keys are left out:
// they may depend on random numbers.
func (c Call) String() string {
	if c.Arg == "" {
		return c.Name
	}
	return c.Name + "(" + c.Arg + ")"
}

// Lines returns the calls as text, one line each, for comparing with a list.
func Lines(calls []Call) []string {
	lines := make([]string, len(calls))
	for i, c := range calls {
		lines[i] = c.String()
	}
	return lines
}

// Hooks let a test step between a guest and its host. They run in the goroutine that runs the VM, below the guest's
// code: they must not end the goroutine (t.Fatal), and what they share between VMs that run in parallel is theirs to lock.
type Hooks struct {
	// Before runs before the host acts on a call. It may use other VMs, the shared data and the clock, but not the VM
	// that is calling.
	Before func(vm *VM, c Call)

	// Inject is asked after Before. If it overrides, the host does nothing and the call returns status (an errno for a
	// WASI call). n is how often the VM has made this call, from 1.
	Inject func(c Call, n int) (status Status, override bool)
}

// Fail returns an Inject that lets the next calls of a name, as many as times says, return status; a negative number means
// all of them. It keeps count, so each VM needs its own.
func Fail(name string, times int, status Status) func(Call, int) (Status, bool) {
	return func(c Call, _ int) (Status, bool) {
		if c.Name != name || times == 0 {
			return OK, false
		}
		if times > 0 {
			times--
		}
		return status, true
	}
}

// SetHooks replaces the VM's hooks.
func (vm *VM) SetHooks(hooks Hooks) { vm.hooks = hooks }

// SetTrace begins or ends recording the VM's host calls. Counting goes on without it and costs next to nothing.
func (vm *VM) SetTrace(on bool) { vm.tracing = on }

// Trace returns the calls recorded since the last ResetTrace, in order.
func (vm *VM) Trace() []Call { return vm.trace }

// ResetTrace forgets the recorded calls and sets all counts to 0.
func (vm *VM) ResetTrace() {
	vm.trace = nil
	clear(vm.counts)
	vm.allocations = 0
}

// Trace returns the VM's recorded calls that belong to callbacks of this stream.
func (s *Stream) Trace() []Call {
	var calls []Call
	for _, c := range s.root.vm.trace {
		if c.Context == s.id {
			calls = append(calls, c)
		}
	}
	return calls
}

// Count returns how often the VM called the host function of a name, such as "get_shared_data".
// "proxy_on_memory_allocate" is how often the host called the guest back for memory.
func (vm *VM) Count(name string) int { return vm.Counts()[name] }

// Counts returns the counts of all host functions that were called.
func (vm *VM) Counts() map[string]int {
	counts := map[string]int{}
	for i, n := range vm.counts {
		counts[vm.module.imports[i].label()] += n
	}
	counts[allocateExport] = vm.allocations
	maps.DeleteFunc(counts, func(_ string, n int) bool { return n == 0 })
	return counts
}
