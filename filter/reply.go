package filter

import (
	"strconv"
	"strings"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"tollgate/limiter"
)

// The grpc-status of a reply to a gRPC request (https://grpc.io/docs/guides/status-codes). An absent one would be made up by the
// proxy, and 0 would tell the client that all is well.
const (
	grpcResourceExhausted = 8
	grpcUnavailable       = 14
	grpcUnauthenticated   = 16
)

// send answers the request in the upstream's place.
func (s *stream) send(status uint32, grpc int32, details []byte, fields []Field) types.Action {
	p := s.plugin
	if !p.isGRPC() {
		grpc = NoGRPC
	}
	p.reply = Reply{Status: status, Details: details, Fields: fields, GRPC: grpc}
	s.answered = true
	if err := p.host.SendReply(&p.reply); err != nil {
		s.answered = false
		p.report(failReply)
		return types.ActionContinue
	}
	return types.ActionPause
}

func (p *plugin) isGRPC() bool {
	for _, h := range p.request.Headers {
		if h[0] == "content-type" {
			return strings.HasPrefix(h[1], "application/grpc")
		}
	}
	return false
}

// refuse answers a request that a limit had no room for (RFC 6585 section 4).
func (s *stream) refuse(d *limiter.Decision) types.Action {
	w := &s.plugin.writer
	w.reset()
	if s.told {
		w.standing(s.standing)
	}
	if wait := d.RetryAfter(); wait > 0 {
		w.number("retry-after", wait)
	}
	fields := w.fields
	return s.send(429, grpcResourceExhausted, s.plugin.refuser(d), fields)
}

// refuser names the rule and the window that refused, such as tollgate.login.10s.
func (p *plugin) refuser(d *limiter.Decision) []byte {
	state := &d.States[d.Refuser]
	start := len(p.writer.text)
	t := append(p.writer.text, "tollgate."...)
	t = append(t, p.charges[state.Charge].Rule...)
	t = append(t, '.')
	t = strconv.AppendUint(t, uint64(state.Window), 10)
	t = append(t, 's')
	p.writer.text = t
	return t[start:]
}

// unavailable answers a request that could not be counted and must be.
func (s *stream) unavailable(f failure) types.Action {
	return s.send(503, grpcUnavailable, []byte("tollgate.error."+f.String()), nil)
}

// unauthorized answers a request that must name its client and does not (RFC 9110 section 15.5.2).
func (s *stream) unauthorized() types.Action {
	p := s.plugin
	p.writer.reset()
	challenge := []byte(`ApiKey realm="` + p.config.Domain + `"`)
	fields := append(p.writer.fields, Field{Name: "www-authenticate", Value: challenge})
	return s.send(401, grpcUnauthenticated, []byte("tollgate.unidentified"), fields)
}
