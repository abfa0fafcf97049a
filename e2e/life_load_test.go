package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"tollgate/e2e/wire"
)

// loadBudget is more than any load spends.
const loadBudget = 10_000_000

// load is clients that all call as one, each on a connection of its own, until it is ended.
type load struct {
	key     string
	ended   chan struct{}
	running sync.WaitGroup
	mu      sync.Mutex
	told    []int // remaining values, of all responses
	errs    []error
	closed  chan struct{} // gets a value when the proxy first asks a client to close its connection
}

// newLoad returns a load of a client that nobody else calls as.
func newLoad(key string) *load {
	return &load{key: key, ended: make(chan struct{}), closed: make(chan struct{}, 1)}
}

// start adds callers. Each asks dial for a connection, sends requests until the proxy closes it or it has served perConnection of
// them, and asks for another one. It ends when dial returns none.
func (l *load) start(callers, perConnection int, dial func() (wire.Client, error)) {
	for range callers {
		l.running.Go(func() {
			if err := l.call(perConnection, dial); err != nil {
				l.note(nil, err)
			}
		})
	}
}

func (l *load) call(perConnection int, dial func() (wire.Client, error)) error {
	for !l.isOver() {
		c, err := dial()
		if err != nil || c == nil {
			return err
		}
		err = l.use(c, perConnection)
		if err := errors.Join(err, c.Close()); err != nil {
			return err
		}
	}
	return nil
}

// use sends requests on a connection until it is to be closed.
func (l *load) use(c wire.Client, requests int) error {
	for range requests {
		if l.isOver() {
			return nil
		}
		r, err := c.Do(wire.Request{Method: "GET", Target: "/", Header: key(l.key)})
		if err != nil {
			return err
		}
		if err := l.answered(r); err != nil {
			return err
		}
		if slices.Contains(r.Values("connection"), "close") {
			select {
			case l.closed <- struct{}{}:
			default:
			}
			return nil
		}
	}
	return nil
}

// answered keeps what a response tells. It must be allowed and say so.
func (l *load) answered(r *wire.Response) error {
	remaining, err := theNumber(r, "x-ratelimit-remaining")
	if err != nil || r.Status != 200 {
		return fmt.Errorf("status %d, %v", r.Status, err)
	}
	l.note([]int{remaining}, nil)
	return nil
}

func (l *load) note(told []int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = append(l.told, told...)
	if err != nil {
		l.errs = append(l.errs, err)
	}
}

func (l *load) isOver() bool {
	select {
	case <-l.ended:
		return true
	default:
		return false
	}
}

// end stops the callers and returns how many requests were served. They must all have been, and have been told every remaining
// value below the budget once, without a gap: then nothing was lost, and nothing filled the budget up again.
func (l *load) end(t testing.TB, budget int) int {
	t.Helper()
	close(l.ended)
	l.running.Wait()
	if err := errors.Join(l.errs...); err != nil {
		t.Errorf("%d callers failed:\n%s", len(l.errs), firstLines(err.Error(), 5))
	}
	slices.Sort(l.told)
	for i, remaining := range l.told {
		if want := budget - len(l.told) + i; remaining != want {
			t.Errorf("of %d requests one was told %d remaining, want %d", len(l.told), remaining, want)
			break
		}
	}
	return len(l.told)
}

func firstLines(text string, n int) string {
	lines := strings.SplitN(text, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "\n")
}
