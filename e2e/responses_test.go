package e2e

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tollgate/e2e/envoytest"
	"tollgate/e2e/wire"
)

// Whatever answers a request that passed a rule, the client is told where it stands.
func TestEveryResponseTellsTheStanding(t *testing.T) {
	t.Parallel()
	const budget = 7
	filters := []envoytest.Filter{tollgate(t, oneRule("responses", budget, "1h"))}
	envoy := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{
		{Name: "up", Upstream: envoytest.NewUpstream(t).Addr, Filters: filters},
		{Name: "down", Upstream: envoytest.DownAddr(t), Filters: filters},
	}})
	steps := []struct {
		listener, method, target string
		status                   int
		body                     string
	}{
		{"up", "GET", "/200", 200, "GET /200"},
		{"up", "GET", "/204", 204, ""},
		{"up", "GET", "/304", 304, ""},
		{"up", "HEAD", "/200", 200, ""},
		{"up", "GET", "/404", 404, "GET /404"},
		{"up", "GET", "/500", 500, "GET /500"},
		{"down", "GET", "/200", 503, "upstream connect error"},
	}
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			needRoom(hour, hourRoom)
			clients := map[string]client{"up": connect(t, p, envoy.Addr("up")), "down": connect(t, p, envoy.Addr("down"))}
			for i, s := range steps {
				got := clients[s.listener].ask(wire.Request{Method: s.method, Target: s.target, Header: key(p.name)})
				got.check(t, s.status, standing{budget, int64(budget - 1 - i), hour})
				if body := string(got.Body); !strings.HasPrefix(body, s.body) || s.body == "" && body != "" {
					t.Errorf("%s %s: body %q, want %q", s.method, s.target, body, s.body)
				}
			}
			got := clients["up"].ask(wire.Request{Method: "HEAD", Target: "/200", Header: key(p.name)})
			got.check(t, 429, standing{budget, 0, hour})
		})
	}
}

func key(value string) []wire.Field { return []wire.Field{{Name: "x-api-key", Value: value}} }

// An upstream may count, too. Under the gateway's names the client sees the gateway's values alone.
func TestUpstreamsRateLimitHeadersAreReplaced(t *testing.T) {
	t.Parallel()
	envoy := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{{
		Name:     "main",
		Upstream: envoytest.NewUpstream(t).Addr,
		Filters:  []envoytest.Filter{tollgate(t, oneRule("replaced", 9, "1h"))},
	}}})
	target := "/200?" + url.Values{"set": {
		"X-RateLimit-Limit: 1", "x-ratelimit-limit: 2, 3", "X-Ratelimit-Limit: 4",
		"X-RateLimit-Remaining: 77", "x-ratelimit-remaining: 78", "X-RateLimit-Reset: 5",
		"x-other: kept",
	}}.Encode()
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			needRoom(hour, hourRoom)
			got := connect(t, p, envoy.Addr("main")).get(target, p.name)
			got.check(t, 200, standing{9, 8, hour})
			if other := got.Values("x-other"); !slices.Equal(other, []string{"kept"}) {
				t.Errorf("x-other is %q", other)
			}
		})
	}
}

// An upstream's own 429 is its own affair: it passes with its retry-after and its body.
func TestUpstreamsOwn429Passes(t *testing.T) {
	t.Parallel()
	envoy := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{{
		Name:     "main",
		Upstream: envoytest.NewUpstream(t).Addr,
		Filters:  []envoytest.Filter{tollgate(t, oneRule("own429", 9, "1h"))},
	}}})
	needRoom(hour, hourRoom)
	got := connect(t, http1, envoy.Addr("main")).get("/429?set=Retry-After:1234", "alice")
	reset := strconv.FormatInt(windowEnd(got.sent, hour), 10)
	got.checkLines(t, 429, []wire.Field{
		{Name: "retry-after", Value: "1234"},
		{Name: "x-ratelimit-limit", Value: "9"},
		{Name: "x-ratelimit-remaining", Value: "8"},
		{Name: "x-ratelimit-reset", Value: reset},
	})
	if !strings.HasPrefix(string(got.Body), "GET /429?") {
		t.Errorf("body %q", got.Body)
	}
}

// No rule, no word of ours: what the upstream says under the same names reaches the client as it is.
func TestUnmatchedRequestIsLeftAlone(t *testing.T) {
	t.Parallel()
	config := `{"domain": "unmatched", "rules": [
		{"name": "login", "match": [{"methods": ["POST"], "path": "/login"}], "limits": [{"requests": 1, "window": "1h"}]}
	]}`
	envoy := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{{
		Name:     "main",
		Upstream: envoytest.NewUpstream(t).Addr,
		Filters:  []envoytest.Filter{tollgate(t, config)},
	}}})
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			c := connect(t, p, envoy.Addr("main"))
			for range 3 {
				c.get("/login", "alice").checkLines(t, 200, nil)
			}
			theirs := c.get("/404?set=x-ratelimit-limit:5", "alice")
			theirs.checkLines(t, 404, []wire.Field{{Name: "x-ratelimit-limit", Value: "5"}})
		})
	}
}

// The filter reads a request and never changes it, whatever it makes of the path when it looks for a rule.
func TestRequestReachesTheUpstreamUnchanged(t *testing.T) {
	t.Parallel()
	envoy := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{{
		Name:     "main",
		Upstream: envoytest.NewUpstream(t).Addr,
		RawPaths: true,
		Filters:  []envoytest.Filter{tollgate(t, oneRule("unchanged", 9, "1h"))},
	}}})
	const target = "//a/./b/../%6cogin%2f?x=%2Fhome&y=a?b"
	got := connect(t, http1, envoy.Addr("main")).ask(wire.Request{
		Method: "GET", Target: target, Header: []wire.Field{{Name: "X-API-Key", Value: "  alice\t "}},
	})
	body := string(got.Body)
	if !strings.HasPrefix(body, "GET "+target+"\r\n") || !strings.Contains(body, "\r\nX-Api-Key: alice\r\n") {
		t.Errorf("the upstream was sent\n%s", body)
	}
}
