package config

import (
	"strings"

	"tollgate/limiter"
)

// Unidentified says what a rule does with a request in which none of its identity sources is found.
type Unidentified uint8

const (
	// ShareUnidentified counts all such requests as one anonymous client.
	ShareUnidentified Unidentified = iota
	// NextRule treats the rule as not matching: later rules are tried.
	NextRule
	// RefuseUnidentified answers 401.
	RefuseUnidentified
)

// OnError says what a request gets when counting fails.
type OnError uint8

const (
	// AllowOnError lets the request pass, without rate-limit headers.
	AllowOnError OnError = iota
	// RefuseOnError answers 503.
	RefuseOnError
)

// Rule is one class of requests and its limits, with everything it inherits resolved.
type Rule struct {
	Name           string          // [a-z0-9_-]{1,64}, unique; part of every counter's identity
	Identity       []Source        // in order, the first hit wins; never empty
	OnUnidentified Unidentified    // for requests in which no source is found
	Limits         []limiter.Limit // 1 to limiter.MaxLimits, with different windows
	OnError        OnError         // when counting fails

	match []alternative // nil matches everything
}

func (r *Rule) matches(req *Request) bool {
	if r.match == nil {
		return true
	}
	for i := range r.match {
		if r.match[i].matches(req) {
			return true
		}
	}
	return false
}

// inherited are the settings that a rule takes from the top level where it has none of its own.
type inherited struct {
	identity       []Source
	onUnidentified optional[Unidentified]
	onError        optional[OnError]
}

// optional is a setting that may be left out.
type optional[T any] struct {
	value T
	set   bool
}

// maybe wraps the result of a reading.
func maybe[T any](value T, ok bool) optional[T] { return optional[T]{value, ok} }

// or returns o if it is set, else other.
func (o optional[T]) or(other optional[T]) optional[T] {
	if o.set {
		return o
	}
	return other
}

// inheritedFields are the fields of inherited, for an object of type T that has them among others.
func inheritedFields[T any](of func(*T) *inherited) []field[T] {
	return []field[T]{
		{"identity", "", func(d *decoder, n *node, t *T) { of(t).identity = d.identity(n) }},
		{"on_unidentified", "", func(d *decoder, n *node, t *T) {
			of(t).onUnidentified = maybe(readEnum[Unidentified](d, n, "share", "next", "refuse"))
		}},
		{"on_error", "", func(d *decoder, n *node, t *T) {
			of(t).onError = maybe(readEnum[OnError](d, n, "allow", "refuse"))
		}},
	}
}

// ruleSpec is a rule as it is written.
type ruleSpec struct {
	node   *node
	name   *node // of the name's value, nil without a usable one
	limits []limiter.Limit
	match  []alternative
	own    inherited

	// unsure is set when a mistake leaves open which requests the rule takes. Nothing is concluded from it then.
	unsure bool
}

func ruleFields() []field[ruleSpec] {
	fields := []field[ruleSpec]{
		{"name", `add one such as "name": "api"`, func(d *decoder, n *node, s *ruleSpec) { s.name = d.ruleName(n) }},
		{"description", "", func(d *decoder, n *node, s *ruleSpec) { d.text(n, `write a string such as "guessed passwords"`) }},
		{"match", "", func(d *decoder, n *node, s *ruleSpec) {
			list, ok := d.match(n)
			s.match, s.unsure = list, s.unsure || !ok
		}},
		{"limits", `add them, such as "limits": [{"requests": 10, "window": "10s"}]`, func(d *decoder, n *node, s *ruleSpec) { s.limits = d.limits(n) }},
	}
	return append(fields, inheritedFields(func(s *ruleSpec) *inherited { return &s.own })...)
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
	if !ok {
		s.unsure = true
		return s
	}
	s.unsure = s.unsure ||
		names.has("match") && s.match == nil ||
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

// compile resolves what the rule inherits.
func (s *ruleSpec) compile(top *inherited) Rule {
	r := Rule{
		Identity:       s.own.identity,
		OnUnidentified: s.own.onUnidentified.or(top.onUnidentified).value,
		OnError:        s.own.onError.or(top.onError).value,
		Limits:         s.limits,
		match:          s.match,
	}
	if s.name != nil {
		r.Name = s.name.text
	}
	if r.Identity == nil {
		r.Identity = top.identity
	}
	return r
}
