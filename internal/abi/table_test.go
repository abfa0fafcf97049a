package abi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"tollgate/filter"
)

// script is what the contexts of a test do: they record their callbacks, and one of them may panic.
type script struct {
	calls   []string
	logs    []string
	panics  string // the callback that panics
	nothing bool   // no context is created
}

func (s *script) did(callback string, about ...any) {
	s.calls = append(s.calls, strings.TrimSpace(fmt.Sprintln(append([]any{callback}, about...)...)))
	if s.panics == callback {
		panic(callback)
	}
}

func (s *script) Log(_ filter.Level, line string) { s.logs = append(s.logs, line) }

type scriptedVM struct{ *script }

func (s scriptedVM) OnVMStart(size int) types.OnVMStartStatus {
	s.did("start VM", size)
	return types.OnVMStartStatusOK
}

func (s scriptedVM) NewPluginContext(id uint32) types.PluginContext {
	s.did("new plugin", id)
	if s.nothing {
		return nil
	}
	return &scriptedPlugin{script: s.script}
}

type scriptedPlugin struct {
	types.DefaultPluginContext
	*script
}

func (s scriptedPlugin) OnPluginStart(size int) types.OnPluginStartStatus {
	s.did("start plugin", size)
	return types.OnPluginStartStatusOK
}

func (s scriptedPlugin) OnTick() { s.did("tick") }

func (s scriptedPlugin) OnPluginDone() bool {
	s.did("plugin done")
	return true
}

func (s scriptedPlugin) NewHttpContext(id uint32) types.HttpContext {
	s.did("new stream", id)
	if s.nothing {
		return nil
	}
	return &scriptedStream{script: s.script}
}

type scriptedStream struct {
	types.DefaultHttpContext
	*script
}

func (s scriptedStream) OnHttpRequestHeaders(n int, end bool) types.Action {
	s.did("request", n, end)
	return types.ActionPause
}

func (s scriptedStream) OnHttpResponseHeaders(n int, end bool) types.Action {
	s.did("response", n, end)
	return types.ActionPause
}

func (s scriptedStream) OnHttpStreamDone() { s.did("stream done") }

func newTable(s *script) *table {
	t := &table{}
	t.register(scriptedVM{s}, s)
	return t
}

func wantCalls(t *testing.T, what string, s *script, want ...string) {
	t.Helper()
	if !slices.Equal(s.calls, want) {
		t.Errorf("%s: callbacks %q, want %q", what, s.calls, want)
	}
}

// TestTableFindsContexts plays a life cycle of two plugins.
func TestTableFindsContexts(t *testing.T) {
	s := &script{}
	table := newTable(s)
	if !table.startVM(7) {
		t.Error("the VM did not start")
	}
	for _, id := range []uint32{1, 2} {
		table.create(id, 0)
		if !table.configure(id, 9) {
			t.Errorf("plugin %d did not start", id)
		}
	}
	table.create(3, 2)
	if table.requestHeaders(3, 4, true) != types.ActionPause || table.responseHeaders(3, 5, false) != types.ActionPause {
		t.Error("the stream's answer is lost")
	}
	table.tick(1)
	table.remove(3)
	table.remove(1)
	wantCalls(t, "life cycle", s, "start VM 7", "new plugin 1", "start plugin 9", "new plugin 2", "start plugin 9", "new stream 3",
		"request 4 true", "response 5 false", "tick", "stream done", "plugin done")
	if len(table.streams) != 0 || len(table.plugins) != 1 || len(s.logs) != 0 {
		t.Errorf("%d streams and %d plugins are left, log %q", len(table.streams), len(table.plugins), s.logs)
	}
}

// TestUnknownNumbers uses numbers that no context has: none reaches a context, streams go on, configurations are refused.
func TestUnknownNumbers(t *testing.T) {
	for name, use := range map[string]func(t *testing.T, table *table){
		"request":           func(t *testing.T, table *table) { wantContinue(t, table.requestHeaders(9, 1, true)) },
		"response":          func(t *testing.T, table *table) { wantContinue(t, table.responseHeaders(9, 1, true)) },
		"request of plugin": func(t *testing.T, table *table) { wantContinue(t, table.requestHeaders(1, 1, true)) },
		"delete":            func(_ *testing.T, table *table) { table.remove(9) },
		"tick":              func(_ *testing.T, table *table) { table.tick(9) },
		"tick of stream":    func(_ *testing.T, table *table) { table.tick(2) },
		"stream of none":    func(_ *testing.T, table *table) { table.create(10, 9) },
		"stream of stream":  func(_ *testing.T, table *table) { table.create(10, 2) },
		"configuration": func(t *testing.T, table *table) {
			if table.configure(9, 1) {
				t.Error("a plugin that is unknown was configured")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{}
			table := newTable(s)
			table.create(1, 0)
			table.create(2, 1)
			s.calls = nil
			use(t, table)
			wantCalls(t, name, s)
			wantContinue(t, table.requestHeaders(10, 1, true))
			if table.requestHeaders(2, 1, true); !slices.Equal(s.calls, []string{"request 1 true"}) {
				t.Errorf("the stream that is known got %q", s.calls)
			}
		})
	}
}

func wantContinue(t *testing.T, action types.Action) {
	t.Helper()
	if action != types.ActionContinue {
		t.Errorf("action %d: the stream would hang", action)
	}
}

// TestDeletedContexts ends contexts before, amid and after their callbacks, and twice.
func TestDeletedContexts(t *testing.T) {
	s := &script{}
	table := newTable(s)
	table.create(1, 0)
	table.create(2, 1)
	table.create(3, 1)
	s.calls = nil
	table.requestHeaders(2, 1, true)
	table.remove(2) // before the response
	wantContinue(t, table.responseHeaders(2, 1, true))
	table.remove(2)
	wantCalls(t, "a stream", s, "request 1 true", "stream done")

	s.calls = nil
	table.remove(1) // before its stream
	table.remove(1)
	table.tick(1)
	table.create(4, 1)
	table.requestHeaders(3, 1, true)
	table.remove(3)
	wantCalls(t, "a plugin", s, "plugin done", "request 1 true", "stream done")
	if len(table.streams)+len(table.plugins) != 0 {
		t.Errorf("%d streams and %d plugins are left", len(table.streams), len(table.plugins))
	}
}

// TestContextsThatCouldNotBeCreated holds that a plugin or stream which is none is like an unknown one.
func TestContextsThatCouldNotBeCreated(t *testing.T) {
	s := &script{nothing: true}
	table := newTable(s)
	table.create(1, 0)
	if table.configure(1, 1) {
		t.Error("a plugin that is none was configured")
	}
	table.create(2, 1)
	table.tick(1)
	s.nothing = false
	table.create(3, 0)
	s.nothing = true
	table.create(4, 3)
	wantContinue(t, table.requestHeaders(4, 1, true))
	wantContinue(t, table.responseHeaders(4, 1, true))
	table.remove(4)
	table.remove(1)
	wantCalls(t, "nothing", s, "new plugin 1", "new plugin 3", "new stream 4")
}

// TestPanicsAreSurvived lets each callback panic twice. Streams go on, starts are refused, the log has one line, and it does
// not say what the panic said.
func TestPanicsAreSurvived(t *testing.T) {
	for callback, use := range map[string]func(t *testing.T, table *table){
		"start VM": func(t *testing.T, table *table) {
			if table.startVM(1) {
				t.Error("the VM was taken for started")
			}
		},
		"start plugin": func(t *testing.T, table *table) {
			if table.configure(1, 1) {
				t.Error("the plugin was taken for started")
			}
		},
		"new plugin":  func(_ *testing.T, table *table) { table.create(3, 0) },
		"new stream":  func(_ *testing.T, table *table) { table.create(4, 1) },
		"tick":        func(_ *testing.T, table *table) { table.tick(1) },
		"request":     func(t *testing.T, table *table) { wantContinue(t, table.requestHeaders(2, 1, true)) },
		"response":    func(t *testing.T, table *table) { wantContinue(t, table.responseHeaders(2, 1, true)) },
		"stream done": func(_ *testing.T, table *table) { table.create(5, 1); table.remove(5) },
		"plugin done": func(_ *testing.T, table *table) { table.create(6, 0); table.remove(6) },
	} {
		t.Run(callback, func(t *testing.T) {
			s := &script{}
			table := newTable(s)
			table.create(1, 0)
			table.create(2, 1)
			s.panics = callback
			for range 2 {
				use(t, table)
			}
			if want := []string{"tollgate: panic outside of a guarded callback"}; !slices.Equal(s.logs, want) {
				t.Errorf("log %q, want %q", s.logs, want)
			}
			s.panics, s.calls = "", nil
			table.requestHeaders(2, 1, true)
			table.create(7, 1)
			wantCalls(t, "afterwards", s, "request 1 true", "new stream 7")
			if len(table.streams) != 2 || len(table.plugins) != 1 {
				t.Errorf("%d streams and %d plugins, want 2 and 1", len(table.streams), len(table.plugins))
			}
		})
	}
}
