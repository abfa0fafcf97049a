package e2e

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// heldUpstream answers requests for /held once it is released, and all others at once.
type heldUpstream struct {
	addr     string
	held     chan struct{} // one for each request that it holds
	released chan struct{}
}

func newHeldUpstream(t testing.TB) *heldUpstream {
	t.Helper()
	u := &heldUpstream{held: make(chan struct{}, 10_000), released: make(chan struct{})}
	server := httptest.NewServer(u)
	t.Cleanup(server.Close)
	u.addr = server.Listener.Addr().String()
	return u
}

func (u *heldUpstream) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/held" {
		return
	}
	u.held <- struct{}{}
	select {
	case <-u.released:
	case <-r.Context().Done(): // the proxy has given up
	}
}

// awaitHeld returns when n more requests are held.
func (u *heldUpstream) awaitHeld(t testing.TB, n int) {
	t.Helper()
	deadline := time.After(time.Minute)
	for i := range n {
		select {
		case <-u.held:
		case <-deadline:
			t.Fatalf("%d of %d requests reached the upstream", i, n)
		}
	}
}

func (u *heldUpstream) release() { close(u.released) }
