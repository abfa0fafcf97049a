package config

import (
	"strings"
	"testing"
)

// taken reports whether a rule with this alternative takes the request.
func taken(t *testing.T, alternative string, r *Request) bool {
	t.Helper()
	return mustParse(t, rulesOf(alternative)).Next(r, 0) == 0
}

func TestPathTemplates(t *testing.T) {
	for _, c := range []struct {
		template, target string
		want             bool
	}{
		{"/users/{id}", "/users/7", true},
		{"/users/{id}", "/users/7?x", true},
		{"/users/{id}", "/users/a%2Fb", true},
		{"/users/{id}", "/users/7/", false},
		{"/users/{id}", "/users/", false},
		{"/users/{id}", "/users", false},
		{"/users/{id}", "/users/7/orders", false},
		{"/users/{id}", "/Users/7", false},
		{"/users/{id}", "//users//7", true},
		{"/users/{id}/", "/users/7/", true},
		{"/users/{id}/", "/users/7", false},
		{"/{a}/x/{b}", "/1/x/2", true},
		{"/{a}/x/{b}", "/1/y/2", false},
		{"/{a}", "/", false},
		{"/{a}", "*", false},
		{"/verify/{code}", "/verify/%7Bcode%7D", true},
	} {
		if got := taken(t, `{"path_template": "`+c.template+`"}`, request("GET", c.target)); got != c.want {
			t.Errorf("%s on %s: %v", c.template, c.target, got)
		}
	}
}

func TestPathRegexMatchesTheWholePath(t *testing.T) {
	for _, c := range []struct {
		regex, target string
		want          bool
	}{
		{"/v[0-9]+/users", "/v1/users", true},
		{"/v[0-9]+/users", "/v1/users?x=1", true},
		{"/v[0-9]+/users", "/v1/users/7", false},
		{"/v[0-9]+/users", "/x/v1/users", false},
		{"^/a$", "/a", true},
		{"/a|/b", "/b", true},
		{"/a|/b", "/ab", false},
		{"/a|/b", "/a/b", false},
		{"/a.*", "/a\n", false},
		{"(?i)/login", "/LOGIN", true},
		{"/.*", "*", false},
		{"/a\\/b", "/a/b", true},
	} {
		if got := taken(t, `{"path_regex": "`+strings.ReplaceAll(c.regex, `\`, `\\`)+`"}`, request("GET", c.target)); got != c.want {
			t.Errorf("%s on %s: %v", c.regex, c.target, got)
		}
	}
}

func TestHosts(t *testing.T) {
	for _, c := range []struct {
		host, authority string
		want            bool
	}{
		{"example.com", "example.com", true},
		{"example.com", "EXAMPLE.com:8443", true},
		{"Example.COM", "example.com.", true},
		{"example.com", "example.com.:80", true},
		{"example.com", "www.example.com", false},
		{"example.com", "example.com.evil.org", false},
		{"example.com", "notexample.com", false},
		{"example.com", "", false},
		{"*.example.com", "www.example.com:80", true},
		{"*.example.com", "a.b.example.com", true},
		{"*.example.com", "example.com", false},
		{"*.example.com", ".example.com", false},
		{"*.example.com", "wwwexample.com", false},
		{"192.0.2.1", "192.0.2.1:80", true},
		{"[2001:db8::1]", "[2001:DB8::1]:80", true},
		{"[2001:db8::1]", "[2001:db8::1]", true},
		{"localhost", "localhost:x", true},
	} {
		r := &Request{}
		r.Reset([][2]string{{":authority", c.authority}, {":path", "/"}, {":method", "GET"}})
		if got := taken(t, `{"hosts": ["other.org", "`+c.host+`"]}`, r); got != c.want {
			t.Errorf("%s on %q: %v", c.host, c.authority, got)
		}
	}
}

func TestHeaderConditions(t *testing.T) {
	lines := func(values ...string) (list [][2]string) {
		for _, v := range values {
			list = append(list, [2]string{"x", v})
		}
		return list
	}
	for _, c := range []struct {
		condition string
		lines     [][2]string
		want      bool
	}{
		{`{"name": "X"}`, lines("a"), true},
		{`{"name": "x"}`, lines(""), true},
		{`{"name": "x"}`, lines(), false},
		{`{"name": "x", "invert": true}`, lines(), true},
		{`{"name": "x", "invert": true}`, lines(""), false},
		{`{"name": "x", "exact": "a"}`, lines("a"), true},
		{`{"name": "x", "exact": "a"}`, lines(" a\t"), true},
		{`{"name": "x", "exact": "a"}`, lines("b", "a"), true},
		{`{"name": "x", "exact": "a"}`, lines("A"), false},
		{`{"name": "x", "exact": "a"}`, lines("a,b"), false},
		{`{"name": "x", "exact": ""}`, lines(" "), true},
		{`{"name": "x", "exact": ""}`, lines(), false},
		{`{"name": "x", "exact": "a", "invert": true}`, lines("b", "a"), false},
		{`{"name": "x", "exact": "a", "invert": true}`, lines("b"), true},
		{`{"name": "x", "exact": "a", "invert": true}`, lines(), true},
		{`{"name": "x", "exact": "a", "invert": false}`, lines("a"), true},
		{`{"name": "x", "prefix": "ab"}`, lines("abc"), true},
		{`{"name": "x", "prefix": "ab"}`, lines("a"), false},
		{`{"name": "x", "regex": "a+"}`, lines("aa"), true},
		{`{"name": "x", "regex": "a+"}`, lines("aab"), false},
		{`{"name": "x", "regex": "a|b"}`, lines("b"), true},
		{`{"name": "x", "exact": "\u00e9"}`, lines("\xc3\xa9"), true},
		{`{"name": "x", "prefix": "a"}`, lines("a\xff"), true},
		{`{"name": "x", "prefix": "a"}, {"name": "x", "exact": "b"}`, lines("a", "b"), true},
		{`{"name": "x", "prefix": "a"}, {"name": "x", "exact": "b"}`, lines("a"), false},
	} {
		if got := taken(t, `{"headers": [`+c.condition+`]}`, request("GET", "/", c.lines...)); got != c.want {
			t.Errorf("%s on %q: %v", c.condition, c.lines, got)
		}
	}
}

func TestPropertyConditions(t *testing.T) {
	for _, c := range []struct {
		alternative string
		properties  propertyMap
		want        bool
	}{
		{`{"addresses": ["10.0.0.0/8"]}`, propertyMap{propertyAddress: "10.1.2.3:55"}, true},
		{`{"addresses": ["10.0.0.0/8"]}`, propertyMap{propertyAddress: "[::ffff:10.1.2.3]:55"}, true},
		{`{"addresses": ["10.0.0.0/8"]}`, propertyMap{propertyAddress: "11.1.2.3:55"}, false},
		{`{"addresses": ["10.0.0.0/8"]}`, propertyMap{}, false},
		{`{"addresses": ["10.0.0.0/8"]}`, propertyMap{propertyAddress: "@internal"}, false},
		{`{"addresses": ["10.0.0.0/8", "2001:db8::/32"]}`, propertyMap{propertyAddress: "[2001:db8::5%2]:1"}, true},
		{`{"addresses": ["0.0.0.0/0"]}`, propertyMap{propertyAddress: "[2001:db8::5]:1"}, false},
		{`{"route": "r"}`, propertyMap{propertyRoute: "r"}, true},
		{`{"route": "r"}`, propertyMap{propertyRoute: "R"}, false},
		{`{"route": "r"}`, propertyMap{}, false},
		{`{"virtual_host": "v"}`, propertyMap{propertyVirtualHost: "v"}, true},
		{`{"virtual_host": "v"}`, propertyMap{propertyRoute: "v"}, false},
		{`{"policy": "p"}`, propertyMap{propertyPolicy: "p"}, true},
		{`{"policy": "p"}`, propertyMap{propertyPolicy: "pp"}, false},
		{`{"policy": "p", "route": "r"}`, propertyMap{propertyPolicy: "p", propertyRoute: "r"}, true},
		{`{"policy": "p", "route": "r"}`, propertyMap{propertyPolicy: "p"}, false},
	} {
		r := request("GET", "/")
		r.Properties = c.properties
		if got := taken(t, c.alternative, r); got != c.want {
			t.Errorf("%s on %q: %v", c.alternative, c.properties, got)
		}
		if c.want && taken(t, c.alternative, request("GET", "/")) {
			t.Errorf("%s holds without any properties", c.alternative)
		}
	}
}

// countedProperties counts how often each property is read.
type countedProperties struct {
	propertyMap
	reads map[string]int
}

func (p countedProperties) Property(path string) (string, bool) {
	p.reads[path]++
	return p.propertyMap.Property(path)
}

func TestPropertiesAreReadOnceAndOnlyIfNeeded(t *testing.T) {
	cfg := mustParse(t, `{
		"exempt": [{"path": "/healthz", "addresses": ["10.0.0.0/8"]}],
		"identity": [{"address": {}}],
		"rules": [
			{"name": "a", "match": [{"methods": ["POST"], "route": "r"}, {"methods": ["POST"], "virtual_host": "v"}], "limits": [{"requests": 1, "window": "1s"}]},
			{"name": "b", "match": [{"methods": ["POST"], "route": "s"}], "limits": [{"requests": 1, "window": "1s"}]},
			{"name": "c", "identity": [{"header": "x"}], "match": [{"headers": [{"name": "x"}], "policy": "p"}], "limits": [{"requests": 1, "window": "1s"}]},
			{"name": "d", "identity": [{"header": "x"}], "match": [{"path": "/plain"}], "limits": [{"requests": 1, "window": "1s"}]},
			{"name": "e", "match": [{"path_prefix": "/e"}], "limits": [{"requests": 1, "window": "1s"}]}]}`)
	for _, c := range []struct {
		r    *Request
		want map[string]int
	}{
		{request("GET", "/plain"), map[string]int{}},
		{request("GET", "/healthz"), map[string]int{propertyAddress: 1}},
		{request("GET", "/e/x"), map[string]int{propertyAddress: 1}},
		{request("POST", "/plain"), map[string]int{propertyRoute: 1, propertyVirtualHost: 1}},
		{request("POST", "/e", [2]string{"x", "1"}), map[string]int{propertyRoute: 1, propertyVirtualHost: 1, propertyPolicy: 1, propertyAddress: 1}},
	} {
		p := countedProperties{propertyMap{}, map[string]int{}}
		c.r.Properties = p
		for range 2 {
			if cfg.Exempt(c.r) {
				t.Errorf("%q is exempt", c.r.Headers)
			}
			for i := cfg.Next(c.r, 0); i >= 0; i = cfg.Next(c.r, i+1) {
				c.r.Identify(nil, cfg.Rules[i].Identity)
			}
		}
		if len(p.reads) != len(c.want) {
			t.Errorf("%q: read %v, want %v", c.r.Headers, p.reads, c.want)
		}
		for path, n := range p.reads {
			if n != c.want[path] {
				t.Errorf("%q: read %q %d times, want %d", c.r.Headers, path, n, c.want[path])
			}
		}
	}
}

func TestResetForgetsProperties(t *testing.T) {
	p := propertyMap{propertyRoute: "one", propertyAddress: "192.0.2.1:1"}
	r := &Request{Properties: p}
	sources := sourcesOf(t, `{"combine": [{"route": {}}, {"address": {}}]}`)
	r.Reset(nil)
	before, _ := r.Identify(nil, sources)
	p[propertyRoute] = "two"
	r.Reset(nil)
	if route, _ := r.Route(); route != "two" {
		t.Errorf("route %q", route)
	}
	p[propertyAddress] = "192.0.2.2:1"
	r.Reset(nil)
	if after, _ := r.Identify(nil, sources); string(after) == string(before) {
		t.Error("the earlier request's properties are still there")
	}
}

func TestExempt(t *testing.T) {
	cfg := mustParse(t, `{
		"exempt": [
			{"methods": ["OPTIONS"], "headers": [{"name": "origin"}, {"name": "access-control-request-method"}]},
			{"methods": ["GET", "HEAD"], "path": "/healthz"}],
		"rules": [{"name": "api", "limits": [{"requests": 1, "window": "1s"}]}]}`)
	preflight := [][2]string{{"origin", "https://shop.example"}, {"access-control-request-method", "PUT"}}
	for _, c := range []struct {
		r    *Request
		want bool
	}{
		{request("OPTIONS", "/x", preflight...), true},
		{request("OPTIONS", "/x", preflight[0]), false},
		{request("OPTIONS", "/x"), false},
		{request("GET", "/x", preflight...), false},
		{request("GET", "/healthz"), true},
		{request("HEAD", "/healthz?deep"), true},
		{request("POST", "/healthz"), false},
		{request("GET", "/healthz/"), false},
	} {
		if got := cfg.Exempt(c.r); got != c.want {
			t.Errorf("%q: %v", c.r.Headers, got)
		}
	}
	if cfg := mustParse(t, rulesOf(``)); cfg.Exempt(request("OPTIONS", "/", preflight...)) {
		t.Error("something is exempt without saying so")
	}
}
