package load

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// counter is a server that counts requests by key.
type counter struct {
	mu     sync.Mutex
	counts map[string]int
	header string // sent with every answer
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[r.URL.Path+" "+r.Header.Get("X-Api-Key")]++
	w.Header().Set(c.header, "1")
	_, _ = w.Write([]byte("served\n"))
}

func serve(t *testing.T) (*counter, string) {
	c := &counter{counts: map[string]int{}, header: "X-Seen"}
	s := httptest.NewServer(c)
	t.Cleanup(s.Close)
	return c, strings.TrimPrefix(s.URL, "http://")
}

func TestRunSendsEachRequestInTurn(t *testing.T) {
	server, address := serve(t)
	l := Load{
		Address: address, Requests: [][]byte{Get("/a", "x"), Get("/b", "y")}, First: 1, Total: 25, Connections: 4,
		Expect: Expect{Status: 200, Header: "x-seen"}, Timeout: 10 * time.Second,
	}
	if err := l.Run(); err != nil {
		t.Fatal(err)
	}
	if server.counts["/a x"] != 12 || server.counts["/b y"] != 13 || len(server.counts) != 2 {
		t.Errorf("the server saw %v, want 12 of /a x and 13 of /b y", server.counts)
	}
}

func TestRunFaults(t *testing.T) {
	_, address := serve(t)
	for _, c := range []struct {
		name string
		load Load
		want string
	}{
		{"other status", Load{Total: 2, Connections: 1, Expect: Expect{Status: 429}}, "status 200 in place of 429"},
		{"header missing", Load{Total: 2, Connections: 1, Expect: Expect{Header: "x-left"}}, "no header x-left"},
		{"no connection", Load{Total: 2}, "over 0 connections"},
		{"fewer requests than connections", Load{Total: 1, Connections: 2}, "1 requests"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := c.load
			l.Address, l.Requests, l.Timeout = address, [][]byte{Get("/", "x")}, 10*time.Second
			if err := l.Run(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error that says %q", err, c.want)
			}
		})
	}
}

func TestRunFailsWhenTheTimeIsUp(t *testing.T) {
	stop := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stop }))
	defer s.Close()
	defer close(stop)
	l := Load{
		Address: strings.TrimPrefix(s.URL, "http://"), Requests: [][]byte{Get("/", "x")}, Total: 1, Connections: 1,
		Timeout: 50 * time.Millisecond,
	}
	if err := l.Run(); err == nil {
		t.Error("a server that never answers gave no error")
	}
}
