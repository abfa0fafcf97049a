package config

import (
	"math"
	"slices"
	"strings"

	"tollgate/limiter"
)

// Rule is one class of requests and its limits, with everything it inherits resolved. A rule that is disabled is not
// there at all.
type Rule struct {
	Name           string          // [a-z0-9_-]{1,64}, unique; part of every counter's identity
	Identity       []Source        // in order, the first hit wins; never empty
	OnUnidentified Unidentified    // for requests in which no source is found; a shadow rule never refuses them
	Limits         []limiter.Limit // 1 to limiter.MaxLimits, with different windows; empty if Unlimited
	Unlimited      bool            // requests pass uncounted; Budget says what applies where there are plans
	OnError        OnError         // when counting fails; a shadow rule always allows
	Continue       bool            // later rules hold the request too; a shadow rule always does
	Shadow         bool            // counts what the enforced rules admit, never refuses, is never shown

	Cost          uint32   // what a request costs, at least 1
	CountStatuses Statuses // if not empty, only responses with these statuses stay counted
	Stagger       bool     // each client's windows are shifted by an offset of its own

	Refusal          Refusal
	RatelimitHeaders RatelimitHeaders

	plans []planLimits
}

// WantsBearer reports whether a bearer token is among what would identify a client to this rule.
func (r *Rule) WantsBearer() bool {
	return slices.ContainsFunc(r.Identity, Source.hasBearer)
}

func (s Source) hasBearer() bool {
	return s.Kind == SourceBearer || slices.ContainsFunc(s.Parts, Source.hasBearer)
}

// ruleSpec is a rule as it is written.
type ruleSpec struct {
	node          *node
	at            given // where its fields stand
	name          *node // of the name's value, nil without a usable one
	match         []alternative
	limits        limitsSpec
	plans         []rulePlan
	goesOn        optional[bool]
	cost          optional[uint32]
	countStatuses Statuses
	own           settings

	// unsure is set when a mistake leaves open which requests the rule takes. Nothing is concluded from it then.
	unsure bool
}

func ruleFields() []field[ruleSpec] {
	fields := []field[ruleSpec]{
		{"name", `add one such as "name": "api"`, func(d *decoder, n *node, s *ruleSpec) { s.name = d.ruleName(n) }},
		{"description", "", func(d *decoder, n *node, s *ruleSpec) { d.text(n, `write a string such as "guessed passwords"`) }},
		{"match", "", func(d *decoder, n *node, s *ruleSpec) {
			list, ok := d.match(n, `leave "match" out for a rule that matches everything`)
			s.match, s.unsure = list, s.unsure || !ok
		}},
		{"limits", `add them, such as "limits": [{"requests": 10, "window": "10s"}]`, func(d *decoder, n *node, s *ruleSpec) { s.limits = d.limits(n) }},
		{"plans", "", func(d *decoder, n *node, s *ruleSpec) { s.plans = d.rulePlans(n) }},
		{"continue", "", func(d *decoder, n *node, s *ruleSpec) { s.goesOn = d.flag(n) }},
		{"cost", "", func(d *decoder, n *node, s *ruleSpec) {
			v, ok := d.whole(n, 1, math.MaxUint32)
			s.cost = maybe(uint32(v), ok)
		}},
		{"count_statuses", "", func(d *decoder, n *node, s *ruleSpec) { s.countStatuses = d.statuses(n) }},
	}
	return append(fields, settingsFields(func(s *ruleSpec) *settings { return &s.own })...)
}

const (
	ruleAdvice  = `write a rule such as {"name": "api", "limits": [{"requests": 10, "window": "10s"}]}`
	rulesAdvice = `write a list of rules such as [{"name": "api", "limits": [{"requests": 10, "window": "10s"}]}]`
)

// rules reads the list of rules.
func (d *decoder) rules(n *node) []ruleSpec {
	var specs []ruleSpec
	names := map[string]*node{}
	for _, e := range d.list(n, rulesAdvice) {
		s := d.rule(e)
		if s.name != nil {
			d.uniqueName(names, s.name)
		}
		specs = append(specs, s)
	}
	return specs
}

func (d *decoder) uniqueName(seen map[string]*node, name *node) {
	first, taken := seen[name.text]
	if taken {
		d.fail(name, "repeats the name at "+first.path, "give each rule a name of its own: it names the rule's counters")
		return
	}
	seen[name.text] = name
}

func (d *decoder) rule(n *node) ruleSpec {
	s := ruleSpec{node: n}
	names, ok := readObject(d, n, ruleAdvice, ruleFields(), &s)
	s.at = names
	s.unsure = s.unsure || !ok ||
		names.has("match") && s.match == nil ||
		names.has("continue") && !s.goesOn.set ||
		names.has("mode") && !s.own.mode.set ||
		names.has("on_unidentified") && !s.own.onUnidentified.set
	return s
}

const ruleNameAdvice = `write 1 to 64 of a-z, 0-9, "_" and "-", such as "api"`

// ruleName reads the name of a rule and returns its node, or nil after a mistake.
func (d *decoder) ruleName(n *node) *node {
	name, ok := d.text(n, ruleNameAdvice)
	lower := strings.ToLower(name)
	switch {
	case !ok:
	case isMadeOf(name, 64, isRuleNameByte):
		return n
	case isMadeOf(lower, 64, isRuleNameByte):
		d.fail(n, quote(name)+" has upper-case letters", "write "+quote(lower))
	default:
		d.fail(n, quote(name)+" is not a rule's name", ruleNameAdvice)
	}
	return nil
}

func isRuleNameByte(c byte) bool {
	return isDigit(c) || isLower(c) || c == '_' || c == '-'
}

// compile turns the rule with its merged settings into what decides requests.
func (s *ruleSpec) compile(merged *settings) Rule {
	r := Rule{
		Identity:         merged.identity,
		OnUnidentified:   merged.onUnidentified.value,
		Limits:           s.limits.limits,
		Unlimited:        s.limits.unlimited,
		OnError:          merged.onError.value,
		Continue:         s.goesOn.value,
		Shadow:           merged.mode.value == shadow,
		Cost:             s.cost.otherwise(1),
		CountStatuses:    s.countStatuses,
		Stagger:          merged.stagger.value,
		Refusal:          merged.refusal.compile(),
		RatelimitHeaders: merged.headers.compile(),
	}
	if s.name != nil {
		r.Name = s.name.text
	}
	for _, p := range s.plans {
		r.plans = append(r.plans, p.planLimits)
	}
	if r.Shadow {
		r.neverRefuse()
	}
	return r
}

// neverRefuse makes a rule one that only watches, whatever it says about refusing.
func (r *Rule) neverRefuse() {
	r.Continue, r.OnError = true, AllowOnError
	if r.OnUnidentified == RefuseUnidentified {
		r.OnUnidentified = NextRule
	}
}
