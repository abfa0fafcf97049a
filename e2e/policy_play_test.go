package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tollgate/e2e/envoytest"
	"tollgate/e2e/wire"
)

// play is a configuration and what shows what it does.
type play struct {
	name     string             // of the listener, and the domain of the counters
	front    []envoytest.Filter // filters before the one under test
	config   string             // the fields of the configuration but the domain; windows are written "hour" and "day"
	values   bool               // the configuration arrives as values of a protobuf Struct, its numbers as doubles, not as text
	upstream string             // where requests go; "" for one that tells what it was sent
	steps    []step             // one after the other
	check    check              // what steps cannot say, after them
}

// check is the part of a play that needs more than one request after the other.
type check func(t *testing.T, envoy *envoytest.Envoy, w times)

// step is a request and what the client is told.
type step struct {
	request string // method and target, then header lines
	want    string // see told
}

// get is a step of a client with an API key.
func get(target, key, want string) step {
	return step{"GET " + target + "\nx-api-key: " + key, want}
}

// spend is steps that spend the whole budget of a limit, one each, and one more that is refused.
func spend(request string, limit int, window string) []step {
	var steps []step
	for left := limit - 1; left >= 0; left-- {
		steps = append(steps, step{request, fmt.Sprintf("200 %d/%d %s", limit, left, window)})
	}
	return append(steps, step{request, fmt.Sprintf("429 %d/0 %s", limit, window)})
}

// times are the windows that the words in a configuration stand for: about as long, and far from their end, so that no test
// straddles a boundary. A "day" ends after the "hour".
type times map[string]time.Duration

func newTimes() times {
	now := time.Now()
	hour := windowEndingAfter(now.Add(10*time.Minute), time.Hour)
	return times{"hour": hour, "day": windowEndingAfter(time.Unix(windowEnd(now, hour), 0), 24*time.Hour)}
}

// windowEndingAfter returns the shortest window of at least w, in whole minutes, whose present one ends after an instant.
func windowEndingAfter(instant time.Time, w time.Duration) time.Duration {
	for windowEnd(time.Now(), w) <= instant.Unix() {
		w += time.Minute
	}
	return w
}

// in replaces the words in a configuration by the windows.
func (w times) in(config string) string {
	for word, length := range w {
		config = strings.ReplaceAll(config, strconv.Quote(word), strconv.Quote(inSeconds(length)))
	}
	return config
}

// configuration returns the fields as a configuration with this domain.
func (w times) configuration(domain, fields string) string {
	return fmt.Sprintf(`{"domain": %q, %s}`, domain, w.in(fields))
}

// listener returns the listener of a play. Paths reach the filter as they were sent.
func (p play) listener(t *testing.T, w times) envoytest.Listener {
	t.Helper()
	config := w.configuration(p.name, p.config)
	filter := tollgate(t, config)
	if p.values {
		var values map[string]any
		unmarshal(t, []byte(config), &values)
		filter = envoytest.Plugin{Module: envoytest.Module(t)}.FilterWithStruct(values)
	}
	return envoytest.Listener{
		Name: p.name, Upstream: p.upstream, RawPaths: true, Filters: append(slices.Clone(p.front), filter),
	}
}

// perform runs an Envoy with a listener for each play, and plays each in a subtest of its name.
func perform(t *testing.T, plays []play) {
	t.Helper()
	w := newTimes()
	upstream := envoytest.NewUpstream(t)
	var listeners []envoytest.Listener
	for _, p := range plays {
		p.upstream = or(p.upstream, upstream.Addr)
		listeners = append(listeners, p.listener(t, w))
	}
	w.performIn(t, envoytest.Start(t, envoytest.Config{Listeners: listeners}), plays)
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// performIn plays the plays, for which an Envoy runs already.
func (w times) performIn(t *testing.T, envoy *envoytest.Envoy, plays []play) {
	t.Helper()
	for _, p := range plays {
		t.Run(p.name, func(t *testing.T) {
			w.run(t, envoy.Addr(p.name), p.steps)
			if p.check != nil {
				p.check(t, envoy, w)
			}
		})
	}
}

// run plays the steps on one connection.
func (w times) run(t testing.TB, addr string, steps []step) {
	t.Helper()
	c := connect(t, http1, addr)
	for i, s := range steps {
		if got := w.told(c.ask(parseRequest(s.request))); got != s.want {
			t.Errorf("step %d, %.200q: %q, want %q", i+1, s.request, got, s.want)
		}
	}
}

func parseRequest(text string) wire.Request {
	head, lines, _ := strings.Cut(text, "\n")
	method, target, _ := strings.Cut(head, " ")
	r := wire.Request{Method: method, Target: target}
	for line := range strings.SplitSeq(lines, "\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			r.Header = append(r.Header, wire.Field{Name: name, Value: value})
		}
	}
	return r
}

// told says what a client is told: the status; where it stands, as limit/remaining and the word for the window; and how it can
// name itself. The reset must be the end of the window, and the other header lines those of the wire contract: otherwise
// all of them are there.
func (w times) told(a answer) string {
	text := strconv.Itoa(a.Status)
	if ours := a.ours(); len(ours) > 0 {
		text += " " + w.standing(a)
	}
	for _, challenge := range a.Values("www-authenticate") {
		text += " " + challenge
	}
	return text
}

func (w times) standing(a answer) string {
	limit, _ := theNumber(a.Response, "x-ratelimit-limit") // a wrong one shows in the lines
	remaining, _ := theNumber(a.Response, "x-ratelimit-remaining")
	for word, length := range w {
		want := a.linesOf(a.Status, standing{int64(limit), int64(remaining), length})
		if slices.Equal(a.ours(), want) {
			return fmt.Sprintf("%d/%d %s", limit, remaining, word)
		}
	}
	return fmt.Sprint(a.ours())
}
