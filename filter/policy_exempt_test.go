package filter

import "testing"

// TestExemptRequests holds that they meet no limit, are counted nowhere, get no headers and cost nothing but the reading of their own:
// probes and preflights, but not what only looks like them.
func TestExemptRequests(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`
		{"name": "api", "on_unidentified": "refuse", "limits": [{"requests": 1, "window": "1h"}]}`, `"exempt": [
		{"methods": ["OPTIONS"], "headers": [{"name": "origin"}, {"name": "access-control-request-method"}]},
		{"methods": ["GET", "HEAD"], "path": "/healthz", "addresses": ["10.0.0.0/8"]}]`))
	h.from("10.1.2.3:4711")
	preflight := with(with(bare("OPTIONS", "/cart"), "origin", "https://shop.example"), "access-control-request-method", "PUT")
	keys := h.store.Keys()
	h.calls = nil
	for range 1000 {
		for _, request := range [][][2]string{preflight, bare("GET", "/healthz?full")} {
			if r := h.play(p, request, [2]string{"x-ratelimit-limit", "9"}); r.status != 200 || r.lines() != "x-ratelimit-limit: 9" {
				t.Fatalf("%v: %d with %q", request, r.status, r.lines())
			}
		}
		h.wantCalls(t, "a preflight and a probe", "request headers", "request headers", "property source\x00address")
	}
	if h.store.Keys() != keys {
		t.Errorf("%d keys were written", h.store.Keys()-keys)
	}
	h.wantMetrics(t, p)

	for what, request := range map[string][][2]string{
		"a plain OPTIONS":       with(bare("OPTIONS", "/cart"), "origin", "https://shop.example"),
		"a probe of all":        bare("GET", "/healthz/all"),
		"another method":        bare("POST", "/healthz"),
		"a preflight by method": with(bare("GET", "/cart"), "access-control-request-method", "PUT"),
	} {
		if r := h.play(p, request); r.status != 401 {
			t.Errorf("%s without a key: %d", what, r.status)
		}
	}
	h.from("192.0.2.1:80")
	if r := h.play(p, bare("GET", "/healthz")); r.status != 401 {
		t.Errorf("a probe from outside: %d", r.status)
	}
	h.play(p, with(bare("OPTIONS", "/cart"), "x-api-key", "alice")).want(t, "a plain OPTIONS with a key", 200, "limit=1 remaining=0 reset=3600")
}
