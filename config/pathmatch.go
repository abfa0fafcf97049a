package config

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// pathMatch is what an alternative asks of the path.
type pathMatch struct {
	kind     pathKind
	text     string         // as written; a path or prefix in normal form
	segments []segment      // of a template
	regex    *regexp.Regexp // anchored at both ends
}

type pathKind uint8

const (
	anyPath      pathKind = iota // also none at all
	exactPath                    // the path is text
	prefixPath                   // the path is text or continues it after a slash
	templatePath                 // the path has these segments
	regexPath                    // the whole path matches
)

func (p *pathMatch) matches(r *Request) bool {
	if p.kind == anyPath {
		return true
	}
	path, ok := r.Path()
	return ok && p.matchesPath(path)
}

func (p *pathMatch) matchesPath(path string) bool {
	switch p.kind {
	case exactPath:
		return path == p.text
	case prefixPath:
		return hasPathPrefix(path, p.text)
	case templatePath:
		return matchesSegments(path[1:], p.segments)
	case regexPath:
		return p.regex.MatchString(path)
	default:
		return true
	}
}

// hasPathPrefix reports whether path starts with prefix and the prefix ends at a slash: "/closed" covers "/closed"
// and "/closed/x" but not "/closedx".
func hasPathPrefix(path, prefix string) bool {
	rest, ok := strings.CutPrefix(path, prefix)
	return ok && (rest == "" || rest[0] == '/' || prefix[len(prefix)-1] == '/')
}

// segment is what stands between two slashes of a template.
type segment struct {
	text     string // of a literal, possibly empty at the end
	variable bool   // any text that is not empty
}

func (s segment) matches(text string) bool {
	if s.variable {
		return text != ""
	}
	return text == s.text
}

// matchesSegments reports whether rest, a path without its first slash, has these segments.
func matchesSegments(rest string, segments []segment) bool {
	more := true
	for i := range segments {
		if !more {
			return false
		}
		var text string
		text, rest, more = strings.Cut(rest, "/")
		if !segments[i].matches(text) {
			return false
		}
	}
	return !more
}

const (
	pathAdvice     = `write a path such as "/login"`
	templateAdvice = `write a template such as "/users/{id}", where a variable is a whole segment`
	regexAdvice    = `write an RE2 expression for the whole path, such as "/v[0-9]+/users"`
)

func (d *decoder) exactPath(n *node) pathMatch {
	text, ok := d.path(n)
	return pathMatch{kind: exactPath.when(ok), text: text}
}

func (d *decoder) pathPrefix(n *node) pathMatch {
	text, ok := d.path(n)
	return pathMatch{kind: prefixPath.when(ok), text: text}
}

// when returns k, or anyPath after a mistake.
func (k pathKind) when(ok bool) pathKind {
	if ok {
		return k
	}
	return anyPath
}

// path reads a path, which must already be in the form in which requests are matched.
func (d *decoder) path(n *node) (string, bool) {
	text, ok := d.text(n, pathAdvice)
	if !ok || !d.isNormalPath(n, text) {
		return "", false
	}
	if i := strings.IndexAny(text, "*{}"); i >= 0 {
		d.warn(n, quote(text[i:i+1])+" stands for itself in a path", `use "path_prefix", "path_template" or "path_regex" if it was meant as a pattern`)
	}
	return text, true
}

// isNormalPath reports whether path is a path in normal form, and adds a mistake if not.
func (d *decoder) isNormalPath(n *node, path string) bool {
	normal, isPath := NormalizePath(path)
	switch {
	case strings.ContainsAny(path, "?#"):
		d.fail(n, quote(n.text)+" has a query or fragment, which rules do not see", "write "+quote(n.text[:strings.IndexAny(n.text, "?#")]))
	case path == "*":
		d.fail(n, `"*" is no pattern`, `write "path_prefix": "/" for every path`)
	case !isPath:
		d.fail(n, quote(n.text)+" does not start with a slash", "write "+quote("/"+n.text))
	case !isMadeOf(path, len(path), isPathByte):
		d.fail(n, quote(n.text)+" has a character that stands encoded in a request", "write "+quote(encodePath(path)))
	case normal != path:
		d.fail(n, quote(n.text)+" is not in normal form", "write "+quote(normal))
	default:
		return true
	}
	return false
}

// isPathByte reports whether c can stand in a path as clients send it. Some that RFC 3986 forbids are sent in fact.
func isPathByte(c byte) bool { return ' ' < c && c < 0x7f }

// encodePath returns a path with its impossible bytes escaped, in normal form.
func encodePath(path string) string {
	const hex = "0123456789ABCDEF"
	var encoded []byte
	for i := range len(path) {
		if c := path[i]; isPathByte(c) {
			encoded = append(encoded, c)
		} else {
			encoded = append(encoded, '%', hex[c>>4], hex[c&15])
		}
	}
	normal, _ := NormalizePath(string(encoded))
	return normal
}

// pathTemplate reads a path in which segments such as {id} are variables.
func (d *decoder) pathTemplate(n *node) pathMatch {
	text, ok := d.text(n, templateAdvice)
	if !ok || !d.isNormalPath(n, text) {
		return pathMatch{}
	}
	p := pathMatch{kind: templatePath, text: text}
	var names []string
	for _, s := range strings.Split(text[1:], "/") {
		name, variable := cutVariable(s)
		switch {
		case !variable && strings.ContainsAny(s, "{}"):
			d.fail(n, "has a segment "+quote(s)+" that is neither a text nor one variable", templateAdvice+`; or use "path_regex"`)
			return pathMatch{}
		case variable && slices.Contains(names, name):
			d.fail(n, "names the variable "+quote(name)+" twice", "give each variable a name of its own")
			return pathMatch{}
		case variable:
			names = append(names, name)
			s = ""
		}
		p.segments = append(p.segments, segment{text: s, variable: variable})
	}
	if names == nil {
		d.fail(n, "has no variable", `write it as "path"`)
		return pathMatch{}
	}
	return p
}

// cutVariable returns the name of a segment such as {id}.
func cutVariable(s string) (name string, ok bool) {
	name, open := strings.CutPrefix(s, "{")
	name, closed := strings.CutSuffix(name, "}")
	return name, open && closed && isMadeOf(name, 64, func(c byte) bool { return isAlphanumeric(c) || c == '_' })
}

// pathRegex reads a regular expression for the whole path.
func (d *decoder) pathRegex(n *node) pathMatch {
	regex := d.regex(n, regexAdvice)
	if regex == nil {
		return pathMatch{}
	}
	if prefix := literalPrefix(n.text); prefix != "" && prefix[0] != '/' {
		d.fail(n, "matches no path: every path starts with a slash", "write "+quote("/"+strings.TrimPrefix(n.text, "^")))
		return pathMatch{}
	}
	return pathMatch{kind: regexPath, text: n.text, regex: regex}
}

// regex reads a regular expression and anchors it at both ends.
func (d *decoder) regex(n *node, advice string) *regexp.Regexp {
	text := d.nonEmpty(n, advice)
	if text == "" {
		return nil
	}
	// Alone first: a stray bracket could be closed by those that the anchors need.
	if _, err := regexp.Compile(text); err != nil {
		d.fail(n, quote(text)+" is not an RE2 expression: "+syntaxReason(err), advice)
		return nil
	}
	regex, err := regexp.Compile(`\A(?:` + text + `)\z`)
	if err != nil {
		d.fail(n, quote(text)+" is too large an expression", advice)
		return nil
	}
	return regex
}

func syntaxReason(err error) string {
	if e, ok := err.(*syntax.Error); ok {
		return e.Code.String() + " " + quote(e.Expr)
	}
	return err.Error()
}

// literalPrefix returns the text with which everything starts that a valid expression matches as a whole.
func literalPrefix(text string) string {
	regex, err := regexp.Compile(strings.TrimPrefix(text, "^"))
	if err != nil {
		return ""
	}
	prefix, _ := regex.LiteralPrefix()
	return prefix
}
