package wire

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// canned listens on a free port, takes one connection, and answers each request on it with the next of the answers. What it was
// sent arrives on the channel, one text per request head.
func canned(t *testing.T, answers ...string) (addr string, heads <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	got := make(chan string, len(answers))
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		in := bufio.NewReader(conn)
		for _, answer := range answers {
			got <- readHeadText(in)
			io.WriteString(conn, answer)
		}
	}()
	return l.Addr().String(), got
}

func readHeadText(in *bufio.Reader) string {
	var head strings.Builder
	for {
		line, err := in.ReadString('\n')
		head.WriteString(line)
		if err != nil || line == "\r\n" {
			return head.String()
		}
	}
}

func dial(t *testing.T, to func(string) (Client, error), addr string) Client {
	t.Helper()
	c, err := to(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestHTTP1SendsAndKeepsTheBytes(t *testing.T) {
	addr, heads := canned(t, "HTTP/1.1 404 Not Found\r\nX-B: 2\r\nx-a:  1 \r\nX-b: 3\r\ncontent-length: 3\r\n\r\nno\n")
	resp, err := dial(t, DialHTTP1, addr).Do(Request{Method: "GET", Target: "//a/../b?c", Header: []Field{{"X-API-key", " k\t"}, {"x-api-KEY", ""}}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := <-heads, "GET //a/../b?c HTTP/1.1\r\nhost: tollgate.test\r\nX-API-key:  k\t\r\nx-api-KEY: \r\n\r\n"; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
	want := []Field{{"X-B", "2"}, {"x-a", " 1 "}, {"X-b", "3"}, {"content-length", "3"}}
	if !slices.Equal(resp.Header, want) {
		t.Errorf("header %q, want %q", resp.Header, want)
	}
	if resp.StatusLine != "HTTP/1.1 404 Not Found" || resp.Status != 404 || string(resp.Body) != "no\n" {
		t.Errorf("got %q, %d, %q", resp.StatusLine, resp.Status, resp.Body)
	}
	if got := resp.Values("X-b"); !slices.Equal(got, []string{"3"}) {
		t.Errorf("Values is %q", got)
	}
}

// One connection, and after each kind of body the next response begins where it should.
func TestHTTP1KnowsWhereAResponseEnds(t *testing.T) {
	steps := []struct{ method, answer, body string }{
		{"GET", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfirst", "first"},
		{"GET", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nsec\r\n3\r\nond\r\n0\r\n\r\n", "second"},
		{"HEAD", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n", ""},
		{"GET", "HTTP/1.1 204 No Content\r\n\r\n", ""},
		{"GET", "HTTP/1.1 304 Not Modified\r\n\r\n", ""},
		{"GET", "HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\n\r\n", ""},
		{"GET", "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nlast", "last"},
	}
	var answers []string
	for _, s := range steps {
		answers = append(answers, s.answer)
	}
	addr, _ := canned(t, answers...)
	c := dial(t, DialHTTP1, addr)
	for i, s := range steps {
		resp, err := c.Do(Request{Method: s.method, Target: "/"})
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		if string(resp.Body) != s.body || !strings.HasPrefix(s.answer, resp.StatusLine+"\r\n") {
			t.Errorf("step %d: %q with the body %q, want %q", i, resp.StatusLine, resp.Body, s.body)
		}
	}
}

func TestHTTP1RefusesWhatIsNoResponse(t *testing.T) {
	for _, answer := range []string{
		"",
		"HTTP/1.1\r\n\r\n",
		"SMTP 200 \r\n\r\n",
		"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
		"HTTP/1.1 200 OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nok",
		"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort",
	} {
		addr, _ := canned(t, answer)
		if resp, err := dial(t, DialHTTP1, addr).Do(Request{Method: "GET", Target: "/"}); err == nil {
			t.Errorf("%q is read as %+v", answer, resp)
		}
	}
}

func TestHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["X-Seen"] = []string{r.Proto, r.Header.Get("x-api-key"), r.RequestURI}
		w.WriteHeader(http.StatusFound)
		body, err := io.ReadAll(r.Body)
		fmt.Fprint(w, string(body), err)
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	c := dial(t, DialHTTP2, server.Listener.Addr().String())
	for i := range 2 {
		resp, err := c.Do(Request{Method: "POST", Target: "/a?b", Header: []Field{{"X-API-Key", "k"}}, Body: "text"})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := resp.Values("x-seen"), []string{"HTTP/2.0", "k", "/a?b"}; !slices.Equal(got, want) {
			t.Errorf("request %d: the server saw %q, want %q", i, got, want)
		}
		if resp.Status != http.StatusFound || string(resp.Body) != "text<nil>" {
			t.Errorf("request %d: %d %q", i, resp.Status, resp.Body)
		}
	}
}
