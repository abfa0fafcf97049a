package envoytest

// FilterWith returns the HTTP filter that runs the plugin with environment variables. The Go runtime in the module reads
// GOGC, GODEBUG and the like from them. Plugins that share a VM need equal ones.
func (p Plugin) FilterWith(variables map[string]string) Filter {
	f := p.Filter()
	config := f.Typed.(object)["config"].(object)
	config["vm_config"].(object)["environment_variables"] = object{"key_values": variables}
	return f
}
