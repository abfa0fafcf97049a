package filter

import (
	"strings"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"tollgate/config"
	"tollgate/limiter"
)

// The grpc-status of a reply to a gRPC request (https://grpc.io/docs/guides/status-codes). An absent one would be made up by the
// proxy, and 0 would tell the client that all is well.
const (
	grpcResourceExhausted = 8
	grpcUnavailable       = 14
	grpcUnauthenticated   = 16
)

// send answers the request in the upstream's place, with the fields that the writer holds.
func (s *stream) send(status uint32, grpc int32, details, body []byte) types.Action {
	p := s.plugin
	if !p.isGRPC() {
		grpc = NoGRPC
	}
	p.reply = Reply{Status: status, Details: details, Fields: p.writer.fields, Body: body, GRPC: grpc}
	s.answered = true
	if err := p.host.SendReply(&p.reply); err != nil {
		s.answered = false
		p.report(failReply)
		return types.ActionContinue
	}
	return types.ActionPause
}

func (p *plugin) isGRPC() bool {
	contentType, _ := p.request.Header("content-type")
	return strings.HasPrefix(contentType, "application/grpc")
}

// refuse answers a request that a limit had no room for (RFC 6585 section 4), as the rule of that limit says.
func (s *stream) refuse(d *limiter.Decision) types.Action {
	w := &s.plugin.writer
	w.reset()
	if s.told {
		w.standing(&s.standing)
	}
	if wait := d.RetryAfter(); wait > 0 {
		w.number("retry-after", wait)
	}
	if s.told && s.standing.rule.RatelimitHeaders.Expose {
		w.fields = append(w.fields, Field{Name: exposeHeaders, Value: w.names()})
	}
	state := &d.States[d.Refuser]
	rule := s.plugin.charged[state.Charge].rule
	body := s.plugin.refusalBody(&rule.Refusal, d)
	start := len(w.text)
	w.text = appendPolicy(append(w.text, "tollgate."...), rule.Name, state.Window)
	return s.send(rule.Refusal.Status, grpcResourceExhausted, w.text[start:], body)
}

// unavailable answers a request that could not be counted and must be.
func (s *stream) unavailable(f failure) types.Action {
	w := &s.plugin.writer
	w.reset()
	w.text = append(append(w.text, "tollgate.error."...), f.String()...)
	return s.send(503, grpcUnavailable, w.text, nil)
}

// unauthorized answers a request that must name its client for a rule and does not (RFC 9110 section 15.5.2).
func (s *stream) unauthorized(rule *config.Rule) types.Action {
	p, w := s.plugin, &s.plugin.writer
	w.reset()
	w.text = append(w.text, scheme(rule)...)
	w.text = append(w.text, ` realm="`...)
	w.text = append(append(w.text, p.domain...), '"')
	w.end("www-authenticate", 0)
	return s.send(401, grpcUnauthenticated, detailsUnidentified, nil)
}

var detailsUnidentified = []byte("tollgate.unidentified")

// scheme is how a client can name itself: with a bearer token if that is one of the ways, else with a key.
func scheme(rule *config.Rule) string {
	if rule.WantsBearer() {
		return "Bearer"
	}
	return "ApiKey"
}
