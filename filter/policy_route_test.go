package filter

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"
)

const (
	routeName  = "xds.route_name"
	routeRules = "xds.route_metadata.filter_metadata.tollgate.rules"
)

// onRoute sends the next requests by a route of that name with these rules, "" for none.
func (h *fakeHost) onRoute(name, rules string) {
	h.set(routeName, name)
	h.set(routeRules, rules)
}

// routeLimit is a list of one rule that allows so many requests in an hour.
func routeLimit(rule string, requests int) string {
	return fmt.Sprintf(`[{"name": %q, "limits": [{"requests": %d, "window": "1h"}]}]`, rule, requests)
}

func startPerRoute(t *testing.T, h *fakeHost, fields ...string) types.PluginContext {
	t.Helper()
	return startPlugin(t, h, shop(`{"name": "api", "limits": [{"requests": 9, "window": "1h"}]}`, append(fields, `"per_route": true`)...))
}

// TestRulesOfARoute holds that they take the place of the plugin's, that they count apart for each route, also where the text is the
// same, and apart from the plugin's own, also where the rule's name is.
func TestRulesOfARoute(t *testing.T) {
	h := newFakeHost()
	p := startPerRoute(t, h)
	for _, c := range []struct {
		what, route, rules string
		told               string
	}{
		{"no rules of its own", "plain", "", "limit=9 remaining=8 reset=3600"},
		{"one route", "first", routeLimit("api", 5), "limit=5 remaining=4 reset=3600"},
		{"the same text on another route", "second", routeLimit("api", 5), "limit=5 remaining=4 reset=3600"},
		{"the first route again", "first", routeLimit("api", 5), "limit=5 remaining=3 reset=3600"},
		{"another text on the first route", "first", routeLimit("api", 7), "limit=7 remaining=4 reset=3600"},
		{"another rule on the first route", "first", routeLimit("other", 7), "limit=7 remaining=6 reset=3600"},
		{"the plugin's own again", "plain", "", "limit=9 remaining=7 reset=3600"},
		{"a route without a name", "", routeLimit("api", 5), "limit=5 remaining=4 reset=3600"},
	} {
		h.onRoute(c.route, c.rules)
		h.play(p, get("/", "alice")).want(t, c.what, 200, c.told)
	}
	h.wantMetrics(t, p, "api.allowed=7", "other.allowed=1")
}

// TestRulesOfARouteInherit holds that what the top level says is true for them, and that the same requests are exempt.
func TestRulesOfARouteInherit(t *testing.T) {
	h := newFakeHost()
	p := startPerRoute(t, h, `"identity": [{"header": "x-org"}]`, `"refusal": {"status": 503}`, `"ratelimit_headers": {"style": "none"}`,
		`"exempt": [{"path": "/healthz"}]`, `"shadow_header": "x-shadow"`)
	h.onRoute("first", `[{"name": "watched", "mode": "shadow", "limits": [{"requests": 5, "window": "1h"}]}, {"name": "once", "limits": [{"requests": 1, "window": "1h"}]}]`)
	request := with(get("/", "alice"), "x-org", "red")
	h.play(p, request).want(t, "first", 200, "")
	if got := valueOf(h.upstream, "x-shadow"); got != "watched=allowed" {
		t.Errorf("the upstream is told %q", got)
	}
	h.play(p, with(get("/", "bob"), "x-org", "red")).want(t, "another key of the same organisation", 503, "retry-after=2600")
	h.calls = nil
	h.play(p, with(get("/healthz", "bob"), "x-org", "red")).want(t, "exempt", 200, "")
	h.wantCalls(t, "exempt", "request headers")
}

// TestARouteIsCompiledOnce holds that a text is compiled once, however many routes carry it and however often it comes, and that
// a fault and a warning in it stand in the log once.
func TestARouteIsCompiledOnce(t *testing.T) {
	const faulty = `[{"name": "Api", "limits": [{"requests": 5, "window": "1 h"}]}]`
	const doubtful = `[{"name": "api", "on_unidentified": "refuse", "limits": [{"requests": 5, "window": "1h"}]}]`
	h := newFakeHost()
	p := startPerRoute(t, h)
	h.logs = nil
	for range 3 {
		for _, route := range []string{"first", "second"} {
			for _, rules := range []string{faulty, doubtful, routeLimit("fine", 5)} {
				h.onRoute(route, rules)
				h.play(p, get("/", "alice"))
			}
		}
	}
	want := []logLine{
		{LogError, `tollgate shop: rules of the route "first" refused: rules[0].name 1:11 "Api" has upper-case letters; write "api"`},
		{LogError, `tollgate shop: rules of the route "first" refused: rules[0].limits[0].window 1:55 "1 h" is not a window; write a whole number and s, m, h or d, such as "10s"`},
		{LogError, "tollgate shop: a request came by a route whose own rules are faulty (further ones are counted in the metric errors_route only)"},
		{LogWarn, `tollgate shop: rules of the route "first": rules[0] 1:2 refuses whoever is not identified, and so every preflight of a browser; ` +
			`exempt them: {"methods": ["OPTIONS"], "headers": [{"name": "origin"}, {"name": "access-control-request-method"}]}`},
	}
	if !slices.Equal(h.logs, want) {
		t.Errorf("log\n%+v\nwant\n%+v", h.logs, want)
	}
	if n := len(p.(*plugin).routes); n != 3 {
		t.Errorf("%d texts are kept", n)
	}
	h.wantMetrics(t, p, "api.allowed=6", "errors_route=6", "fine.allowed=6")
}

// TestFaultyRulesOfARoute holds what their requests get: what the top level says, whatever the rules themselves would.
func TestFaultyRulesOfARoute(t *testing.T) {
	for what, rules := range map[string]string{
		"no JSON":                "limits: 5",
		"an object":              `{"rules": []}`,
		"an empty list":          `[]`,
		"an unknown field":       `[{"name": "api", "limit": [], "on_error": "refuse"}]`,
		"a plan of nobody":       `[{"name": "api", "limits": [{"requests": 1, "window": "1h"}], "plans": {"gold": "unlimited"}}]`,
		"a field of the top":     `[{"name": "api", "limits": [{"requests": 1, "window": "1h"}], "per_route": true}]`,
		"metadata of no text":    "\x01\x00\x00\x00\x04\x00\x00\x00\x02\x00\x00\x00name\x00ok\x00",
		"a number":               "\x00\x00\x00\x00\x00\x00\xf0\x3f",
		"not UTF-8":              "[{\"name\": \"\xff\"}]",
		"deeply nested brackets": strings.Repeat("[", 5000),
	} {
		for onError, status := range map[string]int{"allow": 200, "refuse": 503} {
			h := newFakeHost()
			p := startPerRoute(t, h, `"on_error": "`+onError+`"`)
			h.onRoute("first", rules)
			for range 2 {
				r := h.play(p, get("/", "alice"))
				r.want(t, what, status, "")
				wantUnavailable(t, r, failRoute)
			}
			h.wantMetrics(t, p, "errors_route=2")
			if lines := h.errorLines(); len(lines) < 2 || !strings.HasPrefix(lines[0], `tollgate shop: rules of the route "first" refused: rules`) {
				t.Errorf("%s: log %q", what, lines)
			}
			h.onRoute("plain", "")
			h.play(p, get("/", "alice")).want(t, "another route", 200, "limit=9 remaining=8 reset=3600")
		}
	}
}

// TestARouteNameInTheLog holds that it cannot break the line.
func TestARouteNameInTheLog(t *testing.T) {
	h := newFakeHost()
	p := startPerRoute(t, h)
	h.onRoute("a\nb", "[]")
	h.play(p, get("/", "alice"))
	if lines := h.errorLines(); !strings.HasPrefix(lines[0], `tollgate shop: rules of the route "a\nb" refused: `) {
		t.Errorf("log %q", lines)
	}
}

// TestManyRoutes holds that the texts kept are bounded, that no count and no metric is lost with one that is not, and that those which
// come often stay.
func TestManyRoutes(t *testing.T) {
	h := newFakeHost()
	p := startPerRoute(t, h)
	plug := p.(*plugin)
	const texts = 3 * maxRoutes
	var sinks int
	for round := range 3 {
		for i := range texts {
			// The limit makes the text another one; every third is faulty.
			rules := routeLimit("api", 1000+i)
			if i%3 == 2 {
				rules = fmt.Sprintf(`[{"name": "api", "fault": %d}]`, i)
			}
			h.onRoute(fmt.Sprint("route-", i), rules)
			told := fmt.Sprintf("limit=%d remaining=%d reset=3600", 1000+i, 1000+i-round-1)
			if i%3 == 2 {
				told = ""
			}
			h.play(p, get("/", "alice")).want(t, fmt.Sprint("round ", round, ", route ", i), 200, told)
			if len(plug.routes) > maxRoutes {
				t.Fatalf("%d texts are kept", len(plug.routes))
			}
		}
		if round == 0 {
			sinks = len(plug.metrics.sinks)
		}
		h.failing("increment", round%2, errBroken) // what the host does not take now is not lost either
		p.OnTick()
	}
	if len(plug.metrics.sinks) != sinks {
		t.Errorf("%d sums of metrics became %d", sinks, len(plug.metrics.sinks))
	}
	h.wantMetrics(t, p, fmt.Sprint("api.allowed=", 2*texts), fmt.Sprint("errors_route=", texts))
}

// TestAnAdditionalRouteDropsOne holds that one route too many costs one of the others, and not all.
func TestAnAdditionalRouteDropsOne(t *testing.T) {
	h := newFakeHost()
	p := startPerRoute(t, h)
	for i := range maxRoutes + 1 {
		h.onRoute("route", routeLimit("api", 1000+i))
		h.play(p, get("/", "alice"))
	}
	if n := len(p.(*plugin).routes); n != maxRoutes {
		t.Errorf("%d texts are kept, want %d", n, maxRoutes)
	}
}

// TestPropertiesOfARoute holds which properties are read, in which order, and that none is where nothing asks for it.
func TestPropertiesOfARoute(t *testing.T) {
	const rules = "property xds\x00route_metadata\x00filter_metadata\x00tollgate\x00rules"
	const policy = "property xds\x00route_metadata\x00filter_metadata\x00tollgate\x00policy"
	const route, virtualHost = "property xds\x00route_name", "property xds\x00virtual_host_name"
	const limits = `"limits": [{"requests": 9, "window": "1h"}]`
	for _, c := range []struct {
		what, configuration string
		target              string
		calls               []string
	}{
		{"nothing asks", shop(`{"name": "api", ` + limits + `}`), "/", nil},
		{"rules of routes", shop(`{"name": "api", `+limits+`}`, `"per_route": true`), "/", []string{rules, route}},
		{"a match of the policy", shop(`{"name": "gold", "match": [{"policy": "gold"}], "continue": true, ` + limits + `}, {"name": "silver", "match": [{"policy": "silver"}], ` + limits + `}`), "/",
			[]string{policy}},
		{"a match of the route", shop(`{"name": "a", "match": [{"path": "/a", "route": "first"}], ` + limits + `}`), "/a", []string{route}},
		{"a match of the route, another path", shop(`{"name": "a", "match": [{"path": "/a", "route": "first"}], ` + limits + `}`), "/", nil},
		{"a match of the virtual host", shop(`{"name": "a", "match": [{"virtual_host": "one"}, {"virtual_host": "two"}], ` + limits + `}`), "/", []string{virtualHost}},
		{"everything", shop(`{"name": "a", "match": [{"virtual_host": "here", "policy": "other"}, {"route": "first"}], "identity": [{"combine": [{"route": {}}, {"header": "x-api-key"}]}], ` + limits + `}`), "/",
			[]string{virtualHost, policy, route}},
	} {
		h := newFakeHost()
		p := startPlugin(t, h, c.configuration)
		h.onRoute("first", routeLimit("own", 5))
		h.set("xds.route_metadata.filter_metadata.tollgate.policy", "silver")
		h.set("xds.virtual_host_name", "here")
		h.calls = nil
		h.play(p, get(c.target, "alice"))
		if got := propertyCalls(h.calls); !slices.Equal(got, c.calls) {
			t.Errorf("%s: %q, want %q", c.what, got, c.calls)
		}
	}
}

// TestRulesOfARouteWithoutRules reads the name only where there are rules to count apart.
func TestRulesOfARouteWithoutRules(t *testing.T) {
	h := newFakeHost()
	p := startPerRoute(t, h)
	h.onRoute("plain", "")
	h.calls = nil
	h.play(p, get("/", "alice"))
	if got := propertyCalls(h.calls); len(got) != 1 || !strings.HasSuffix(got[0], "\x00rules") {
		t.Errorf("calls %q", got)
	}
}
