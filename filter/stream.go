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
	told     bool
	standing standing
}

// standing is where a client stands.
type standing struct{ limit, remaining, reset uint32 }

// OnHttpRequestHeaders implements types.HttpContext: it decides the request.
func (s *stream) OnHttpRequestHeaders(int, bool) (action types.Action) {
	defer s.surviveRequest(&action)
	if s.decided {
		return types.ActionContinue
	}
	s.decided = true
	p := s.plugin
	headers, err := p.host.RequestHeaders()
	if err != nil {
		return s.uncountable(failHeaders)
	}
	p.request.Reset(headers)
	if !p.gather() {
		return s.unauthorized()
	}
	if len(p.charges) == 0 {
		return types.ActionContinue
	}
	return s.decide(p.limiter.Take(p.charges))
}

// gather finds the rules that hold the request and makes a charge of each. It returns false for a request that must name its
// client and does not.
func (p *plugin) gather() bool {
	p.charges, p.rules, p.identities = p.charges[:0], p.rules[:0], p.identities[:0]
	for i := p.config.Next(&p.request, 0); i >= 0; i = p.config.Next(&p.request, i+1) {
		rule := &p.config.Rules[i]
		start := len(p.identities)
		id, ok := p.request.Identify(p.identities, rule.Identity)
		p.identities = id
		if !ok {
			switch rule.OnUnidentified {
			case config.NextRule:
				continue
			case config.RefuseUnidentified:
				return false
			}
			p.identities = append(p.identities, anonymous)
		}
		p.add(i, rule, p.identities[start:])
		break
	}
	return true
}

// anonymous is the identity of all requests without one. Every other identity begins with the kind of its source, which is
// never 0.
const anonymous = 0

func (p *plugin) add(index int, rule *config.Rule, identity []byte) {
	p.rules = append(p.rules, index)
	p.charges = append(p.charges, limiter.Charge{
		Rule:     rule.Name,
		Identity: identity,
		Limits:   rule.Limits,
		Cost:     1,
		Critical: rule.OnError == config.RefuseOnError,
	})
}

// decide carries a decision out.
func (s *stream) decide(d *limiter.Decision) types.Action {
	p := s.plugin
	p.count(d)
	if d.Shown >= 0 {
		state := &d.States[d.Shown]
		s.standing = standing{limit: state.Budget, remaining: state.Remaining(), reset: state.Reset}
		s.told = true
	}
	switch {
	case d.Err != nil:
		return s.unavailable(failureOf(d.Err))
	case !d.Allowed:
		return s.refuse(d)
	}
	return types.ActionContinue
}

// count adds a decision to the metrics.
func (p *plugin) count(d *limiter.Decision) {
	p.metrics.conflicts += uint64(d.Conflicts)
	p.metrics.full += uint64(d.Overflows)
	for range d.LostRefunds {
		p.report(failRefund)
	}
	for i := range d.Outcomes {
		o, m := &d.Outcomes[i], &p.metrics.rules[p.rules[i]]
		switch {
		case o.Err != nil:
			p.report(failureOf(o.Err))
		case o.NoRoom:
			m.limited++
		case d.Allowed:
			m.allowed++
		}
	}
}

// uncountable gives a request whose rule is not known what the strictest rule says.
func (s *stream) uncountable(f failure) types.Action {
	if f != failPanic {
		s.plugin.report(f)
	}
	if s.plugin.strict {
		return s.unavailable(f)
	}
	return types.ActionContinue
}

// OnHttpResponseHeaders implements types.HttpContext: it tells the client where it stands.
func (s *stream) OnHttpResponseHeaders(int, bool) (action types.Action) {
	defer s.surviveResponse(&action)
	if s.told && !s.answered {
		p := s.plugin
		for _, f := range p.writer.standing(s.standing) {
			if err := p.host.ReplaceResponseHeader(f.Name, f.Value); err != nil {
				p.report(failHeaders)
				break
			}
		}
	}
	return types.ActionContinue
}

// OnHttpStreamDone implements types.HttpContext.
func (s *stream) OnHttpStreamDone() { s.plugin.release(s) }
