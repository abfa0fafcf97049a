package config

import "strings"

// Properties are what the proxy knows about a request beyond its headers. A path's segments are joined by a zero byte.
// It is false for a property that the request does not have.
type Properties interface {
	Property(path string) (value string, ok bool)
}

// The properties that rules may ask for. Envoy documents them under "Attributes"; the metadata of a route are reached
// by a path below its name.
const (
	propertyAddress     = "source\x00address"
	propertyRoute       = "xds\x00route_name"
	propertyVirtualHost = "xds\x00virtual_host_name"
	propertyPolicy      = "xds\x00route_metadata\x00filter_metadata\x00tollgate\x00policy"
	propertyRules       = "xds\x00route_metadata\x00filter_metadata\x00tollgate\x00rules"
	propertyMetadata    = "metadata\x00filter_metadata"
)

// reading is a property that was asked for.
type reading struct {
	path, value string
	ok          bool
}

// property returns a property, which is asked for at most once in a request. An empty one counts as missing.
func (r *Request) property(path string) (value string, ok bool) {
	for i := range r.readings {
		if r.readings[i].path == path {
			return r.readings[i].value, r.readings[i].ok
		}
	}
	if r.Properties != nil {
		value, ok = r.Properties.Property(path)
	}
	ok = ok && value != ""
	r.readings = append(r.readings, reading{path, value, ok})
	return value, ok
}

// Route returns the name of the request's route. It is false if the route has none.
func (r *Request) Route() (name string, ok bool) { return r.property(propertyRoute) }

// RouteRules returns the rules that the request's route carries in its metadata, as JSON text for ParseRules. It is
// false if it carries none. Only a configuration with PerRoute asks for them.
func (r *Request) RouteRules() (text string, ok bool) { return r.property(propertyRules) }

// address returns the client's address without the port. An IPv4 address mapped into IPv6 is the IPv4 address.
func (r *Request) address() (address, bool) {
	if !r.addressKnown {
		value, ok := r.property(propertyAddress)
		r.addressKnown = true
		if ok {
			r.client, r.hasClient = peerAddress(value)
		}
	}
	return r.client, r.hasClient
}

// peerAddress reads "192.0.2.1:80", "[2001:db8::1]:80" or either without its port. A zone is no part of an address here.
func peerAddress(value string) (address, bool) {
	host, _, _ := strings.Cut(hostOf(value), "%")
	return parseAddress(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
}
