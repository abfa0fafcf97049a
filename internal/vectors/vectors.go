// Package vectors reads the wire traces under testdata/vectors for tests: what a client sends at which instant, and what
// it must get. The tests play them against the filter natively and against the built module.
package vectors

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
)

// Header is one header line: a name and a value.
type Header = [2]string

// File is one file of traces.
type File struct {
	Scenarios []Scenario
}

// Scenario is one trace. It starts on an empty store.
type Scenario struct {
	Name   string
	Why    string          // what it shows
	Wire   string          // which of its steps a real proxy can play too
	Config json.RawMessage // the plugin's configuration
	Steps  []Step
}

// Step is one request and the response it must get.
type Step struct {
	At      Instant
	Method  string
	Target  string // the request target, with its query
	Headers []Header
	Rule    *string // the rule that decides the request, nil where none does
	Expect  Expect
}

// Expect is what the client must get: the status, and these headers in this order, each on one line. No headers means
// none of those that the filter writes.
type Expect struct {
	Status  int
	Headers []Header
}

// Instant is a Unix time in nanoseconds, read exactly from a decimal number of seconds.
type Instant int64

// UnmarshalJSON implements json.Unmarshaler. It fails for a number that is no whole number of nanoseconds.
func (i *Instant) UnmarshalJSON(text []byte) error {
	seconds, ok := new(big.Rat).SetString(string(text))
	if !ok {
		return fmt.Errorf("vectors: %s is not a number", text)
	}
	nanoseconds := seconds.Mul(seconds, big.NewRat(1_000_000_000, 1))
	if !nanoseconds.IsInt() || !nanoseconds.Num().IsInt64() {
		return fmt.Errorf("vectors: %s s is no whole number of nanoseconds", text)
	}
	*i = Instant(nanoseconds.Num().Int64())
	return nil
}

// Read reads a file of traces. Unknown fields are errors, and so are a file without scenarios and one without steps:
// a test over them would show nothing.
func Read(path string) (*File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	decoder := json.NewDecoder(in)
	decoder.DisallowUnknownFields()
	var file struct {
		Note string
		File
	}
	if err := decoder.Decode(&file); err != nil {
		return nil, fmt.Errorf("vectors: %s: %w", path, err)
	}
	for _, s := range file.Scenarios {
		if len(s.Steps) == 0 {
			return nil, fmt.Errorf("vectors: %s: scenario %s has no steps", path, s.Name)
		}
	}
	if len(file.Scenarios) == 0 {
		return nil, errors.New("vectors: " + path + " has no scenarios")
	}
	return &file.File, nil
}

// Steps counts the steps of all scenarios.
func (f *File) Steps() int {
	n := 0
	for _, s := range f.Scenarios {
		n += len(s.Steps)
	}
	return n
}

// Request returns the header lines of the step's request as a proxy hands them to a filter: the pseudo headers first,
// all names in lower case.
func (s *Step) Request() []Header {
	lines := []Header{{":method", s.Method}, {":scheme", "http"}, {":authority", "vectors.example"}, {":path", s.Target}}
	for _, line := range s.Headers {
		lines = append(lines, Header{strings.ToLower(line[0]), line[1]})
	}
	return lines
}

// Decider names the rule that decides the request, "" where none does.
func (s *Step) Decider() string {
	if s.Rule == nil {
		return ""
	}
	return *s.Rule
}

// written are the headers that the filter writes in these traces.
var written = []string{"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"}

// Check says how a response differs from what the step expects, or returns nil.
func (s *Step) Check(status int, headers []Header) error {
	var got []Header
	for _, line := range headers {
		if slices.Contains(written, strings.ToLower(line[0])) {
			got = append(got, line)
		}
	}
	if status != s.Expect.Status || !slices.Equal(got, s.Expect.Headers) {
		return fmt.Errorf("status %d with %v, want %d with %v", status, got, s.Expect.Status, s.Expect.Headers)
	}
	return nil
}
