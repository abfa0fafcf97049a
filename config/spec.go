package config

import "tollgate/limiter"

// spec is a configuration as it is written.
type spec struct {
	at           given // where its fields stand
	domain       optional[string]
	maxCounters  optional[uint64]
	onFull       optional[limiter.OnFull]
	shadowHeader string
	perRoute     optional[bool]
	exempt       []alternative
	exemptUnsure bool
	plans        []planSpec
	planFrom     []string
	top          settings
	rules        []ruleSpec
}

const (
	defaultMaxCounters = 65536
	minCounters        = 16
	maxCounters        = 1 << 20
)

func specFields(smallest string) []field[spec] {
	fields := []field[spec]{
		{"$schema", "", func(d *decoder, n *node, s *spec) { d.text(n, `write the address of a JSON Schema`) }},
		{"domain", "", func(d *decoder, n *node, s *spec) { s.domain = maybe(d.domain(n)) }},
	}
	fields = append(fields, settingsFields(func(s *spec) *settings { return &s.top })...)
	return append(fields, []field[spec]{
		{"exempt", "", func(d *decoder, n *node, s *spec) {
			list, ok := d.match(n, `"mode": "disabled" at the top to exempt everything`)
			s.exempt, s.exemptUnsure = list, !ok
		}},
		{"plans", "", func(d *decoder, n *node, s *spec) { s.plans = d.plans(n) }},
		{"plan_from", "", func(d *decoder, n *node, s *spec) { s.planFrom = d.planSources(n) }},
		{"rules", "write at least " + smallest, func(d *decoder, n *node, s *spec) { s.rules = d.rules(n) }},
		{"per_route", "", func(d *decoder, n *node, s *spec) { s.perRoute = d.flag(n) }},
		{"shadow_header", "", func(d *decoder, n *node, s *spec) { s.shadowHeader, _ = d.headerName(n) }},
		{"max_counters", "", func(d *decoder, n *node, s *spec) { s.maxCounters = maybe(d.whole(n, minCounters, maxCounters)) }},
		{"on_full", "", func(d *decoder, n *node, s *spec) {
			s.onFull = maybe(readEnum[limiter.OnFull](d, n, "share", "allow", "refuse"))
		}},
	}...)
}

// spec reads the whole; ok is false if it is no object.
func (d *decoder) spec(root *node, smallest string) (s spec, ok bool) {
	s.at, ok = readObject(d, root, "write at least "+smallest, specFields(smallest), &s)
	return s, ok
}

// planNames returns the declared plans in order.
func (s *spec) planNames() []string {
	names := make([]string, len(s.plans))
	for i := range s.plans {
		names[i] = s.plans[i].name
	}
	return names
}
