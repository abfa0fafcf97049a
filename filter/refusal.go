package filter

import (
	"strconv"

	"tollgate/config"
	"tollgate/limiter"
)

// refusalBody adds the header lines that a refusal is configured with, and returns its body.
func (p *plugin) refusalBody(r *config.Refusal, d *limiter.Decision) []byte {
	w := &p.writer
	for _, h := range r.Headers {
		w.literal(h[0], h[1])
	}
	switch {
	case r.ProblemDetails:
		w.literal("content-type", "application/problem+json")
		return p.problem(r.Status, d)
	case r.Body != "":
		w.literal("content-type", r.ContentType)
		start := len(w.text)
		w.text = append(w.text, r.Body...)
		return w.text[start:]
	}
	return nil
}

// literal adds a line whose value is configured.
func (w *writer) literal(name, value string) {
	start := len(w.text)
	w.text = append(w.text, value...)
	w.end(name, start)
}

// problem is a problem detail (RFC 9457) of the type quota-exceeded (draft-ietf-httpapi-ratelimit-headers-11 section 5.1), with the
// policies that had no room. Those that are hidden from the client are left out, and a refusal from memory knows only the one
// to wait for.
func (p *plugin) problem(status uint32, d *limiter.Decision) []byte {
	w := &p.writer
	start := len(w.text)
	t := append(w.text, `{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",`+
		`"title":"Request cannot be satisfied as assigned quota has been exceeded","status":`...)
	t = strconv.AppendUint(t, uint64(status), 10)
	t = append(t, `,"violated-policies":[`...)
	first := true
	for i := range d.States {
		s := &d.States[i]
		if c := &p.charges[s.Charge]; !s.NoRoom || c.Shadow || c.Hidden || d.Outcomes[s.Charge].Err != nil {
			continue
		}
		if !first {
			t = append(t, ',')
		}
		first = false
		t = append(appendPolicy(append(t, '"'), p.charges[s.Charge].Rule, s.Window), '"')
	}
	w.text = append(t, "]}"...)
	return w.text[start:]
}
