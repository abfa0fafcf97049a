package config

import (
	"slices"
	"strings"
)

// SourceKind says where in a request an identity stands. Its value is part of every identity: never renumber.
type SourceKind uint8

const (
	// SourceHeader is the value of a request header.
	SourceHeader SourceKind = 1
)

// Source is one place in which a request may name its client.
type Source struct {
	Kind SourceKind
	Name string // of the header, in lower case
}

// Identify appends the identity of a request to dst: the first of the sources that yields one. It is false, and id is
// dst, if none does.
//
// Different identities have different encodings: an encoding begins with the kind of its source (never zero), then come
// the source's name with its length before it and the value as received, without the blanks around it. The place of the
// source in the list is no part of it. A value that is missing, empty or blank yields nothing, and neither does a source
// that the request names more than once with different values: such a request gets what leaving it out would give.
func (r *Request) Identify(dst []byte, sources []Source) (id []byte, ok bool) {
	for i := range sources {
		if value, ok := r.header(sources[i].Name); ok {
			return append(sources[i].appendPrefix(dst), value...), true
		}
	}
	return dst, false
}

// appendPrefix appends what tells the values of this source from those of any other.
func (s *Source) appendPrefix(dst []byte) []byte {
	dst = append(dst, byte(s.Kind))
	dst = appendLength(dst, len(s.Name))
	return append(dst, s.Name...)
}

// appendLength appends n in base 128, the low digits first, with the high bit set on all but the last.
func appendLength(dst []byte, n int) []byte {
	for n >= 0x80 {
		dst = append(dst, byte(n)|0x80)
		n >>= 7
	}
	return append(dst, byte(n))
}

// header returns the trimmed value that all lines of that name agree on.
func (r *Request) header(name string) (value string, ok bool) {
	found := false
	for i := range r.Headers {
		if r.Headers[i][0] != name {
			continue
		}
		line := trimBlanks(r.Headers[i][1])
		if found && line != value {
			return "", false
		}
		value, found = line, true
	}
	return value, value != ""
}

const identityAdvice = `write a list of sources such as [{"header": "x-api-key"}]`

// identity reads a list of sources.
func (d *decoder) identity(n *node) []Source {
	var sources []Source
	for _, e := range d.list(n, identityAdvice) {
		s, ok := d.source(e)
		switch {
		case !ok:
		case slices.Contains(sources, s):
			d.fail(e, "repeats an earlier source", "remove it")
		default:
			sources = append(sources, s)
		}
	}
	return sources
}

func sourceFields() []field[Source] {
	return []field[Source]{
		{"header", "", func(d *decoder, n *node, s *Source) {
			s.Kind = SourceHeader
			s.Name, _ = d.headerName(n)
		}},
	}
}

// source reads one source: an object with exactly one field, its kind.
func (d *decoder) source(n *node) (s Source, ok bool) {
	const advice = `write a source such as {"header": "x-api-key"}`
	before := d.count()
	names, ok := readObject(d, n, advice, sourceFields(), &s)
	if ok && len(names) == 0 {
		d.fail(n, "is an empty object", advice)
	}
	return s, d.count() == before
}

// headerName reads the name of a request header and puts it into lower case.
func (d *decoder) headerName(n *node) (name string, ok bool) {
	const advice = `write a header's name such as "x-api-key"`
	name, ok = d.text(n, advice)
	if !ok {
		return "", false
	}
	name = strings.ToLower(name)
	switch {
	case strings.HasPrefix(name, ":"):
		d.fail(n, quote(name)+" is a pseudo header", "write the name of an ordinary header; methods and paths are matched by a rule's own fields")
	case name == "host":
		d.fail(n, `"host" is no header in the proxy: it becomes :authority`, "write the name of another header")
	case !isMadeOf(name, 256, isTokenByte):
		d.fail(n, quote(name)+" is not a header's name", advice)
	default:
		return name, true
	}
	return "", false
}
