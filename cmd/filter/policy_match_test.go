package main

import (
	"fmt"
	"strings"
	"testing"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
)

// matchCase is a match and requests, each with properties of its stream, that it holds or does not.
type matchCase struct {
	match      string
	request    wasmhost.Headers
	properties []property
	holds      bool
	reads      string // the properties, with a blank between them
}

var matchCases = []matchCase{
	{`{"methods": ["POST", "PUT"]}`, bare("PUT", "/"), nil, true, ""},
	{`{"methods": ["GET"]}`, bare("HEAD", "/"), nil, false, ""},
	{`{"methods": ["POST"]}`, with(bare("GET", "/"), "x-http-method-override", "POST"), nil, false, ""},
	{`{"path": "/login"}`, bare("GET", "/login?next=/home"), nil, true, ""},
	{`{"path": "/login"}`, bare("GET", "/login?a?b"), nil, true, ""},
	{`{"path": "/login"}`, bare("GET", "///login"), nil, true, ""},
	{`{"path": "/login"}`, bare("GET", "/%6cogin#top"), nil, true, ""},
	{`{"path": "/login"}`, bare("GET", "/login/"), nil, false, ""},
	{`{"path": "/login"}`, bare("GET", "/Login"), nil, false, ""},
	{`{"path": "/login"}`, bare("OPTIONS", "*"), nil, false, ""},
	{`{"path_prefix": "/admin"}`, bare("GET", "/admin/x"), nil, true, ""},
	{`{"path_prefix": "/admin"}`, bare("GET", "/public/../admin/x"), nil, true, ""},
	{`{"path_prefix": "/admin"}`, bare("GET", "/public/%2e%2E/admin"), nil, true, ""},
	{`{"path_prefix": "/admin"}`, bare("GET", "/administrator"), nil, false, ""},
	{`{"path_prefix": "/admin"}`, bare("GET", "/x?/admin/"), nil, false, ""},
	{`{"path_template": "/users/{id}/items"}`, bare("GET", "/users/7/items"), nil, true, ""},
	{`{"path_template": "/users/{id}/items"}`, bare("GET", "/users/7/8/items"), nil, false, ""},
	{`{"path_template": "/users/{id}/items"}`, bare("GET", "/users//items"), nil, false, ""},
	{`{"path_regex": "/v[0-9]+/items"}`, bare("GET", "/v12/items?x"), nil, true, ""},
	{`{"path_regex": "/v[0-9]+"}`, bare("GET", "/v12/items"), nil, false, ""},
	{`{"path_regex": "[0-9]+/items"}`, bare("GET", "/v12/items"), nil, false, ""},
	{`{"hosts": ["other.example", "shop.example"]}`, wasmhost.Headers{{":method", "GET"}, {":authority", "Shop.Example:8080"}, {":path", "/"}}, nil, true, ""},
	{`{"hosts": ["*.example"]}`, bare("GET", "/"), nil, true, ""},
	{`{"hosts": ["*.shop.example"]}`, bare("GET", "/"), nil, false, ""},
	{`{"headers": [{"name": "X-Internal"}]}`, with(bare("GET", "/"), "x-internal", ""), nil, true, ""},
	{`{"headers": [{"name": "x-internal"}]}`, bare("GET", "/"), nil, false, ""},
	{`{"headers": [{"name": "x-kind", "exact": "bot"}]}`, with(with(bare("GET", "/"), "x-kind", "human"), "x-kind", " bot "), nil, true, ""},
	{`{"headers": [{"name": "x-kind", "exact": "bot"}]}`, with(bare("GET", "/"), "x-kind", "Bot"), nil, false, ""},
	{`{"headers": [{"name": "user-agent", "prefix": "curl/"}]}`, with(bare("GET", "/"), "user-agent", "curl/8.5"), nil, true, ""},
	{`{"headers": [{"name": "user-agent", "prefix": "curl/"}]}`, with(bare("GET", "/"), "user-agent", "libcurl/8.5"), nil, false, ""},
	{`{"headers": [{"name": "x-id", "regex": "[0-9]+"}]}`, with(bare("GET", "/"), "x-id", "42"), nil, true, ""},
	{`{"headers": [{"name": "x-id", "regex": "[0-9]+"}]}`, with(bare("GET", "/"), "x-id", "42a"), nil, false, ""},
	{`{"headers": [{"name": "x-kind", "exact": "bot", "invert": true}]}`, with(bare("GET", "/"), "x-kind", "human"), nil, true, ""},
	{`{"headers": [{"name": "x-kind", "exact": "bot", "invert": true}]}`, bare("GET", "/"), nil, true, ""},
	{`{"headers": [{"name": "x-kind", "exact": "bot", "invert": true}]}`, with(bare("GET", "/"), "x-kind", "bot"), nil, false, ""},
	{`{"headers": [{"name": "x-note", "exact": "é"}]}`, with(bare("GET", "/"), "x-note", "\xe9"), nil, false, ""},
	{`{"addresses": ["10.0.0.0/8", "2001:db8::/32"]}`, bare("GET", "/"), []property{{address, "10.9.8.7:4711"}}, true, "source.address"},
	{`{"addresses": ["10.0.0.0/8", "2001:db8::/32"]}`, bare("GET", "/"), []property{{address, "[2001:db8:1::2]:80"}}, true, "source.address"},
	{`{"addresses": ["10.0.0.0/8"]}`, with(bare("GET", "/"), "x-forwarded-for", "10.9.8.7"), []property{{address, "11.9.8.7:80"}}, false, "source.address"},
	{`{"route": "first"}`, bare("GET", "/"), []property{{routeName, "first"}}, true, "xds.route_name"},
	{`{"route": "first"}`, bare("GET", "/"), []property{{routeName, "second"}}, false, "xds.route_name"},
	{`{"route": "first"}`, bare("GET", "/"), nil, false, "xds.route_name"},
	{`{"virtual_host": "here"}`, bare("GET", "/"), []property{{virtualHost, "here"}}, true, "xds.virtual_host_name"},
	{`{"virtual_host": "here"}`, bare("GET", "/"), []property{{virtualHost, "there"}}, false, "xds.virtual_host_name"},
	{`{"policy": "partners"}`, bare("GET", "/"), []property{{policy, "partners"}}, true, "xds.route_metadata.filter_metadata.tollgate.policy"},
	{`{"policy": "partners"}`, bare("GET", "/"), []property{{policy, "Partners"}}, false, "xds.route_metadata.filter_metadata.tollgate.policy"},
	{`{"methods": ["POST"], "policy": "partners"}`, bare("GET", "/"), []property{{policy, "partners"}}, false, ""},
	{`{"methods": ["POST"]}, {"path": "/login", "hosts": ["shop.example"]}`, bare("GET", "/login"), nil, true, ""},
	{`{"policy": "a"}, {"policy": "b"}, {"policy": "c"}`, bare("GET", "/"), []property{{policy, "c"}}, true, "xds.route_metadata.filter_metadata.tollgate.policy"},
}

// TestMatches holds of each condition which requests it holds, in a rule and among what is exempt, and which properties it reads for that.
//
// Fields: exempt, rules.match, rules.match.methods, rules.match.path, rules.match.path_prefix, rules.match.path_template,
// rules.match.path_regex, rules.match.hosts, rules.match.headers, rules.match.headers.name, rules.match.headers.exact,
// rules.match.headers.prefix, rules.match.headers.regex, rules.match.headers.invert, rules.match.addresses, rules.match.route,
// rules.match.virtual_host, rules.match.policy
func TestMatches(t *testing.T) {
	host := hosttest.New(t)
	vm, err := host.NewVM(built(t), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range matchCases {
		for place, configuration := range map[string]string{
			"rule":   shop(`{"name": "matched", "match": [` + c.match + `], "limits": [{"requests": 3, "window": "1h"}]}, {"name": "rest", "limits": [{"requests": 9, "window": "1h"}]}`),
			"exempt": shop(`{"name": "rest", "limits": [{"requests": 9, "window": "1h"}]}`, `"exempt": [`+c.match+`]`),
		} {
			root, err := vm.Start(wasmhost.Plugin{Name: "plugin", Config: []byte(configuration)})
			if err != nil {
				t.Fatal(err, host.LogText())
			}
			limit := "9"
			if c.holds {
				limit = map[string]string{"rule": "3", "exempt": ""}[place]
			}
			set(host, c.properties, func() {
				if got := do(t, root, c.request, nil).Headers.Value("x-ratelimit-limit"); got != limit {
					t.Errorf("%s %s, %v with %v: limit %q, want %q", place, c.match, c.request, c.properties, got, limit)
				}
				if got := strings.Join(propertiesOf(callsOf(t, root, c.request, nil)), " "); got != c.reads {
					t.Errorf("%s %s, %v: reads %q, want %q", place, c.match, c.request, got, c.reads)
				}
			})
		}
	}
}

// TestTheFirstRuleThatMatches holds that it decides, in both orders, and that no rule means no limit.
//
// Fields: rules, rules.name
func TestTheFirstRuleThatMatches(t *testing.T) {
	const login = `{"name": "login", "match": [{"methods": ["POST"], "path_prefix": "/login"}], "limits": [{"requests": 3, "window": "1h"}]}`
	const posts = `{"name": "posts", "match": [{"methods": ["POST"], "path_prefix": "/"}], "limits": [{"requests": 9, "window": "1h"}]}`
	const names = `{"name": "l", "match": [{"path_regex": "/l.*"}], "limits": [{"requests": 5, "window": "1h"}]}`
	for _, c := range []struct{ rules, method, target, limit string }{
		{login + ", " + posts, "POST", "/login", "3"},
		{names + ", " + login, "POST", "/login", "5"},
		{login + ", " + names, "POST", "/login", "3"},
		{login + ", " + posts, "POST", "/logout", "9"},
		{login + ", " + posts, "GET", "/login", ""},
	} {
		root := start(t, hosttest.New(t), shop(c.rules))
		if got := do(t, root, bare(c.method, c.target), nil).Headers.Value("x-ratelimit-limit"); got != c.limit {
			t.Errorf("%s %s by %s: limit %q, want %q", c.method, c.target, c.rules, got, c.limit)
		}
	}
}

// TestIdentifiersInAPathMakeNoCounters holds that a template has one counter for a client, whatever stands in the variable, and that
// the store does not grow with it.
//
// Fields: rules.match.path_template
func TestIdentifiersInAPathMakeNoCounters(t *testing.T) {
	host := hosttest.New(t)
	root := start(t, host, shop(`{"name": "verify", "match": [{"path_template": "/verify/{code}"}], "limits": [{"requests": 5, "window": "1h"}]}`))
	keys := host.Shared("").Len()
	for i := range 5 {
		want(t, fmt.Sprint("code ", i), do(t, root, get(fmt.Sprint("/verify/", i), "alice"), nil), 200, fmt.Sprintf("limit=5 remaining=%d reset=1700002800", 4-i))
	}
	want(t, "the sixth code", do(t, root, get("/verify/6", "alice"), nil), 429, "limit=5 remaining=0 reset=1700002800 retry-after=2800")
	if n := host.Shared("").Len() - keys; n != 1 {
		t.Errorf("%d keys were written, want the bucket of one counter", n)
	}
}

// TestProbesAndPreflightsPass sends a thousand of what is exempt: nothing is counted, and nobody is told anything.
//
// Fields: exempt
func TestProbesAndPreflightsPass(t *testing.T) {
	host := hosttest.New(t)
	root := start(t, host, shop(`{"name": "api", "on_unidentified": "refuse", "limits": [{"requests": 1, "window": "1h"}]}`,
		`"exempt": [{"methods": ["OPTIONS"], "headers": [{"name": "access-control-request-method"}]}, {"methods": ["GET"], "path": "/healthz"}]`))
	keys := host.Shared("").Len()
	preflight := with(bare("OPTIONS", "/cart"), "access-control-request-method", "PUT")
	for range 1000 {
		for _, request := range []wasmhost.Headers{preflight, bare("GET", "/healthz")} {
			if r := do(t, root, request, nil); r.Status != 200 || len(r.Headers) != 0 {
				t.Fatalf("%v: %d with %v", request, r.Status, r.Headers)
			}
		}
	}
	if host.Shared("").Len() != keys {
		t.Error("shared data has grown")
	}
	want(t, "a plain OPTIONS", do(t, root, bare("OPTIONS", "/cart"), nil), 401, "")
	want(t, "a plain OPTIONS with a key", do(t, root, with(bare("OPTIONS", "/cart"), "x-api-key", "alice"), nil), 200, "limit=1 remaining=0 reset=1700002800")
	tick(t, root)
	wantMetrics(t, host, map[string]uint64{"api.allowed": 1, "api.limited": 0})
}
