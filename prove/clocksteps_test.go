package prove

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
	"tollgate/prove/forms"
)

// clockStep is a clock that jumps after a client has spent its budget, and what the client gets then.
type clockStep struct {
	what string // for an operator
	// by is how far the clock jumps. With then, it jumps on by that after as many requests as spends.
	by, then time.Duration
	spends   int

	gets  string // the next answer
	waits string // the answer after waiting as long as it was told, if it was
}

const (
	day  = 24 * time.Hour
	year = 365 * day
)

const (
	clockBudget = 3
	clockConfig = `{"rules": [{"name": "api", "limits": [{"requests": 3, "window": "10s"}]}]}`
	// The budget is spent in the fourth second of a window.
	clockStart = 1_700_000_000
	clockInto  = 3
)

// clockSteps lists the jumps, in the order of the table. The budget is 3 in 10 s, spent in the fourth second of a window.
func clockSteps() []clockStep {
	const fresh = "200, remaining 2"
	return []clockStep{
		{what: "set back by 2 s, within the window", by: -2 * time.Second, gets: "429, retry-after 9", waits: fresh},
		{what: "set back by 5 s, into the window before", by: -5 * time.Second, gets: "429, retry-after 2", waits: fresh},
		{what: "set back by 500 s", by: -500 * time.Second, gets: "429, retry-after 7", waits: fresh},
		{what: "set back by a day", by: -day, gets: "429, retry-after 7", waits: fresh},
		{what: "set back to 0 (1970)", by: -(clockStart + clockInto) * time.Second, gets: "429, retry-after 10", waits: fresh},
		{what: "set forward by a year", by: year, gets: fresh},
		{what: "set forward by a year and back, with no request between", by: year, then: -year, gets: "429, retry-after 7", waits: fresh},
		{what: "set forward by a year, one request, and back", by: year, then: -year, spends: 1, gets: "200, remaining 1"},
		{what: "set forward by a year, the budget spent, and back", by: year, then: -year, spends: clockBudget, gets: "429, retry-after 7", waits: fresh},
	}
}

// TestClockSteps holds that a clock that jumps never locks a client out for longer than it is told, which is at most a
// window.
func TestClockSteps(t *testing.T) {
	for _, s := range clockSteps() {
		t.Run(s.what, func(t *testing.T) {
			host := hosttest.New(t)
			host.SetTime(time.Unix(clockStart+clockInto, 0))
			root := start(t, host, clockConfig)
			for range clockBudget + 1 {
				do(t, root, get("alice"))
			}
			host.Advance(s.by)
			for range s.spends {
				do(t, root, get("alice"))
			}
			host.Advance(s.then)
			gets, wait := answer(t, do(t, root, get("alice")))
			waits := ""
			if wait > 0 {
				host.Advance(wait)
				waits, _ = answer(t, do(t, root, get("alice")))
			}
			if gets != s.gets || waits != s.waits {
				t.Errorf("got %q, after the wait %q; want %q, %q", gets, waits, s.gets, s.waits)
			}
		})
	}
	forms.Proved(t, "clock steps", "%d kinds: Retry-After is at most the window, and waiting for it is enough", len(clockSteps()))
}

// answer describes a response, and how long it tells the client to wait.
func answer(t *testing.T, r wasmhost.Response) (text string, wait time.Duration) {
	t.Helper()
	if r.Status == 200 {
		return "200, remaining " + r.Headers.Value("x-ratelimit-remaining"), 0
	}
	retry := r.Headers.Value("retry-after")
	seconds, err := strconv.Atoi(retry)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(r.Status, ", retry-after ", retry), time.Duration(seconds) * time.Second
}
