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

func TestDecidingAllocatesNothing(t *testing.T) {
	cfg := mustParse(t, `{"domain": "shop", "identity": [{"header": "authorization"}, {"header": "x-api-key"}], "rules": [
		{"name": "login", "match": [{"methods": ["POST"], "path": "/login"}], "limits": [{"requests": 3, "window": "10s"}]},
		{"name": "admin", "match": [{"path_prefix": "/admin"}], "limits": [{"requests": 3, "window": "10s"}]},
		{"name": "api", "limits": [{"requests": 10, "window": "10s"}]}]}`)
	for _, target := range []string{"/v1/items?q=%20", "/a%2Fb", "*", "/admin/x"} {
		headers := [][2]string{{":method", "GET"}, {":path", target}, {":authority", "example.com"}, {"x-api-key", " alice "}}
		r, id := &Request{}, make([]byte, 0, 64)
		allocs := testing.AllocsPerRun(100, func() {
			r.Reset(headers)
			rule := cfg.Next(r, 0)
			id, _ = r.Identify(id[:0], cfg.Rules[rule].Identity)
			r.Path()
		})
		if allocs != 0 {
			t.Errorf("target %q: %v allocations for one decision, want none", target, allocs)
		}
	}
}
