package config

// Fields returns the names of all fields that a configuration may have, each with the object it belongs to, such as
// "rules.match.path_regex". What stands in several places is taken apart in one of them: a match there and not in exempt,
// what rules inherit at the top, a source in identity and not in combine.
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
