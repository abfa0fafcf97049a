package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"tollgate/e2e/envoytest"
	"tollgate/e2e/wire"
	"tollgate/internal/vectors"
)

// wireSteps is how many steps of the file are marked for the wire. It changes with the file alone.
const wireSteps = 96

// Every step of the wire traces that a real proxy can play, in Envoy, over a raw socket.
func TestVectors(t *testing.T) {
	t.Parallel()
	file, err := vectors.Read(filepath.Join(envoytest.Root(), "testdata", "vectors", "fixed-window.json"))
	if err != nil {
		t.Fatal(err)
	}
	var traces []trace
	var listeners []envoytest.Listener
	for _, s := range file.Scenarios {
		if tr := newTrace(t, s); len(tr.steps) > 0 {
			traces = append(traces, tr)
			listeners = append(listeners, tr.listener(t))
		}
	}
	envoy := envoytest.Start(t, envoytest.Config{Listeners: listeners})
	var ran atomic.Int64
	t.Run("scenarios", func(t *testing.T) { // ends when its parallel subtests have ended
		for _, tr := range traces {
			t.Run(tr.name, func(t *testing.T) {
				t.Parallel()
				tr.play(t, connect(t, http1, envoy.Addr(tr.name)), &ran)
			})
		}
	})
	t.Logf("%d steps of %d scenarios ran in Envoy", ran.Load(), len(traces))
	if ran.Load() != wireSteps {
		t.Errorf("%d steps ran, want %d", ran.Load(), wireSteps)
	}
}

// trace is what a real proxy can play of a scenario.
type trace struct {
	name   string
	config string
	window time.Duration // of all its limits
	steps  []vectors.Step
	timed  bool // the steps keep their distance to the boundaries; else they follow each other at once, in one window
}

func newTrace(t *testing.T, s vectors.Scenario) trace {
	t.Helper()
	tr := trace{name: s.Name, timed: s.Wire == "real boundary"}
	var first int
	switch n, _ := fmt.Sscanf(s.Wire, "first %d", &first); {
	case s.Wire == "no":
		return tr
	case s.Wire == "all" || tr.timed:
		tr.steps = s.Steps
	case n == 1 && first <= len(s.Steps):
		tr.steps = s.Steps[:first]
	default:
		t.Fatalf("scenario %s: cannot read wire %q", s.Name, s.Wire)
	}
	tr.configure(t, s.Config)
	return tr
}

// configure takes the configuration over, into a domain of the scenario's own: its counters start at nothing.
func (tr *trace) configure(t *testing.T, config json.RawMessage) {
	t.Helper()
	var fields struct {
		Domain string          `json:"domain"`
		Rules  json.RawMessage `json:"rules"`
	}
	unmarshal(t, config, &fields)
	fields.Domain = "vectors-" + tr.name
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	tr.config = string(text)

	var rules []struct{ Limits []struct{ Window string } }
	unmarshal(t, fields.Rules, &rules)
	for _, rule := range rules {
		for _, limit := range rule.Limits {
			window, err := time.ParseDuration(limit.Window)
			if err != nil || tr.window != 0 && tr.window != window {
				t.Fatalf("scenario %s: window %s beside %v, %v", tr.name, limit.Window, tr.window, err)
			}
			tr.window = window
		}
	}
}

func unmarshal(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// listener returns a listener for the scenario alone. Paths reach the filter as they were sent.
func (tr trace) listener(t *testing.T) envoytest.Listener {
	t.Helper()
	return envoytest.Listener{Name: tr.name, RawPaths: true, Filters: []envoytest.Filter{tollgate(t, tr.config)}}
}

// play runs the steps, and adds to ran as they pass.
func (tr trace) play(t *testing.T, c client, ran *atomic.Int64) {
	t.Helper()
	var shift time.Duration
	if tr.timed {
		shift = tr.shift()
	} else {
		needRoom(tr.window, 3*time.Second)
	}
	for i, s := range tr.steps {
		if tr.timed {
			waitUntil(instant(s).Add(shift))
		}
		got := c.ask(request(s))
		s.Expect.Headers = inRealTime(s.Expect.Headers, got, tr.window)
		if err := s.Check(got.Status, pairs(got.Header)); err != nil {
			t.Fatalf("step %d, %s %s: %v", i+1, s.Method, s.Target, err)
		}
		if got.Status == 429 {
			got.checkNoBody(t)
		}
		ran.Add(1)
	}
}

// shift returns how far the scenario must be moved to begin soon: whole windows, so that every step keeps its
// distance to the boundaries.
func (tr trace) shift() time.Duration {
	return time.Since(instant(tr.steps[0])).Truncate(tr.window) + tr.window
}

func instant(s vectors.Step) time.Time { return time.Unix(0, int64(s.At)) }

func request(s vectors.Step) wire.Request {
	r := wire.Request{Method: s.Method, Target: s.Target}
	for _, h := range s.Headers {
		r.Header = append(r.Header, wire.Field{Name: h[0], Value: h[1]})
	}
	return r
}

// inRealTime returns the expected headers with the instants at which the answer was really had.
func inRealTime(expected []vectors.Header, got answer, window time.Duration) []vectors.Header {
	reset := windowEnd(got.sent, window)
	var headers []vectors.Header
	for _, h := range expected {
		switch h[0] {
		case "x-ratelimit-reset":
			h[1] = strconv.FormatInt(reset, 10)
		case "retry-after":
			h[1] = got.retryAfter(reset)
		}
		headers = append(headers, h)
	}
	return headers
}

func pairs(lines []wire.Field) []vectors.Header {
	var headers []vectors.Header
	for _, f := range lines {
		headers = append(headers, vectors.Header{f.Name, f.Value})
	}
	return headers
}
