package config

// compile turns what is written into what decides requests, and refuses what only shows when parts are held against each
// other.
func (d *decoder) compile(s *spec) *Config {
	base := builtIn()
	cfg := &Config{
		Domain:       s.domain.value,
		MaxCounters:  uint32(s.maxCounters.otherwise(defaultMaxCounters)),
		OnFull:       s.onFull.value,
		PerRoute:     s.perRoute.value,
		ShadowHeader: s.shadowHeader,
		plans:        compilePlans(s.plans, s.planFrom),
		settings:     s.top.over(&base),
	}
	cfg.OnError = cfg.settings.onError.value
	if len(s.exempt) > 0 {
		cfg.exempt = newIndex([][]alternative{s.exempt})
	}
	if !s.exemptUnsure {
		cfg.reach = exemptHiders(s.exempt)
	}
	if !s.at.has("plans") || s.plans != nil {
		d.checkRulePlans(s.rules, s.planNames())
	}
	d.checkDeclaredPlans(s)
	s.markUnsure()
	d.compileRules(cfg, s.rules)
	d.checkTop(s, cfg)
	cfg.Warnings = d.warningTexts()
	return cfg
}

// markUnsure marks the rules that inherit a setting whose value is not known after a mistake.
func (s *spec) markUnsure() {
	unidentified := s.at.has("on_unidentified") && !s.top.onUnidentified.set
	mode := s.at.has("mode") && !s.top.mode.set
	for i := range s.rules {
		rule := &s.rules[i]
		rule.unsure = rule.unsure || unidentified && !rule.own.onUnidentified.set || mode && !rule.own.mode.set
	}
}

// compileRules gives cfg these rules in place of its own.
func (d *decoder) compileRules(cfg *Config, specs []ruleSpec) {
	cfg.Rules = nil
	var matches [][]alternative
	var active []*ruleSpec
	for i := range specs {
		s := &specs[i]
		merged := s.own.over(&cfg.settings)
		rule := s.compile(&merged)
		d.checkRule(s, &merged)
		if merged.mode.value == disabled {
			continue
		}
		cfg.Rules = append(cfg.Rules, rule)
		matches = append(matches, s.match)
		active = append(active, s)
	}
	cfg.match = newIndex(matches)
	d.checkReach(cfg, active)
	d.checkPreflights(cfg, active)
}
