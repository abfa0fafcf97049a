package config

import (
	"slices"
	"strings"
)

// Refusal is the answer to a request that a limit refuses.
type Refusal struct {
	Status         uint32      // 400 to 599; 429 by default
	Body           string      // empty by default
	ContentType    string      // of Body, never empty if there is one
	Headers        [][2]string // names in lower case, each once, in the order of the configuration
	ProblemDetails bool        // the body is a problem detail (RFC 9457); Body is empty then
}

const (
	defaultStatus      = 429
	defaultContentType = "text/plain; charset=utf-8"
)

// refusalSpec is a refusal as it is written.
type refusalSpec struct {
	status         optional[uint32]
	body           optional[string]
	contentType    optional[string]
	headers        [][2]string
	problemDetails optional[bool]

	at given // where its fields stand
}

// over merges s, key by key, over what it inherits.
func (s *refusalSpec) over(base *refusalSpec) refusalSpec {
	merged := refusalSpec{
		status:         s.status.or(base.status),
		body:           s.body.or(base.body),
		contentType:    s.contentType.or(base.contentType),
		problemDetails: s.problemDetails.or(base.problemDetails),
		headers:        slices.Clone(base.headers),
	}
	for _, h := range s.headers {
		i := slices.IndexFunc(merged.headers, func(other [2]string) bool { return other[0] == h[0] })
		if i >= 0 {
			merged.headers[i] = h
		} else {
			merged.headers = append(merged.headers, h)
		}
	}
	return merged
}

// compile fills in the defaults.
func (s *refusalSpec) compile() Refusal {
	r := Refusal{
		Status:         s.status.otherwise(defaultStatus),
		Body:           s.body.value,
		ContentType:    s.contentType.value,
		Headers:        s.headers,
		ProblemDetails: s.problemDetails.value,
	}
	switch {
	case r.Body == "":
		r.ContentType = ""
	case r.ContentType == "":
		r.ContentType = defaultContentType
	}
	return r
}

const (
	refusalAdvice        = `write an object such as {"status": 503, "body": "Try again later."}`
	refusalHeadersAdvice = `write an object such as {"cache-control": "no-store"}`
	maxBody              = 64 << 10
)

func refusalFields() []field[refusalSpec] {
	return []field[refusalSpec]{
		{"status", "", func(d *decoder, n *node, s *refusalSpec) {
			v, ok := d.whole(n, 400, 599)
			s.status = maybe(uint32(v), ok)
		}},
		{"body", "", func(d *decoder, n *node, s *refusalSpec) {
			s.body = maybe(d.text(n, `write the text of the body`))
			if len(n.text) > maxBody {
				d.fail(n, "is longer than 65536 bytes", "write a shorter text")
			}
		}},
		{"content_type", "", func(d *decoder, n *node, s *refusalSpec) {
			s.contentType = maybe(d.fieldValue(n, `write a media type such as "application/json"`))
		}},
		{"headers", "", func(d *decoder, n *node, s *refusalSpec) { s.headers = d.replyHeaders(n) }},
		{"problem_details", "", func(d *decoder, n *node, s *refusalSpec) { s.problemDetails = d.flag(n) }},
	}
}

func (d *decoder) refusal(n *node) (s refusalSpec) {
	s.at, _ = readObject(d, n, refusalAdvice, refusalFields(), &s)
	return s
}

// replyHeaders reads header lines to add to a refusal.
func (d *decoder) replyHeaders(n *node) [][2]string {
	var list [][2]string
	d.dictionary(n, refusalHeadersAdvice, func(m member) {
		name := strings.ToLower(m.key)
		value, ok := d.fieldValue(m.value, `write the header's value`)
		reason, advice := unfitReplyHeader(name)
		switch {
		case reason != "":
			d.failKey(m, quote(m.key)+" "+reason, advice)
		case slices.ContainsFunc(list, func(h [2]string) bool { return h[0] == name }):
			if !slices.ContainsFunc(n.members, func(o member) bool { return o.key == m.key && o.offset < m.offset }) {
				d.failKey(m, "names a header twice: case does not matter", "keep one of the two")
			}
		case ok:
			list = append(list, [2]string{name, value})
		}
	})
	return list
}

// unfitReplyHeader says why a header of this name cannot be added to a refusal.
func unfitReplyHeader(name string) (reason, advice string) {
	switch {
	case name == "content-type":
		return "is set by another field", `write it as "content_type"`
	case name == "retry-after" || name == "ratelimit" || name == "ratelimit-policy" || strings.HasPrefix(name, "x-ratelimit-"):
		return "is set by the limits themselves", `remove it; see "ratelimit_headers"`
	case slices.Contains([]string{"content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer", "host", "date"}, name):
		return "is set by the proxy", "remove it"
	case strings.HasPrefix(name, ":"):
		return "is a pseudo header", `write the name of an ordinary header; a refusal has "status"`
	case !isMadeOf(name, 256, isTokenByte):
		return "is not a header's name", refusalHeadersAdvice
	}
	return "", ""
}

// fieldValue reads a header's value (RFC 9110 section 5.5), which is not empty here.
func (d *decoder) fieldValue(n *node, advice string) (string, bool) {
	value := d.nonEmpty(n, advice)
	if value == "" {
		return "", false
	}
	switch {
	case strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }):
		d.fail(n, "has a line break or control character, which no header may have", advice)
	case trimBlanks(value) != value:
		d.fail(n, quote(value)+" has blanks around it, which are no part of a header's value", "write "+quote(trimBlanks(value)))
	default:
		return value, true
	}
	return "", false
}

// checkRefusal refuses what cannot mean anything together. own is what is written at one place, merged what it becomes
// with what it inherits.
func (d *decoder) checkRefusal(own, merged *refusalSpec) {
	problem, body := merged.problemDetails.value, merged.body.value != ""
	if n := own.at.first("problem_details", "body"); n != nil && problem && body {
		d.fail(n, "gives a refusal problem details and another body", `keep one of "problem_details" and "body"`)
	}
	switch n := own.at["content_type"]; {
	case n == nil:
	case problem:
		d.fail(n, "has no effect: problem details have a type of their own", `keep one of "problem_details" and "content_type"`)
	case !body && merged.body.set:
		d.fail(n, "is the type of an empty body", `write a "body", or remove it`)
	}
}
