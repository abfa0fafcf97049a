package config

// HeaderStyle says which header fields tell a client where it stands.
type HeaderStyle uint8

const (
	// StyleXRatelimit is x-ratelimit-limit, x-ratelimit-remaining and x-ratelimit-reset.
	StyleXRatelimit HeaderStyle = iota
	// StyleIETF is RateLimit-Policy and RateLimit of the IETF's draft-ietf-httpapi-ratelimit-headers.
	StyleIETF
	// StyleBoth is both.
	StyleBoth
	// StyleNone is none: the rule's limits are not shown. Retry-After stays.
	StyleNone
)

// ResetStyle says how x-ratelimit-reset tells the end of the window.
type ResetStyle uint8

const (
	// ResetEpoch is a Unix time in seconds.
	ResetEpoch ResetStyle = iota
	// ResetDelta is the number of seconds from now, rounded up.
	ResetDelta
)

// RatelimitHeaders says how a rule's limits are shown.
type RatelimitHeaders struct {
	Style  HeaderStyle
	Reset  ResetStyle // of the style x-ratelimit; the IETF's fields always have a delta
	Expose bool       // add the names to access-control-expose-headers, so that browsers let scripts read them
}

// showsReset reports whether the style has a field whose reset is a matter of choice.
func (s HeaderStyle) showsReset() bool { return s == StyleXRatelimit || s == StyleBoth }

// headersSpec is RatelimitHeaders as it is written.
type headersSpec struct {
	style  optional[HeaderStyle]
	reset  optional[ResetStyle]
	expose optional[bool]

	at given // where its fields stand
}

// over merges s, key by key, over what it inherits.
func (s *headersSpec) over(base *headersSpec) headersSpec {
	return headersSpec{
		style:  s.style.or(base.style),
		reset:  s.reset.or(base.reset),
		expose: s.expose.or(base.expose),
	}
}

func (s *headersSpec) compile() RatelimitHeaders {
	return RatelimitHeaders{Style: s.style.value, Reset: s.reset.value, Expose: s.expose.value}
}

func headersFields() []field[headersSpec] {
	return []field[headersSpec]{
		{"style", "", func(d *decoder, n *node, s *headersSpec) {
			s.style = maybe(readEnum[HeaderStyle](d, n, "x-ratelimit", "ietf", "both", "none"))
		}},
		{"reset", "", func(d *decoder, n *node, s *headersSpec) {
			s.reset = maybe(readEnum[ResetStyle](d, n, "epoch", "delta"))
		}},
		{"expose", "", func(d *decoder, n *node, s *headersSpec) { s.expose = d.flag(n) }},
	}
}

func (d *decoder) ratelimitHeaders(n *node) (s headersSpec) {
	s.at, _ = readObject(d, n, `write an object such as {"style": "ietf"}`, headersFields(), &s)
	return s
}
