package config

import (
	"tollgate/limiter"
)

// Config is a compiled configuration. It never changes after Parse.
type Config struct {
	Domain       string         // namespace of the counters
	MaxCounters  uint32         // 16 to 1048576; 65536 by default
	OnFull       limiter.OnFull // what a client gets when its bucket is full
	Rules        []Rule         // in order, without those disabled
	OnError      OnError        // of the top level: what a request gets if it is not known which rule holds it
	PerRoute     bool           // a route's own rules, if its metadata have any, replace Rules there
	ShadowHeader string         // request header that tells the upstream what shadow rules would do; "" for none
	Warnings     []string       // what is allowed but hardly meant, each like an error

	match    *index // of Rules
	exempt   *index // of one rule that matches what is exempt; nil if nothing is
	plans    plans
	settings settings // of the top level, for the rules of routes
	reach    []hider  // what takes requests before any rule does
}

// Parse checks a plugin configuration and compiles it. data is JSON text, or the bytes of a google.protobuf.Struct.
// pluginName is the default of the field domain. The error, if any, is of type Errors and lists every mistake.
func Parse(data []byte, pluginName string) (*Config, error) {
	smallest := smallestFor(pluginName)
	d := &decoder{input: string(data)}
	root := d.read(smallest)
	if root == nil {
		return nil, d.errors()
	}
	s, ok := d.spec(root, smallest)
	if !ok {
		return nil, d.errors()
	}
	s.domain = s.domain.or(d.defaultDomain(root, pluginName, s.at))
	cfg := d.compile(&s)
	if d.count() > 0 {
		return nil, d.errors()
	}
	return cfg, nil
}

// ParseRules checks rules that a route carries, JSON text like the field rules, and returns a configuration that has
// them in place of its own. They inherit from the same top level, and the same requests are exempt. The error, if any,
// is of type Errors; positions are within data.
func (c *Config) ParseRules(data []byte) (*Config, error) {
	d := &decoder{input: string(data)}
	root := readText(&d.problems, d.input, "rules", rulesAdvice)
	if root == nil {
		return nil, d.errors()
	}
	specs := d.rules(root)
	cfg := *c
	d.checkRulePlans(specs, c.plans.names)
	d.compileRules(&cfg, specs)
	if d.count() > 0 {
		return nil, d.errors()
	}
	cfg.Warnings = d.warningTexts()
	return &cfg, nil
}

// Next returns the index of the first rule at or after from that matches the request, or -1. It allocates nothing.
func (c *Config) Next(r *Request, from int) int { return c.match.next(r, from) }

// Exempt reports whether no rule holds the request. It allocates nothing.
func (c *Config) Exempt(r *Request) bool { return c.exempt != nil && c.exempt.next(r, 0) == 0 }

// smallestFor returns the smallest valid configuration for a plugin of that name.
func smallestFor(pluginName string) string {
	const rules = `"rules":[{"name":"api","limits":[{"requests":10,"window":"10s"}]}]}`
	if isDomain(pluginName) {
		return `{` + rules
	}
	return `{"domain":"shop",` + rules
}
