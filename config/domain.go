package config

const domainAdvice = `write 1 to 64 letters, digits, "_", "-" and ".", such as "shop"`

// isDomain reports whether s can be a domain. The set leaves out what would be ambiguous in keys and metrics.
func isDomain(s string) bool {
	return isMadeOf(s, 64, func(c byte) bool { return isAlphanumeric(c) || c == '_' || c == '-' || c == '.' })
}

// domain reads the namespace of the counters.
func (d *decoder) domain(n *node) (string, bool) {
	s, ok := d.text(n, domainAdvice)
	if ok && !isDomain(s) {
		d.fail(n, quote(s)+" is not a domain", domainAdvice)
		return "", false
	}
	return s, ok
}

// defaultDomain returns the plugin's name for a configuration that has no domain. A name that cannot serve is a
// mistake: whatever replaced it might be shared with another plugin unawares.
func (d *decoder) defaultDomain(root *node, pluginName string, names given) optional[string] {
	if names.has("domain") {
		return optional[string]{}
	}
	if !isDomain(pluginName) {
		d.fail(root, `has no "domain", and the plugin's name `+quote(pluginName)+" cannot serve as one", `add one such as "domain": "shop"`)
	}
	return maybe(pluginName, true)
}
