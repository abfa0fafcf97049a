package config

import (
	"slices"
	"strconv"
)

// checkRule refuses combinations within a rule that cannot mean anything.
func (d *decoder) checkRule(s *ruleSpec, merged *settings) {
	d.checkUnlimited(s)
	d.checkCost(s)
	d.checkRefusal(&s.own.refusal, &merged.refusal)
	d.checkHeaders(&s.own.headers, &merged.headers)
	if n := s.at["on_unidentified"]; n != nil && slices.ContainsFunc(merged.identity, Source.always) {
		d.fail(n, "never applies: every request has an identity here", "remove it")
	}
}

// checkUnlimited refuses settings about counting in a rule that never counts.
func (d *decoder) checkUnlimited(s *ruleSpec) {
	if !s.limits.unlimited || slices.ContainsFunc(s.plans, func(p rulePlan) bool { return !p.unlimited }) {
		return
	}
	for _, name := range [...]string{"cost", "count_statuses", "stagger", "refusal", "ratelimit_headers", "on_error"} {
		if n := s.at[name]; n != nil {
			d.fail(n, "has no effect in a rule that is unlimited", "remove it")
		}
	}
	if n := s.at["continue"]; n != nil && s.goesOn.value {
		d.fail(n, "leaves nothing for a rule to do that is unlimited", `remove it: "unlimited" ends the search`)
	}
}

// checkCost refuses a cost that some limit can never pay. A limit of 0 refuses everything anyway.
func (d *decoder) checkCost(s *ruleSpec) {
	lists := []limitsSpec{s.limits}
	for _, p := range s.plans {
		lists = append(lists, p.limitsSpec)
	}
	for _, l := range lists {
		for _, limit := range l.limits {
			if limit.Requests > 0 && s.cost.value > limit.Requests {
				d.fail(s.at["cost"], "is above the limit of "+strconv.FormatUint(uint64(limit.Requests), 10)+": no request could ever pass",
					"write a cost within every limit of the rule, or raise the limit")
				return
			}
		}
	}
}

// checkHeaders refuses options of rate-limit headers that are not sent.
func (d *decoder) checkHeaders(own, merged *headersSpec) {
	style := merged.style.value
	if n := own.at["reset"]; n != nil && !style.showsReset() {
		d.fail(n, "has no effect on this style", `remove it, or write "style": "x-ratelimit" or "both"`)
	}
	if n := own.at["expose"]; n != nil && own.expose.value && style == StyleNone {
		d.fail(n, "has no headers to expose", `remove it, or write another "style" than "none"`)
	}
}

// checkTop looks for settings at the top level that have no effect on any rule.
func (d *decoder) checkTop(s *spec, cfg *Config) {
	d.checkRefusal(&s.top.refusal, &s.top.refusal)
	if !slices.ContainsFunc(s.rules, func(r ruleSpec) bool { return r.own.headers.style.set }) {
		d.checkHeaders(&s.top.headers, &s.top.headers)
	}
	if n := s.at["shadow_header"]; n != nil && !cfg.PerRoute && !slices.ContainsFunc(cfg.Rules, func(r Rule) bool { return r.Shadow }) {
		d.warn(n, "has no effect: no rule is in shadow mode", `write "mode": "shadow" in a rule, or remove it`)
	}
}

// checkPreflights warns of a rule that answers 401 to preflights, which browsers send without credentials.
func (d *decoder) checkPreflights(cfg *Config, active []*ruleSpec) {
	spared := cfg.exempt != nil && slices.ContainsFunc(cfg.exempt.alternatives, alternative.mayBePreflight)
	for i, s := range active {
		rule := &cfg.Rules[i]
		refuses := rule.OnUnidentified == RefuseUnidentified && !slices.ContainsFunc(rule.Identity, Source.always)
		if refuses && !spared && (s.match == nil || slices.ContainsFunc(s.match, alternative.mayBePreflight)) {
			d.warn(s.node, "refuses whoever is not identified, and so every preflight of a browser",
				`exempt them: {"methods": ["OPTIONS"], "headers": [{"name": "origin"}, {"name": "access-control-request-method"}]}`)
		}
		spared = spared || !refuses && slices.ContainsFunc(s.match, func(a alternative) bool { return slices.Contains(a.methods, "OPTIONS") })
	}
}

// mayBePreflight reports whether a request of method OPTIONS can match.
func (a alternative) mayBePreflight() bool {
	return a.methods == nil || slices.Contains(a.methods, "OPTIONS")
}
