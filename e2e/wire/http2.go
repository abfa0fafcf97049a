package wire

import (
	"io"
	"net/http"
	"slices"
	"strings"
)

// http2 is a connection that speaks HTTP/2. It is net/http's: the order of different names is lost, and Response.Header is
// sorted by name; the lines of one name keep their order.
type http2 struct {
	transport *http.Transport
	addr      string
}

// DialHTTP2 returns a client for HTTP/2 at addr, host:port, without TLS and without an upgrade (RFC 9113 section 3.3). It
// connects with the first request.
func DialHTTP2(addr string) (Client, error) {
	transport := &http.Transport{Protocols: new(http.Protocols), DisableCompression: true}
	transport.Protocols.SetUnencryptedHTTP2(true)
	return &http2{transport: transport, addr: addr}, nil
}

// Close ends the connection.
func (c *http2) Close() error {
	c.transport.CloseIdleConnections()
	return nil
}

// Do sends the request. Names of header fields go out in lower case, as HTTP/2 requires.
func (c *http2) Do(r Request) (*Response, error) {
	req, err := http.NewRequest(r.Method, "http://"+c.addr+r.Target, strings.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	for _, f := range r.Header {
		req.Header.Add(f.Name, f.Value)
	}
	client := http.Client{Transport: c.transport, Timeout: timeout, CheckRedirect: stopAtRedirect}
	got, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	return &Response{Status: got.StatusCode, Header: fields(got.Header), Body: body}, err
}

func stopAtRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func fields(header http.Header) []Field {
	var all []Field
	for name, values := range header {
		for _, value := range values {
			all = append(all, Field{Name: strings.ToLower(name), Value: value})
		}
	}
	slices.SortStableFunc(all, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return all
}
