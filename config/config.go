package config

import (
	"strings"

	"tollgate/limiter"
)

// Config is a compiled configuration. It never changes after Parse.
type Config struct {
	Domain      string         // namespace of the counters
	MaxCounters uint32         // 16 to 1048576; 65536 by default
	OnFull      limiter.OnFull // what a client gets when its bucket is full
	Rules       []Rule         // in order, at least one
	Warnings    []string       // what is allowed but hardly meant, one sentence each
}

const (
	defaultMaxCounters = 65536
	minCounters        = 16
	maxCounters        = 1 << 20
)

// Parse checks a plugin configuration and compiles it. pluginName is the default of the field domain. The error, if
// any, is of type Errors and lists every mistake.
func Parse(data []byte, pluginName string) (*Config, error) {
	text := string(data)
	d := &decoder{}
	root := d.read(text, smallestFor(pluginName))
	if root == nil {
		return nil, d.errors(text)
	}
	cfg := d.config(root, pluginName)
	if d.count() > 0 {
		return nil, d.errors(text)
	}
	return cfg, nil
}

// Next returns the index of the first rule at or after from that matches the request, or -1. It allocates nothing.
func (c *Config) Next(r *Request, from int) int {
	for i := max(from, 0); i < len(c.Rules); i++ {
		if c.Rules[i].matches(r) {
			return i
		}
	}
	return -1
}

// smallestFor returns the smallest valid configuration for a plugin of that name.
func smallestFor(pluginName string) string {
	const rules = `"rules":[{"name":"api","limits":[{"requests":10,"window":"10s"}]}]}`
	if isDomain(pluginName) {
		return `{` + rules
	}
	return `{"domain":"shop",` + rules
}

// read returns the tree of the text, or nil after a mistake that leaves nothing to decode.
func (d *decoder) read(text, smallest string) *node {
	if strings.Trim(text, " \t\r\n") == "" {
		d.add(rootPath, 0, "is empty", "write at least "+smallest)
		return nil
	}
	return readText(&d.problems, text)
}

// spec is a configuration as it is written.
type spec struct {
	domain      optional[string]
	maxCounters optional[uint64]
	onFull      optional[limiter.OnFull]
	top         inherited
	rules       []ruleSpec
}

func specFields(smallest string) []field[spec] {
	fields := []field[spec]{
		{"$schema", "", func(d *decoder, n *node, s *spec) { d.text(n, `write the address of a JSON Schema`) }},
		{"domain", "", func(d *decoder, n *node, s *spec) { s.domain = maybe(d.domain(n)) }},
	}
	fields = append(fields, inheritedFields(func(s *spec) *inherited { return &s.top })...)
	return append(fields, []field[spec]{
		{"rules", "write at least " + smallest, func(d *decoder, n *node, s *spec) { s.rules = d.rules(n) }},
		{"max_counters", "", func(d *decoder, n *node, s *spec) { s.maxCounters = maybe(d.whole(n, minCounters, maxCounters)) }},
		{"on_full", "", func(d *decoder, n *node, s *spec) {
			s.onFull = maybe(readEnum[limiter.OnFull](d, n, "share", "allow", "refuse"))
		}},
	}...)
}

// config reads and compiles the whole.
func (d *decoder) config(root *node, pluginName string) *Config {
	s := spec{}
	smallest := smallestFor(pluginName)
	names, ok := readObject(d, root, "write at least "+smallest, specFields(smallest), &s)
	if !ok {
		return nil
	}
	cfg := &Config{
		Domain:      s.domain.or(d.defaultDomain(root, pluginName, names)).value,
		MaxCounters: uint32(s.maxCounters.or(maybe(uint64(defaultMaxCounters), true)).value),
		OnFull:      s.onFull.value,
	}
	d.compile(cfg, &s, names)
	return cfg
}

// compile resolves the rules and checks them against each other.
func (d *decoder) compile(cfg *Config, s *spec, names given) {
	if s.top.identity == nil {
		s.top.identity = []Source{{Kind: SourceHeader, Name: "x-api-key"}}
	}
	topUnsure := names.has("on_unidentified") && !s.top.onUnidentified.set
	for i := range s.rules {
		rule := &s.rules[i]
		rule.unsure = rule.unsure || topUnsure && !rule.own.onUnidentified.set
		cfg.Rules = append(cfg.Rules, rule.compile(&s.top))
	}
	d.checkReach(s.rules, cfg.Rules)
}
