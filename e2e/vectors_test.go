package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"tollgate/e2e/envoytest"
	"tollgate/e2e/wire"
)

// vectors is the file of wire traces; its note explains the fields.
type vectors struct {
	Note      string     `json:"note"`
	Scenarios []scenario `json:"scenarios"`
}

type scenario struct {
	Name   string         `json:"name"`
	Wire   string         `json:"wire"`
	Why    string         `json:"why"`
	Config map[string]any `json:"config"`
	Steps  []step         `json:"steps"`
}

type step struct {
	At      float64     `json:"at"` // Unix seconds
	Method  string      `json:"method"`
	Target  string      `json:"target"`
	Headers [][2]string `json:"headers"`
	Rule    *string     `json:"rule"`
	Expect  struct {
		Status  int         `json:"status"`
		Headers [][2]string `json:"headers"`
	} `json:"expect"`
}

// wireSteps is how many steps of the file are marked for the wire. It changes with the file alone.
const wireSteps = 96

// Every step of the vectors that is marked for the wire, in Envoy, over a raw socket.
func TestVectors(t *testing.T) {
	t.Parallel()
	var scenarios []scenario
	for _, s := range readVectors(t).Scenarios {
		if len(s.wireSteps(t)) > 0 {
			scenarios = append(scenarios, s)
		}
	}
	var listeners []envoytest.Listener
	for _, s := range scenarios {
		listeners = append(listeners, s.listener(t))
	}
	envoy := envoytest.Start(t, envoytest.Config{Listeners: listeners})
	var ran atomic.Int64
	t.Run("scenarios", func(t *testing.T) { // ends when all its parallel subtests have ended
		for _, s := range scenarios {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				ran.Add(s.play(t, connect(t, http1, envoy.Addr(s.Name))))
			})
		}
	})
	t.Logf("%d steps in %d scenarios ran on the wire", ran.Load(), len(scenarios))
	if ran.Load() != wireSteps {
		t.Errorf("%d steps ran, want %d", ran.Load(), wireSteps)
	}
}

func readVectors(t *testing.T) vectors {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(envoytest.Root(), "testdata", "vectors", "fixed-window.json"))
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

const realBoundary = "real boundary"

// wireSteps returns the steps that run on the wire.
func (s scenario) wireSteps(t *testing.T) []step {
	t.Helper()
	var first int
	switch n, _ := fmt.Sscanf(s.Wire, "first %d", &first); {
	case s.Wire == "no":
		return nil
	case s.Wire == "all" || s.Wire == realBoundary:
		return s.Steps
	case n == 1 && first <= len(s.Steps):
		return s.Steps[:first]
	}
	t.Fatalf("scenario %s: cannot read wire %q", s.Name, s.Wire)
	return nil
}

// listener returns a listener of the scenario's own, its counters in a domain of its own. The paths reach the filter as they
// were sent.
func (s scenario) listener(t *testing.T) envoytest.Listener {
	t.Helper()
	config := maps.Clone(s.Config)
	config["domain"] = "vectors-" + s.Name
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	return envoytest.Listener{Name: s.Name, RawPaths: true, Filters: []envoytest.Filter{tollgate(t, string(text))}}
}

// play runs the scenario's steps for the wire and returns how many ran. Steps whose boundary is real keep their
// distance to it; the others follow each other at once, within one window.
func (s scenario) play(t *testing.T, c client) int64 {
	t.Helper()
	steps := s.wireSteps(t)
	window := s.window(t)
	start := time.Unix(0, 0)
	if s.Wire == realBoundary {
		start = startOf(steps[0], window)
	} else {
		needRoom(window, 3*time.Second)
	}
	for i, step := range steps {
		if s.Wire == realBoundary {
			waitUntil(start.Add(seconds(step.At - steps[0].At)))
		}
		got := c.ask(step.request())
		got.checkLines(t, step.Expect.Status, step.lines(t, got, window))
		if step.Expect.Status == 429 {
			got.checkNoBody(t)
		}
		if t.Failed() {
			t.Fatalf("step %d: %s %s", i+1, step.Method, step.Target)
		}
	}
	return int64(len(steps))
}

// window returns the length of the scenario's windows, which is the same in all its rules.
func (s scenario) window(t *testing.T) time.Duration {
	t.Helper()
	lengths := map[time.Duration]bool{}
	for _, rule := range s.Config["rules"].([]any) {
		for _, limit := range rule.(map[string]any)["limits"].([]any) {
			length, err := time.ParseDuration(limit.(map[string]any)["window"].(string))
			if err != nil {
				t.Fatal(err)
			}
			lengths[length] = true
		}
	}
	if len(lengths) != 1 {
		t.Fatalf("scenario %s has windows of %d lengths", s.Name, len(lengths))
	}
	return slices.Collect(maps.Keys(lengths))[0]
}

// startOf returns the next instant that lies in its window where the step lies in its own.
func startOf(s step, window time.Duration) time.Time {
	at := time.Unix(0, 0).Add(seconds(s.At))
	offset := at.Sub(time.Unix(windowEnd(at, window), 0)) // to the end: negative
	start := time.Unix(windowEnd(time.Now(), window), 0).Add(offset)
	if time.Until(start) < 0 {
		start = start.Add(window)
	}
	return start
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

func (s step) request() wire.Request {
	r := wire.Request{Method: s.Method, Target: s.Target}
	for _, h := range s.Headers {
		r.Header = append(r.Header, wire.Field{Name: h[0], Value: h[1]})
	}
	return r
}

// lines returns the expected header lines, with the instants of the real clock.
func (s step) lines(t *testing.T, got answer, window time.Duration) []wire.Field {
	t.Helper()
	reset := windowEnd(got.sent, window)
	var lines []wire.Field
	for _, h := range s.Expect.Headers {
		line := wire.Field{Name: h[0], Value: h[1]}
		switch line.Name {
		case "x-ratelimit-reset":
			line.Value = strconv.FormatInt(reset, 10)
		case "retry-after":
			line.Value = got.retryAfter(reset)
		}
		lines = append(lines, line)
	}
	return lines
}
