package config

// Unidentified says what a rule does with a request in which none of its identity sources is found.
type Unidentified uint8

const (
	// ShareUnidentified counts all such requests as one anonymous client.
	ShareUnidentified Unidentified = iota
	// NextRule treats the rule as not matching: later rules are tried.
	NextRule
	// RefuseUnidentified answers 401.
	RefuseUnidentified
)

// OnError says what a request gets when counting fails.
type OnError uint8

const (
	// AllowOnError lets the request pass, without rate-limit headers.
	AllowOnError OnError = iota
	// RefuseOnError answers 503.
	RefuseOnError
)

// mode says whether a rule counts and refuses.
type mode uint8

const (
	enforce  mode = iota
	shadow        // it counts but never refuses
	disabled      // as if it were not there
)

// settings are what a rule takes from the top level where it has none of its own.
type settings struct {
	identity       []Source
	onUnidentified optional[Unidentified]
	onError        optional[OnError]
	mode           optional[mode]
	refusal        refusalSpec
	headers        headersSpec
	stagger        optional[bool]
}

// over merges s over what it inherits: lists replace, objects merge key by key.
func (s *settings) over(base *settings) settings {
	merged := settings{
		identity:       s.identity,
		onUnidentified: s.onUnidentified.or(base.onUnidentified),
		onError:        s.onError.or(base.onError),
		mode:           s.mode.or(base.mode),
		refusal:        s.refusal.over(&base.refusal),
		headers:        s.headers.over(&base.headers),
		stagger:        s.stagger.or(base.stagger),
	}
	if merged.identity == nil {
		merged.identity = base.identity
	}
	return merged
}

// builtIn are the settings of a configuration that says nothing.
func builtIn() settings {
	return settings{identity: []Source{{Kind: SourceHeader, Name: "x-api-key"}}}
}

// settingsFields are the fields of settings, for an object of type T that has them among others.
func settingsFields[T any](of func(*T) *settings) []field[T] {
	return []field[T]{
		{"identity", "", func(d *decoder, n *node, t *T) { of(t).identity = d.identity(n) }},
		{"on_unidentified", "", func(d *decoder, n *node, t *T) {
			of(t).onUnidentified = maybe(readEnum[Unidentified](d, n, "share", "next", "refuse"))
		}},
		{"on_error", "", func(d *decoder, n *node, t *T) {
			of(t).onError = maybe(readEnum[OnError](d, n, "allow", "refuse"))
		}},
		{"mode", "", func(d *decoder, n *node, t *T) {
			of(t).mode = maybe(readEnum[mode](d, n, "enforce", "shadow", "disabled"))
		}},
		{"refusal", "", func(d *decoder, n *node, t *T) { of(t).refusal = d.refusal(n) }},
		{"ratelimit_headers", "", func(d *decoder, n *node, t *T) { of(t).headers = d.ratelimitHeaders(n) }},
		{"stagger", "", func(d *decoder, n *node, t *T) { of(t).stagger = d.flag(n) }},
	}
}
