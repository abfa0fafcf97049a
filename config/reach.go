package config

import "slices"

// hider takes all requests that match one of its alternatives, so that nothing after it sees them.
type hider struct {
	name  string // as messages name it
	match []alternative
	all   bool // it takes every request
	fixed bool // it stands before all rules, wherever they move
}

// exemptHiders returns what exempt takes away from the rules.
func exemptHiders(exempt []alternative) []hider {
	var list []hider
	for i := range exempt {
		list = append(list, hider{name: elementPath("exempt", i), match: exempt[i : i+1], fixed: true})
	}
	return list
}

// checkReach refuses rules that no request can ever reach, because what comes before takes every request that they
// match, and warns of single alternatives of which that is true. A rule that lets requests go on hides nothing.
func (d *decoder) checkReach(cfg *Config, active []*ruleSpec) {
	hiders := slices.Clone(cfg.reach)
	for i, s := range active {
		if s.unsure {
			continue
		}
		d.checkReachOf(s, hiders)
		if rule := &cfg.Rules[i]; !rule.Continue && rule.OnUnidentified != NextRule {
			hiders = append(hiders, hider{name: ruleAt(s), match: s.match, all: s.match == nil})
		}
	}
}

// ruleAt names a rule by its place and its name.
func ruleAt(s *ruleSpec) string {
	if s.name == nil {
		return s.node.path
	}
	return s.node.path + " (" + quote(s.name.text) + ")"
}

func (d *decoder) checkReachOf(s *ruleSpec, hiders []hider) {
	alternatives := s.match
	if alternatives == nil {
		alternatives = []alternative{{}}
	}
	needed := make([][]int, len(alternatives))
	hidden := 0
	for i := range alternatives {
		if by := hiddenBy(&alternatives[i], hiders); by != nil {
			needed[i] = by
			hidden++
		}
	}
	if hidden == len(alternatives) {
		by := slices.Concat(needed...)
		advice := "move it to the front, narrow what comes first, or remove one of them"
		if slices.ContainsFunc(by, func(j int) bool { return hiders[j].fixed }) {
			advice = "narrow what is exempt, or remove the rule"
		}
		d.fail(s.node, unreachable(hiders, by), advice)
		return
	}
	for i, by := range needed {
		if by != nil {
			d.warn(s.at["match"].elements[i], unreachable(hiders, by), "remove it")
		}
	}
}

// unreachable says what comes first, in order.
func unreachable(hiders []hider, by []int) string {
	var names []string
	for i := range hiders {
		if slices.Contains(by, i) {
			names = append(names, hiders[i].name)
		}
	}
	verbs := " comes first and takes"
	if len(names) > 1 {
		verbs = " come first and take"
	}
	return "can never be reached: " + join(names, "and") + verbs + " all its requests"
}

// hiddenBy returns the hiders that are needed to take everything that the alternative matches, or nil.
func hiddenBy(a *alternative, hiders []hider) []int {
	var by []int
	parts := a.parts()
	for i := range parts {
		j := slices.IndexFunc(hiders, func(h hider) bool { return h.takes(&parts[i]) })
		if j < 0 {
			return nil
		}
		by = append(by, j)
	}
	return by
}

// takes reports whether the hider certainly takes all requests of a part.
func (h *hider) takes(part *alternative) bool {
	if h.all {
		return true
	}
	for i := range h.match {
		if h.match[i].covers(part) {
			return true
		}
	}
	return false
}

// maxParts bounds the work for one alternative. One that has more is taken to be reachable unless it is covered whole.
const maxParts = 4096

// parts splits an alternative into some with at most one method, host and network each, and with a prefix such as /a
// apart into /a itself and what is below /a/: what comes before may take them one by one. What is left undivided can
// only be taken whole.
func (a alternative) parts() []alternative {
	paths := a.path.parts()
	if len(paths)*max(len(a.methods), 1)*max(len(a.hosts), 1)*max(len(a.addresses), 1) > maxParts {
		return []alternative{a}
	}
	var list []alternative
	for _, a.path = range paths {
		list = append(list, a)
	}
	list = split(list, func(a *alternative) *[]string { return &a.methods })
	list = split(list, func(a *alternative) *[]string { return &a.hosts })
	return split(list, func(a *alternative) *[]network { return &a.addresses })
}

// split replaces each alternative by one for each entry of one of its sets.
func split[T any](list []alternative, set func(*alternative) *[]T) []alternative {
	var parts []alternative
	for _, a := range list {
		entries := *set(&a)
		if entries == nil {
			parts = append(parts, a)
		}
		for i := range entries {
			*set(&a) = entries[i : i+1]
			parts = append(parts, a)
		}
	}
	return parts
}
