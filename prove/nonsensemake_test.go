package prove

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tollgate/internal/wasmhost"
)

// names are the header names that mean something to the filter or to a proxy, and some that no proxy lets through.
var names = []string{
	":method", ":path", ":authority", ":scheme", ":status", "x-api-key", "authorization", "x-org", "cookie", "content-type", "host",
	"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after", "access-control-request-method", "origin",
	"x-forwarded-for", "grpc-timeout", "", " ", "\x00", "\xff\xfe", "x", "X-API-KEY", "x-api-key\x00", strings.Repeat("n", 4096),
}

// values are header values that some part of the filter looks at closely.
var values = []string{
	"", " ", "\t \t", "alice", " alice ", "bob", "*", "anonymous", "GET", "POST", "get", "/", "/login", "/login?next=%2Fhome", "//login", "/a/../login",
	"/%6Cogin", "/a%2Fb/c", "/%", "/%z", "*", "http://shop.example/x", "/\x00", "/\xff\xfe", "?", "#", "/..", "/../../..", "application/grpc",
	"application/grpc-web", "Bearer T", "bearer  T", "Basic", "a=b; c", "0", "-1", "4294967296", "\x00", "\xc3\x28", "\xed\xa0\x80", "200", "503", "",
}

// headers makes up a header map: from none to a thousand lines, up to some sixty thousand bytes, in any order and spelling.
func (c *choices) headers() wasmhost.Headers {
	if c.yes(4) {
		return get(of(c, values))
	}
	lines := of(c, []int{0, 1, 3, 8, 30, 1024})
	size := of(c, []int{0, 1, 16, 300, 60_000})
	if lines > 8 {
		c = c.branch()
	}
	var h wasmhost.Headers
	for bytes := 0; len(h) < lines && bytes < 60_000; {
		line := [2]string{c.name(), c.value(size)}
		h = append(h, line)
		bytes += len(line[0]) + len(line[1])
	}
	return h
}

func (c *choices) name() string {
	if c.yes(4) {
		return c.bytes(c.below(12))
	}
	return of(c, names)
}

func (c *choices) value(most int) string {
	if c.yes(3) {
		return c.bytes(c.below(most + 1))
	}
	return of(c, values)
}

// configurations are where the made-up ones begin.
func configurations(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("../config/testdata/good/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no configurations to begin with: %v", err)
	}
	all := []string{namedConfig, anonymous, `{"rules": [{"name": "api", "limits": [{"requests": 1, "window": "1s"}, {"requests": 5, "window": "1d"}]}],
		"on_error": "refuse", "on_unidentified": "refuse", "max_counters": 16, "on_full": "share"}`}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return all
}

// tokens are what a change puts into a configuration.
var tokens = []string{
	"{", "}", "[", "]", ",", ":", `"`, `""`, "null", "true", "-1", "0", "1e309", "4294967296", "1e+06", "10.0", `"0s"`, `"366d"`, `"367d"`, "\x00", "\xff",
	"\xef\xbb\xbf", "\n", `\`, `\ud800`, `"requests"`, `"window"`, `"rules"`, `"name"`, `"limits"`, `"match"`, `"identity"`, "\x0a\x05", strings.Repeat("[", 20_000),
}

// configuration returns one of the good ones, often changed.
func (c *choices) configuration(good []string) string {
	text := of(c, good)
	for range of(c, []int{0, 0, 0, 1, 2, 5}) {
		from := c.below(len(text) + 1)
		to := min(len(text), from+c.below(20))
		switch c.below(5) {
		case 0:
			text = text[:from] + text[to:]
		case 1:
			text = text[:from] + of(c, tokens) + text[to:]
		case 2:
			text = text[:to] + text[from:]
		case 3:
			text = text[:from] + c.bytes(to-from) + text[to:]
		case 4:
			other := of(c, good)
			text = text[:from] + other[min(from, len(other)):]
		}
	}
	return text
}

// properties are those that a configuration can ask for.
var properties = [][]string{
	{"source", "address"}, {"xds", "route_name"}, {"xds", "virtual_host_name"},
	{"xds", "route_metadata", "filter_metadata", "tollgate", "policy"}, {"xds", "route_metadata", "filter_metadata", "tollgate", "rules"},
	{"metadata", "filter_metadata", "envoy.filters.http.jwt_authn", "payload", "sub"},
	{"metadata", "filter_metadata", "envoy.filters.http.jwt_authn", "payload", "plan"},
}

var propertyValues = []string{
	"", "192.0.2.1:80", "192.0.2.1", "[2001:db8::1]:80", "[::ffff:192.0.2.1]:80", "2001:db8::1", "[", "]:", "256.0.0.1:80", "@pipe", "gold", "p", "\x00\xff",
	`[{"name": "own", "limits": [{"requests": 1, "window": "1s"}]}]`, `[{"name": "own", "limits": []}]`, `[`, strings.Repeat("long ", 5000),
}
