package e2e

import (
	"net"
	"slices"
	"testing"

	"tollgate/e2e/envoytest"
	"tollgate/e2e/wire"
)

// Clients that leave in the middle of a request are counted once each, and leave nothing behind. Those that leave before their
// headers are complete are not counted.
func TestClientsDisconnect(t *testing.T) {
	t.Parallel()
	const budget, rounds, connections = 5000, 5, 100
	window := farWindow()
	upstream := newHeldUpstream(t)
	listener := limited(t, "main", oneRule("leave", budget, inSeconds(window)), "")
	listener.Upstream = upstream.addr
	envoy := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{listener}})

	for range rounds {
		leaveInTheMiddle(t, envoy.Addr("main"), upstream, connections)
		leaveInTheHeaders(t, envoy.Addr("main"))
	}
	none := func(n uint64) bool { return n == 0 }
	envoy.AwaitStat("http.main.downstream_rq_active", none)
	envoy.AwaitStat("http.main.downstream_cx_active", none)
	envoy.AwaitStat("http.main.downstream_rq_rx_reset", func(n uint64) bool { return n >= rounds*connections })
	c := connect(t, http1, envoy.Addr("main"))
	c.get("/", "alice").check(t, 200, standing{budget, budget - rounds*connections - 1, window})
}

// leaveInTheMiddle sends n requests, each on a connection of its own, and closes the connections when all requests are at the
// upstream.
func leaveInTheMiddle(t testing.TB, addr string, upstream *heldUpstream, n int) {
	t.Helper()
	c := gather(t, addr, n)
	left := make(chan []*wire.Response)
	go func() {
		responses, _ := c.burst(wire.Request{Method: "GET", Target: "/held", Header: key("alice")}) // ends with errors
		left <- responses
	}()
	upstream.awaitHeld(t, n)
	for i := range c {
		if err := c[i].Close(); err != nil {
			t.Error(err)
		}
	}
	if answered := slices.ContainsFunc(<-left, func(r *wire.Response) bool { return r != nil }); answered {
		t.Error("a request was answered that the upstream still holds")
	}
}

// leaveInTheHeaders sends the beginning of a request and closes the connection.
func leaveInTheHeaders(t testing.TB, addr string) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte("GET / HTTP/1.1\r\nhost: tollgate.test\r\nx-api-key: alice\r\n")); err != nil {
		t.Error(err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
}
