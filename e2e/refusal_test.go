package e2e

import (
	"slices"
	"testing"

	"tollgate/e2e/envoytest"
)

// A refusal, line by line, and the connection it leaves behind.
func TestRefusalOnTheWire(t *testing.T) {
	t.Parallel()
	upstream := envoytest.NewUpstream(t)
	envoy := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{{
		Name:     "main",
		Upstream: upstream.Addr,
		Filters:  []envoytest.Filter{tollgate(t, oneRule("refusal", 1, "1h"))},
	}}})
	needRoom(hour, hourRoom)
	c := connect(t, http1, envoy.Addr("main"))
	c.get("/", "alice").check(t, 200, standing{1, 0, hour})

	refused := c.get("/", "alice")
	refused.check(t, 429, standing{1, 0, hour})
	if want := "HTTP/1.1 429 Too Many Requests"; refused.StatusLine != want {
		t.Errorf("status line %q, want %q", refused.StatusLine, want)
	}
	want := append(slices.Clone(ourNames), "date", "server", "content-length")
	if got := refused.names(); !slices.Equal(got, want) {
		t.Errorf("header lines %q, want %q", got, want)
	}
	if n := upstream.Served(); n != 1 {
		t.Errorf("the upstream served %d requests, want 1", n)
	}
	c.get("/", "bob").check(t, 200, standing{1, 0, hour}) // on the same connection
}

// Over HTTP/2 the lines stand in the same order. A client for HTTP/2 loses it, so a second Envoy without the filter stands between:
// it speaks HTTP/2 to the first, and hands on the lines over HTTP/1.1 as they came.
func TestHeaderOrderOverHTTP2(t *testing.T) {
	t.Parallel()
	envoy := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{
		{Name: "main", Filters: []envoytest.Filter{tollgate(t, oneRule("order", 1, "1h"))}},
	}})
	between := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{
		{Name: "between", Upstream: envoy.Addr("main"), UpstreamHTTP2: true},
	}})
	needRoom(hour, hourRoom)
	c := connect(t, http1, between.Addr("between"))
	for _, status := range []int{200, 429} {
		got := c.get("/", "alice")
		got.checkLines(t, status, got.linesOf(status, standing{1, 0, hour}))
	}
	if n := envoy.Stats()["http.main.downstream_cx_http2_total"]; n == 0 {
		t.Error("nothing arrived over HTTP/2")
	}
}
