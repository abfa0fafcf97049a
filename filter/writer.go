package filter

import "strconv"

// writer builds header lines in memory that it reuses.
type writer struct {
	fields []Field
	text   []byte
}

func (w *writer) reset() { w.fields, w.text = w.fields[:0], w.text[:0] }

func (w *writer) number(name string, n uint32) {
	start := len(w.text)
	w.text = strconv.AppendUint(w.text, uint64(n), 10)
	w.fields = append(w.fields, Field{Name: name, Value: w.text[start:]})
}

// standing returns the lines that tell a client where it stands, in the order of the wire.
func (w *writer) standing(s standing) []Field {
	w.reset()
	w.number("x-ratelimit-limit", s.limit)
	w.number("x-ratelimit-remaining", s.remaining)
	w.number("x-ratelimit-reset", s.reset)
	return w.fields
}
