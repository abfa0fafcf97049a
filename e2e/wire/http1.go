package wire

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
	"time"
)

// timeout bounds each exchange, so that a server that never answers fails a test instead of hanging it.
const timeout = 30 * time.Second

// http1 is a connection that speaks HTTP/1.1 and stays open between requests.
type http1 struct {
	conn net.Conn
	in   *bufio.Reader
}

// DialHTTP1 opens an HTTP/1.1 connection to addr, host:port.
func DialHTTP1(addr string) (Client, error) {
	conn, err := net.DialTimeout("tcp", addr, timeout)
	if err != nil {
		return nil, err
	}
	return &http1{conn: conn, in: bufio.NewReader(conn)}, nil
}

func (c *http1) Close() error { return c.conn.Close() }

// Do sends the request with a host line in front and, where there is a body or the method is POST, a content-length.
func (c *http1) Do(r Request) (*Response, error) {
	if err := c.conn.SetDeadline(time.Now().Add(timeout)); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(c.conn, r.http1Text()); err != nil {
		return nil, err
	}
	resp, err := c.readHead()
	if err != nil {
		return nil, err
	}
	if hasBody(r.Method, resp.Status) {
		resp.Body, err = c.readBody(resp)
	}
	return resp, err
}

func (r Request) http1Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nhost: tollgate.test\r\n", r.Method, r.Target)
	for _, f := range r.Header {
		fmt.Fprintf(&b, "%s: %s\r\n", f.Name, f.Value)
	}
	if r.Body != "" || r.Method == http.MethodPost {
		fmt.Fprintf(&b, "content-length: %d\r\n", len(r.Body))
	}
	b.WriteString("\r\n" + r.Body)
	return b.String()
}

func (c *http1) readHead() (*Response, error) {
	status, err := c.readLine()
	if err != nil {
		return nil, err
	}
	resp := &Response{StatusLine: status}
	if _, err := fmt.Sscanf(status, "HTTP/1.1 %d ", &resp.Status); err != nil {
		return nil, fmt.Errorf("status line %q: %w", status, err)
	}
	for {
		line, err := c.readLine()
		if err != nil || line == "" {
			return resp, err
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("header line %q", line)
		}
		resp.Header = append(resp.Header, Field{Name: name, Value: strings.TrimPrefix(value, " ")})
	}
}

func (c *http1) readLine() (string, error) {
	line, err := c.in.ReadString('\n')
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(line, "\r\n"), nil
}

// hasBody applies RFC 9112 section 6.3, rule 1.
func hasBody(method string, status int) bool {
	return method != http.MethodHead && status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

func (c *http1) readBody(r *Response) ([]byte, error) {
	if coding := r.Values("transfer-encoding"); len(coding) == 1 && coding[0] == "chunked" {
		body, err := io.ReadAll(httputil.NewChunkedReader(c.in))
		if err != nil {
			return nil, err
		}
		_, err = c.readLine() // the end of the trailer section
		return body, err
	}
	length := r.Values("content-length")
	if len(length) != 1 {
		return nil, fmt.Errorf("no single content-length in %v", r.Header)
	}
	n, err := strconv.Atoi(length[0])
	if err != nil {
		return nil, err
	}
	body := make([]byte, n)
	_, err = io.ReadFull(c.in, body)
	return body, err
}
