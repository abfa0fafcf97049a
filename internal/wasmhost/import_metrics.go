package wasmhost

// metricImports are the functions on metrics.
func metricImports() []importFunc {
	return []importFunc{
		{name: "proxy_define_metric", signature: "iiii", run: proxyDefineMetric, describe: describeDefinition},
		{name: "proxy_increment_metric", signature: "iI", run: proxyIncrementMetric, describe: describeMetric},
		{name: "proxy_record_metric", signature: "iI", run: proxyRecordMetric, describe: describeMetric},
		{name: "proxy_get_metric", signature: "ii", run: proxyGetMetric, describe: describeMetric},
	}
}

func describeDefinition(vm *VM, a args, c *Call) { c.Arg = vm.describeText(a, 1) }

func describeMetric(vm *VM, a args, c *Call) { c.Arg = vm.metricNames[a.u32(0)] }

func proxyDefineMetric(vm *VM, a args) Status {
	name, ok := vm.text(a, 1)
	if !ok {
		return InvalidMemoryAccess
	}
	id, status := vm.defineMetric(a.u32(0), name)
	if status != OK {
		return status
	}
	return vm.giveU32(id, a.u32(3))
}

func proxyIncrementMetric(vm *VM, a args) Status {
	return vm.incrementMetric(a.u32(0), int64(a[1]))
}

func proxyRecordMetric(vm *VM, a args) Status {
	return vm.recordMetric(a.u32(0), a[1])
}

func proxyGetMetric(vm *VM, a args) Status {
	value, status := vm.getMetric(a.u32(0))
	if status != OK {
		return status
	}
	return vm.giveU64(value, a.u32(1))
}
