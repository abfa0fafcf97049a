package config

// Fields returns the names of all fields that a configuration may have, each with the object it belongs to, such as
// "rules.match.path_regex". A match also stands for exempt, and what rules inherit is listed once, at the top.
func Fields() []string {
	var all []string
	all = appendFields(all, "", specFields(""))
	all = appendFields(all, "rules.", ruleFields())
	all = appendFields(all, "rules.limits.", limitFields())
	all = appendFields(all, "rules.match.", alternativeFields())
	all = appendFields(all, "rules.match.headers.", headerMatchFields())
	all = appendFields(all, "identity.", sourceFields())
	all = appendFields(all, "identity.address.", addressFields())
	all = appendFields(all, "refusal.", refusalFields())
	all = appendFields(all, "ratelimit_headers.", headersFields())
	all = appendFields(all, "plans.", planFields(nil))
	return appendFields(all, "plan_from.", planSourceFields())
}

func appendFields[T any](all []string, object string, fields []field[T]) []string {
	for _, f := range fields {
		all = append(all, object+f.name)
	}
	return all
}
