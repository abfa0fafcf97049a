package wasmhost

import "strings"

// streamImports are the functions that decide what becomes of a stream.
func streamImports() []importFunc {
	return []importFunc{
		{name: "proxy_send_local_response", signature: "iiiiiiii", run: proxySendLocalResponse},
		{name: "proxy_continue_stream", signature: "i", run: proxyContinueStream, describe: describeStreamType},
		{name: "proxy_close_stream", signature: "i", run: proxyCloseStream, describe: describeStreamType},
		{name: "proxy_clear_route_cache", run: func(*VM, args) Status { return OK }},
	}
}

// The directions of a stream; 2 and 3 are those of TCP.
const (
	streamRequest    = 0
	streamResponse   = 1
	lastStreamType   = 3
	wellKnownGRPCMax = 16
)

func describeStreamType(_ *VM, a args, c *Call) {
	switch a.u32(0) {
	case streamRequest:
		c.Arg = "request"
	case streamResponse:
		c.Arg = "response"
	}
}

// proxySendLocalResponse notes the reply; outside of a stream Envoy drops it without an error. A gRPC status outside 0 to
// 16 counts as none.
func proxySendLocalResponse(vm *VM, a args) Status {
	texts, ok := vm.texts(a, 1, 3)
	if !ok {
		return InvalidMemoryAccess
	}
	c := vm.here()
	if c == nil || c.stream == nil {
		return OK
	}
	reply := &LocalReply{
		Status:     int(a.u32(0)),
		Details:    strings.ReplaceAll(texts[0], " ", "_"),
		Body:       texts[1],
		Headers:    decodePairs([]byte(texts[2])).lowered(),
		GRPCStatus: int32(a.u32(7)),
	}
	if a.u32(7) > wellKnownGRPCMax {
		reply.GRPCStatus = -1
	}
	c.stream.reply = reply
	return OK
}

func proxyContinueStream(vm *VM, a args) Status {
	if a.u32(0) > streamResponse {
		return BadArgument
	}
	if c := vm.here(); c != nil && c.stream != nil {
		c.stream.resume(a.u32(0))
	}
	return OK
}

func proxyCloseStream(vm *VM, a args) Status {
	if a.u32(0) > lastStreamType {
		return BadArgument
	}
	if c := vm.here(); c != nil && c.stream != nil {
		c.stream.reset = true
	}
	return OK
}
