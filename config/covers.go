package config

import (
	"slices"
	"strings"
)

// covers reports whether a certainly matches all requests that part matches.
func (a *alternative) covers(part *alternative) bool {
	return coversAll(a.methods, part.methods, func(a, b string) bool { return a == b }) &&
		a.path.covers(&part.path) &&
		coversAll(a.hosts, part.hosts, hostCovers) &&
		coversAll(a.addresses, part.addresses, func(a, b network) bool { return a.covers(&b) }) &&
		a.headersCover(part) &&
		coversText(a.route, part.route) &&
		coversText(a.virtualHost, part.virtualHost) &&
		coversText(a.policy, part.policy)
}

// coversAll reports whether each entry of part is covered by one of set. No set at all asks for nothing.
func coversAll[T any](set, part []T, covers func(entry, part T) bool) bool {
	if set == nil {
		return true
	}
	for _, p := range part {
		if !slices.ContainsFunc(set, func(entry T) bool { return covers(entry, p) }) {
			return false
		}
	}
	return part != nil
}

func coversText(text, part string) bool { return text == "" || text == part }

// hostCovers expects hosts as they are compiled: a wildcard starts with a dot.
func hostCovers(host, part string) bool {
	return host == part || host[0] == '.' && len(part) > len(host) && strings.HasSuffix(part, host)
}

// headersCover reports whether each condition of a follows from one of part.
func (a *alternative) headersCover(part *alternative) bool {
	for i := range a.headers {
		if !slices.ContainsFunc(part.headers, a.headers[i].follows) {
			return false
		}
	}
	return true
}

// follows reports whether h holds wherever given does.
func (h *headerMatch) follows(given headerMatch) bool {
	if h.sameTest(&given) {
		return h.invert == given.invert
	}
	if h.invert || given.invert || h.name != given.name {
		return false
	}
	switch {
	case h.test == headerPresent:
		return true
	case given.test == headerExact:
		return h.passes(given.text)
	default:
		return h.test == headerPrefix && given.test == headerPrefix && strings.HasPrefix(given.text, h.text)
	}
}

// covers reports whether every path that part matches is one that p matches.
func (p *pathMatch) covers(part *pathMatch) bool {
	if p.kind == anyPath || p.kind == part.kind && p.text == part.text {
		return true
	}
	switch part.kind {
	case exactPath:
		return p.matchesPath(part.text)
	case prefixPath:
		return p.kind == prefixPath && hasPathPrefix(part.text, p.text)
	case templatePath:
		return p.kind == prefixPath && startsBelow(part.lead(), p.text) || p.kind == templatePath && coversSegments(p.segments, part.segments)
	case regexPath:
		return p.kind == prefixPath && startsBelow(literalPrefix(part.text), p.text)
	default:
		return false
	}
}

// lead returns the text of a template up to its first variable.
func (p *pathMatch) lead() string {
	lead := "/"
	for _, s := range p.segments {
		if s.variable {
			break
		}
		lead += s.text + "/"
	}
	return lead
}

// startsBelow reports whether whatever starts with lead lies below the prefix, also if lead goes on within a segment.
func startsBelow(lead, prefix string) bool {
	rest, ok := strings.CutPrefix(lead, prefix)
	return ok && (strings.HasSuffix(prefix, "/") || strings.HasPrefix(rest, "/"))
}

func coversSegments(segments, part []segment) bool {
	return slices.EqualFunc(segments, part, func(s, p segment) bool {
		return s == p || s.variable && !p.variable && p.text != ""
	})
}

// parts splits a prefix that does not end with a slash into the path itself and what is below it.
func (p pathMatch) parts() []pathMatch {
	if p.kind != prefixPath || strings.HasSuffix(p.text, "/") {
		return []pathMatch{p}
	}
	return []pathMatch{{kind: exactPath, text: p.text}, {kind: prefixPath, text: p.text + "/"}}
}
