package main

import (
	"slices"
	"strings"
	"testing"

	"tollgate/internal/wasmhost"
)

// shop is a configuration of the domain shop. fields are more of the top level's.
func shop(rules string, fields ...string) string {
	return `{` + strings.Join(append([]string{`"domain": "shop"`}, fields...), ", ") + `, "rules": [` + rules + `]}`
}

// with appends a header line to a request.
func with(request wasmhost.Headers, name, value string) wasmhost.Headers {
	return append(slices.Clone(request), [2]string{name, value})
}

// The properties that a configuration may ask for, as paths.
var (
	address     = []string{"source", "address"}
	routeName   = []string{"xds", "route_name"}
	virtualHost = []string{"xds", "virtual_host_name"}
	policy      = []string{"xds", "route_metadata", "filter_metadata", "tollgate", "policy"}
	routeRules  = []string{"xds", "route_metadata", "filter_metadata", "tollgate", "rules"}
	claim       = []string{"metadata", "filter_metadata", "envoy.filters.http.jwt_authn", "payload", "claim"}
)

// property is one that a stream has.
type property struct {
	path  []string
	value string
}

// set gives every stream these properties, and takes them away again after the function.
func set(host *wasmhost.Host, properties []property, during func()) {
	for _, p := range properties {
		host.SetProperty([]byte(p.value), p.path...)
		defer host.SetProperty(nil, p.path...)
	}
	during()
}

// headersOf are the header lines of a response in order, one "name: value" each.
func headersOf(r wasmhost.Response) string {
	var text []string
	for _, line := range r.Headers {
		text = append(text, line[0]+": "+line[1])
	}
	return strings.Join(text, "\n")
}

// callsOf plays an exchange and returns its host calls.
func callsOf(t *testing.T, root *wasmhost.Root, request wasmhost.Headers, upstream wasmhost.Upstream) []string {
	t.Helper()
	root.VM().SetTrace(true)
	root.VM().ResetTrace()
	do(t, root, request, upstream)
	return withoutRuntime(root.VM().Trace())
}

// propertiesOf are the properties that the calls read, in order.
func propertiesOf(calls []string) []string {
	var paths []string
	for _, call := range calls {
		if path, ok := strings.CutPrefix(call, "get_property("); ok {
			paths = append(paths, strings.TrimSuffix(path, ")"))
		}
	}
	return paths
}

// remaining returns what is left to the client of a request, by the header.
func remaining(t *testing.T, root *wasmhost.Root, request wasmhost.Headers) string {
	t.Helper()
	return do(t, root, request, nil).Headers.Value("x-ratelimit-remaining")
}
