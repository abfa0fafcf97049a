package config

import (
	"slices"
	"strings"
)

// alternative is one entry of a rule's match: everything it names must hold.
type alternative struct {
	methods []string // nil: any
	path    pathMatch
}

// pathMatch is what an alternative asks of the path.
type pathMatch struct {
	kind pathKind
	text string // in normal form
}

type pathKind uint8

const (
	anyPath    pathKind = iota // also none at all
	exactPath                  // the path is text
	prefixPath                 // the path is text or continues it after a slash
)

func (a *alternative) matches(r *Request) bool {
	return (a.methods == nil || slices.Contains(a.methods, r.Method)) && a.path.matches(r)
}

func (p *pathMatch) matches(r *Request) bool {
	if p.kind == anyPath {
		return true
	}
	path, ok := r.Path()
	if !ok {
		return false
	}
	if p.kind == exactPath {
		return path == p.text
	}
	return hasPathPrefix(path, p.text)
}

// hasPathPrefix reports whether path starts with prefix and the prefix ends at a slash: "/closed" covers "/closed"
// and "/closed/x" but not "/closedx".
func hasPathPrefix(path, prefix string) bool {
	rest, ok := strings.CutPrefix(path, prefix)
	return ok && (rest == "" || rest[0] == '/' || prefix[len(prefix)-1] == '/')
}

const matchAdvice = `write a list of alternatives such as [{"methods": ["POST"], "path": "/login"}]`

// match reads the alternatives of a rule; ok is false if one of them could not be read.
func (d *decoder) match(n *node) (list []alternative, ok bool) {
	before := d.count()
	for _, e := range d.list(n, matchAdvice) {
		list = append(list, d.alternative(e))
	}
	return list, d.count() == before
}

func alternativeFields() []field[alternative] {
	return []field[alternative]{
		{"methods", "", func(d *decoder, n *node, a *alternative) { a.methods = d.methods(n) }},
		{"path", "", func(d *decoder, n *node, a *alternative) { d.pathMatch(n, exactPath, a) }},
		{"path_prefix", "", func(d *decoder, n *node, a *alternative) { d.pathMatch(n, prefixPath, a) }},
	}
}

func (d *decoder) alternative(n *node) (a alternative) {
	names, ok := readObject(d, n, `write an alternative such as {"methods": ["POST"], "path": "/login"}`, alternativeFields(), &a)
	if ok && len(names) == 0 {
		d.fail(n, "is an empty object", `write what must hold, or leave "match" out for a rule that matches everything`)
	}
	return a
}

// pathMatch reads a path and holds it against another one in the same alternative.
func (d *decoder) pathMatch(n *node, kind pathKind, a *alternative) {
	if a.path.kind != anyPath {
		d.fail(n, "is a second condition on the path", "keep one of them, or write two alternatives")
	}
	if text, ok := d.path(n); ok {
		a.path = pathMatch{kind, text}
	}
}

// path reads a path, which must already be in the form in which requests are matched.
func (d *decoder) path(n *node) (string, bool) {
	text, ok := d.text(n, `write a path such as "/login"`)
	if !ok {
		return "", false
	}
	normal, isPath := NormalizePath(text)
	switch {
	case strings.ContainsAny(text, "?#"):
		path, _, _ := strings.Cut(text, "?")
		path, _, _ = strings.Cut(path, "#")
		d.fail(n, quote(text)+" has a query or fragment, which rules do not see", "write "+quote(path))
	case text == "*":
		d.fail(n, `"*" is no pattern`, `write "path_prefix": "/" for every path`)
	case !isPath:
		d.fail(n, quote(text)+" does not start with a slash", "write "+quote("/"+text))
	case normal != text:
		d.fail(n, quote(text)+" is not in normal form", "write "+quote(normal))
	default:
		return text, true
	}
	return "", false
}

const methodsAdvice = `write a list of methods such as ["GET", "HEAD"]`

// methods reads a list of request methods.
func (d *decoder) methods(n *node) []string {
	var methods []string
	for _, e := range d.list(n, methodsAdvice) {
		m, ok := d.method(e)
		switch {
		case !ok:
		case slices.Contains(methods, m):
			d.fail(e, "repeats "+quote(m), "remove it")
		default:
			methods = append(methods, m)
		}
	}
	return methods
}

// wellKnownMethods are in upper case; written otherwise they are a slip, since methods are case-sensitive.
const wellKnownMethods = " GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH "

func (d *decoder) method(n *node) (string, bool) {
	m, ok := d.text(n, `write a method such as "GET"`)
	if !ok {
		return "", false
	}
	upper := strings.ToUpper(m)
	switch {
	case !isMadeOf(m, 64, isTokenByte):
		d.fail(n, quote(m)+" is not a method", `write a method such as "GET"; leave "methods" out for any`)
	case m != upper && strings.Contains(wellKnownMethods, " "+upper+" "):
		d.fail(n, quote(m)+" never occurs: methods are case-sensitive", "write "+quote(upper))
	default:
		return m, true
	}
	return "", false
}
