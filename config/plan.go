package config

import (
	"slices"
	"strconv"
	"strings"

	"tollgate/limiter"
)

// Budget is what applies to one request within a rule.
type Budget struct {
	Limits      []limiter.Limit // empty if Unlimited
	Unlimited   bool            // the rule lets the request pass uncounted
	UnknownPlan bool            // the request named a plan that is not declared, and so has the rule's own limits
}

// limitsSpec are limits as they are written: a list of them, or "unlimited".
type limitsSpec struct {
	limits    []limiter.Limit
	unlimited bool
}

// planLimits are the limits of one plan in one rule.
type planLimits struct {
	plan string
	limitsSpec
}

// plans are the declared plans and where a request's plan stands.
type plans struct {
	names   []string
	members map[[hashSize]byte]int // of an identity's value: the place in names
	from    []string               // property paths, in order
}

// Budget returns what applies to a request within a rule, after its identity there. A member of a plan has that plan;
// otherwise the first source that names a declared plan decides. Whoever has no plan, or one for which the rule has no
// limits of its own, has the rule's limits.
func (c *Config) Budget(rule *Rule, r *Request, id []byte) Budget {
	own := Budget{Limits: rule.Limits, Unlimited: rule.Unlimited}
	if len(rule.plans) == 0 {
		return own
	}
	plan, unknown := c.plans.of(r, id)
	own.UnknownPlan = unknown
	for i := range rule.plans {
		if p := &rule.plans[i]; p.plan == plan {
			return Budget{Limits: p.limits, Unlimited: p.unlimited}
		}
	}
	return own
}

// of returns the plan of a request, or "". unknown is set if it has none but names one that is not declared.
func (p *plans) of(r *Request, id []byte) (plan string, unknown bool) {
	if len(p.members) > 0 {
		if value, ok := namedValue(id); ok {
			if i, ok := p.members[sha256Of(value)]; ok {
				return p.names[i], false
			}
		}
	}
	for _, path := range p.from {
		value, ok := r.property(path)
		if !ok {
			continue
		}
		if i := slices.Index(p.names, value); i >= 0 {
			return p.names[i], false
		}
		unknown = true
	}
	return "", unknown
}

// planSpec is a declared plan.
type planSpec struct {
	node    *node
	name    string
	members [][hashSize]byte
}

const (
	plansAdvice    = `write an object such as {"gold": {}, "staff": {}}`
	planAdvice     = `write {}, or {"members": ["sha256:..."]} for clients that always have the plan`
	membersAdvice  = `write a list such as ["sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]`
	memberAdvice   = `write "sha256:" and the 64 hexadecimal digits of the SHA-256 of a client's key`
	planFromAdvice = `write a list such as [{"metadata": ["envoy.filters.http.jwt_authn", "payload", "plan"]}]`
	planNames      = "name a plan with 1 to 64 printable characters"
)

// plans reads the declarations of plans.
func (d *decoder) plans(n *node) []planSpec {
	var list []planSpec
	owners := map[[hashSize]byte]string{}
	d.dictionary(n, plansAdvice, func(m member) {
		if !isPlanName(m.key) {
			d.failKey(m, quote(m.key)+" is not a plan's name", planNames)
		}
		p := planSpec{node: m.value, name: m.key}
		readObject(d, m.value, planAdvice, planFields(owners), &p)
		list = append(list, p)
	})
	if n.kind == kindObject && len(n.members) == 0 {
		d.fail(n, "is an empty object", plansAdvice)
	}
	return list
}

// planFields are the fields of a plan; owners says which plan has a member already.
func planFields(owners map[[hashSize]byte]string) []field[planSpec] {
	return []field[planSpec]{
		{"members", "", func(d *decoder, n *node, p *planSpec) { p.members = d.members(n, p.name, owners) }},
	}
}

func isPlanName(name string) bool {
	return name != "" && len(name) <= 64 && trimBlanks(name) == name &&
		!strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c == 0x7f })
}

// members reads the hashes of the identities that have a plan. A client has one plan, so owners holds those seen before.
func (d *decoder) members(n *node, plan string, owners map[[hashSize]byte]string) [][hashSize]byte {
	var list [][hashSize]byte
	for _, e := range d.list(n, membersAdvice) {
		hash, ok := d.memberHash(e)
		if !ok {
			continue
		}
		if owner, taken := owners[hash]; taken {
			d.fail(e, "is a member of "+quote(owner)+" already", "remove one of the two")
			continue
		}
		owners[hash] = plan
		list = append(list, hash)
	}
	return list
}

func (d *decoder) memberHash(n *node) (hash [hashSize]byte, ok bool) {
	text, ok := d.text(n, memberAdvice)
	if !ok {
		return hash, false
	}
	digits, marked := strings.CutPrefix(text, "sha256:")
	if !marked || len(digits) != 2*len(hash) || !isMadeOf(digits, len(digits), isHex) {
		// The text may be a key that was written in clear: it is not shown.
		d.fail(n, "is not the hash of a key", memberAdvice)
		return hash, false
	}
	for i := range hash {
		hash[i] = hexValue(digits[2*i])<<4 | hexValue(digits[2*i+1])
	}
	return hash, true
}

// planSources reads where the plan of a request stands.
func (d *decoder) planSources(n *node) []string {
	var paths []string
	for _, e := range d.list(n, planFromAdvice) {
		path := ""
		readObject(d, e, planFromAdvice, planSourceFields(), &path)
		if path != "" && slices.Contains(paths, path) {
			d.fail(e, "repeats an earlier source", "remove it")
		}
		paths = append(paths, path)
	}
	return paths
}

// planSourceFields are the places where a plan may stand: those that a client cannot write.
func planSourceFields() []field[string] {
	return []field[string]{
		{"metadata", planFromAdvice, func(d *decoder, n *node, path *string) { *path = d.metadataPath(n) }},
	}
}

// rulePlans reads the limits that a rule has for plans.
func (d *decoder) rulePlans(n *node) []rulePlan {
	const advice = `write an object such as {"gold": [{"requests": 100, "window": "10s"}], "staff": "unlimited"}`
	var list []rulePlan
	d.dictionary(n, advice, func(m member) {
		list = append(list, rulePlan{member: m, planLimits: planLimits{plan: m.key, limitsSpec: d.limits(m.value)}})
	})
	if n.kind == kindObject && len(n.members) == 0 {
		d.fail(n, "is an empty object", advice)
	}
	return list
}

// rulePlan is a plan in a rule as it is written.
type rulePlan struct {
	member member
	planLimits
}

// compilePlans gathers the declarations.
func compilePlans(declared []planSpec, from []string) plans {
	p := plans{from: from}
	for i := range declared {
		p.names = append(p.names, declared[i].name)
		for _, hash := range declared[i].members {
			if p.members == nil {
				p.members = map[[hashSize]byte]int{}
			}
			p.members[hash] = i
		}
	}
	return p
}

// checkRulePlans refuses plans in rules that are not among those declared.
func (d *decoder) checkRulePlans(rules []ruleSpec, declared []string) {
	for i := range rules {
		for _, p := range rules[i].plans {
			if !slices.Contains(declared, p.plan) {
				d.undeclared(p.member, declared)
			}
		}
	}
}

// undeclared adds the mistake of a plan that nobody declared.
func (d *decoder) undeclared(m member, names []string) {
	advice := `declare it at the top: "plans": {` + strconv.Quote(m.key) + `: {}}`
	if meant := nearest(m.key, names); meant != "" {
		advice = "did you mean " + quote(meant) + "?"
	}
	d.failKey(m, quote(m.key)+" is not a declared plan", advice)
}

// checkDeclaredPlans looks for declarations without any effect.
func (d *decoder) checkDeclaredPlans(s *spec) {
	if n := s.at["plan_from"]; n != nil && !s.at.has("plans") {
		d.fail(n, "says where plans stand, but none is declared", `declare them, such as "plans": {"gold": {}}, or remove it`)
	}
	for i := range s.plans {
		p := &s.plans[i]
		used := slices.ContainsFunc(s.rules, func(r ruleSpec) bool {
			return slices.ContainsFunc(r.plans, func(o rulePlan) bool { return o.plan == p.name })
		})
		switch {
		case !used:
			d.warn(p.node, "is a plan for which no rule has limits", `give a rule "plans" with limits for it, or remove it`)
		case p.members == nil && !s.at.has("plan_from") && len(p.node.members) == 0:
			d.warn(p.node, "is a plan that nobody has", `give it "members", or say in "plan_from" where a request's plan stands`)
		}
	}
}
