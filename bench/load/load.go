package load

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"time"
)

// Load is one batch of requests.
type Load struct {
	Address     string   // host:port of the server
	Requests    [][]byte // whole requests, sent in turn over all connections together
	First       int      // index of the one to begin with
	Total       int      // how many are sent, at least one for each connection
	Connections int      // at least 1
	Expect      Expect
	Timeout     time.Duration // for the whole batch
}

// Expect is what every answer must be.
type Expect struct {
	Status int    // 0 stands for any
	Header string // a name in lower case that must occur; empty for none
}

// Get returns a GET request with the header x-api-key.
func Get(path, key string) []byte {
	return []byte("GET " + path + " HTTP/1.1\r\nhost: bench.example\r\nuser-agent: bench\r\naccept: */*\r\nx-api-key: " + key + "\r\n\r\n")
}

// Run sends the batch and returns when every answer was read, with the first fault of each connection.
func (l *Load) Run() error {
	if l.Connections < 1 || l.Total < l.Connections || len(l.Requests) == 0 {
		return fmt.Errorf("load: %d requests of %d kinds over %d connections", l.Total, len(l.Requests), l.Connections)
	}
	deadline := time.Now().Add(l.Timeout)
	ended := make(chan error, l.Connections)
	for c := range l.Connections {
		go func() { ended <- l.connection(c, deadline) }()
	}
	var faults []error
	for range l.Connections {
		faults = append(faults, <-ended)
	}
	return errors.Join(faults...)
}

// connection sends requests c, c+n, c+2n, ... of the batch, n being the number of connections.
func (l *Load) connection(c int, deadline time.Time) error {
	conn, err := net.DialTimeout("tcp", l.Address, time.Until(deadline))
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(deadline); err != nil {
		return err
	}
	r := bufio.NewReader(conn)
	for i := c; i < l.Total; i += l.Connections {
		if _, err := conn.Write(l.Requests[(l.First+i)%len(l.Requests)]); err != nil {
			return err
		}
		answer, err := readResponse(r, l.Expect.Header)
		if err != nil {
			return err
		}
		if err := l.Expect.check(answer); err != nil {
			return err
		}
	}
	return nil
}

func (e Expect) check(answer response) error {
	switch {
	case answer.closed:
		return errors.New("load: the server closes a keep-alive connection")
	case e.Status != 0 && answer.status != e.Status:
		return fmt.Errorf("load: status %d in place of %d", answer.status, e.Status)
	case e.Header != "" && !answer.found:
		return fmt.Errorf("load: no header %s in the answer", e.Header)
	}
	return nil
}
