package wasmhost

import "time"

// calloutImports are the functions that call other servers. Nothing is sent: the call waits for the test's answer.
func calloutImports() []importFunc {
	return []importFunc{
		{name: "proxy_grpc_call", signature: "iiiiiiiiiiii", run: proxyGRPCCall, describe: describeGRPC},
		{name: "proxy_grpc_cancel", signature: "i", run: proxyGRPCCancel},
		{name: "proxy_http_call", signature: "iiiiiiiiii", run: proxyHTTPCall, describe: describeHTTP},
		{name: "proxy_get_status", signature: "iii", run: proxyGetStatus},
	}
}

func describeGRPC(vm *VM, a args, c *Call) {
	c.Arg = vm.describeText(a, 2) + "/" + vm.describeText(a, 4)
}

func describeHTTP(vm *VM, a args, c *Call) { c.Arg = vm.describeText(a, 0) }

func proxyGRPCCall(vm *VM, a args) Status {
	texts, ok := vm.texts(a, 0, 5)
	if !ok {
		return InvalidMemoryAccess
	}
	c := vm.here()
	if c == nil {
		return InternalFailure
	}
	call := &GRPCCall{
		Token:       vm.nextToken(),
		RootID:      c.root.id,
		Service:     []byte(texts[0]),
		ServiceName: texts[1],
		Method:      texts[2],
		Metadata:    decodePairs([]byte(texts[3])).lowered(),
		Message:     []byte(texts[4]),
		Timeout:     time.Duration(a.u32(10)) * time.Millisecond,
	}
	if c.stream != nil {
		call.StreamID = c.stream.id
	}
	vm.grpc[call.Token] = call
	return vm.giveU32(call.Token, a.u32(11))
}

func (vm *VM) nextToken() uint32 {
	vm.lastToken++
	return vm.lastToken
}

func proxyGRPCCancel(vm *VM, a args) Status {
	if vm.grpc[a.u32(0)] == nil {
		return NotFound
	}
	delete(vm.grpc, a.u32(0))
	return OK
}

// proxyHTTPCall wants the three pseudo-headers, as Envoy does.
func proxyHTTPCall(vm *VM, a args) Status {
	texts, ok := vm.texts(a, 0, 4)
	if !ok {
		return InvalidMemoryAccess
	}
	headers := decodePairs([]byte(texts[1])).lowered()
	c := vm.here()
	if c == nil || headers.Value(":method") == "" || headers.Value(":path") == "" || headers.Value(":authority") == "" {
		return BadArgument
	}
	call := &HTTPCall{
		Token:    vm.nextToken(),
		RootID:   c.root.id,
		Cluster:  texts[0],
		Headers:  headers,
		Body:     []byte(texts[2]),
		Trailers: decodePairs([]byte(texts[3])).lowered(),
		Timeout:  time.Duration(a.u32(8)) * time.Millisecond,
	}
	vm.http[call.Token] = call
	return vm.giveU32(call.Token, a.u32(9))
}

func proxyGetStatus(vm *VM, a args) Status {
	if status := vm.giveU32(vm.statusCode, a.u32(0)); status != OK {
		return status
	}
	return vm.give([]byte(vm.statusMessage), a.u32(1), a.u32(2))
}
