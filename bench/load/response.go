package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// errChunked is an answer whose length is not known beforehand: a fixed answer has a Content-Length.
var errChunked = errors.New("load: the answer has a Transfer-Encoding")

// response is what the generator looks at in an answer.
type response struct {
	status int
	length int  // of the body, in bytes
	found  bool // the expected header was there
	closed bool // the server closes the connection after this answer
}

// readResponse reads one answer and drops its body. The header that it looks for is given in lower case, or empty.
func readResponse(r *bufio.Reader, header string) (response, error) {
	line, err := readLine(r)
	if err != nil {
		return response{}, err
	}
	status, err := parseStatusLine(line)
	if err != nil {
		return response{}, err
	}
	answer := response{status: status, length: -1}
	if err := answer.readFields(r, header); err != nil {
		return response{}, err
	}
	if answer.length < 0 {
		return response{}, errors.New("load: the answer has no Content-Length")
	}
	_, err = r.Discard(answer.length)
	return answer, err
}

// readFields reads the header lines to the empty line that ends them.
func (a *response) readFields(r *bufio.Reader, header string) error {
	for {
		line, err := readLine(r)
		if err != nil || len(line) == 0 {
			return err
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			return fmt.Errorf("load: %q is no header line", line)
		}
		if err := a.field(name, bytes.TrimSpace(value), header); err != nil {
			return err
		}
	}
}

func (a *response) field(name, value []byte, header string) (err error) {
	switch {
	case is(name, "content-length"):
		if a.length, err = strconv.Atoi(string(value)); err != nil || a.length < 0 {
			return fmt.Errorf("load: Content-Length %q", value)
		}
	case is(name, "transfer-encoding"):
		return errChunked
	case is(name, "connection"):
		a.closed = is(value, "close")
	case header != "" && is(name, header):
		a.found = true
	}
	return nil
}

func is(name []byte, lower string) bool { return bytes.EqualFold(name, []byte(lower)) }

// readLine returns the next line without its end, valid until the next reading.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err == io.EOF && len(line) > 0 {
		err = io.ErrUnexpectedEOF
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), err
}

// parseStatusLine reads "HTTP/1.1 200 OK" (RFC 9112 section 4).
func parseStatusLine(line []byte) (int, error) {
	rest, ok := bytes.CutPrefix(line, []byte("HTTP/1.1 "))
	code, _, _ := bytes.Cut(rest, []byte(" "))
	status, err := strconv.Atoi(string(code))
	if !ok || err != nil || len(code) != 3 || status < 100 {
		return 0, fmt.Errorf("load: %q is no status line of HTTP/1.1", line)
	}
	return status, nil
}
