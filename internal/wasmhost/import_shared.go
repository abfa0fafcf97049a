package wasmhost

// sharedDataImports are the functions on shared data.
func sharedDataImports() []importFunc {
	return []importFunc{
		{name: "proxy_get_shared_data", signature: "iiiii", run: proxyGetShared, describe: describeShared},
		{name: "proxy_set_shared_data", signature: "iiiii", run: proxySetShared, describe: describeShared},
	}
}

func describeShared(vm *VM, a args, c *Call) { c.Key = vm.describeText(a, 0) }

func proxyGetShared(vm *VM, a args) Status {
	key, ok := vm.text(a, 0)
	if !ok {
		return InvalidMemoryAccess
	}
	value, version, status := vm.host.Shared(vm.vmID).Get(key)
	if status != OK {
		return status
	}
	if status := vm.give(value, a.u32(2), a.u32(3)); status != OK {
		return status
	}
	return vm.giveU32(version, a.u32(4))
}

func proxySetShared(vm *VM, a args) Status {
	key, keyOK := vm.text(a, 0)
	value, valueOK := vm.bytes(a, 2)
	if !keyOK || !valueOK {
		return InvalidMemoryAccess
	}
	return vm.host.Shared(vm.vmID).Set(key, value, a.u32(4))
}
