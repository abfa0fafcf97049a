package filter

import "github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

// vm is what the plugins of one VM share.
type vm struct {
	types.DefaultVMContext
	host Host
	// counters are the metrics that the host knows already. A configuration update starts a new plugin in the same VM, and the host
	// keeps every definition.
	counters map[string]Counter
	// said are the failures that the log has already.
	said [numFailures]bool
}

// NewVM returns the context of a VM whose plugins run on host.
func NewVM(host Host) types.VMContext {
	return &vm{host: host, counters: make(map[string]Counter)}
}

// NewPluginContext implements types.VMContext.
func (v *vm) NewPluginContext(uint32) types.PluginContext { return &plugin{vm: v, host: v.host} }
