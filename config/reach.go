package config

import "strings"

// checkReach refuses rules that no request can ever reach, because earlier rules take every request that they match.
// A rule hides nothing if it lets requests go on.
func (d *decoder) checkReach(specs []ruleSpec, rules []Rule) {
	for i := range rules {
		if specs[i].unsure {
			continue
		}
		if by, hidden := hiddenBy(specs, rules, i); hidden {
			d.fail(specs[i].node, "can never be reached: "+ruleAt(by, rules[by].Name)+" comes first and takes all its requests",
				"move it before that rule, narrow that rule, or remove one of them")
		}
	}
}

func ruleAt(i int, name string) string {
	at := elementPath("rules", i)
	if name == "" {
		return at
	}
	return at + " (" + quote(name) + ")"
}

// hiddenBy returns the last rule needed to take everything that rule i matches, if earlier rules do.
func hiddenBy(specs []ruleSpec, rules []Rule, i int) (by int, hidden bool) {
	for _, want := range parts(&rules[i]) {
		j, taken := takenBy(specs, rules[:i], want)
		if !taken {
			return 0, false
		}
		by = max(by, j)
	}
	return by, true
}

// parts splits what a rule matches into alternatives with at most one method each and with a prefix such as /a apart
// into /a itself and what is below /a/, so that earlier alternatives may each take some of them. What then is left
// undivided can only be taken whole.
func parts(r *Rule) []alternative {
	if r.match == nil {
		return []alternative{{}}
	}
	var list []alternative
	for _, a := range r.match {
		for _, a.path = range a.path.parts() {
			list = a.appendMethods(list)
		}
	}
	return list
}

func (p pathMatch) parts() []pathMatch {
	if p.kind != prefixPath || strings.HasSuffix(p.text, "/") {
		return []pathMatch{p}
	}
	return []pathMatch{{exactPath, p.text}, {prefixPath, p.text + "/"}}
}

// appendMethods appends one alternative for each method of a.
func (a alternative) appendMethods(list []alternative) []alternative {
	if a.methods == nil {
		return append(list, a)
	}
	methods := a.methods
	for i := range methods {
		a.methods = methods[i : i+1]
		list = append(list, a)
	}
	return list
}

// takenBy returns the first of the rules that takes every request of the part.
func takenBy(specs []ruleSpec, rules []Rule, part alternative) (by int, taken bool) {
	for j := range rules {
		if specs[j].unsure || rules[j].OnUnidentified == NextRule {
			continue
		}
		if rules[j].covers(part) {
			return j, true
		}
	}
	return 0, false
}

// covers reports whether the rule certainly matches all requests of the part.
func (r *Rule) covers(part alternative) bool {
	if r.match == nil {
		return true
	}
	for i := range r.match {
		if r.match[i].covers(part) {
			return true
		}
	}
	return false
}

func (a *alternative) covers(part alternative) bool {
	return coversMethods(a.methods, part.methods) && a.path.covers(part.path)
}

// coversMethods expects at most one method in part.
func coversMethods(methods, part []string) bool {
	if methods == nil {
		return true
	}
	for _, m := range methods {
		if len(part) == 1 && part[0] == m {
			return true
		}
	}
	return false
}

func (p pathMatch) covers(part pathMatch) bool {
	switch p.kind {
	case anyPath:
		return true
	case exactPath:
		return part == p
	default:
		return part.kind != anyPath && hasPathPrefix(part.text, p.text)
	}
}
