package filter

import (
	"strings"
	"testing"
)

// shadowed has a shadow rule for everything before and after one that is enforced.
var shadowed = shop(`
	{"name": "tight", "mode": "shadow", "limits": [{"requests": 1, "window": "1h"}]},
	{"name": "api", "match": [{"path_prefix": "/api"}], "limits": [{"requests": 3, "window": "1h"}]},
	{"name": "loose", "mode": "shadow", "limits": [{"requests": 9, "window": "1h"}]}`, `"shadow_header": "x-shadow"`)

// TestShadowRules holds that they refuse nobody, are never told to the client, tell the upstream, and count what is admitted and nothing
// else.
func TestShadowRules(t *testing.T) {
	h := newFakeHost()
	// The search would end at the enforced rule; it stands last so that the shadow rules see the same requests.
	p := startPlugin(t, h, shop(`
		{"name": "tight", "mode": "shadow", "limits": [{"requests": 1, "window": "1h"}]},
		{"name": "loose", "mode": "shadow", "limits": [{"requests": 9, "window": "1h"}]},
		{"name": "api", "match": [{"path_prefix": "/api"}], "limits": [{"requests": 3, "window": "1h"}]}`, `"shadow_header": "x-shadow"`))
	for _, c := range []struct {
		target   string
		status   int
		told     string
		upstream string
		counts   string
	}{
		{"/api", 200, "limit=3 remaining=2 reset=3600", "tight=allowed, loose=allowed", "1 1 1"},
		{"/api", 200, "limit=3 remaining=1 reset=3600", "tight=limited, loose=allowed", "2 2 1"},
		{"/api", 200, "limit=3 remaining=0 reset=3600", "tight=limited, loose=allowed", "3 3 1"},
		{"/api", 429, "limit=3 remaining=0 reset=3600 retry-after=2600", "", "3 3 1"},
		{"/", 200, "", "tight=limited, loose=allowed", "4 3 1"},
	} {
		h.upstream = nil
		h.play(p, get(c.target, "alice")).want(t, c.target, c.status, c.told)
		if got := valueOf(h.upstream, "x-shadow"); got != c.upstream {
			t.Errorf("%s: the upstream is told %q, want %q", c.target, got, c.upstream)
		}
		h.wantCounts(t, c.target, c.counts)
	}
	h.wantMetrics(t, p, "api.allowed=3", "api.limited=1", "loose.allowed=4", "tight.allowed=1", "tight.shadow_limited=3")
}

func valueOf(headers [][2]string, name string) string {
	return response{headers: headers}.valueOr(name, "")
}

// valueOr is value with a text for a header that is not there.
func (r response) valueOr(name, missing string) string {
	if value := r.value(name); value != "none" {
		return value
	}
	return missing
}

// TestAShadowRuleAfterTheEnforcedOne holds that the search ends where it would without it.
func TestAShadowRuleAfterTheEnforcedOne(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shadowed)
	h.play(p, get("/api", "alice"))
	h.play(p, get("/", "alice"))
	h.wantMetrics(t, p, "api.allowed=1", "loose.allowed=1", "tight.allowed=1", "tight.shadow_limited=1")
}

// TestTheShadowHeaderIsNobodysButOurs holds that no request reaches the upstream with what a client sent under the name, and that
// a request without it costs no host call.
func TestTheShadowHeaderIsNobodysButOurs(t *testing.T) {
	configuration := shop(`
		{"name": "tight", "mode": "shadow", "match": [{"path": "/watched"}], "limits": [{"requests": 1, "window": "1h"}]},
		{"name": "named", "match": [{"path": "/named"}], "on_unidentified": "refuse", "limits": [{"requests": 1, "window": "1h"}]},
		{"name": "api", "match": [{"path": "/api"}], "limits": [{"requests": 1, "window": "1h"}]}`,
		`"shadow_header": "X-Shadow"`, `"exempt": [{"path": "/healthz"}]`)
	for _, c := range []struct {
		what, target string
		forged       bool
		call         string // on the request, "" for none
	}{
		{"exempt", "/healthz", false, ""},
		{"exempt", "/healthz", true, "remove request x-shadow"},
		{"unmatched", "/", false, ""},
		{"unmatched", "/", true, "remove request x-shadow"},
		{"enforced alone", "/api", false, ""},
		{"enforced alone", "/api", true, "remove request x-shadow"},
		{"watched", "/watched", false, "replace request x-shadow"},
		{"watched", "/watched", true, "replace request x-shadow"},
	} {
		h := newFakeHost()
		p := startPlugin(t, h, configuration)
		request := get(c.target, "alice")
		if c.forged {
			request = with(with(request, "x-shadow", "tight=allowed"), "x-shadow", "twice")
		}
		h.calls, h.upstream = nil, request
		h.play(p, request)
		if got := strings.Join(changes(h.calls), ", "); got != c.call {
			t.Errorf("%s, forged %t: calls %q, want %q", c.what, c.forged, got, c.call)
		}
		if got, want := valueOf(h.upstream, "x-shadow"), map[bool]string{true: "tight=allowed"}[c.target == "/watched"]; got != want {
			t.Errorf("%s, forged %t: the upstream gets %q, want %q", c.what, c.forged, got, want)
		}
	}
}

// changes are the calls that change the request.
func changes(calls []string) []string {
	var some []string
	for _, call := range calls {
		if strings.Contains(call, " request ") {
			some = append(some, call)
		}
	}
	return some
}

// TestNobodyIsToldOfShadowsByARefusal holds that a request which goes nowhere is not changed.
func TestNobodyIsToldOfShadowsByARefusal(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`
		{"name": "tight", "mode": "shadow", "limits": [{"requests": 1, "window": "1h"}]},
		{"name": "named", "match": [{"path": "/named"}], "on_unidentified": "refuse", "limits": [{"requests": 1, "window": "1h"}]},
		{"name": "never", "limits": [{"requests": 0, "window": "1h"}]}`, `"shadow_header": "x-shadow"`))
	for target, status := range map[string]int{"/": 429, "/named": 401} {
		h.calls = nil
		if r := h.play(p, with(bare("GET", target), "x-shadow", "forged")); r.status != status || len(changes(h.calls)) != 0 {
			t.Errorf("%s: %d after %q", target, r.status, h.calls)
		}
	}
}

// TestTheShadowHeaderWhereCountingFails holds that what a client sent is removed also where nothing is known of the request, and what
// a header that cannot be changed leaves behind.
func TestTheShadowHeaderWhereCountingFails(t *testing.T) {
	forged := with(get("/api", "alice"), "x-shadow", "forged")
	h := newFakeHost()
	p := startPlugin(t, h, shadowed)
	for name, trouble := range map[string]trouble{"request headers": {err: errBroken, times: 1}, "get": {panics: "broken", times: 1}} {
		h.trouble[name], h.upstream = trouble, forged
		if r := h.play(p, forged); r.status != 200 || valueOf(h.upstream, "x-shadow") != "" {
			t.Errorf("%s: %d, the upstream gets %q", name, r.status, h.upstream)
		}
	}
	h.wantMetrics(t, p, "errors_headers=1", "errors_panic=1")
	h.failing("replace request", 1, errBroken)
	h.play(p, forged).want(t, "a header that cannot be replaced", 200, "limit=3 remaining=2 reset=3600")
	h.wantMetrics(t, p, "api.allowed=1", "errors_headers=2", "errors_panic=1", "tight.allowed=1")

	h = newFakeHost()
	p = startPlugin(t, h, shop(`{"name": "api", "limits": [{"requests": 3, "window": "1h"}]}`, `"shadow_header": "x-shadow"`))
	h.failing("remove request", 1, errBroken)
	h.play(p, forged).want(t, "a header that cannot be removed", 200, "limit=3 remaining=2 reset=3600")
	h.wantMetrics(t, p, "api.allowed=1", "errors_headers=1")
}

// TestShadowRulesNeverRefuse holds that nothing that a shadow rule says of refusing is done.
func TestShadowRulesNeverRefuse(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`
		{"name": "strict", "mode": "shadow", "on_error": "refuse", "on_unidentified": "refuse", "refusal": {"status": 503}, "limits": [{"requests": 0, "window": "1h"}]},
		{"name": "api", "limits": [{"requests": 3, "window": "1h"}]}`))
	h.play(p, bare("GET", "/")).want(t, "not identified", 200, "limit=3 remaining=2 reset=3600")
	h.play(p, get("/", "alice")).want(t, "no room", 200, "limit=3 remaining=2 reset=3600")
	h.wantMetrics(t, p, "api.allowed=2", "strict.shadow_limited=1")
	h.failing("request headers", 1, errBroken)
	h.play(p, get("/", "alice")).want(t, "no headers", 200, "")
	h.failing("get", always, errBroken)
	h.play(p, get("/", "alice")).want(t, "no store", 200, "")
}

// TestWhatIsNotCountedIsNotDecided holds that a request which could not be counted is no decision of a rule, in the metrics and for
// the upstream: each bucket that fails is a failure and nothing else.
func TestWhatIsNotCountedIsNotDecided(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`
		{"name": "watched", "mode": "shadow", "limits": [{"requests": 1, "window": "1h"}]},
		{"name": "api", "limits": [{"requests": 3, "window": "1h"}]}`, `"shadow_header": "x-shadow"`))
	h.failing("get", always, errBroken)
	h.play(p, get("/", "alice")).want(t, "no store", 200, "")
	if got := valueOf(h.upstream, "x-shadow"); got != "" {
		t.Errorf("the upstream is told %q", got)
	}
	h.wantMetrics(t, p, "errors_store=2")
}

// TestEverythingInShadow holds the mode at the top level: no client notices anything.
func TestEverythingInShadow(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`
		{"name": "login", "match": [{"path": "/login"}], "limits": [{"requests": 0, "window": "10s"}]},
		{"name": "api", "limits": [{"requests": 1, "window": "10s"}]}`, `"mode": "shadow"`))
	for range 3 {
		if r := h.play(p, get("/login", "alice")); r.status != 200 || r.lines() != "" {
			t.Errorf("%d with %q", r.status, r.lines())
		}
	}
	h.wantMetrics(t, p, "api.allowed=1", "api.shadow_limited=2", "login.shadow_limited=3")
}

// TestAShadowRuleBecomesEnforced holds that its counters start afresh: what the watching counted is no debt.
func TestAShadowRuleBecomesEnforced(t *testing.T) {
	h := newFakeHost()
	watching := `{"name": "api", "mode": "shadow", "limits": [{"requests": 2, "window": "1h"}]}`
	p := startPlugin(t, h, shop(watching))
	for range 2 {
		h.play(p, get("/", "alice"))
	}
	p = startPlugin(t, h, shop(strings.Replace(watching, "shadow", "enforce", 1)))
	h.play(p, get("/", "alice")).want(t, "enforced", 200, "limit=2 remaining=1 reset=3600")
}
