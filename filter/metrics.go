package filter

import "tollgate/config"

// metrics are summed up in the VM and passed on with the tick: one host call a second instead of one a request.
type metrics struct {
	rules     []ruleMetrics
	conflicts uint64
	full      uint64
	failures  [numFailures]uint64
	sinks     []sink
}

// ruleMetrics counts the decisions of one rule.
type ruleMetrics struct{ allowed, limited uint64 }

// sink joins a sum with the host's counter.
type sink struct {
	sum     *uint64
	counter Counter
}

// define makes the counters known to the host, at 0. They are named tollgate.<domain>.<rule>.allowed and the like.
func (m *metrics) define(v *vm, cfg *config.Config) (err error) {
	prefix := "tollgate." + metricName(cfg.Domain) + "."
	add := func(name string, sum *uint64) {
		counter, e := v.counter(prefix + name)
		if e != nil {
			err = e
			return
		}
		m.sinks = append(m.sinks, sink{sum, counter})
	}
	m.rules = make([]ruleMetrics, len(cfg.Rules))
	for i := range cfg.Rules {
		rule := metricName(cfg.Rules[i].Name)
		add(rule+".allowed", &m.rules[i].allowed)
		add(rule+".limited", &m.rules[i].limited)
	}
	add("cas_conflicts", &m.conflicts)
	add("table_full", &m.full)
	for f := range numFailures {
		add("errors_"+f.String(), &m.failures[f])
	}
	return err
}

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
