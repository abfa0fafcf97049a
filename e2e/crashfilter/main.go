// Command crashfilter is the filter with one addition: a request with the header x-crash ends the VM that decides it, in a
// way that nothing can recover from. It is built as the filter is, for tests alone.
package main

import (
	"math"
	"runtime/debug"
	"strings"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"tollgate/filter"
	"tollgate/internal/abi"
)

// The host never runs main.
func init() { abi.Register(vm{filter.NewVM(abi.Host{})}) }

func main() {}

type vm struct{ types.VMContext }

// NewPluginContext implements types.VMContext.
func (v vm) NewPluginContext(id uint32) types.PluginContext {
	return plugin{v.VMContext.NewPluginContext(id)}
}

type plugin struct{ types.PluginContext }

// NewHttpContext implements types.PluginContext.
func (p plugin) NewHttpContext(id uint32) types.HttpContext {
	if inner := p.PluginContext.NewHttpContext(id); inner != nil {
		return &stream{HttpContext: inner}
	}
	return nil
}

// stream is a request that may ask for a crash.
type stream struct {
	types.HttpContext
	crash string // the callback to crash in, "request" or "response"
}

// OnHttpRequestHeaders implements types.HttpContext. The request is decided, and counted, before it crashes.
func (s *stream) OnHttpRequestHeaders(n int, endOfStream bool) types.Action {
	action := s.HttpContext.OnHttpRequestHeaders(n, endOfStream)
	s.crash = wanted()
	if s.crash == "request" {
		exhaustStack()
	}
	return action
}

// OnHttpResponseHeaders implements types.HttpContext.
func (s *stream) OnHttpResponseHeaders(n int, endOfStream bool) types.Action {
	action := s.HttpContext.OnHttpResponseHeaders(n, endOfStream)
	if s.crash == "response" {
		exhaustStack()
	}
	return action
}

// wanted returns the callback that the request wants the crash in.
func wanted() string {
	headers, err := abi.Host{}.RequestHeaders()
	if err != nil {
		return ""
	}
	for _, h := range headers {
		if h[0] == "x-crash" {
			return strings.Clone(h[1])
		}
	}
	return ""
}

// exhaustStack calls itself until the stack has no room. Its limit is low: by itself the VM would take most of a gigabyte first.
func exhaustStack() int {
	debug.SetMaxStack(64 << 10)
	return descend(math.MaxInt)
}

//go:noinline
func descend(depth int) int {
	if depth == 0 {
		return 0
	}
	return descend(depth-1) + 1
}
