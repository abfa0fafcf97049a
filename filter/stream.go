package filter

import (
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"tollgate/config"
	"tollgate/limiter"
)

// stream is one request and its response.
type stream struct {
	types.DefaultHttpContext
	plugin *plugin
	// decided is set with the request's headers. A response without it, as after another filter's answer, is not ours.
	decided bool
	// answered is set once the filter has replied by itself: that reply has its headers already.
	answered bool
	// told is set if the response is to say where the client stands.
	told     bool
	standing standing
	// held are the charges that the response's status may give back.
	held []held
}

// held is a charge of a rule that counts only some statuses.
type held struct {
	rule    *config.Rule
	receipt limiter.Receipt
	shown   int // the limit of it that the client is told of, or -1
}

// OnHttpRequestHeaders implements types.HttpContext: it decides the request.
func (s *stream) OnHttpRequestHeaders(int, bool) (action types.Action) {
	defer s.surviveRequest(&action)
	if s.decided {
		return types.ActionContinue
	}
	s.decided = true
	p := s.plugin
	p.request.Reset(nil) // whatever fails now, the last request's headers are not this one's
	headers, err := p.host.RequestHeaders()
	if err != nil {
		p.report(failHeaders)
		return s.uncountable(failHeaders)
	}
	p.request.Reset(headers)
	p.shadows.reset()
	action = s.apply()
	if !s.answered {
		p.tellUpstream()
	}
	return action
}

// apply decides the request by the rules that hold it.
func (s *stream) apply() types.Action {
	p := s.plugin
	if p.own.config.Exempt(&p.request) {
		return types.ActionContinue
	}
	rules := p.rulesOf()
	if rules == nil {
		return s.faultyRoute()
	}
	if rule := p.gather(rules); rule != nil {
		return s.unauthorized(rule)
	}
	if len(p.charges) == 0 {
		return types.ActionContinue
	}
	return s.decide(p.limiter.Take(p.charges))
}

// faultyRoute gives a request whose rules are faulty what the top level says: they inherit from it.
func (s *stream) faultyRoute() types.Action {
	p := s.plugin
	p.report(failRoute)
	if p.own.config.OnError == config.RefuseOnError {
		return s.unavailable(failRoute)
	}
	return types.ActionContinue
}

// decide carries a decision out.
func (s *stream) decide(d *limiter.Decision) types.Action {
	p := s.plugin
	p.count(d)
	if d.Shown >= 0 {
		state := &d.States[d.Shown]
		s.told, s.standing = true, standing{
			rule: p.charged[state.Charge].rule, window: state.Window,
			limit: state.Budget, remaining: state.Remaining(), reset: state.Reset, wait: d.Until(state),
		}
	}
	switch {
	case d.Err != nil:
		return s.unavailable(failureOf(d.Err))
	case !d.Allowed:
		return s.refuse(d)
	}
	s.hold(d)
	return types.ActionContinue
}

// hold keeps what the response's status may give back.
func (s *stream) hold(d *limiter.Decision) {
	p := s.plugin
	for i := range d.Outcomes {
		rule := p.charged[i].rule
		if rule.CountStatuses.Empty() || !d.Outcomes[i].Charged {
			continue
		}
		shown := -1
		if d.Shown >= 0 && d.States[d.Shown].Charge == i {
			shown = d.States[d.Shown].Limit
		}
		s.held = append(s.held, held{rule: rule, receipt: d.Receipt(p.charges, i), shown: shown})
	}
}

// uncountable gives a request whose rule is not known what the strictest rule says.
func (s *stream) uncountable(f failure) types.Action {
	if s.plugin.strict {
		return s.unavailable(f)
	}
	s.plugin.removeShadowHeader()
	return types.ActionContinue
}

// OnHttpResponseHeaders implements types.HttpContext: it tells the client where it stands.
func (s *stream) OnHttpResponseHeaders(int, bool) (action types.Action) {
	defer s.surviveResponse(&action)
	if !s.decided || s.answered {
		return types.ActionContinue
	}
	if len(s.held) > 0 {
		s.settle()
	}
	if s.told {
		if err := s.tell(); err != nil {
			s.plugin.report(failHeaders)
		}
	}
	return types.ActionContinue
}

// settle gives back the charges whose rules do not count the response's status. Whatever goes wrong, they stay charged.
func (s *stream) settle() {
	p := s.plugin
	status, err := p.host.ResponseStatus()
	if err != nil {
		p.report(failHeaders)
	}
	for i := range s.held {
		if h := &s.held[i]; err == nil && !h.rule.CountStatuses.Has(status) {
			s.giveBack(h)
		}
	}
	s.held = s.held[:0]
}

func (s *stream) giveBack(h *held) {
	if err := s.plugin.limiter.GiveBack(&h.receipt); err != nil {
		s.plugin.report(failRefund)
		return
	}
	if h.shown < 0 {
		return
	}
	if count, ok := h.receipt.Count(h.shown); ok {
		s.standing.remaining = s.standing.limit - min(count, s.standing.limit)
	}
}

// tell writes where the client stands into the response's headers.
func (s *stream) tell() error {
	p := s.plugin
	p.writer.reset()
	p.writer.standing(&s.standing)
	for _, f := range p.writer.fields {
		if err := p.host.ReplaceResponseHeader(f.Name, f.Value); err != nil {
			return err
		}
	}
	if s.standing.rule.RatelimitHeaders.Expose {
		return p.host.AddResponseHeader(exposeHeaders, p.writer.names())
	}
	return nil
}

// OnHttpStreamDone implements types.HttpContext.
func (s *stream) OnHttpStreamDone() { s.plugin.release(s) }
