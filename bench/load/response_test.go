package load

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

func TestReadResponse(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       response
	}{
		{"body", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", response{status: 200, length: 5}},
		{"no body", "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n", response{status: 429}},
		{"no reason", "HTTP/1.1 204 \r\ncontent-length: 0\r\n\r\n", response{status: 204}},
		{"header", "HTTP/1.1 200 OK\r\nX-Left:9\r\ncontent-length:0\r\n\r\n", response{status: 200, found: true}},
		{"header with a longer name", "HTTP/1.1 200 OK\r\nx-lefty: 9\r\ncontent-length: 0\r\n\r\n", response{status: 200}},
		{"bare line feeds", "HTTP/1.1 200 OK\ncontent-length: 1\n\nx", response{status: 200, length: 1}},
		{"close", "HTTP/1.1 503 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n", response{status: 503, closed: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := bufio.NewReader(strings.NewReader(c.text + "NEXT"))
			got, err := readResponse(r, "x-left")
			if err != nil || got != c.want {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
			if rest, _ := io.ReadAll(r); string(rest) != "NEXT" {
				t.Errorf("the reader is left at %q", rest)
			}
		})
	}
}

func TestReadResponseFaults(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"nothing", ""},
		{"other protocol", "HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n"},
		{"no number", "HTTP/1.1 OK\r\ncontent-length: 0\r\n\r\n"},
		{"short number", "HTTP/1.1 20 OK\r\ncontent-length: 0\r\n\r\n"},
		{"signed number", "HTTP/1.1 -20 OK\r\ncontent-length: 0\r\n\r\n"},
		{"no length", "HTTP/1.1 200 OK\r\nserver: x\r\n\r\n"},
		{"negative length", "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n"},
		{"length is no number", "HTTP/1.1 200 OK\r\ncontent-length: 1x\r\n\r\n"},
		{"chunked", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"},
		{"no colon", "HTTP/1.1 200 OK\r\ncontent-length 0\r\n\r\n"},
		{"ends in the header", "HTTP/1.1 200 OK\r\ncontent-le"},
		{"ends in the body", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello"},
		{"endless line", "HTTP/1.1 200 OK\r\nx: " + strings.Repeat("y", 100_000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := readResponse(bufio.NewReader(strings.NewReader(c.text)), "x-left"); err == nil {
				t.Errorf("got %+v and no error", got)
			}
		})
	}
}
