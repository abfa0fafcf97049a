package filter

import (
	"strconv"
	"strings"
)

// maxRoutes bounds the rule lists of routes that are kept compiled. They come from the operator's routes, so there are few.
const maxRoutes = 256

// nameless is what the counters of a route's own rules know a route by that has no name. Without it they would be those of the
// plugin's rules of the same names.
const nameless = "\x00"

// rulesOf returns the rules that hold the request: those of its route if it carries any and the configuration asks, else the
// plugin's. It is nil if the route's are faulty.
func (p *plugin) rulesOf() *ruleset {
	p.route = ""
	if !p.own.config.PerRoute {
		return p.own
	}
	text, ok := p.request.RouteRules()
	if !ok {
		return p.own
	}
	if p.route, ok = p.request.Route(); !ok {
		p.route = nameless
	}
	rules, known := p.routes[text]
	if !known {
		text = strings.Clone(text) // outlives the callback
		rules = p.compileRoute(text)
		p.keepRoute(text, rules)
	}
	return rules
}

// compileRoute compiles the rules of the request's route. It returns nil for faulty ones.
func (p *plugin) compileRoute(text string) *ruleset {
	name, _ := p.request.Route()
	whose := "rules of the route " + strconv.Quote(name)
	cfg, err := p.own.config.ParseRules([]byte(text))
	if err != nil {
		p.logFaults(whose, err)
		return nil
	}
	for _, warning := range cfg.Warnings {
		p.log(LogWarn, whose+": "+warning)
	}
	return p.newRuleset(cfg)
}

// keepRoute remembers what became of a text, in the place of any other if there are too many. No choice among them is better
// than any: were the oldest to go, routes that take turns would be compiled for every request.
func (p *plugin) keepRoute(text string, rules *ruleset) {
	if len(p.routes) >= maxRoutes {
		for other := range p.routes {
			delete(p.routes, other)
			break
		}
	}
	p.routes[text] = rules
}
