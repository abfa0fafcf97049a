package filter

import "tollgate/config"

// metrics are summed up in the VM and passed on with the tick: one host call a second instead of one a request.
type metrics struct {
	conflicts    uint64
	full         uint64
	unknownPlans uint64
	failures     [numFailures]uint64

	rules   map[string]*uint64 // of rules, by the metric's name: the lists of several routes may have rules of one name
	sinks   []sink
	missing bool // the host refused one
}

// ruleMetrics count the decisions of one rule; of a shadow rule limited is what it would have refused.
type ruleMetrics struct{ allowed, limited *uint64 }

// sink joins a sum with the host's counter.
type sink struct {
	sum     *uint64
	counter Counter
}

// define makes the counters of the plugin known to the host, at 0: tollgate.<domain>.table_full and the like.
func (p *plugin) define() {
	m, prefix := &p.metrics, metricPrefix(p.domain)
	p.sink(prefix+"cas_conflicts", &m.conflicts)
	p.sink(prefix+"table_full", &m.full)
	p.sink(prefix+"unknown_plans", &m.unknownPlans)
	for f := range numFailures {
		p.sink(prefix+"errors_"+f.String(), &m.failures[f])
	}
}

// ruleMetrics returns the counters tollgate.<domain>.<rule>.allowed and, as the rule's mode is, limited or shadow_limited.
func (p *plugin) ruleMetrics(rule *config.Rule) ruleMetrics {
	prefix, limited := metricPrefix(p.domain)+metricName(rule.Name), ".limited"
	if rule.Shadow {
		limited = ".shadow_limited"
	}
	return ruleMetrics{p.ruleSum(prefix + ".allowed"), p.ruleSum(prefix + limited)}
}

func (p *plugin) ruleSum(name string) *uint64 {
	sum := p.metrics.rules[name]
	if sum == nil {
		sum = new(uint64)
		p.metrics.rules[name] = sum
		p.sink(name, sum)
	}
	return sum
}

// sink lets a sum be passed on to the counter of that name.
func (p *plugin) sink(name string, sum *uint64) {
	m := &p.metrics
	counter, err := p.vm.counter(name)
	if err != nil {
		m.missing = true
		return
	}
	m.sinks = append(m.sinks, sink{sum, counter})
}

// warnOfMissingMetrics says so if counters were refused since the last call.
func (p *plugin) warnOfMissingMetrics() {
	if p.metrics.missing {
		p.metrics.missing = false
		p.log(LogWarn, "a metric could not be defined; it stays away")
	}
}

func metricPrefix(domain string) string { return "tollgate." + metricName(domain) + "." }

// counter returns the host's counter of that name, defining it once for each VM.
func (v *vm) counter(name string) (Counter, error) {
	if id, ok := v.counters[name]; ok {
		return id, nil
	}
	id, err := v.host.DefineCounter(name)
	if err == nil {
		v.counters[name] = id
	}
	return id, err
}

// flush passes the sums on. What the host does not take is tried again with the next tick.
func (m *metrics) flush(host Host) {
	for _, s := range m.sinks {
		if *s.sum != 0 && host.IncrementCounter(s.counter, *s.sum) == nil {
			*s.sum = 0
		}
	}
}

// metricName replaces what a metric's name cannot carry, and the dots that divide its parts.
func metricName(s string) string {
	name := []byte(s)
	for i, c := range name {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-') {
			name[i] = '_'
		}
	}
	return string(name)
}
