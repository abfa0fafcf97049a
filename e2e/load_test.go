package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"tollgate/e2e/wire"
)

// farWindow returns a window of an hour, or of some minutes more, that does not end within ten minutes: a test that takes
// long need not wait for a boundary to pass.
func farWindow() time.Duration {
	w := hour
	for time.Until(time.Unix(windowEnd(time.Now(), w), 0)) < 10*time.Minute {
		w += time.Minute
	}
	return w
}

// inSeconds writes a window as the configuration has it.
func inSeconds(w time.Duration) string { return fmt.Sprintf("%ds", w/time.Second) }

// crowd is connections that are open before they are needed.
type crowd []wire.Client

// gather opens n connections to addr that end with the test.
func gather(t testing.TB, addr string, n int) crowd {
	t.Helper()
	c := make(crowd, n)
	for i := range c {
		c[i] = connect(t, http1, addr)
	}
	return c
}

// burst sends r on every connection at the same moment and returns all responses.
func (c crowd) burst(r wire.Request) ([]*wire.Response, error) {
	responses := make([]*wire.Response, len(c))
	var ready sync.WaitGroup
	ready.Add(len(c))
	err := c.each(func(i int) (err error) {
		ready.Done()
		ready.Wait() // for all of them
		responses[i], err = c[i].Do(r)
		return err
	})
	return responses, err
}

// each calls do for every connection, all at once, and returns their errors.
func (c crowd) each(do func(i int) error) error {
	errs := make([]error, len(c))
	var all sync.WaitGroup
	for i := range c {
		all.Go(func() {
			if err := do(i); err != nil {
				errs[i] = fmt.Errorf("connection %d: %w", i, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// checkExact holds that of all these responses to one fresh client exactly budget are allowed, each telling another
// remaining value from budget-1 to 0, and that all others are refused and tell 0.
func checkExact(t testing.TB, who string, responses []*wire.Response, budget int) {
	t.Helper()
	told := make([]int, budget)
	allowed := 0
	for _, r := range responses {
		remaining, err := theNumber(r, "x-ratelimit-remaining")
		switch {
		case err != nil:
			t.Errorf("%s: status %d: %v", who, r.Status, err)
		case r.Status == 200 && remaining >= 0 && remaining < budget:
			allowed++
			told[remaining]++
		case r.Status != 429 || remaining != 0:
			t.Errorf("%s: status %d with %d remaining", who, r.Status, remaining)
		}
	}
	if allowed != budget {
		t.Errorf("%s: %d of %d requests allowed, want %d", who, allowed, len(responses), budget)
	}
	if slices.ContainsFunc(told, func(times int) bool { return times != 1 }) {
		t.Errorf("%s: the remaining values 0, 1, 2… were told this often: %v", who, told)
	}
}

// theNumber returns the value of the only header line of that name.
func theNumber(r *wire.Response, name string) (int, error) {
	values := r.Values(name)
	if len(values) != 1 {
		return 0, fmt.Errorf("%s: %d lines, want one", name, len(values))
	}
	return strconv.Atoi(values[0])
}
