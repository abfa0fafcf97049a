package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
)

// TestIdentities holds of each source whom it takes for one client and whom not, and what it reads of the proxy for that.
//
// Fields: identity, rules.identity, identity.header, identity.query, identity.cookie, identity.bearer, identity.metadata,
// identity.address, identity.address.ipv4_prefix, identity.address.ipv6_prefix, identity.route, identity.constant, identity.combine
func TestIdentities(t *testing.T) {
	type who struct {
		request    wasmhost.Headers
		properties []property
	}
	header := func(name, value string) who { return who{request: with(bare("GET", "/"), name, value)} }
	target := func(target string) who { return who{request: bare("GET", target)} }
	stream := func(path []string, value string) who { return who{bare("GET", "/"), []property{{path, value}}} }
	for _, c := range []struct {
		source        string
		same, differs []who
		reads         string // the property, "" for none
	}{
		{`{"header": "X-Org"}`, []who{header("x-org", "red"), header("X-Org", " red\t")}, []who{header("x-org", "Red"), header("x-team", "red"), header("x-org", "\xff")}, ""},
		{`{"query": "key"}`, []who{target("/?key=a%20b"), target("/x?y&key=a+b")}, []who{target("/?key=a%2520b"), target("/?key=a+b&key=c"), target("/key=a+b")}, ""},
		{`{"cookie": "id"}`, []who{header("cookie", "id=7"), header("cookie", "a=1; id=7")}, []who{header("cookie", "ID=7"), header("cookie", "id=7; id=8")}, ""},
		{`{"bearer": {}}`, []who{header("authorization", "Bearer T"), header("authorization", "bearer   T")}, []who{header("authorization", "xBearer T"), header("authorization", "T")}, ""},
		{`{"metadata": ["envoy.filters.http.jwt_authn", "payload", "claim"]}`, []who{stream(claim, "alice"), stream(claim, "alice")},
			[]who{stream(claim, "bob"), stream(claim, ""), header("claim", "alice")}, strings.Join(claim, ".")},
		{`{"address": {}}`, []who{stream(address, "203.0.113.7:80"), stream(address, "203.0.113.7:81"), stream(address, "[::ffff:203.0.113.7]:80")},
			[]who{stream(address, "203.0.113.8:80"), header("x-forwarded-for", "203.0.113.7")}, "source.address"},
		{`{"address": {}}`, []who{stream(address, "[2001:db8::1]:80"), stream(address, "[2001:db8::ffff:1]:81")}, []who{stream(address, "[2001:db8:0:1::1]:80")}, "source.address"},
		{`{"address": {"ipv4_prefix": 24}}`, []who{stream(address, "203.0.113.7:80"), stream(address, "203.0.113.8:80")}, []who{stream(address, "203.0.114.7:80")}, "source.address"},
		{`{"address": {"ipv6_prefix": 48}}`, []who{stream(address, "[2001:db8::1]:80"), stream(address, "[2001:db8:0:1::1]:80")}, []who{stream(address, "[2001:db8:1::1]:80")}, "source.address"},
		{`{"route": {}}`, []who{stream(routeName, "first"), stream(routeName, "first")}, []who{stream(routeName, "second"), target("/first")}, "xds.route_name"},
		{`{"constant": "everyone"}`, []who{target("/"), header("x-api-key", "alice"), stream(address, "203.0.113.7:80")}, nil, ""},
		{`{"combine": [{"route": {}}, {"header": "x-org"}]}`,
			[]who{{header("x-org", "red").request, []property{{routeName, "first"}}}, {header("x-org", "red ").request, []property{{routeName, "first"}}}},
			[]who{{header("x-org", "red").request, []property{{routeName, "second"}}}, {header("x-org", "blue").request, []property{{routeName, "first"}}}, header("x-org", "red"), stream(routeName, "first")},
			"xds.route_name"},
	} {
		for _, place := range []string{"top", "rule"} {
			host := hosttest.New(t)
			identity, limits := `"identity": [`+c.source+`]`, `{"name": "api", "limits": [{"requests": 99, "window": "1h"}]}`
			configuration := shop(limits, identity)
			if place == "rule" {
				configuration = shop(strings.Replace(limits, `"limits"`, identity+`, "limits"`, 1))
			}
			root := start(t, host, configuration)
			ask := func(w who) (left string) {
				set(host, w.properties, func() { left = remaining(t, root, w.request) })
				return left
			}
			for i, w := range c.same {
				if got, want := ask(w), fmt.Sprint(98-i); got != want {
					t.Errorf("%s at the %s, %v: %s left, want %s", c.source, place, w, got, want)
				}
			}
			for _, w := range c.differs {
				if got := ask(w); got == fmt.Sprint(98-len(c.same)) {
					t.Errorf("%s at the %s: %v is taken for the client", c.source, place, w)
				}
			}
			set(host, c.same[0].properties, func() {
				if got := propertiesOf(callsOf(t, root, c.same[0].request, nil)); strings.Join(got, " ") != c.reads {
					t.Errorf("%s reads %q, want %q", c.source, got, c.reads)
				}
			})
		}
	}
}

// TestTheFirstSourceThatNamesAClient holds the order of sources, and that what is said twice with different values is not said.
//
// Fields: identity
func TestTheFirstSourceThatNamesAClient(t *testing.T) {
	root := start(t, hosttest.New(t), shop(`{"name": "api", "limits": [{"requests": 9, "window": "1h"}]}`, `"identity": [{"header": "x-org"}, {"header": "x-api-key"}]`))
	for _, c := range []struct {
		request wasmhost.Headers
		left    string
	}{
		{with(get("/", "alice"), "x-org", "red"), "8"},
		{with(get("/", "bob"), "x-org", "red"), "7"},
		{get("/", "alice"), "8"},
		{with(get("/", "alice"), "x-org", ""), "7"},
		{with(with(get("/", "alice"), "x-org", "red"), "x-org", "blue"), "6"},
		{with(get("/", "alice"), "x-api-key", "bob"), "8"}, // nobody
		{bare("GET", "/"), "7"},
	} {
		if got := remaining(t, root, c.request); got != c.left {
			t.Errorf("%v: %s left, want %s", c.request, got, c.left)
		}
	}
}

// TestUnidentified holds what becomes of a request that names nobody.
//
// Fields: on_unidentified, rules.on_unidentified
func TestUnidentified(t *testing.T) {
	const rest = `, {"name": "rest", "identity": [{"constant": "rest"}], "limits": [{"requests": 9, "window": "1h"}]}`
	for _, c := range []struct {
		fields, rule string
		rules        string // after it
		status       int
		headers      string
	}{
		{"", "", "", 200, "x-ratelimit-limit: 3\nx-ratelimit-remaining: 2\nx-ratelimit-reset: 1700002800"},
		{`"on_unidentified": "share"`, "", "", 200, "x-ratelimit-limit: 3\nx-ratelimit-remaining: 2\nx-ratelimit-reset: 1700002800"},
		{`"on_unidentified": "refuse"`, "", "", 401, `www-authenticate: ApiKey realm="shop"`},
		{`"on_unidentified": "refuse"`, `"identity": [{"bearer": {}}],`, "", 401, `www-authenticate: Bearer realm="shop"`},
		{"", `"on_unidentified": "refuse",`, "", 401, `www-authenticate: ApiKey realm="shop"`},
		{`"on_unidentified": "refuse"`, `"on_unidentified": "share",`, "", 200, "x-ratelimit-limit: 3\nx-ratelimit-remaining: 2\nx-ratelimit-reset: 1700002800"},
		{"", `"on_unidentified": "next",`, "", 200, ""},
		{"", `"on_unidentified": "next",`, rest, 200, "x-ratelimit-limit: 9\nx-ratelimit-remaining: 8\nx-ratelimit-reset: 1700002800"},
	} {
		fields := slices.DeleteFunc([]string{c.fields}, func(f string) bool { return f == "" })
		root := start(t, hosttest.New(t), shop(`{"name": "api", `+c.rule+` "limits": [{"requests": 3, "window": "1h"}]}`+c.rules, fields...))
		r := do(t, root, bare("GET", "/"), nil)
		if r.Status != c.status || headersOf(r) != c.headers {
			t.Errorf("%s %s: %d with\n%s\nwant %d with\n%s", c.fields, c.rule, r.Status, headersOf(r), c.status, c.headers)
		}
	}
}
