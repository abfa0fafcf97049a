package wasmhost

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero/api"
)

// The modules a guest imports from.
const (
	proxyModule = "env"
	wasiModule  = "wasi_snapshot_preview1"
)

// proxyPrefix begins the names of all functions of proxy-wasm, and of none of WASI.
const proxyPrefix = "proxy_"

// importFunc is one function that guests can import.
type importFunc struct {
	name      string
	signature string // one letter a parameter: i for i32, I for i64
	always    bool   // may be called while memory is being allocated, too
	noResult  bool
	run       func(vm *VM, a args) Status
	describe  func(vm *VM, a args, c *Call) // fills Arg and Key; may be nil

	module string // set by importTable, as is
	index  int    // the place in the counters of a VM
}

// args are the raw arguments of a host call.
type args []uint64

func (a args) u32(i int) uint32 { return uint32(a[i]) }

// importTable lists all functions the host serves.
func importTable() []importFunc {
	table := slices.Concat(generalImports(), headerImports(), sharedDataImports(), metricImports(), streamImports(),
		calloutImports(), wasiImports())
	for i := range table {
		table[i].index = i
		table[i].module = wasiModule
		if strings.HasPrefix(table[i].name, proxyPrefix) {
			table[i].module = proxyModule
		}
	}
	return table
}

// label is the name in traces and counts.
func (f *importFunc) label() string { return strings.TrimPrefix(f.name, proxyPrefix) }

func (f *importFunc) params() []api.ValueType {
	types := make([]api.ValueType, len(f.signature))
	for i, letter := range f.signature {
		types[i] = api.ValueTypeI32
		if letter == 'I' {
			types[i] = api.ValueTypeI64
		}
	}
	return types
}

func (f *importFunc) results() []api.ValueType {
	if f.noResult {
		return nil
	}
	return []api.ValueType{api.ValueTypeI32}
}

// serve is what the runtime calls. The context says which VM is calling.
func (f *importFunc) serve(ctx context.Context, stack []uint64) {
	vm, _ := ctx.Value(vmKey{}).(*VM)
	status := vm.hostCall(f, stack)
	if !f.noResult {
		stack[0] = uint64(status)
	}
}

type vmKey struct{}

// hostCall counts, traces and makes a call, with the test's hooks around it.
func (vm *VM) hostCall(f *importFunc, a args) Status {
	vm.counts[f.index]++
	if !vm.allowed(f) {
		// The runtime turns a panic of a host function into a trap of the guest, which is what Envoy does here.
		panic(fmt.Errorf("restricted_callback: %s must not be called %s", f.name, vm.phase))
	}
	if !vm.tracing && vm.hooks.Before == nil && vm.hooks.Inject == nil {
		return f.run(vm, a)
	}
	return vm.observedCall(f, a)
}

func (vm *VM) observedCall(f *importFunc, a args) Status {
	call := Call{Callback: vm.callback, Context: vm.current, Name: f.label()}
	if f.describe != nil {
		f.describe(vm, a, &call)
	}
	if vm.hooks.Before != nil {
		vm.hooks.Before(vm, call)
	}
	override := false
	if vm.hooks.Inject != nil {
		call.Status, override = vm.hooks.Inject(call, vm.counts[f.index])
	}
	if !override {
		call.Status = f.run(vm, a)
	}
	if vm.tracing {
		vm.trace = append(vm.trace, call)
	}
	return call.Status
}

// phase is what a VM is doing that restricts its calls.
type phase string

const (
	running      phase = ""
	initializing phase = "from _initialize"
	allocating   phase = "while memory is allocated"
)

// allowed follows the lists in proxy-wasm-cpp-host WasmBase::startVm and WasmBase::allocMemory.
func (vm *VM) allowed(f *importFunc) bool {
	switch vm.phase {
	case initializing:
		return f.always || f.module == wasiModule
	case allocating:
		return f.always
	default:
		return true
	}
}
