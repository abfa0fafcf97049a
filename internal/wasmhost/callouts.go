package wasmhost

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// GRPCCall is a unary gRPC call that the guest has started and that the test answers, with [VM.ReplyGRPC] or
// [VM.FailGRPC]. Time does not run out by itself: a test that plays a timeout fails the call with status 4.
type GRPCCall struct {
	Token       uint32
	RootID      uint32 // the root context that gets the answer
	Service     []byte // envoy.config.core.v3.GrpcService, serialised, or a cluster's name
	ServiceName string // such as "envoy.service.ratelimit.v3.RateLimitService"
	Method      string
	Metadata    Headers
	Message     []byte
	Timeout     time.Duration
	StreamID    uint32 // the stream it was made for; 0 if it was made for a root
}

// HTTPCall is an HTTP request that the guest has started and that the test answers, with [VM.ReplyHTTP] or [VM.FailHTTP].
type HTTPCall struct {
	Token    uint32
	RootID   uint32
	Cluster  string
	Headers  Headers
	Body     []byte
	Trailers Headers
	Timeout  time.Duration
}

// callouts are the calls of a VM to other servers that wait for an answer, and what the guest may read in the answer.
type callouts struct {
	lastToken uint32
	grpc      map[uint32]*GRPCCall
	http      map[uint32]*HTTPCall

	grpcMessage   []byte // readable in proxy_on_grpc_receive; nil otherwise
	httpHeaders   *Headers
	httpBody      []byte
	statusCode    uint32
	statusMessage string
}

func newCallouts() callouts {
	return callouts{grpc: map[uint32]*GRPCCall{}, http: map[uint32]*HTTPCall{}}
}

// ErrNoCall says that no call with this token waits for an answer: it was answered, or cancelled.
var ErrNoCall = errors.New("wasmhost: no such call is waiting")

// GRPCCalls returns the gRPC calls that wait for an answer, in the order they were made.
func (vm *VM) GRPCCalls() []*GRPCCall {
	return byToken(vm.grpc)
}

// HTTPCalls returns the HTTP calls that wait for an answer, in the order they were made.
func (vm *VM) HTTPCalls() []*HTTPCall {
	return byToken(vm.http)
}

func byToken[C any](calls map[uint32]C) []C {
	var out []C
	for _, token := range slices.Sorted(maps.Keys(calls)) {
		out = append(out, calls[token])
	}
	return out
}

// ReplyGRPC answers a call with a message: proxy_on_grpc_receive.
func (vm *VM) ReplyGRPC(token uint32, message []byte) error {
	call, ok := vm.grpc[token]
	if !ok {
		return fmt.Errorf("%w: gRPC token %d", ErrNoCall, token)
	}
	delete(vm.grpc, token)
	vm.grpcMessage = append([]byte{}, message...)
	defer func() { vm.grpcMessage = nil }()
	_, err := vm.callIfExported(0, "proxy_on_grpc_receive", call.RootID,
		uint64(call.RootID), uint64(token), uint64(len(message)))
	return err
}

// FailGRPC ends a call with a gRPC status and no message: proxy_on_grpc_close. It plays errors and timeouts.
func (vm *VM) FailGRPC(token uint32, status uint32, message string) error {
	call, ok := vm.grpc[token]
	if !ok {
		return fmt.Errorf("%w: gRPC token %d", ErrNoCall, token)
	}
	delete(vm.grpc, token)
	vm.statusCode, vm.statusMessage = status, message
	defer func() { vm.statusMessage = "" }()
	_, err := vm.callIfExported(0, "proxy_on_grpc_close", call.RootID,
		uint64(call.RootID), uint64(token), uint64(status))
	return err
}

// ReplyHTTP answers a call: proxy_on_http_call_response with these headers and body, and no trailers.
func (vm *VM) ReplyHTTP(token uint32, headers Headers, body []byte) error {
	lowered := headers.lowered()
	vm.httpHeaders, vm.httpBody = &lowered, append([]byte{}, body...)
	defer func() { vm.httpHeaders, vm.httpBody = nil, nil }()
	return vm.endHTTP(token, len(headers), len(body))
}

// FailHTTP ends a call without an answer, as a reset or a timeout does: the same callback with 0 headers.
func (vm *VM) FailHTTP(token uint32) error {
	vm.statusCode, vm.statusMessage = uint32(BrokenConnection), "reset"
	defer func() { vm.statusMessage = "" }()
	return vm.endHTTP(token, 0, 0)
}

func (vm *VM) endHTTP(token uint32, headers, body int) error {
	call, ok := vm.http[token]
	if !ok {
		return fmt.Errorf("%w: HTTP token %d", ErrNoCall, token)
	}
	delete(vm.http, token)
	_, err := vm.callIfExported(0, "proxy_on_http_call_response", call.RootID,
		uint64(call.RootID), uint64(token), uint64(headers), uint64(body), 0)
	return err
}
