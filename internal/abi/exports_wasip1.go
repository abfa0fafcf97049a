package abi

import (
	"unsafe"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"
)

// vm is the module's only variable: the ABI names contexts by number.
var vm struct {
	arena arena
	out   out
	table table
}

// Register makes a context the one of this VM. The module calls it from init: the host never runs main.
func Register(context types.VMContext) { vm.table.register(context, Host{}) }

//go:wasmexport proxy_abi_version_0_2_1
func proxyABIVersion() {}

// The address is only ever used by the host, which copies into it before the callback goes on.
//
//go:wasmexport proxy_on_memory_allocate
func proxyOnMemoryAllocate(size uint32) unsafe.Pointer { return vm.arena.allocate(size) }

//go:wasmexport proxy_on_context_create
func proxyOnContextCreate(id, root uint32) {
	vm.arena.reset()
	vm.table.create(id, root)
}

//go:wasmexport proxy_on_vm_start
func proxyOnVMStart(_, size uint32) bool {
	vm.arena.reset()
	return vm.table.startVM(int(size))
}

//go:wasmexport proxy_on_configure
func proxyOnConfigure(root, size uint32) bool {
	vm.arena.reset()
	return vm.table.configure(root, int(size))
}

//go:wasmexport proxy_on_tick
func proxyOnTick(root uint32) {
	vm.arena.reset()
	vm.table.tick(root)
}

//go:wasmexport proxy_on_request_headers
func proxyOnRequestHeaders(id, headers, endOfStream uint32) uint32 {
	vm.arena.reset()
	return uint32(vm.table.requestHeaders(id, int(headers), endOfStream != 0))
}

//go:wasmexport proxy_on_response_headers
func proxyOnResponseHeaders(id, headers, endOfStream uint32) uint32 {
	vm.arena.reset()
	return uint32(vm.table.responseHeaders(id, int(headers), endOfStream != 0))
}

//go:wasmexport proxy_on_delete
func proxyOnDelete(id uint32) {
	vm.arena.reset()
	vm.table.remove(id)
}
