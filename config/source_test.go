package config

import (
	"bytes"
	"encoding/hex"
	"regexp"
	"strings"
	"testing"
)

// sourcesOf compiles a list of sources.
func sourcesOf(t *testing.T, list string) []Source {
	t.Helper()
	return mustParse(t, `{"identity": [`+list+`], "rules": [{"name": "api", "limits": [{"requests": 1, "window": "1s"}]}]}`).Rules[0].Identity
}

// client is one way in which a request may come.
type client struct {
	target     string
	headers    [][2]string
	properties propertyMap
}

func (c client) identity(sources []Source) []byte {
	target := c.target
	if target == "" {
		target = "/"
	}
	r := request("GET", target, c.headers...)
	r.Properties = c.properties
	id, ok := r.Identify(nil, sources)
	if !ok {
		return nil
	}
	return id
}

func header(name, value string) [][2]string { return [][2]string{{name, value}} }

// Within a group all are one client; clients of different groups differ; those in none have no identity.
func TestSources(t *testing.T) {
	address := func(a string) client { return client{properties: propertyMap{propertyAddress: a}} }
	subject := func(s string) client {
		return client{properties: propertyMap{"metadata\x00filter_metadata\x00envoy.filters.http.jwt_authn\x00payload\x00sub": s}}
	}
	for name, c := range map[string]struct {
		source string
		groups [][]client
		none   []client
	}{
		"bearer": {
			source: `{"bearer": {}}`,
			groups: [][]client{
				{{headers: header("authorization", "Bearer T")}, {headers: header("authorization", "bearer T")}, {headers: header("authorization", "BEARER   T ")},
					{headers: header("authorization", "Bearer\tT")}, {headers: [][2]string{{"authorization", "Bearer T"}, {"authorization", "bearer  T"}}}},
				{{headers: header("authorization", "Bearer t")}},
				{{headers: header("authorization", "Bearer aZ09-._~+/==")}},
			},
			none: []client{{}, {headers: header("authorization", "xBearer T")}, {headers: header("authorization", "Bearer T T")},
				{headers: header("authorization", "Bearer T,Bearer U")}, {headers: header("authorization", "Bearer T=U")}, {headers: header("authorization", "Bearer ==")}, {headers: header("authorization", "Bearer")}, {headers: header("authorization", "Bearer ")},
				{headers: header("authorization", "BearerT")}, {headers: header("authorization", "Basic T")}, {headers: header("authorization", "")},
				{headers: [][2]string{{"authorization", "Bearer T"}, {"authorization", "Bearer U"}}},
				{headers: [][2]string{{"authorization", "Basic T"}, {"authorization", "Bearer T"}}},
				{headers: [][2]string{{"authorization", "Bearer T"}, {"authorization", ""}}}},
		},
		"query": {
			source: `{"query": "api_key"}`,
			groups: [][]client{
				{{target: "/?api_key=alice"}, {target: "/x?a=b&api_key=alice&c"}, {target: "/?api%5Fkey=%61lice"}, {target: "/?api_key=alice#api_key=bob"},
					{target: "/?api_key=+alice%20"}, {target: "/?api_key=alice&api_key=%61lice"}, {target: "?api_key=alice"}, {target: "/?&&api_key=alice"}},
				{{target: "/?api_key=a+b"}, {target: "/?api_key=a%20b"}},
				{{target: "/?api_key=a%2Bb"}},
				{{target: "/?api_key=%zz"}, {target: "/?api_key=%25zz"}},
				{{target: "/?api_key=%4"}},
				{{target: "/?api_key=a=b"}},
				{{target: "/?api_key=a?b"}},
				{{target: "/?api_key=%2561"}},
				{{target: "/?api_key=%ff"}},
			},
			none: []client{{target: "/"}, {target: "/?"}, {target: "/?api_key"}, {target: "/?api_key="}, {target: "/?api_key=+%09"}, {target: "/?API_KEY=alice"}, {target: "/?xapi_key=alice"},
				{target: "/?api_key=alice&api_key=bob"}, {target: "/?api_key=alice&api%5fkey=bob"}, {target: "/?api_key=alice&api_key"}, {target: "/?api_key&api_key=alice"},
				{target: "/api_key=alice"}, {target: "/#?api_key=alice"}, {target: ""}, {target: "/?api_key=a&api_key=b&api_key=a"}},
		},
		"cookie": {
			source: `{"cookie": "session"}`,
			groups: [][]client{
				{{headers: header("cookie", "session=alice")}, {headers: header("cookie", "a=b; session=alice;c=d")}, {headers: header("cookie", " session = alice ;")},
					{headers: [][2]string{{"cookie", "a=b"}, {"cookie", "session=alice"}}}, {headers: [][2]string{{"cookie", "session=alice; session=alice"}}}},
				{{headers: header("cookie", `session="alice"`)}},
				{{headers: header("cookie", "session=a=b")}},
				{{headers: header("cookie", "session=%61lice")}},
			},
			none: []client{{}, {headers: header("cookie", "")}, {headers: header("cookie", "session")}, {headers: header("cookie", "session=")}, {headers: header("cookie", "Session=alice")},
				{headers: header("cookie", "xsession=alice")}, {headers: header("cookie", "session=alice; session=bob")}, {headers: [][2]string{{"cookie", "session=alice"}, {"cookie", "session="}}},
				{headers: header("set-cookie", "session=alice")}},
		},
		"metadata": {
			source: `{"metadata": ["envoy.filters.http.jwt_authn", "payload", "sub"]}`,
			groups: [][]client{{subject("alice")}, {subject("bob")}, {subject(" alice")}, {subject("\x00\x00\x00\x00\x00\x00\xf0\x3f")}},
			none:   []client{{}, subject("")},
		},
		"address": {
			source: `{"address": {}}`,
			groups: [][]client{
				{address("203.0.113.7:1024"), address("203.0.113.7:65535"), address("203.0.113.7"), address("[::ffff:203.0.113.7]:80"), {headers: header("x-forwarded-for", "1.2.3.4"), properties: propertyMap{propertyAddress: "203.0.113.7:1"}}},
				{address("203.0.113.8:1024")},
				{address("[2001:db8::1]:80"), address("[2001:db8::ffff:1]:81"), address("2001:db8::2"), address("[2001:db8::1%eth0]:80")},
				{address("[2001:db8:0:1::1]:80")},
				{address("[::]:80")},
				{address("0.0.0.0:80")},
			},
			none: []client{{}, address(""), address("/var/run/socket"), address("localhost:80"), address(":80"), address("%:80"), address("[]:80"), address("[:80"), address(strings.Repeat("1", 4096)), {headers: header("x-forwarded-for", "1.2.3.4")}},
		},
		"address networks": {
			source: `{"address": {"ipv4_prefix": 24, "ipv6_prefix": 128}}`,
			groups: [][]client{
				{address("203.0.113.7:1"), address("203.0.113.200:1")},
				{address("203.0.112.7:1")},
				{address("[2001:db8::1]:80")},
				{address("[2001:db8::2]:80")},
			},
			none: []client{{}},
		},
		"route": {
			source: `{"route": {}}`,
			groups: [][]client{{{properties: propertyMap{propertyRoute: "partners"}}}, {{properties: propertyMap{propertyRoute: "api"}}}},
			none:   []client{{}, {properties: propertyMap{propertyRoute: ""}}},
		},
		"constant": {
			source: `{"constant": "everyone"}`,
			groups: [][]client{{{}, {target: "*"}, {headers: header("x-api-key", "alice")}}},
		},
		"combine": {
			source: `{"combine": [{"header": "x-org"}, {"header": "x-user"}]}`,
			groups: [][]client{
				{{headers: [][2]string{{"x-org", "a"}, {"x-user", "b"}}}, {headers: [][2]string{{"x-user", " b"}, {"x-org", "a"}}}},
				{{headers: [][2]string{{"x-org", "b"}, {"x-user", "a"}}}},
				{{headers: [][2]string{{"x-org", "ab"}, {"x-user", "b"}}}},
				{{headers: [][2]string{{"x-org", "a"}, {"x-user", "bb"}}}},
			},
			none: []client{{}, {headers: header("x-org", "a")}, {headers: header("x-user", "b")}, {headers: [][2]string{{"x-org", "a"}, {"x-user", ""}}},
				{headers: [][2]string{{"x-org", "a"}, {"x-user", "b"}, {"x-user", "c"}}}},
		},
	} {
		sources := sourcesOf(t, c.source)
		owner := map[string]int{}
		for i, group := range c.groups {
			for _, one := range group {
				id := string(one.identity(sources))
				if j, taken := owner[id]; taken && j != i || id == "" {
					t.Errorf("%s: %+v has identity %q, which is group %d's, not %d's", name, one, id, j, i)
				}
				if first := string(group[0].identity(sources)); id != first {
					t.Errorf("%s: %+v has identity %q, but %+v has %q", name, one, id, group[0], first)
				}
				owner[id] = i
			}
		}
		for _, one := range c.none {
			if id := one.identity(sources); id != nil {
				t.Errorf("%s: %+v has identity %q, want none", name, one, id)
			}
		}
	}
}

// The same value from different kinds of sources, or under different names, is never the same identity.
func TestKindsAndNamesKeepIdentitiesApart(t *testing.T) {
	all := client{
		target:  "/?x=v",
		headers: [][2]string{{"x", "v"}, {"cookie", "x=v; y=v"}, {"authorization", "Bearer v"}},
		properties: propertyMap{
			propertyRoute: "v", propertyAddress: "192.0.2.1:1",
			"metadata\x00filter_metadata\x00x\x00y": "v", "metadata\x00filter_metadata\x00x\x00z": "v",
		},
	}
	seen := map[string]string{}
	for _, source := range []string{
		`{"header": "x"}`, `{"query": "x"}`, `{"cookie": "x"}`, `{"cookie": "y"}`, `{"bearer": {}}`, `{"metadata": ["x", "y"]}`, `{"metadata": ["x", "z"]}`,
		`{"route": {}}`, `{"constant": "v"}`, `{"constant": "w"}`, `{"address": {}}`, `{"address": {"ipv4_prefix": 31}}`,
		`{"combine": [{"header": "x"}, {"cookie": "x"}]}`, `{"combine": [{"cookie": "x"}, {"header": "x"}]}`, `{"combine": [{"header": "x"}, {"cookie": "x"}, {"route": {}}]}`,
	} {
		id := string(all.identity(sourcesOf(t, source)))
		if other, taken := seen[id]; taken || id == "" {
			t.Errorf("%s has the identity of %s: %q", source, other, id)
		}
		seen[id] = source
	}
}

// The place of a source in the list is no part of the identity, so that a list can grow at the front.
func TestThePlaceOfASourceDoesNotMatter(t *testing.T) {
	alice := client{headers: header("x-api-key", "alice")}
	alone, last := alice.identity(sourcesOf(t, `{"header": "x-api-key"}`)), alice.identity(sourcesOf(t, `{"bearer": {}}, {"query": "k"}, {"header": "X-API-Key"}`))
	if alone == nil || !bytes.Equal(alone, last) {
		t.Errorf("got %q and %q", alone, last)
	}
}

func TestIdentifyAppends(t *testing.T) {
	sources := sourcesOf(t, `{"query": "q"}, {"combine": [{"query": "a"}, {"query": "b"}]}, {"header": "x"}`)
	for target, want := range map[string]bool{"/?q=1": true, "/?q=1&q=2&a=3&b=4": true, "/?a=1": false, "/?a=1&b=2&b=3": false} {
		r := request("GET", target)
		fresh, ok := r.Identify(nil, sources)
		id, ok2 := r.Identify([]byte("before"), sources)
		if ok != want || ok2 != want || string(id) != "before"+string(fresh) {
			t.Errorf("%s: %q %v and %q %v, want %v", target, fresh, ok, id, ok2, want)
		}
	}
}

func TestWantsBearer(t *testing.T) {
	for list, want := range map[string]bool{
		`{"header": "x"}`: false, `{"header": "x"}, {"bearer": {}}`: true, `{"combine": [{"route": {}}, {"bearer": {}}]}`: true, `{"combine": [{"route": {}}, {"header": "x"}]}`: false,
	} {
		rule := Rule{Identity: sourcesOf(t, list)}
		if got := rule.WantsBearer(); got != want {
			t.Errorf("%s: %v", list, got)
		}
	}
}

func FuzzIdentify(f *testing.F) {
	f.Add("/?k=a&k=%61", "k=a; x", "Bearer T", "10.0.0.1:80")
	f.Add("/?k=a+b&%6B=a%20b#k=c", "k=a;k=b", "bEARER  T U ", "[::ffff:10.0.0.1]:80")
	f.Add("/?k=%&k", `k="a"`, "Basic x", "[fe80::1%eth0]:1")
	sources := map[string][]Source{}
	for name, s := range map[string]Source{
		"query": {Kind: SourceQuery, Name: "k"}, "cookie": {Kind: SourceCookie, Name: "k"}, "bearer": {Kind: SourceBearer},
		"address": {Kind: SourceAddress, IPv4Prefix: 24, IPv6Prefix: 64},
	} {
		sources[name] = []Source{s}
	}
	f.Fuzz(func(t *testing.T, target, cookie, authorization, address string) {
		c := client{target: target, headers: [][2]string{{"cookie", cookie}, {"authorization", authorization}}, properties: propertyMap{propertyAddress: address}}
		if target == "" {
			c.target = "/"
		}
		for name, values := range map[string][]string{"query": modelQuery(c.target), "cookie": modelCookie(cookie), "bearer": modelBearer(authorization)} {
			want := modelAgreed(values)
			id := c.identity(sources[name])
			value, ok := namedValue(id)
			if ok != (want != "") || string(value) != want {
				t.Errorf("%s of %+v: %q, the model says %q", name, c, value, want)
			}
		}
		if id := c.identity(sources["address"]); id != nil && len(id) != 20 {
			t.Errorf("address %q: identity %q", address, id)
		}
	})
}

// modelAgreed returns the one value that all are, or "".
func modelAgreed(values []string) string {
	seen := map[string]bool{}
	for _, v := range values {
		seen[strings.Trim(v, " \t")] = true
	}
	if len(seen) != 1 {
		return ""
	}
	return strings.Trim(values[0], " \t")
}

func modelQuery(target string) (values []string) {
	_, query, ok := strings.Cut(strings.Split(target, "#")[0], "?")
	if !ok {
		return nil
	}
	for _, pair := range strings.Split(query, "&") {
		key, value, _ := strings.Cut(pair, "=")
		if modelForm(key) == "k" {
			values = append(values, modelForm(value))
		}
	}
	return values
}

func modelForm(s string) string {
	pieces := strings.Split(strings.ReplaceAll(s, "+", " "), "%")
	out := pieces[0]
	for _, p := range pieces[1:] {
		if code, err := hex.DecodeString(p[:min(2, len(p))]); err == nil && len(code) == 1 {
			out += string(code) + p[2:]
		} else {
			out += "%" + p
		}
	}
	return out
}

func modelCookie(line string) (values []string) {
	for _, pair := range strings.Split(line, ";") {
		key, value, ok := strings.Cut(pair, "=")
		if ok && strings.Trim(key, " \t") == "k" {
			values = append(values, value)
		}
	}
	return values
}

func modelBearer(value string) []string {
	value = strings.Trim(value, " \t")
	if len(value) < 7 || !strings.EqualFold(value[:6], "bearer") || value[6] != ' ' && value[6] != '\t' {
		return nil
	}
	token := strings.Trim(value[7:], " \t")
	if !bearerSyntax.MatchString(token) {
		return nil
	}
	return []string{token}
}

// bearerSyntax is b64token of RFC 6750 section 2.1.
var bearerSyntax = regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*$`)
