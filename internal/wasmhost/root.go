package wasmhost

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Plugin is the configuration of a plugin, as in Envoy's PluginConfig.
type Plugin struct {
	Name     string // the property plugin_name
	RootID   string // the property plugin_root_id
	VMID     string // the property plugin_vm_id, and the namespace of the shared data
	VMConfig []byte // what the guest reads in proxy_on_vm_start
	Config   []byte // what the guest reads in proxy_on_configure
}

// Root is one configured plugin in a VM.
type Root struct {
	vm     *VM
	id     uint32
	plugin Plugin

	configReadable bool // Envoy shows the plugin configuration only while it creates and configures the context
	tickPeriod     time.Duration
	closing        bool // proxy_on_done has returned false; proxy_done is awaited
}

// The refusals of a guest: it returned false and lives on.
var (
	ErrVMStartRefused   = errors.New("wasmhost: proxy_on_vm_start returned false")
	ErrConfigureRefused = errors.New("wasmhost: proxy_on_configure returned false")
)

// Start creates a root context and runs proxy_on_vm_start and proxy_on_configure in it. As in Envoy
// (WasmBase::start), the same three calls serve the first plugin of a VM, every further plugin and every new
// configuration; older roots and their streams stay. The guest's refusal is ErrVMStartRefused or ErrConfigureRefused;
// then the VM and its older roots can still be used.
func (vm *VM) Start(p Plugin) (*Root, error) {
	p.VMID = vm.vmID
	r := &Root{vm: vm, plugin: p}
	r.id = vm.addContext(&guestContext{root: r})
	if err := r.start(); err != nil {
		delete(vm.contexts, r.id)
		return nil, err
	}
	vm.roots = append(vm.roots, r)
	return r, nil
}

func (r *Root) start() error {
	if err := r.create(); err != nil {
		return err
	}
	started, err := r.vm.callIfExported(1, "proxy_on_vm_start", r.id, uint64(r.id), uint64(len(r.plugin.VMConfig)))
	if err != nil {
		return err
	}
	if started == 0 {
		return ErrVMStartRefused
	}
	return r.configure()
}

func (r *Root) create() error {
	r.configReadable = true
	defer func() { r.configReadable = false }()
	_, err := r.vm.call("proxy_on_context_create", r.id, uint64(r.id), 0)
	return err
}

func (r *Root) configure() error {
	r.configReadable = true
	defer func() { r.configReadable = false }()
	accepted, err := r.vm.callIfExported(1, "proxy_on_configure", r.id, uint64(r.id), uint64(len(r.plugin.Config)))
	if err == nil && accepted == 0 {
		return ErrConfigureRefused
	}
	return err
}

// Update starts the same plugin with a new configuration in the same VM, as Envoy does for an update of the
// configuration alone. The old root stays usable for its streams until it is shut down; on an error nothing has changed.
func (r *Root) Update(config []byte) (*Root, error) {
	p := r.plugin
	p.Config = bytes.Clone(config)
	return r.vm.Start(p)
}

// VM returns the VM the root lives in.
func (r *Root) VM() *VM { return r.vm }

// Host returns the host of the root's VM.
func (r *Root) Host() *Host { return r.vm.host }

// ID is the number of the root context.
func (r *Root) ID() uint32 { return r.id }

// TickPeriod returns the period the guest asked for; 0 if it asked for no ticks.
func (r *Root) TickPeriod() time.Duration { return r.tickPeriod }

// Tick runs proxy_on_tick once, whatever the period.
func (r *Root) Tick() error {
	_, err := r.vm.call("proxy_on_tick", r.id, uint64(r.id))
	return err
}

// Tick runs proxy_on_tick once for every root that asked for ticks.
func (vm *VM) Tick() error {
	for _, r := range slices.Clone(vm.roots) {
		if r.tickPeriod == 0 {
			continue
		}
		if err := r.Tick(); err != nil {
			return err
		}
	}
	return nil
}

// Shutdown removes the plugin as Envoy does when its listener is gone: proxy_on_done and, unless the guest asks for time,
// proxy_on_delete. If it returns false the guest is expected to call proxy_done later, from a tick for instance.
func (r *Root) Shutdown() (deleted bool, err error) {
	done, err := r.vm.callIfExported(1, "proxy_on_done", r.id, uint64(r.id))
	if err != nil {
		return false, err
	}
	if done == 0 {
		r.closing = true
		return false, nil
	}
	return true, r.delete()
}

func (r *Root) delete() error {
	_, err := r.vm.callIfExported(0, "proxy_on_delete", r.id, uint64(r.id))
	delete(r.vm.contexts, r.id)
	r.vm.roots = slices.DeleteFunc(r.vm.roots, func(other *Root) bool { return other == r })
	return err
}

// property returns what Envoy knows of the plugin.
func (r *Root) property(key string) ([]byte, bool) {
	switch key {
	case "plugin_name":
		return []byte(r.plugin.Name), true
	case "plugin_root_id":
		return []byte(r.plugin.RootID), true
	case "plugin_vm_id":
		return []byte(r.plugin.VMID), true
	}
	return nil, false
}

// String describes the root for messages of tests.
func (r *Root) String() string { return fmt.Sprintf("root %d of VM %d", r.id, r.vm.number) }
