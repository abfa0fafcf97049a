package envoytest

import (
	"io"
	"net/http"
)

// Drain begins the graceful end of all listeners: until the drain time is over they go on and ask their clients to close
// the connections, then they are gone. Envoy takes no listeners afterwards.
func (e *Envoy) Drain() {
	e.t.Helper()
	resp, err := http.Post("http://"+e.admin+"/drain_listeners?graceful", "", nil)
	if err != nil {
		e.t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		e.t.Fatalf("drain: %s %s (%v)", resp.Status, body, err)
	}
}
