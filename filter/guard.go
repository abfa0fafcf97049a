package filter

import "github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

// A panic that reached the host would kill the VM, and with it every stream of the worker. So every callback survives it.

// surviveStart lets a plugin that panics at its start be refused; its named result stays the zero value, which is that.
func (p *plugin) surviveStart() {
	if reason := recover(); reason != nil {
		p.log(LogError, "configuration refused: panic at the start"+panicText(reason))
	}
}

// surviveRequest gives a request whose callback panicked what on_error says.
func (s *stream) surviveRequest(action *types.Action) {
	if reason := recover(); reason != nil {
		s.plugin.reportPanic(reason)
		*action = s.uncountable(failPanic)
	}
}

// surviveResponse lets a response whose callback panicked go on.
func (s *stream) surviveResponse(action *types.Action) {
	if reason := recover(); reason != nil {
		s.plugin.reportPanic(reason)
		*action = types.ActionContinue
	}
}

// surviveTick lets the plugin go on: what was not passed on is tried again.
func (p *plugin) surviveTick() {
	if reason := recover(); reason != nil {
		p.reportPanic(reason)
	}
}

func (p *plugin) reportPanic(reason any) {
	p.reportAs(failPanic, failPanic.explanation()+panicText(reason))
}

// panicText tells what a runtime error says. Other values could hold a part of the request, and are not shown.
func panicText(reason any) string {
	if err, ok := reason.(interface {
		error
		RuntimeError()
	}); ok {
		return ": " + err.Error()
	}
	return ""
}
