package wasmhost

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// VM is one instance of a module. It must not be used by two goroutines at once.
type VM struct {
	host   *Host
	module *Module
	number int
	vmID   string
	hooks  Hooks

	ctx       context.Context // carries the VM to its host calls
	instance  api.Module
	memory    api.Memory
	allocator api.Function
	functions map[string]api.Function // exports looked up so far; nil for one that is missing
	failed    *TrapError

	contexts    map[uint32]*guestContext
	nextContext uint32
	roots       []*Root
	toDelete    []*Root // roots that called proxy_done in the running callback

	phase     phase
	callback  string // the export that is running
	current   uint32 // the context it is for
	effective uint32 // set by the guest for this callback; 0 for none

	random  io.Reader
	started time.Time // origin of the monotonic clock
	stderr  bytes.Buffer

	counts      []int
	allocations int
	tracing     bool
	trace       []Call

	lastMetric  [histogramMetric + 1]uint32
	metricNames map[uint32]string

	callouts
}

// guestContext is a context the guest knows by its id: a root, or a stream of one.
type guestContext struct {
	root   *Root
	stream *Stream // nil for a root context
}

// NewVM makes an instance of a module under a vm_id and runs its _initialize. Most tests want [Host.Start].
func (h *Host) NewVM(m *Module, vmID string) (*VM, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	vm := &VM{
		host: h, module: m, vmID: vmID,
		functions: map[string]api.Function{}, contexts: map[uint32]*guestContext{}, nextContext: 1,
		counts: make([]int, len(m.imports)), metricNames: map[uint32]string{}, started: time.Now(),
		callouts: newCallouts(),
	}
	vm.ctx = context.WithValue(context.Background(), vmKey{}, vm)
	h.register(vm)
	if err := vm.instantiate(); err != nil {
		return nil, errors.Join(err, vm.Close())
	}
	return vm, nil
}

// register gives the VM its number and the host's settings.
func (h *Host) register(vm *VM) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.made++
	vm.number = h.made
	vm.hooks = h.hooks
	vm.random = crand.Reader
	if h.seed != nil {
		vm.random = seededRandom(*h.seed, uint64(vm.number))
	}
	h.vms = append(h.vms, vm)
}

func seededRandom(seed, vm uint64) io.Reader {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	binary.LittleEndian.PutUint64(key[8:], vm)
	return rand.NewChaCha8(key)
}

func (vm *VM) instantiate() error {
	// Without a name many instances fit into one runtime; _initialize is called below, under Envoy's restrictions.
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	instance, err := vm.module.runtime.InstantiateModule(vm.ctx, vm.module.compiled, config)
	if err != nil {
		return fmt.Errorf("wasmhost: %w", err)
	}
	vm.instance, vm.memory = instance, instance.Memory()
	vm.allocator = instance.ExportedFunction(allocateExport)
	if vm.allocator == nil {
		vm.allocator = instance.ExportedFunction(mallocExport)
	}
	vm.phase = initializing
	defer func() { vm.phase = running }()
	_, err = vm.call("_initialize", 0)
	return err
}

// Number is the VM's number in its host, from 1; log entries carry it.
func (vm *VM) Number() int { return vm.number }

// MemorySize returns the size of the VM's linear memory in bytes. It never shrinks.
func (vm *VM) MemorySize() uint32 { return vm.memory.Size() }

// Stderr returns what the guest wrote to its standard error; a Go guest prints its panics there.
func (vm *VM) Stderr() string { return vm.stderr.String() }

// Failed returns the trap that ended the VM, or nil while it is alive.
func (vm *VM) Failed() error {
	if vm.failed == nil {
		return nil
	}
	return vm.failed
}

// Close frees the VM, without any callback: what a killed process does. Closing twice is allowed.
func (vm *VM) Close() error {
	vm.host.forget(vm)
	if vm.instance == nil {
		return nil
	}
	return vm.instance.Close(vm.ctx)
}

// TrapError reports a callback that did not return: the guest trapped, exited, or called what it must not. The VM is
// dead from then on.
type TrapError struct {
	Callback string // the export that was called
	Context  uint32
	Stderr   string // what the guest had written to standard error
	Err      error  // what the runtime says, with the guest's stack
}

// Error names the callback and shows the guest's standard error.
func (e *TrapError) Error() string {
	return fmt.Sprintf("wasmhost: %s(context %d) trapped: %v\nguest stderr:\n%s", e.Callback, e.Context, e.Err, e.Stderr)
}

// Unwrap returns the runtime's error.
func (e *TrapError) Unwrap() error { return e.Err }

// ErrNotExported is returned for a callback that the module lacks and that a test asked for by name.
var ErrNotExported = errors.New("wasmhost: the module does not export this callback")

// call runs an export for a context. A missing one is ErrNotExported.
func (vm *VM) call(name string, context uint32, params ...uint64) (uint64, error) {
	if vm.failed != nil {
		return 0, fmt.Errorf("wasmhost: %s on a dead VM: %w", name, vm.failed)
	}
	function := vm.export(name)
	if function == nil {
		return 0, fmt.Errorf("%w: %s", ErrNotExported, name)
	}
	vm.callback, vm.current, vm.effective = name, context, 0
	var stack [8]uint64
	copy(stack[:], params)
	err := function.CallWithStack(vm.ctx, stack[:])
	vm.callback, vm.current, vm.effective = "", 0, 0
	if err != nil {
		vm.failed = &TrapError{Callback: name, Context: context, Stderr: vm.Stderr(), Err: err}
		return 0, vm.failed
	}
	return stack[0], vm.deleteDone()
}

// deleteDone deletes the roots that the callback declared done.
func (vm *VM) deleteDone() error {
	done := vm.toDelete
	vm.toDelete = nil
	var errs []error
	for _, r := range done {
		errs = append(errs, r.delete())
	}
	return errors.Join(errs...)
}

// callIfExported is call, but a missing export does nothing and returns the given result, as in Envoy.
func (vm *VM) callIfExported(missing uint64, name string, context uint32, params ...uint64) (uint64, error) {
	result, err := vm.call(name, context, params...)
	if errors.Is(err, ErrNotExported) {
		return missing, nil
	}
	return result, err
}

func (vm *VM) export(name string) api.Function {
	function, known := vm.functions[name]
	if !known {
		function = vm.instance.ExportedFunction(name)
		vm.functions[name] = function
	}
	return function
}

// here returns the context that host calls are about: the one the guest chose, else the callback's. It is nil during
// _initialize.
func (vm *VM) here() *guestContext {
	if chosen := vm.contexts[vm.effective]; chosen != nil {
		return chosen
	}
	return vm.contexts[vm.current]
}

// addContext numbers a new context. Ids are not used again.
func (vm *VM) addContext(c *guestContext) (id uint32) {
	id = vm.nextContext
	vm.nextContext++
	vm.contexts[id] = c
	return id
}
