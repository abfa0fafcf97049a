package filter

import (
	"strconv"

	"tollgate/config"
)

// exposeHeaders lets scripts in a browser read the headers it names (Fetch standard, section 3.3.3).
const exposeHeaders = "access-control-expose-headers"

// standing is where a client stands under the limit that it is told of.
type standing struct {
	rule                            *config.Rule
	limit, remaining, window, reset uint32
	wait                            uint32 // whole seconds to the reset, when it was decided
}

// writer builds header lines in memory that it reuses.
type writer struct {
	fields []Field
	text   []byte
}

func (w *writer) reset() { w.fields, w.text = w.fields[:0], w.text[:0] }

// end makes what was written since start the value of a field.
func (w *writer) end(name string, start int) {
	w.fields = append(w.fields, Field{Name: name, Value: w.text[start:len(w.text):len(w.text)]})
}

func (w *writer) number(name string, n uint32) {
	start := len(w.text)
	w.text = strconv.AppendUint(w.text, uint64(n), 10)
	w.end(name, start)
}

// standing adds the lines that tell a client where it stands, in the order of the wire.
func (w *writer) standing(s *standing) {
	style := s.rule.RatelimitHeaders
	if style.Style == config.StyleXRatelimit || style.Style == config.StyleBoth {
		reset := s.reset
		if style.Reset == config.ResetDelta {
			reset = s.wait
		}
		w.number("x-ratelimit-limit", s.limit)
		w.number("x-ratelimit-remaining", s.remaining)
		w.number("x-ratelimit-reset", reset)
	}
	if style.Style == config.StyleIETF || style.Style == config.StyleBoth {
		w.item("ratelimit-policy", s, ";q=", s.limit, ";w=", s.window)
		w.item("ratelimit", s, ";r=", s.remaining, ";t=", s.wait)
	}
}

// item adds a field of draft-ietf-httpapi-ratelimit-headers-11: the policy's name with two parameters.
func (w *writer) item(field string, s *standing, first string, a uint32, second string, b uint32) {
	start := len(w.text)
	w.text = append(w.text, '"')
	w.text = appendPolicy(w.text, s.rule.Name, s.window)
	w.text = append(append(w.text, '"'), first...)
	w.text = strconv.AppendUint(w.text, uint64(a), 10)
	w.text = append(w.text, second...)
	w.text = strconv.AppendUint(w.text, uint64(b), 10)
	w.end(field, start)
}

// appendPolicy appends the name of a limit, such as login.10s.
func appendPolicy(dst []byte, rule string, window uint32) []byte {
	dst = append(append(dst, rule...), '.')
	return append(strconv.AppendUint(dst, uint64(window), 10), 's')
}

// names lists the names of the fields so far, for exposeHeaders.
func (w *writer) names() []byte {
	start := len(w.text)
	for i, f := range w.fields {
		if i > 0 {
			w.text = append(w.text, ", "...)
		}
		w.text = append(w.text, f.Name...)
	}
	return w.text[start:]
}
