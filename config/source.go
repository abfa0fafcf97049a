package config

import (
	"slices"
	"strconv"
	"strings"
)

// SourceKind says where in a request an identity stands. Its value is part of every identity: never renumber.
type SourceKind uint8

const (
	// SourceHeader is the value of a request header.
	SourceHeader SourceKind = iota + 1
	// SourceQuery is the value of a query parameter, form-decoded.
	SourceQuery
	// SourceCookie is the value of a cookie (RFC 6265), as received.
	SourceCookie
	// SourceBearer is the token of an Authorization header of the scheme Bearer (RFC 6750 section 2.1).
	SourceBearer
	// SourceMetadata is an entry of the request's dynamic metadata, such as a claim that jwt_authn has checked.
	SourceMetadata
	// SourceAddress is the network of the client's address as Envoy trusts it.
	SourceAddress
	// SourceRoute is the name of the route that Envoy has chosen.
	SourceRoute
	// SourceConstant is the same for every request.
	SourceConstant
	// SourceCombine is several sources at once; one missing part makes the whole missing.
	SourceCombine
)

// Source is one place in which a request may name its client.
type Source struct {
	Kind SourceKind
	// Name is what is looked up: a header's name in lower case, the name of a query parameter or cookie, the property
	// path of metadata, the text of a constant. It is empty for the other kinds.
	Name                   string
	IPv4Prefix, IPv6Prefix uint8    // of SourceAddress: how many leading bits count, 1 to 32 and 1 to 128
	Parts                  []Source // of SourceCombine: two or more, none of them a SourceCombine
}

func (s Source) equal(other Source) bool {
	return s.Kind == other.Kind && s.Name == other.Name && s.IPv4Prefix == other.IPv4Prefix &&
		s.IPv6Prefix == other.IPv6Prefix && slices.EqualFunc(s.Parts, other.Parts, Source.equal)
}

// always reports whether every request has this source.
func (s Source) always() bool {
	return s.Kind == SourceConstant || s.Kind == SourceCombine && !slices.ContainsFunc(s.Parts, func(p Source) bool { return !p.always() })
}

const (
	identityAdvice = `write a list of sources such as [{"header": "x-api-key"}]`
	sourceAdvice   = `write a source such as {"header": "x-api-key"}`
	combineAdvice  = `write two or more sources such as [{"header": "x-org"}, {"address": {}}]`
	metadataAdvice = `write a filter's name and the keys below it, such as ["envoy.filters.http.jwt_authn", "payload", "sub"]`
)

// identity reads a list of sources.
func (d *decoder) identity(n *node) []Source {
	var sources []Source
	for _, e := range d.list(n, identityAdvice) {
		s, ok := d.source(e, sourceFields())
		switch {
		case !ok:
		case slices.ContainsFunc(sources, s.equal):
			d.fail(e, "repeats an earlier source", "remove it")
		case len(sources) > 0 && sources[len(sources)-1].always():
			d.fail(e, "is never looked at: every request has the source before it", "move it to the front, or remove it")
		default:
			sources = append(sources, s)
		}
	}
	return sources
}

// sourceFields are the fields of which a source has exactly one.
func sourceFields() []field[Source] {
	return append(partFields(), field[Source]{"combine", "", func(d *decoder, n *node, s *Source) {
		s.Kind, s.Parts = SourceCombine, d.parts(n)
	}})
}

// partFields are the sources that may be part of a combination.
func partFields() []field[Source] {
	return []field[Source]{
		{"header", "", func(d *decoder, n *node, s *Source) {
			s.Kind = SourceHeader
			s.Name, _ = d.headerName(n)
		}},
		{"query", "", func(d *decoder, n *node, s *Source) {
			s.Kind, s.Name = SourceQuery, d.nonEmpty(n, `write a query parameter's name such as "api_key"`)
		}},
		{"cookie", "", func(d *decoder, n *node, s *Source) { s.Kind, s.Name = SourceCookie, d.cookieName(n) }},
		{"bearer", "", func(d *decoder, n *node, s *Source) { d.noOptions(n, SourceBearer, s) }},
		{"metadata", "", func(d *decoder, n *node, s *Source) { s.Kind, s.Name = SourceMetadata, d.metadataPath(n) }},
		{"address", "", (*decoder).addressSource},
		{"route", "", func(d *decoder, n *node, s *Source) { d.noOptions(n, SourceRoute, s) }},
		{"constant", "", func(d *decoder, n *node, s *Source) {
			s.Kind, s.Name = SourceConstant, d.nonEmpty(n, `write a string such as "everyone"`)
		}},
	}
}

// source reads one source: an object with exactly one field, its kind.
func (d *decoder) source(n *node, fields []field[Source]) (s Source, ok bool) {
	before := d.count()
	names, ok := readObject(d, n, sourceAdvice, fields, &s)
	switch {
	case ok && len(n.members) == 0:
		d.fail(n, "is an empty object", sourceAdvice)
	case len(names) > 1 && d.count() == before:
		d.fail(n, "has "+strconv.Itoa(len(names))+" kinds at once", `write one object for each, or {"combine": [...]} if a client is known by all of them together`)
	}
	return s, d.count() == before
}

// parts reads the sources of a combination.
func (d *decoder) parts(n *node) []Source {
	var parts []Source
	elements := d.list(n, combineAdvice)
	if len(elements) == 1 {
		d.fail(n, "combines only one source", "add another one, or write the source without combine")
	}
	for _, e := range elements {
		s, ok := d.source(e, partFields())
		if ok && slices.ContainsFunc(parts, s.equal) {
			d.fail(e, "repeats an earlier source", "remove it")
		}
		parts = append(parts, s)
	}
	return parts
}

// noOptions reads a source that has nothing to say beyond its kind.
func (d *decoder) noOptions(n *node, kind SourceKind, s *Source) {
	s.Kind = kind
	if d.is(n, kindObject, "write {}") && len(n.members) > 0 {
		d.fail(n, "has options, but there are none", "write {}")
	}
}

// headerName reads the name of a request header and puts it into lower case.
func (d *decoder) headerName(n *node) (name string, ok bool) {
	const advice = `write a header's name such as "x-api-key"`
	name, ok = d.text(n, advice)
	if !ok {
		return "", false
	}
	name = strings.ToLower(name)
	switch {
	case strings.HasPrefix(name, ":"):
		d.fail(n, quote(name)+" is a pseudo header", `write the name of an ordinary header; a match has "methods", "path" and "hosts"`)
	case name == "host":
		d.fail(n, `"host" is no header in the proxy: it becomes :authority`, `write the name of another header; a match has "hosts"`)
	case !isMadeOf(name, 256, isTokenByte):
		d.fail(n, quote(name)+" is not a header's name", advice)
	default:
		return name, true
	}
	return "", false
}

// cookieName reads the name of a cookie, a token whose case matters.
func (d *decoder) cookieName(n *node) string {
	const advice = `write a cookie's name such as "session"`
	name, ok := d.text(n, advice)
	if ok && !isMadeOf(name, 256, isTokenByte) {
		d.fail(n, quote(name)+" is not a cookie's name", advice)
	}
	return name
}

// metadataPath reads the path of an entry of the dynamic metadata and returns it as the path of a property.
func (d *decoder) metadataPath(n *node) string {
	elements := d.list(n, metadataAdvice)
	if len(elements) == 1 {
		d.fail(n, "names a whole namespace", metadataAdvice)
	}
	path := propertyMetadata
	for _, e := range elements {
		segment := d.nonEmpty(e, metadataAdvice)
		if strings.Contains(segment, "\x00") {
			d.fail(e, "has a zero byte", metadataAdvice)
		}
		path += "\x00" + segment
	}
	return path
}

func addressFields() []field[Source] {
	return []field[Source]{
		{"ipv4_prefix", "", func(d *decoder, n *node, s *Source) { d.prefixLength(n, ipv4Bits, &s.IPv4Prefix) }},
		{"ipv6_prefix", "", func(d *decoder, n *node, s *Source) { d.prefixLength(n, ipv6Bits, &s.IPv6Prefix) }},
	}
}

func (d *decoder) prefixLength(n *node, most uint64, into *uint8) {
	v, _ := d.whole(n, 1, most)
	*into = uint8(v)
}

// addressSource reads the options of an address. A single IPv6 client holds a /64 (RFC 6177), so that is the default.
func (d *decoder) addressSource(n *node, s *Source) {
	s.Kind, s.IPv4Prefix, s.IPv6Prefix = SourceAddress, ipv4Bits, 64
	readObject(d, n, `write {} or {"ipv4_prefix": 32, "ipv6_prefix": 64}`, addressFields(), s)
}
