package prove

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
	"tollgate/prove/forms"
)

// TestFaults plays every fault under both settings of on_error, and compares what the client gets, what is counted, logged and
// measured with what the table says.
func TestFaults(t *testing.T) {
	played := 0
	for _, f := range faults() {
		t.Run(f.what, func(t *testing.T) {
			for _, inject := range f.injections() {
				played += 2
				allow, refuse := f.play(t, "allow", inject), f.play(t, "refuse", inject)
				got := allow
				got.refuse = refuse.allow
				if got != f.want {
					t.Errorf("with %s:\n got %+v\nwant %+v", inject.name, got, f.want)
				}
				refuse.allow = allow.allow
				if refuse != allow {
					t.Errorf("with %s on_error changes what is counted, logged or measured:\n%+v\n%+v", inject.name, allow, refuse)
				}
			}
		})
	}
	forms.Proved(t, "faults", "%d kinds, %d ways to play them, each does what the table says", len(faults()), played)
}

// injection is one way in which a fault shows.
type injection struct {
	name   string
	inject func() func(wasmhost.Call, int) (wasmhost.Status, bool) // for one request; nil for a fault of another kind
}

func (f fault) injections() []injection {
	if f.call == "" {
		return []injection{{"the fault", f.inject}}
	}
	var all []injection
	for _, s := range f.statuses {
		all = append(all, injection{f.call + " = " + s.String(), func() func(wasmhost.Call, int) (wasmhost.Status, bool) { return f.failing(s) }})
	}
	return all
}

// failing returns an Inject that lets the call in question have a status.
func (f fault) failing(s wasmhost.Status) func(wasmhost.Call, int) (wasmhost.Status, bool) {
	fail := wasmhost.Fail(f.call, f.times, s)
	return func(c wasmhost.Call, n int) (wasmhost.Status, bool) {
		if f.callback != "" && f.callback != c.Callback {
			return wasmhost.OK, false
		}
		return fail(c, n)
	}
}

const (
	faultBudget = 10
	faultConfig = `{%s "max_counters": 16, "on_error": %q, "rules": [{%s "name": "api", "limits": [{"requests": 10, "window": "1h"}]}]}`
	faulty      = 2 // requests under the fault
)

// ask sends a request of a client, with a header of a name that no client may set, and an upstream that answers with a status.
func ask(t *testing.T, root *wasmhost.Root, status int) wasmhost.Response {
	t.Helper()
	response, err := root.Do(append(get("alice"), [2]string{"x-would-be", "forged"}), wasmhost.Respond(status))
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// play sends some requests, two more under the fault, and one without it. It returns what the client got in allow.
func (f fault) play(t *testing.T, onError string, inject injection) outcome {
	t.Helper()
	host := hosttest.New(t)
	host.SetProperty([]byte("the route"), "xds", "route_name")
	if !f.clock.IsZero() {
		host.SetTime(f.clock)
	}
	root := start(t, host, fmt.Sprintf(faultConfig, f.settings, onError, f.rule))
	before, usually := 3, max(f.usually, 200)
	if f.spent {
		before = faultBudget
	}
	for range before {
		ask(t, root, usually)
	}
	tick(t, root)
	if f.clock.IsZero() {
		host.ResetLogs() // otherwise the requests so far were faulty, too
	}
	sums := host.Metrics()

	got := outcome{}
	for i := range faulty {
		f.arrange(t, root, inject)
		answer := tell(ask(t, root, 200), max(0, faultBudget-before-1-i))
		if got.allow != "" && got.allow != answer {
			answer = got.allow + ", then " + answer
		}
		got.allow = answer
	}
	tick(t, root)
	root.VM().SetHooks(wasmhost.Hooks{})
	tick(t, root)
	got.metrics = rise(sums, host.Metrics())
	got.log = complaint(t, host)
	got.counted = countedSince(t, ask(t, root, usually), before)
	return got
}

// arrange brings the fault about for one request.
func (f fault) arrange(t *testing.T, root *wasmhost.Root, inject injection) {
	t.Helper()
	if f.corrupt != nil {
		shared := root.Host().Shared("")
		for _, key := range shared.Keys() {
			if strings.HasPrefix(key, bucketPrefix(16)) {
				shared.Set(key, f.corrupt, 0)
			}
		}
	}
	if inject.inject != nil {
		root.VM().SetHooks(wasmhost.Hooks{Inject: inject.inject()})
	}
}

// tell describes a response whose client has so much remaining.
func tell(r wasmhost.Response, remaining int) string {
	lines := 0
	for _, name := range []string{"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"} {
		lines += len(r.Headers.Values(name))
	}
	switch {
	case lines == 0 && r.Status >= 400:
		return strconv.Itoa(r.Status)
	case lines == 0:
		return fmt.Sprint(r.Status, " without headers")
	case lines != 3:
		return fmt.Sprintf("%d with %d headers", r.Status, lines)
	case r.Headers.Value("x-ratelimit-remaining") != strconv.Itoa(remaining):
		return fmt.Sprintf("%d with remaining %s instead of %d", r.Status, r.Headers.Value("x-ratelimit-remaining"), remaining)
	}
	return fmt.Sprint(r.Status, " with headers")
}

// rise lists by how much metrics rose for each of the faulty requests.
func rise(before, after map[string]uint64) string {
	var rises []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if d := after[name] - before[name]; d != 0 {
			rises = append(rises, fmt.Sprintf("`%s` +%v", strings.TrimPrefix(name, "tollgate.shop."), float64(d)/faulty))
		}
	}
	return strings.Join(rises, ", ")
}

// complaint returns the one error that was logged, without what all such lines share.
func complaint(t *testing.T, host *wasmhost.Host) string {
	t.Helper()
	var errors []string
	for _, e := range host.Logs() {
		if e.Level < wasmhost.LevelWarn {
			continue
		}
		text, ok := strings.CutPrefix(e.Text, "tollgate shop: ")
		text, _, more := strings.Cut(text, " (further ones are counted in the metric errors_")
		if !ok || !more {
			t.Errorf("logged as %v: %q", e.Level, e.Text)
		}
		errors = append(errors, text)
	}
	return strings.Join(errors, "; ")
}

// countedSince says what became of the faulty requests in the counter that held so many before them, as the request after them
// tells.
func countedSince(t *testing.T, next wasmhost.Response, before int) string {
	t.Helper()
	if before == faultBudget {
		return no // a counter never exceeds its budget
	}
	text := next.Headers.Value("x-ratelimit-remaining")
	if text == "" {
		return no
	}
	remaining, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	switch faultBudget - remaining - 1 {
	case before + faulty:
		return yes
	case before:
		return no
	case 0:
		return lost
	}
	return fmt.Sprintf("%d instead of %d", faultBudget-remaining-1, before+faulty)
}
