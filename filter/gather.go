package filter

import (
	"tollgate/config"
	"tollgate/limiter"
)

// charged is whose charge it is.
type charged struct {
	rule    *config.Rule
	metrics ruleMetrics
}

// gather finds the rules that hold the request and makes a charge of each. If one of them wants the client named, and the
// request does not, it returns that rule.
func (p *plugin) gather(rules *ruleset) (unidentified *config.Rule) {
	p.charges, p.charged, p.identities = p.charges[:0], p.charged[:0], p.identities[:0]
	cfg := rules.config
	for i := cfg.Next(&p.request, 0); i >= 0; i = cfg.Next(&p.request, i+1) {
		rule := &cfg.Rules[i]
		identity, ok := p.identify(rule)
		if !ok && rule.OnUnidentified == config.NextRule {
			continue
		}
		if !ok && rule.OnUnidentified == config.RefuseUnidentified {
			return rule
		}
		budget := cfg.Budget(rule, &p.request, identity)
		if budget.UnknownPlan {
			p.metrics.unknownPlans++
		}
		if !budget.Unlimited {
			p.add(rules, i, budget.Limits, identity)
		}
		if !rule.Continue {
			break
		}
	}
	return nil
}

// identify returns who the request is under a rule. The identity of a request without one is empty, as nobody else's is: where
// such requests are counted, they are one client.
func (p *plugin) identify(rule *config.Rule) (identity []byte, ok bool) {
	start := len(p.identities)
	p.identities, ok = p.request.Identify(p.identities, rule.Identity)
	return p.identities[start:], ok
}

func (p *plugin) add(rules *ruleset, index int, limits []limiter.Limit, identity []byte) {
	rule := &rules.config.Rules[index]
	p.charged = append(p.charged, charged{rule, rules.metrics[index]})
	p.charges = append(p.charges, limiter.Charge{
		Rule:       rule.Name,
		Route:      p.route,
		Identity:   identity,
		Limits:     limits,
		Cost:       rule.Cost,
		Shadow:     rule.Shadow,
		Stagger:    rule.Stagger,
		Hidden:     rule.RatelimitHeaders.Style == config.StyleNone,
		Refundable: rules.refundable[index],
		Critical:   rule.OnError == config.RefuseOnError,
	})
}

// count adds a decision to the metrics.
func (p *plugin) count(d *limiter.Decision) {
	p.metrics.conflicts += uint64(d.Conflicts)
	p.metrics.full += uint64(d.Overflows)
	for range d.LostRefunds {
		p.report(failRefund)
	}
	for i := range d.Outcomes {
		if err := d.Outcomes[i].Err; err != nil {
			p.report(failureOf(err))
			continue
		}
		p.countOutcome(d, i)
	}
}

func (p *plugin) countOutcome(d *limiter.Decision, i int) {
	c, limited, shadow := &p.charged[i], d.Outcomes[i].NoRoom, p.charges[i].Shadow
	switch {
	case shadow && !d.Allowed: // it watches what is admitted
	case limited:
		*c.metrics.limited++
	case d.Allowed:
		*c.metrics.allowed++
	}
	if shadow && d.Allowed {
		p.shadows.add(c.rule.Name, limited)
	}
}
