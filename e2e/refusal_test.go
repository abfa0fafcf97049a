package e2e

import (
	"slices"
	"testing"

	"tollgate/e2e/envoytest"
)

// A refusal, line by line, and the connection it leaves behind.
func TestRefusalOnTheWire(t *testing.T) {
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
