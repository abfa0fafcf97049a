package main

//go:wasmexport proxy_abi_version_0_2_1
func abiVersion() {}

// The host never needs memory, since nothing is asked of it.
//
//go:wasmexport proxy_on_memory_allocate
func memoryAllocate(uint32) uint32 { return 0 }

//go:wasmexport proxy_on_context_create
func contextCreate(_, _ uint32) {}

//go:wasmexport proxy_on_vm_start
func vmStart(_, _ uint32) bool { return true }

//go:wasmexport proxy_on_configure
func configure(_, _ uint32) bool { return true }

//go:wasmexport proxy_on_request_headers
func requestHeaders(_, _, _ uint32) uint32 { return 0 }

//go:wasmexport proxy_on_response_headers
func responseHeaders(_, _, _ uint32) uint32 { return 0 }

//go:wasmexport proxy_on_delete
func contextDelete(uint32) {}
