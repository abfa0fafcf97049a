package filter

import (
	"errors"
	"strings"
	"testing"
)

// TestPanics lets each host call of an exchange panic once. The VM survives, the request gets what on_error says, and the log
// has one line.
func TestPanics(t *testing.T) {
	for _, c := range []struct {
		call          string
		before        int // requests that came before
		allow, refuse int
	}{
		{"request headers", 0, 200, 503},
		{"get", 0, 200, 503},
		{"now", 0, 200, 503},
		{"create", 0, 200, 503},
		{"reply", 1, 200, 503},
		{"replace", 0, 200, 200},
	} {
		for onError, status := range map[string]int{"allow": c.allow, "refuse": c.refuse} {
			t.Run(c.call+"/"+onError, func(t *testing.T) {
				h := newFakeHost()
				p := startPlugin(t, h, onceInTen(onError))
				for range c.before {
					h.play(p, get("/", "alice"))
				}
				h.logs = nil
				for range 2 {
					h.trouble[c.call] = trouble{panics: indexError(), times: 1}
					r := h.play(p, get("/", "alice"))
					if r.status != status || r.told() != "" {
						t.Errorf("%d with %q, want %d without headers of ours", r.status, r.told(), status)
					}
					wantUnavailable(t, r, failPanic)
					h.now += 10 * second * int64(1-c.before)
				}
				p.OnTick()
				if n := h.counters["tollgate.shop.errors_panic"]; n != 2 {
					t.Errorf("errors_panic = %d", n)
				}
				const want = "tollgate shop: panic in a callback: runtime error: index out of range [3] with length 0 (further ones are counted in the metric errors_panic only)"
				if len(h.logs) != 1 || h.logs[0] != (logLine{LogError, want}) {
					t.Errorf("log %v, want once %q", h.logs, want)
				}
				if r := h.play(p, get("/", "bob")); r.status != 200 || r.value("x-ratelimit-remaining") != "0" {
					t.Errorf("afterwards: %d with %q", r.status, r.told())
				}
			})
		}
	}
}

// TestPanicsOutsideOfARequest holds that a tick and the end of a plugin survive too, and lose nothing.
func TestPanicsOutsideOfARequest(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, threeInTen)
	h.play(p, get("/", "alice"))
	h.logs = nil
	h.trouble["increment"] = trouble{panics: "broken", times: 2}
	p.OnTick()
	if !p.OnPluginDone() {
		t.Error("the plugin asks for time")
	}
	if len(h.logs) != 1 || !strings.HasPrefix(h.logs[0].text, "tollgate shop: panic in a callback (") {
		t.Errorf("log %v", h.logs)
	}
	p.OnTick()
	if h.counters["tollgate.shop.api.allowed"] != 1 || h.counters["tollgate.shop.errors_panic"] != 2 {
		t.Errorf("metrics %v", h.counters)
	}
}

// TestWhatAPanicTells holds that only the runtime's own words reach the log: anything else could hold a part of a request.
func TestWhatAPanicTells(t *testing.T) {
	const key = "s3cr3t"
	for name, reason := range map[string]any{"text": key, "error": errors.New(key), "value": struct{ key string }{key}} {
		h := newFakeHost()
		p := startPlugin(t, h, threeInTen)
		h.logs = nil
		h.trouble["get"] = trouble{panics: reason, times: 1}
		h.play(p, get("/", key))
		if len(h.logs) != 1 || strings.Contains(h.logs[0].text, key) {
			t.Errorf("%s: log %v", name, h.logs)
		}
	}
}
