package filter

import (
	"fmt"
	"strings"
	"testing"

	"tollgate/limiter"
)

// onceInTen allows one request, so that the second one is refused.
func onceInTen(onError string) string {
	return `{"domain": "shop", "on_error": "` + onError + `", "rules": [{"name": "api", "limits": [{"requests": 1, "window": "10s"}]}]}`
}

// bucketKey is the key of the only bucket that the next request creates.
func (h *fakeHost) bucketKey(t *testing.T) []byte {
	t.Helper()
	found := ""
	h.store.Each(func(key string, _ []byte) {
		if !strings.HasSuffix(key, "/key") && !strings.HasSuffix(key, "/selftest") {
			found = key
		}
	})
	if found == "" {
		t.Fatal("no bucket was written")
	}
	return []byte(found)
}

// TestFailures breaks each thing that an exchange needs. The request gets what on_error says: it passes without headers of ours,
// or 503 without them; the failure is counted under its kind and logged once.
func TestFailures(t *testing.T) {
	const spent = "limit=1 remaining=0 reset=1010"
	for _, c := range []struct {
		name          string
		before        int // requests that came before
		breaks        func(t *testing.T, h *fakeHost)
		kind          failure
		allow, refuse int    // what the client gets
		told          string // with on_error allow
	}{
		{"headers unreadable", 0, fail("request headers"), failHeaders, 200, 503, ""},
		{"no get", 0, fail("get"), failStore, 200, 503, ""},
		{"no clock", 0, fail("now"), failClock, 200, 503, ""},
		{"no create", 0, fail("create"), failStore, 200, 503, ""},
		{"the clock after 2106", 0, func(_ *testing.T, h *fakeHost) { h.now = 1 << 32 * second }, failClock, 200, 503, ""},
		{"the clock before 1970", 0, func(_ *testing.T, h *fakeHost) { h.now = -1 }, failClock, 200, 503, ""},
		{"no swap", 1, func(_ *testing.T, h *fakeHost) { h.now += 10 * second; h.failing("swap", always, errBroken) }, failStore, 200, 503, ""},
		{"endless conflicts", 1, func(_ *testing.T, h *fakeHost) { h.now += 10 * second; h.failing("swap", always, limiter.ErrConflict) }, failContended, 200, 503, ""},
		{"created by others for ever", 0, func(_ *testing.T, h *fakeHost) { h.failing("create", always, limiter.ErrExists) }, failContended, 200, 503, ""},
		{"a foreign value", 1, func(t *testing.T, h *fakeHost) { h.store.Set(h.bucketKey(t), []byte("foreign"), 0) }, failCorrupt, 200, 503, ""},
		{"no reply", 1, fail("reply"), failReply, 200, 200, spent},
		{"no response header", 0, func(_ *testing.T, h *fakeHost) { h.now += 10 * second; h.failing("replace", 1, errBroken) }, failHeaders, 200, 200, ""},
	} {
		for onError, status := range map[string]int{"allow": c.allow, "refuse": c.refuse} {
			t.Run(c.name+"/"+onError, func(t *testing.T) {
				h := newFakeHost()
				p := startPlugin(t, h, onceInTen(onError))
				for range c.before {
					h.play(p, get("/", "alice"))
				}
				h.logs = nil
				const times = 3
				for range times {
					c.breaks(t, h)
					r := h.play(p, get("/", "alice"))
					if r.status != status || r.told() != c.told {
						t.Errorf("%d with %q, want %d with %q", r.status, r.told(), status, c.told)
					}
					wantUnavailable(t, r, c.kind)
				}
				p.OnTick()
				if n := h.counters["tollgate.shop.errors_"+c.kind.String()]; n != times {
					t.Errorf("errors_%s = %d, want %d", c.kind, n, times)
				}
				want := "tollgate shop: " + c.kind.explanation() + " (further ones are counted in the metric errors_" + c.kind.String() + " only)"
				if lines := h.errorLines(); len(lines) != 1 || lines[0] != want || len(h.logs) != 1 {
					t.Errorf("log %v, want once %q", h.logs, want)
				}
			})
		}
	}
}

func fail(call string) func(*testing.T, *fakeHost) {
	return func(_ *testing.T, h *fakeHost) { h.failing(call, 1, errBroken) }
}

// wantUnavailable holds the whole of a 503.
func wantUnavailable(t *testing.T, r response, kind failure) {
	t.Helper()
	if r.status != 503 {
		return
	}
	if got, want := fmt.Sprintf("%+v", *r.local), fmt.Sprintf("%+v", sentReply{503, "tollgate.error." + kind.String(), nil, "", NoGRPC}); got != want {
		t.Errorf("reply %s, want %s", got, want)
	}
	if len(r.headers) != 0 {
		t.Errorf("headers %v of a 503", r.headers)
	}
}

// TestAfterAFailure holds that counting goes on as if nothing had been.
func TestAfterAFailure(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, threeInTen)
	h.play(p, get("/", "alice"))
	for _, call := range []string{"request headers", "get", "now", "swap", "replace"} {
		h.failing(call, 1, errBroken)
		h.play(p, get("/", "alice"))
	}
	// Only the request whose response header could not be written was counted.
	if r := h.play(p, get("/", "alice")); r.told() != "limit=3 remaining=0 reset=1010" {
		t.Errorf("told %q", r.told())
	}
}

// TestOnlyHeadersThatCanBeWritten stops at the first that cannot: a part of them would mislead.
func TestOnlyHeadersThatCanBeWritten(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, threeInTen)
	h.calls = nil
	h.failing("replace", always, errBroken)
	h.play(p, get("/", "alice"))
	if n := strings.Count(strings.Join(h.calls, "\n"), "replace"); n != 1 {
		t.Errorf("%d attempts to write a header: %q", n, h.calls)
	}
}

// TestTheStrictestRuleDecidesWhereNoneIsKnown holds what a request gets whose headers cannot be read.
func TestTheStrictestRuleDecidesWhereNoneIsKnown(t *testing.T) {
	for onError, status := range map[string]int{"allow": 200, "refuse": 503} {
		h := newFakeHost()
		p := startPlugin(t, h, `{"domain": "shop", "rules": [
			{"name": "login", "match": [{"path": "/login"}], "on_error": "`+onError+`", "limits": [{"requests": 1, "window": "1s"}]},
			{"name": "api", "limits": [{"requests": 1, "window": "1s"}]}]}`)
		h.failing("request headers", 1, errBroken)
		if r := h.play(p, get("/", "alice")); r.status != status {
			t.Errorf("headers unreadable, login %s: %d", onError, r.status)
		}
		h.failing("get", 1, errBroken)
		if r := h.play(p, get("/", "alice")); r.status != 200 {
			t.Errorf("not counted, and its own rule allows that: %d", r.status)
		}
	}
}

// TestAFullTable holds the metric table_full, and the failure of a bucket that has not even a shared counter left.
func TestAFullTable(t *testing.T) {
	var rules []string
	for i := range 4 {
		var windows []string
		for w := range limiter.MaxLimits {
			windows = append(windows, fmt.Sprintf(`{"requests": 1000000, "window": "%ds"}`, w+1))
		}
		rules = append(rules, fmt.Sprintf(`{"name": "r%d", "match": [{"path": "/%d"}], "limits": [%s]}`, i, i, strings.Join(windows, ",")))
	}
	h := newFakeHost()
	p := startPlugin(t, h, `{"domain": "shop", "max_counters": 16, "rules": [`+strings.Join(rules, ",")+`]}`)
	keys := h.store.Keys()
	for i := range 200 {
		r := h.play(p, get(fmt.Sprintf("/%d", i%4), fmt.Sprint("client-", i)))
		if r.status != 200 {
			t.Fatalf("request %d got %d", i, r.status)
		}
	}
	p.OnTick()
	if h.counters["tollgate.shop.table_full"] == 0 || h.counters["tollgate.shop.errors_table"] == 0 {
		t.Errorf("metrics %v", h.counters)
	}
	if lines := h.errorLines(); len(lines) != 1 || !strings.Contains(lines[0], "raise max_counters") {
		t.Errorf("log %q", lines)
	}
	if h.store.Keys() > keys+2 {
		t.Errorf("%d keys for two buckets", h.store.Keys()-keys)
	}
}
