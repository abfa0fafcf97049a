package e2e

import (
	"math"
	"testing"
	"time"

	"tollgate/e2e/envoytest"
	"tollgate/e2e/wire"
	"tollgate/prove/forms"
)

// A listener ends under load: requests that are under way end as if it did not, with headers, and a listener that takes its place
// goes on counting where it stopped.
func TestLifeOfDrains(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		drain func(testing.TB, *ending)
	}{
		{"by the administrator", func(_ testing.TB, e *ending) { e.envoy.Drain() }},
		{"for another listener", func(t testing.TB, e *ending) {
			update(t, e.envoy, e.listener(t, "next"))
			e.next = e.envoy.Addr("next")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := newEnding(t)
			held := e.hold(t)
			e.load.start(connections, math.MaxInt, e.dial)
			tt.drain(t, e)
			e.awaitClose(t)
			e.upstream.release()
			e.answered(t, <-held)
			close(e.replaced)
			e.conclude(t, tt.name)
		})
	}
}

// connections is how many are under load when the listener ends; as many requests are held.
const connections = 8

// ending is a listener that ends, and its clients.
type ending struct {
	envoy    *envoytest.Envoy
	window   time.Duration
	upstream *heldUpstream
	load     *load
	open     chan wire.Client // connections to the listener
	replaced chan struct{}    // closed when clients may turn to the next listener
	next     string           // where that is, empty if there is none
}

func newEnding(t testing.TB) *ending {
	t.Helper()
	e := &ending{
		window: farWindow(), upstream: newHeldUpstream(t), load: newLoad("alice"),
		open: make(chan wire.Client, connections), replaced: make(chan struct{}),
	}
	e.envoy = envoytest.Start(t, envoytest.Config{DrainSeconds: 3, Listeners: []envoytest.Listener{e.listener(t, "main")}})
	for _, c := range gather(t, e.envoy.Addr("main"), connections) {
		e.open <- c
	}
	return e
}

func (e *ending) listener(t testing.TB, name string) envoytest.Listener {
	t.Helper()
	l := limited(t, name, oneRule("ending", loadBudget, inSeconds(e.window)), "")
	l.Upstream = e.upstream.addr
	return l
}

// dial hands out the open connections. A client that was told to close its own one waits for the next listener.
func (e *ending) dial() (wire.Client, error) {
	select {
	case c := <-e.open:
		return c, nil
	default:
	}
	<-e.replaced
	if e.next == "" {
		return nil, nil
	}
	return wire.DialHTTP1(e.next)
}

// hold sends requests that stay at the upstream, and returns where their responses will be.
func (e *ending) hold(t testing.TB) <-chan []*wire.Response {
	t.Helper()
	c := gather(t, e.envoy.Addr("main"), connections)
	held := make(chan []*wire.Response, 1)
	go func() {
		responses, err := c.burst(wire.Request{Method: "GET", Target: "/held", Header: key(e.load.key)})
		if err != nil {
			t.Error(err)
			responses = nil
		}
		held <- responses
	}()
	e.upstream.awaitHeld(t, connections)
	return held
}

// awaitClose returns when the proxy asks clients to leave: the listener ends.
func (e *ending) awaitClose(t testing.TB) {
	t.Helper()
	select {
	case <-e.load.closed:
	case <-time.After(time.Minute):
		t.Error("no client was asked to close its connection")
	}
}

// answered takes the responses to the requests that were held.
func (e *ending) answered(t testing.TB, responses []*wire.Response) {
	t.Helper()
	for _, r := range responses {
		if err := e.load.answered(r); err != nil {
			t.Errorf("a request that was under way: %v", err)
		}
	}
}

// conclude waits for the end of the listener and holds that nothing was lost.
func (e *ending) conclude(t testing.TB, name string) {
	t.Helper()
	if e.next == "" {
		e.load.running.Wait() // every client is asked to leave
		e.awaitStopped(t)
	} else {
		e.envoy.AwaitStat("listener_manager.total_listeners_draining", func(n uint64) bool { return n == 0 })
	}
	requests := e.load.end(t, loadBudget)
	checkNone5xx(t, e.envoy, "main")
	if e.next != "" {
		checkNone5xx(t, e.envoy, "next")
		c := connect(t, http1, e.next)
		c.get("/", e.load.key).check(t, 200, standing{loadBudget, int64(loadBudget - requests - 1), e.window})
	}
	forms.Proved(t, "drain", "%s: %d requests served, %d of them under way when it began; every remaining value told once", name, requests, connections)
}

// awaitStopped returns when the listener has ended, and takes no connections any more.
func (e *ending) awaitStopped(t testing.TB) {
	t.Helper()
	e.envoy.AwaitStat("listener_manager.listener_stopped", func(n uint64) bool { return n == 1 })
	if c, err := wire.DialHTTP1(e.envoy.Addr("main")); err == nil {
		t.Error("the listener still takes connections")
		c.Close()
	}
}
