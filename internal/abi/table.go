package abi

import (
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"tollgate/filter"
)

// table finds the context of a number that the host gives. A number that is unknown, as after a context could not be
// created, is survived: streams go on, configurations are refused. So is a panic: it would kill the VM and
// with it every stream of the worker.
type table struct {
	host    logger
	context types.VMContext
	plugins map[uint32]types.PluginContext
	streams map[uint32]types.HttpContext
	// panicked is set once a panic has been logged.
	panicked bool
}

type logger interface {
	Log(level filter.Level, line string)
}

func (t *table) register(context types.VMContext, host logger) {
	t.host, t.context = host, context
	t.plugins = make(map[uint32]types.PluginContext)
	t.streams = make(map[uint32]types.HttpContext)
}

// survive keeps a panic from the host. The contexts have guards of their own, which know what a request is to get then; this
// one is for what those do not reach.
func (t *table) survive() {
	if reason := recover(); reason != nil && !t.panicked {
		t.panicked = true
		t.host.Log(filter.LogError, "tollgate: panic outside of a guarded callback")
	}
}

func (t *table) create(id, root uint32) {
	defer t.survive()
	if root == 0 {
		t.plugins[id] = t.context.NewPluginContext(id)
		return
	}
	if plugin := t.plugins[root]; plugin != nil {
		if stream := plugin.NewHttpContext(id); stream != nil {
			t.streams[id] = stream
		}
	}
}

func (t *table) startVM(size int) (ok bool) {
	defer t.survive()
	return bool(t.context.OnVMStart(size))
}

func (t *table) configure(root uint32, size int) (ok bool) {
	defer t.survive()
	plugin := t.plugins[root]
	return plugin != nil && bool(plugin.OnPluginStart(size))
}

func (t *table) tick(root uint32) {
	defer t.survive()
	if plugin := t.plugins[root]; plugin != nil {
		plugin.OnTick()
	}
}

func (t *table) requestHeaders(id uint32, n int, endOfStream bool) (action types.Action) {
	defer t.survive()
	if stream := t.streams[id]; stream != nil {
		return stream.OnHttpRequestHeaders(n, endOfStream)
	}
	return types.ActionContinue
}

func (t *table) responseHeaders(id uint32, n int, endOfStream bool) (action types.Action) {
	defer t.survive()
	if stream := t.streams[id]; stream != nil {
		return stream.OnHttpResponseHeaders(n, endOfStream)
	}
	return types.ActionContinue
}

// remove ends a context. The host's done and log callbacks are not exported, they would cost two more crossings for
// every stream, so this is where a stream or plugin learns of its end.
func (t *table) remove(id uint32) {
	defer t.survive()
	if stream := t.streams[id]; stream != nil {
		delete(t.streams, id)
		stream.OnHttpStreamDone()
		return
	}
	if plugin := t.plugins[id]; plugin != nil {
		delete(t.plugins, id)
		plugin.OnPluginDone()
	}
}
