package history

import (
	"fmt"
	"net/http"
	"strconv"
)

// Answer is what a client is told.
type Answer struct {
	Allowed   bool
	Limit     uint32
	Remaining uint32
	Reset     int64 // Unix seconds
}

// String describes the answer for messages of tests.
func (a Answer) String() string {
	verdict := "refused"
	if a.Allowed {
		verdict = "allowed"
	}
	return fmt.Sprintf("%s, %d of %d remaining until %d", verdict, a.Remaining, a.Limit, a.Reset)
}

// Header is a response's header: all values of a name.
type Header interface{ Values(name string) []string }

// ReadAnswer reads an answer from a response with the status 200 or 429 and the three rate-limit headers, each on one line.
func ReadAnswer(status int, header Header) (Answer, error) {
	if status != http.StatusOK && status != http.StatusTooManyRequests {
		return Answer{}, fmt.Errorf("history: status %d", status)
	}
	a := Answer{Allowed: status == http.StatusOK}
	limit, err := number(header, "x-ratelimit-limit", 32)
	if err != nil {
		return a, err
	}
	remaining, err := number(header, "x-ratelimit-remaining", 32)
	if err != nil {
		return a, err
	}
	reset, err := number(header, "x-ratelimit-reset", 63)
	a.Limit, a.Remaining, a.Reset = uint32(limit), uint32(remaining), int64(reset)
	return a, err
}

func number(header Header, name string, bits int) (uint64, error) {
	values := header.Values(name)
	if len(values) != 1 {
		return 0, fmt.Errorf("history: %d lines of %s, want one", len(values), name)
	}
	n, err := strconv.ParseUint(values[0], 10, bits)
	if err != nil {
		return 0, fmt.Errorf("history: %s: %w", name, err)
	}
	return n, nil
}
