package filter

import (
	"errors"
	"strings"

	"tollgate/config"
)

// ruleset is a list of rules as it runs: the plugin's own, or those of a route.
type ruleset struct {
	config  *config.Config
	metrics []ruleMetrics
	sinks   sinks
	// refundable says for each rule whether its counters may go down.
	refundable []bool
}

func newRuleset(cfg *config.Config) *ruleset {
	return &ruleset{config: cfg, metrics: make([]ruleMetrics, len(cfg.Rules)), refundable: refundable(cfg.Rules)}
}

// refundable finds the rules whose counters may go down: by the response's status, or because a request may be held to
// several rules, of which a later one may refuse after an earlier one was charged.
func refundable(rules []config.Rule) []bool {
	marks := make([]bool, len(rules))
	several := false
	for i := range rules {
		rule := &rules[i]
		several = several || rule.Continue && !rule.Shadow && i+1 < len(rules)
		marks[i] = several || !rule.CountStatuses.Empty()
	}
	return marks
}

// maxRouteRules bounds the rule lists of routes that are kept compiled. They come from the operator's routes, so there are few.
const maxRouteRules = 256

// rulesOf returns the rules that hold the request: those of its route if it carries any and the configuration asks, else the
// plugin's. It is false if the route's cannot be used.
func (p *plugin) rulesOf() (*ruleset, bool) {
	p.route = ""
	if !p.own.config.PerRoute {
		return p.own, true
	}
	text, ok := p.request.RouteRules()
	if !ok {
		return p.own, true
	}
	p.route, _ = p.request.Route()
	rules, known := p.routes[text]
	if !known {
		rules = p.compileRoute(strings.Clone(text))
	}
	return rules, rules != nil
}

// compileRoute compiles the rules of a route once for each distinct text, also if they are faulty.
func (p *plugin) compileRoute(text string) *ruleset {
	if p.routes == nil || len(p.routes) >= maxRouteRules {
		p.flush()
		p.routes = make(map[string]*ruleset)
	}
	cfg, err := p.own.config.ParseRules([]byte(text))
	if err != nil {
		p.report(failRoute)
		p.logRouteFaults(err)
		p.routes[text] = nil
		return nil
	}
	rules := newRuleset(cfg)
	p.define(rules)
	p.routes[text] = rules
	return rules
}

func (p *plugin) logRouteFaults(err error) {
	var faults config.Errors
	errors.As(err, &faults)
	for _, fault := range faults {
		p.log(LogError, "rules of the route "+p.route+" refused: "+fault.Error())
	}
}
