package filter

import "tollgate/config"

// ruleset is a list of rules as it runs: the plugin's own, or those of a route.
type ruleset struct {
	config  *config.Config
	metrics []ruleMetrics // of each rule
	// refundable says for each rule whether its counters may go down.
	refundable []bool
}

func (p *plugin) newRuleset(cfg *config.Config) *ruleset {
	rules := &ruleset{config: cfg, metrics: make([]ruleMetrics, len(cfg.Rules)), refundable: refundable(cfg.Rules)}
	for i := range cfg.Rules {
		rules.metrics[i] = p.ruleMetrics(&cfg.Rules[i])
	}
	p.warnOfMissingMetrics()
	return rules
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
