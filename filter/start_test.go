package filter

import (
	"slices"
	"strings"
	"testing"

	"tollgate/limiter"
)

func TestStartSaysWhatRuns(t *testing.T) {
	h := newFakeHost()
	startPlugin(t, h, `{"domain": "shop", "max_counters": 100, "rules": [
		{"name": "login", "match": [{"path": "/login"}], "limits": [{"requests": 1, "window": "1s"}]},
		{"name": "api", "limits": [{"requests": 1, "window": "1s"}]}]}`)
	want := logLine{LogInfo, "tollgate shop: started with 2 rules and 16 buckets for 100 counters"}
	if !slices.Equal(h.logs, []logLine{want}) {
		t.Errorf("log %v, want %v", h.logs, want)
	}
	if h.tick != 1000 {
		t.Errorf("tick every %d ms", h.tick)
	}
}

// TestThePluginsNameIsTheDefaultDomain holds that it is that for as long as the plugin runs: in keys, metrics, log and challenge.
func TestThePluginsNameIsTheDefaultDomain(t *testing.T) {
	h := newFakeHost()
	h.pluginName = "named"
	p := startPlugin(t, h, `{"on_unidentified": "refuse", "rules": [{"name": "api", "limits": [{"requests": 3, "window": "10s"}]}]}`)
	h.play(p, get("/", "alice"))
	p.OnTick()
	if h.counters["tollgate.named.api.allowed"] != 1 {
		t.Errorf("metrics %v", h.counters)
	}
	h.store.Each(func(key string, _ []byte) {
		if !strings.HasPrefix(key, "tollgate/1/named/") {
			t.Errorf("key %q", key)
		}
	})
	if r := h.play(p, bare("GET", "/")); r.value("www-authenticate") != `ApiKey realm="named"` {
		t.Errorf("challenge %v", r.headers)
	}
	h.failing("get", 1, errBroken)
	h.play(p, get("/", "alice"))
	if lines := h.errorLines(); len(lines) != 1 || !strings.HasPrefix(lines[0], "tollgate named: ") {
		t.Errorf("log %q", lines)
	}
}

// TestAPluginWithoutAName needs a domain in its configuration.
func TestAPluginWithoutAName(t *testing.T) {
	h := newFakeHost()
	h.failing("property", always, errBroken)
	startPlugin(t, h, threeInTen)
	if _, ok := tryStart(NewVM(h), h, strings.Replace(threeInTen, `"domain": "shop", `, "", 1)); ok {
		t.Error("a plugin without a name started without a domain")
	}
	if lines := h.errorLines(); len(lines) != 1 || !strings.Contains(lines[0], `has no "domain"`) {
		t.Errorf("log %q", lines)
	}
}

// TestEveryConfigurationErrorIsLogged holds that an operator sees all mistakes at once, one a line.
func TestEveryConfigurationErrorIsLogged(t *testing.T) {
	for _, c := range []struct {
		configuration string
		errors        []string
	}{
		{"", []string{"configuration 1:1 is empty; "}},
		{"{}", []string{"configuration 1:1 "}},
		{`{"domain": "a b",
 "limt": 1,
 "rules": [{"name": "Api", "limits": [{"requests": 1.5, "window": "0s"}]}]}`,
			[]string{"domain 1:12 ", "limt 2:2 ", "rules[0].name 3:21 ", "rules[0].limits[0].requests 3:52 ", "rules[0].limits[0].window 3:67 "}},
	} {
		h := newFakeHost()
		h.pluginName = "shop"
		if _, ok := tryStart(NewVM(h), h, c.configuration); ok {
			t.Errorf("%q: started", c.configuration)
		}
		lines := h.errorLines()
		matches := func(line, text string) bool {
			return strings.HasPrefix(line, "tollgate: configuration refused: "+text) && strings.Contains(line, "; ")
		}
		if !slices.EqualFunc(lines, c.errors, matches) {
			t.Errorf("%q: log\n\t%s\nwant\n\t%s", c.configuration, strings.Join(lines, "\n\t"), strings.Join(c.errors, "\n\t"))
		}
		if h.store.Keys() != 0 || len(h.names) != 0 {
			t.Errorf("%q: a refused configuration left %d keys and the metrics %q", c.configuration, h.store.Keys(), h.names)
		}
	}
}

// TestStartIsRefused holds that a plugin that could not count rightly does not run, and that the log says why.
func TestStartIsRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		breaks func(h *fakeHost)
		log    string
	}{
		{"configuration unreadable", func(h *fakeHost) { h.failing("configuration", 1, errBroken) },
			"tollgate: configuration refused: it could not be read"},
		{"store creates what it said exists", func(h *fakeHost) { h.failing("create", 1, limiter.ErrExists) },
			"tollgate shop: configuration refused: the proxy's shared data does not compare and swap as required: "},
		{"store always conflicts", func(h *fakeHost) { h.failing("swap", always, limiter.ErrConflict) },
			"tollgate shop: configuration refused: the proxy's shared data does not compare and swap as required: "},
		{"store fails", func(h *fakeHost) { h.failing("create", 1, errBroken) },
			"tollgate shop: configuration refused: the proxy's shared data does not compare and swap as required: the host is broken"},
		{"hash key too short", func(h *fakeHost) { h.store.Set([]byte("tollgate/1/shop/key"), make([]byte, 15), 0) },
			"tollgate shop: configuration refused: the hash key in the proxy's shared data could not be read or made: "},
		{"hash key empty", func(h *fakeHost) { h.store.Set([]byte("tollgate/1/shop/key"), nil, 0) },
			"tollgate shop: configuration refused: the hash key in the proxy's shared data could not be read or made: "},
		{"no random numbers", func(h *fakeHost) { h.failing("random", 1, errBroken) },
			"tollgate shop: configuration refused: the hash key in the proxy's shared data could not be read or made: the host is broken"},
		{"panic with a runtime error", func(h *fakeHost) { h.trouble["random"] = trouble{panics: indexError(), times: 1} },
			"tollgate shop: configuration refused: panic at the start: runtime error: index out of range [3] with length 0"},
		{"panic with a text", func(h *fakeHost) { h.trouble["configuration"] = trouble{panics: "text", times: 1} },
			"tollgate: configuration refused: panic at the start"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newFakeHost()
			c.breaks(h)
			p, ok := tryStart(NewVM(h), h, threeInTen)
			if lines := h.errorLines(); ok || len(lines) != 1 || !strings.HasPrefix(lines[0], c.log) {
				t.Errorf("started: %t, log %q, want %q", ok, lines, c.log)
			}
			if p.NewHttpContext(2) != nil {
				t.Error("a plugin that did not start has streams")
			}
			p.OnTick()
			p.OnPluginDone()
		})
	}
}

// indexError is what a programming mistake panics with.
func indexError() (reason any) {
	defer func() { reason = recover() }()
	var none []int
	return none[len("mis")]
}

// TestStartWithoutAnExtra holds that what does not touch the counting is missed, not refused.
func TestStartWithoutAnExtra(t *testing.T) {
	for call, line := range map[string]string{
		"define":      "tollgate shop: a metric could not be defined; it stays away",
		"tick period": "tollgate shop: no tick could be set; metrics are passed on when the plugin ends",
	} {
		h := newFakeHost()
		h.failing(call, always, errBroken)
		p := startPlugin(t, h, threeInTen)
		if h.logs[0] != (logLine{LogWarn, line}) || len(h.logs) != 2 {
			t.Errorf("%s: log %v, want a warning %q and the start", call, h.logs, line)
		}
		if r := h.play(p, get("/", "alice")); r.status != 200 || r.told() != "limit=3 remaining=2 reset=1010" {
			t.Errorf("%s: %d with %q", call, r.status, r.told())
		}
		p.OnTick()
	}
}

// TestWorkersAgreeOnTheHashKey starts plugins of one domain in several VMs: they count together, since they share the key
// that the first of them made.
func TestWorkersAgreeOnTheHashKey(t *testing.T) {
	h := newFakeHost()
	first, second := startPlugin(t, h, threeInTen), startPlugin(t, h, threeInTen)
	h.play(first, get("/", "alice"))
	if r := h.play(second, get("/", "alice")); r.value("x-ratelimit-remaining") != "1" {
		t.Errorf("the second worker told %q", r.told())
	}
}

func TestTwoPluginsInOneVM(t *testing.T) {
	for domain, remaining := range map[string]string{"shop": "1", "mart": "2"} {
		h := newFakeHost()
		vm := NewVM(h)
		first := startIn(t, vm, h, threeInTen)
		second := startIn(t, vm, h, strings.Replace(threeInTen, "shop", domain, 1))
		h.play(first, get("/", "alice"))
		if r := h.play(second, get("/", "alice")); r.value("x-ratelimit-remaining") != remaining {
			t.Errorf("domain %s: the second plugin told %q, want remaining %s", domain, r.told(), remaining)
		}
		first.OnTick()
		second.OnTick()
		total := h.counters["tollgate.shop.api.allowed"] + h.counters["tollgate.mart.api.allowed"]
		if shop := h.counters["tollgate.shop.api.allowed"]; total != 2 || shop != map[string]uint64{"shop": 2, "mart": 1}[domain] {
			t.Errorf("domain %s: %d counted in the metrics, %d under shop", domain, total, shop)
		}
	}
}

// TestConfiguringAgain gives a running plugin another configuration under the same number, good and bad.
func TestConfiguringAgain(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, strings.Replace(threeInTen, `"rules"`, `"on_error": "refuse", "rules"`, 1))
	h.play(p, get("/", "alice"))
	configure := func(text string) bool {
		h.configuration = text
		return bool(p.OnPluginStart(len(text)))
	}
	if configure("{}") {
		t.Error("a broken configuration was taken")
	}
	h.failing("random", 1, errBroken)
	if configure(strings.Replace(threeInTen, "shop", "mart", 1)) {
		t.Error("a configuration whose hash key cannot be made was taken")
	}
	if r := h.play(p, get("/", "alice")); r.told() != "limit=3 remaining=1 reset=1010" {
		t.Errorf("after refused configurations: %q", r.told())
	}
	if !configure(`{"domain": "shop", "rules": [{"name": "api", "limits": [{"requests": 9, "window": "10s"}]}]}`) {
		t.Fatalf("refused: %q", h.errorLines())
	}
	if h.counters["tollgate.shop.api.allowed"] != 2 {
		t.Errorf("the metrics of the configuration before are %v", h.counters)
	}
	if r := h.play(p, get("/", "alice")); r.told() != "limit=9 remaining=6 reset=1010" {
		t.Errorf("after the new configuration: %q", r.told())
	}
	h.failing("request headers", 1, errBroken)
	if r := h.play(p, get("/", "alice")); r.status != 200 {
		t.Errorf("on_error of the configuration before still holds: %d", r.status)
	}
	p.OnPluginDone()
	if h.counters["tollgate.shop.api.allowed"] != 3 || h.counters["tollgate.shop.errors_headers"] != 1 {
		t.Errorf("metrics %v", h.counters)
	}
}
