package envoytest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// Upstream is a server behind the proxy. It answers by the path of the request:
//
//	/<status>  that status, 200 to 599; any other path answers 200
//	?set=<name>:<value>, repeatable, adds that line to the response's headers
//
// The body, where the status allows one, is what the upstream was sent: the request line as it stood, and the header
// lines sorted by name.
type Upstream struct {
	// Addr is where it listens, host:port.
	Addr string

	served atomic.Int64
}

// NewUpstream starts an upstream that runs until the test ends.
func NewUpstream(t testing.TB) *Upstream {
	t.Helper()
	u := &Upstream{}
	server := httptest.NewServer(u)
	t.Cleanup(server.Close)
	u.Addr = server.Listener.Addr().String()
	return u
}

// Served returns how many requests reached the upstream.
func (u *Upstream) Served() int64 { return u.served.Load() }

// ServeHTTP answers a request.
func (u *Upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.served.Add(1)
	for _, line := range r.URL.Query()["set"] {
		name, value, _ := strings.Cut(line, ":")
		w.Header().Add(name, value)
	}
	status, err := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
	if err != nil || status < 200 || status > 599 {
		status = http.StatusOK
	}
	w.WriteHeader(status)
	fmt.Fprintf(w, "%s %s\r\n", r.Method, r.RequestURI) // net/http drops the body where the status allows none
	_ = r.Header.Write(w)                               // likewise; a client that is gone is no concern of the upstream's
}
