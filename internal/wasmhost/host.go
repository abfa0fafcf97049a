package wasmhost

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
)

// Host is one simulated Envoy process: what all its VMs share. Its methods may be called from several goroutines.
type Host struct {
	clock   clock
	shared  *sharedMemory
	metrics metrics
	logs    logBook

	mu         sync.Mutex
	vms        []*VM
	made       int // VMs ever made; the last one's number
	properties map[string][]byte
	seed       *uint64
	hooks      Hooks
}

// NewHost returns a host without VMs, its clock stopped at 2023-11-14 22:13:20 UTC (1,700,000,000 s).
func NewHost() *Host {
	h := &Host{
		shared:     newSharedMemory(),
		metrics:    metrics{values: map[string]uint64{}},
		properties: map[string][]byte{},
	}
	h.SetTime(time.Unix(1_700_000_000, 0))
	return h
}

// Start makes a VM and starts a plugin in it: all that Envoy does on a worker for a new listener.
func (h *Host) Start(m *Module, p Plugin) (*Root, error) {
	vm, err := h.NewVM(m, p.VMID)
	if err != nil {
		return nil, err
	}
	return vm.Start(p)
}

// Close closes all VMs that are still open.
func (h *Host) Close() error {
	h.mu.Lock()
	vms := slices.Clone(h.vms)
	h.mu.Unlock()
	var errs []error
	for _, vm := range vms {
		errs = append(errs, vm.Close())
	}
	return errors.Join(errs...)
}

// SetSeed makes the WASI random numbers of the VMs made from now on repeatable. They differ from VM to VM. Without a
// seed they are the system's.
func (h *Host) SetSeed(seed uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seed = &seed
}

// SetHooks gives hooks to the VMs made from now on, so that they are in place when those start.
func (h *Host) SetHooks(hooks Hooks) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hooks = hooks
}

// SetProperty sets a property that every context sees: the value as the host serialises it (text raw, integers 8 bytes
// and doubles IEEE 754, both little-endian, maps as pairs), the path in segments such as "xds", "route_name". A property
// of the stream or plugin itself takes precedence. nil removes the property.
func (h *Host) SetProperty(value []byte, path ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if value == nil {
		delete(h.properties, propertyKey(path))
		return
	}
	h.properties[propertyKey(path)] = bytes.Clone(value)
}

func (h *Host) property(key string) ([]byte, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	value, ok := h.properties[key]
	return value, ok
}

// propertyKey joins the segments as the guest does.
func propertyKey(path []string) string { return strings.Join(path, "\x00") }

func (h *Host) forget(vm *VM) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.vms = slices.DeleteFunc(h.vms, func(other *VM) bool { return other == vm })
}
