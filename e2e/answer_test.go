package e2e

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tollgate/e2e/wire"
)

// protocol is a version of HTTP that the tests speak to Envoy.
type protocol struct {
	name    string
	dial    func(addr string) (wire.Client, error)
	ordered bool // whether the client keeps the order of header lines
}

var (
	http1     = protocol{"HTTP/1.1", wire.DialHTTP1, true}
	http2     = protocol{"HTTP/2", wire.DialHTTP2, false}
	protocols = []protocol{http1, http2}
)

// client is a connection of a test to a listener.
type client struct {
	t     testing.TB
	proto protocol
	wire.Client
}

func connect(t testing.TB, p protocol, addr string) client {
	t.Helper()
	c, err := p.dial(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return client{t: t, proto: p, Client: c}
}

// answer is a response, what it answers, and when it was asked for and had.
type answer struct {
	*wire.Response
	method         string
	proto          protocol
	sent, received time.Time
}

func (c client) ask(r wire.Request) answer {
	c.t.Helper()
	sent := time.Now()
	resp, err := c.Do(r)
	if err != nil {
		c.t.Fatalf("%s %s: %v", r.Method, r.Target, err)
	}
	return answer{Response: resp, method: r.Method, proto: c.proto, sent: sent, received: time.Now()}
}

// get asks for target as the client whose key is key.
func (c client) get(target, key string) answer {
	c.t.Helper()
	return c.ask(wire.Request{Method: "GET", Target: target, Header: []wire.Field{{Name: "x-api-key", Value: key}}})
}

// standing is where a response tells a client that it stands.
type standing struct {
	limit, remaining int64
	window           time.Duration
}

// ourNames are the header names of the gateway, in the order of the wire.
var ourNames = []string{"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"}

// check compares a response with its status and the standing it must tell, and holds that a 429 has no body.
func (a answer) check(t testing.TB, status int, want standing) {
	t.Helper()
	a.checkLines(t, status, a.linesOf(status, want))
	if status == 429 {
		a.checkNoBody(t)
	}
}

// linesOf returns the lines that tell a standing in a response of that status. A 429 says also when to come back,
// unless the limit is 0.
func (a answer) linesOf(status int, s standing) []wire.Field {
	reset := windowEnd(a.sent, s.window)
	lines := []wire.Field{
		{Name: "x-ratelimit-limit", Value: strconv.FormatInt(s.limit, 10)},
		{Name: "x-ratelimit-remaining", Value: strconv.FormatInt(s.remaining, 10)},
		{Name: "x-ratelimit-reset", Value: strconv.FormatInt(reset, 10)},
	}
	if status == 429 && s.limit > 0 {
		lines = append(lines, wire.Field{Name: "retry-after", Value: a.retryAfter(reset)})
	}
	return lines
}

// retryAfter returns the right value of retry-after for a window that ends at reset: the whole seconds to it, rounded
// up. If two values are possible because the clock went on meanwhile, it returns the one that the response has, if right.
func (a answer) retryAfter(reset int64) string {
	early, late := secondsUntil(reset, a.sent), secondsUntil(reset, a.received)
	if got := a.Values("retry-after"); len(got) == 1 && got[0] == late {
		return late
	}
	return early
}

func secondsUntil(reset int64, now time.Time) string {
	left := time.Unix(reset, 0).Sub(now)
	seconds := max(1, (left+time.Second-1)/time.Second)
	return strconv.FormatInt(int64(seconds), 10)
}

// checkLines compares the status and all lines with the gateway's names, in their order.
func (a answer) checkLines(t testing.TB, status int, want []wire.Field) {
	t.Helper()
	got := a.ours()
	if !a.proto.ordered {
		want = byName(want)
	}
	if a.Status != status || !slices.Equal(got, want) {
		t.Errorf("status %d with %v, want %d with %v", a.Status, got, status, want)
	}
}

// checkNoBody holds that the response has no body and says so: by content-length 0 where HTTP/1.1 needs a length. In
// HTTP/2, and for HEAD, the end of the headers is the end of the response.
func (a answer) checkNoBody(t testing.TB) {
	t.Helper()
	var want []string
	if a.proto.name == http1.name && a.method != "HEAD" {
		want = []string{"0"}
	}
	if got := a.Values("content-length"); !slices.Equal(got, want) || len(a.Body) > 0 {
		t.Errorf("content-length %q with the body %q, want %q and none", got, a.Body, want)
	}
}

// ours returns the header lines with the gateway's names.
func (a answer) ours() []wire.Field {
	var lines []wire.Field
	for _, f := range a.Header {
		if slices.Contains(ourNames, f.Name) {
			lines = append(lines, f)
		}
	}
	return lines
}

func byName(lines []wire.Field) []wire.Field {
	sorted := slices.Clone(lines)
	slices.SortStableFunc(sorted, func(a, b wire.Field) int { return strings.Compare(a.Name, b.Name) })
	return sorted
}

// names returns the names of all header lines, in the order of arrival.
func (a answer) names() []string {
	var names []string
	for _, f := range a.Header {
		names = append(names, f.Name)
	}
	return names
}
