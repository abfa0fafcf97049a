package filter

import "errors"

// metrics are summed up in the VM and passed on with the tick: one host call a second instead of one a request.
type metrics struct {
	conflicts    uint64
	full         uint64
	unknownPlans uint64
	failures     [numFailures]uint64
	sinks        sinks
}

// ruleMetrics counts the decisions of one rule.
type ruleMetrics struct{ allowed, limited, shadowLimited uint64 }

// sink joins a sum with the host's counter.
type sink struct {
	sum     *uint64
	counter Counter
}

type sinks []sink

// define makes counters known to the host. Those that it refuses stay away.
func (p *plugin) define(all ...interface {
	define(v *vm, domain string) error
}) {
	var err error
	for _, m := range all {
		err = errors.Join(err, m.define(p.vm, p.domain))
	}
	if err != nil {
		p.log(LogWarn, "a metric could not be defined; it stays away")
	}
}

// define makes the counters of a plugin known to the host, at 0: tollgate.<domain>.table_full and the like.
func (m *metrics) define(v *vm, domain string) error {
	prefix := metricPrefix(domain)
	err := errors.Join(
		m.sinks.add(v, prefix+"cas_conflicts", &m.conflicts),
		m.sinks.add(v, prefix+"table_full", &m.full),
		m.sinks.add(v, prefix+"unknown_plans", &m.unknownPlans),
	)
	for f := range numFailures {
		err = errors.Join(err, m.sinks.add(v, prefix+"errors_"+f.String(), &m.failures[f]))
	}
	return err
}

// define makes the counters of rules known: tollgate.<domain>.<rule>.allowed and, as the rule's mode is, limited or shadow_limited.
func (r *ruleset) define(v *vm, domain string) (err error) {
	for i := range r.config.Rules {
		rule, sums := &r.config.Rules[i], &r.metrics[i]
		prefix := metricPrefix(domain) + metricName(rule.Name) + "."
		err = errors.Join(err, r.sinks.add(v, prefix+"allowed", &sums.allowed))
		if rule.Shadow {
			err = errors.Join(err, r.sinks.add(v, prefix+"shadow_limited", &sums.shadowLimited))
		} else {
			err = errors.Join(err, r.sinks.add(v, prefix+"limited", &sums.limited))
		}
	}
	return err
}

// add joins a sum with the counter of that name.
func (s *sinks) add(v *vm, name string, sum *uint64) error {
	counter, err := v.counter(name)
	if err == nil {
		*s = append(*s, sink{sum, counter})
	}
	return err
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
func (s sinks) flush(host Host) {
	for _, s := range s {
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
