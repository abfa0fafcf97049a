package config

import "testing"

// request returns a request with these further header lines.
func request(method, target string, lines ...[2]string) *Request {
	headers := [][2]string{{":authority", "example.com"}, {":path", target}, {":method", method}}
	r := &Request{}
	r.Reset(append(headers, lines...))
	return r
}

func TestResetReplacesEverything(t *testing.T) {
	r := request("POST", "//login?x=1", [2]string{"x-api-key", "alice"})
	if path, ok := r.Path(); path != "/login" || !ok {
		t.Fatalf("Path() = %q, %v", path, ok)
	}
	r.Reset([][2]string{{":method", "GET"}})
	if path, ok := r.Path(); ok || r.Method != "GET" || r.Authority != "" || r.Target != "" {
		t.Errorf("after Reset: path %q, %v, request %+v", path, ok, r)
	}
	if _, ok := r.Identify(nil, []Source{{Kind: SourceHeader, Name: "x-api-key"}}); ok {
		t.Error("after Reset the earlier client is still there")
	}
}

func TestResetTakesTheFirstPseudoHeader(t *testing.T) {
	r := &Request{}
	r.Reset([][2]string{{":path", "/a"}, {":path", "/b"}, {":method", "GET"}, {":method", "POST"}, {":authority", "a"}, {":authority", "b"}})
	if r.Target != "/a" || r.Method != "GET" || r.Authority != "a" {
		t.Errorf("got %q %q %q", r.Target, r.Method, r.Authority)
	}
}

// everyKind is a configuration with every kind of source and condition.
const everyKind = `{
	"exempt": [{"path": "/healthz", "addresses": ["10.0.0.0/8"]}],
	"plans": {"gold": {"members": ["sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]}},
	"plan_from": [{"metadata": ["jwt", "plan"]}],
	"rules": [
		{"name": "login", "match": [{"methods": ["POST"], "path": "/login"}], "identity": [{"bearer": {}}, {"cookie": "session"}], "limits": [{"requests": 3, "window": "10s"}]},
		{"name": "admin", "match": [{"path_prefix": "/admin", "hosts": ["*.example.com"]}], "identity": [{"query": "key"}], "limits": [{"requests": 3, "window": "10s"}]},
		{"name": "user", "match": [{"path_template": "/users/{id}", "headers": [{"name": "x", "regex": "[a-z]+"}]}], "identity": [{"combine": [{"header": "x"}, {"address": {}}]}], "continue": true, "limits": [{"requests": 3, "window": "10s"}]},
		{"name": "version", "match": [{"path_regex": "/v[0-9]+/.*"}], "identity": [{"metadata": ["jwt", "sub"]}], "limits": [{"requests": 3, "window": "10s"}]},
		{"name": "partner", "match": [{"policy": "partners", "route": "r", "virtual_host": "v"}], "identity": [{"route": {}}], "limits": [{"requests": 3, "window": "10s"}]},
		{"name": "api", "identity": [{"header": "x-api-key"}, {"constant": "everyone"}], "plans": {"gold": "unlimited"}, "limits": [{"requests": 10, "window": "10s"}]}]}`

func TestDecidingAllocatesNothing(t *testing.T) {
	cfg := mustParse(t, everyKind)
	p := Properties(propertyMap{propertyAddress: "[2001:db8::1]:80", propertyRoute: "r", "metadata\x00filter_metadata\x00jwt\x00sub": "alice"})
	for target, want := range map[string]string{
		"/login": "login", "/admin/x?key=a%20b": "admin", "/users/7?x=%2F": "user", "/v1/items": "version", "/healthz": "api", "/a%2Fb": "api", "*": "api",
	} {
		headers := [][2]string{
			{":method", "POST"}, {":path", target}, {":authority", "www.example.com:443"}, {"x-api-key", " alice "}, {"x", "abc"},
			{"authorization", "Bearer abc"}, {"cookie", "a=b; session=abc"},
		}
		r, id, name := &Request{Properties: p}, make([]byte, 0, 256), ""
		allocs := testing.AllocsPerRun(200, func() {
			r.Reset(headers)
			cfg.Exempt(r)
			rule := &cfg.Rules[cfg.Next(r, 0)]
			cfg.Next(r, 3)
			id, _ = r.Identify(id[:0], rule.Identity)
			cfg.Budget(rule, r, id)
			name = rule.Name
		})
		if allocs != 0 || name != want {
			t.Errorf("target %q: %v allocations for a decision by %q, want none by %q", target, allocs, name, want)
		}
	}
}

// A path that is not in normal form costs one string, however long it is.
func TestNormalisingAllocatesOneString(t *testing.T) {
	for _, target := range []string{"//login", "/a/../b", "/%61?x"} {
		r, headers := &Request{}, [][2]string{{":path", target}}
		if allocs := testing.AllocsPerRun(100, func() { r.Reset(headers); r.Path() }); allocs != 1 {
			t.Errorf("target %q: %v allocations, want 1", target, allocs)
		}
	}
}
