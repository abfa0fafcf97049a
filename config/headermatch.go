package config

import (
	"regexp"
	"strings"
)

// headerMatch is what an alternative asks of the header lines of one name.
type headerMatch struct {
	name   string
	test   headerTest
	text   string // as written
	regex  *regexp.Regexp
	invert bool // true if no line may pass the test
}

type headerTest uint8

const (
	headerPresent headerTest = iota
	headerExact
	headerPrefix
	headerRegex
)

func (a *alternative) matchesHeaders(r *Request) bool {
	for i := range a.headers {
		if !a.headers[i].matches(r) {
			return false
		}
	}
	return true
}

// matches reports whether a line of the name passes the test, or with invert that none does.
func (h *headerMatch) matches(r *Request) bool {
	for i := range r.Headers {
		if r.Headers[i][0] == h.name && h.passes(trimBlanks(r.Headers[i][1])) {
			return !h.invert
		}
	}
	return h.invert
}

func (h *headerMatch) passes(value string) bool {
	switch h.test {
	case headerExact:
		return value == h.text
	case headerPrefix:
		return strings.HasPrefix(value, h.text)
	case headerRegex:
		return h.regex.MatchString(value)
	default:
		return true
	}
}

// sameTest reports whether two conditions differ in invert at most.
func (h *headerMatch) sameTest(other *headerMatch) bool {
	return h.name == other.name && h.test == other.test && h.text == other.text
}

const headersAdvice = `write a list of conditions such as [{"name": "x-internal", "exact": "true"}]`

// headerMatches reads a list of conditions on headers, all of which must hold.
func (d *decoder) headerMatches(n *node) []headerMatch {
	var list []headerMatch
	for _, e := range d.list(n, headersAdvice) {
		before := d.count()
		h := d.headerMatch(e)
		if d.count() == before {
			d.checkHeaderPair(e, &h, list)
		}
		list = append(list, h)
	}
	return list
}

// checkHeaderPair holds a condition against those before it.
func (d *decoder) checkHeaderPair(n *node, h *headerMatch, before []headerMatch) {
	for i := range before {
		switch {
		case !h.sameTest(&before[i]):
		case h.invert == before[i].invert:
			d.fail(n, "repeats an earlier condition", "remove it")
		default:
			d.fail(n, "contradicts an earlier condition: both can never hold", "remove one of them, or write two alternatives")
		}
	}
}

func headerMatchFields() []field[headerMatch] {
	return []field[headerMatch]{
		{"name", `add it, such as "name": "x-internal"`, func(d *decoder, n *node, h *headerMatch) { h.name, _ = d.headerName(n) }},
		{"exact", "", func(d *decoder, n *node, h *headerMatch) {
			text, _ := d.text(n, `write the value of the header`)
			d.headerTest(n, headerExact, trimmedValue(d, n, text), h)
		}},
		{"prefix", "", func(d *decoder, n *node, h *headerMatch) {
			d.headerTest(n, headerPrefix, d.nonEmpty(n, `write how the value starts; the name alone asks for a header that is there`), h)
		}},
		{"regex", "", func(d *decoder, n *node, h *headerMatch) {
			h.regex = d.regex(n, `write an RE2 expression for the whole value, such as "v[0-9]+"`)
			d.headerTest(n, headerRegex, n.text, h)
		}},
		{"invert", "", func(d *decoder, n *node, h *headerMatch) { h.invert, _ = d.boolean(n) }},
	}
}

func (d *decoder) headerMatch(n *node) (h headerMatch) {
	readObject(d, n, `write a condition such as {"name": "x-internal", "exact": "true"}`, headerMatchFields(), &h)
	return h
}

// headerTest gives a condition its test, of which it has at most one.
func (d *decoder) headerTest(n *node, test headerTest, text string, h *headerMatch) {
	if h.test != headerPresent {
		d.fail(n, "is a second test of the same header", "keep one of exact, prefix and regex, or write two conditions")
	}
	h.test, h.text = test, text
}

// trimmedValue refuses a value that no header can have after the blanks around it are gone.
func trimmedValue(d *decoder, n *node, text string) string {
	if trimmed := trimBlanks(text); trimmed != text {
		d.fail(n, quote(text)+" has blanks around it, which are no part of a header's value", "write "+quote(trimmed))
	}
	return text
}
