package limiter_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"tollgate/limiter"
	"tollgate/limiter/memstore"
)

// answer is what one of many parallel requests was told.
type answer struct {
	allowed          bool
	remaining, reset uint32
}

// inParallel lets workers take requests at once, each on a limiter of its own, and returns all answers.
func inParallel(t *testing.T, workers, each int, clock limiter.Clock, what string) []answer {
	shared := new(memstore.Store)
	answers := make([][]answer, workers)
	start := make(chan struct{})
	var wait sync.WaitGroup
	for w := range workers {
		l := limiter.New(shared, clock, hashKey, oneBucket)
		request := charges(t, "a", what)
		wait.Go(func() {
			<-start
			for range each {
				d := l.Take(request)
				s := &d.States[d.Shown]
				answers[w] = append(answers[w], answer{d.Allowed, s.Remaining(), s.Reset})
			}
		})
	}
	close(start)
	wait.Wait()
	return slices.Concat(answers...)
}

// checkExact holds the answers of one window to a budget: it passes once, and each remaining value is told once.
func checkExact(t *testing.T, answers []answer, reset uint32, budget int) {
	t.Helper()
	seen := make(map[uint32]int)
	for _, a := range answers {
		if a.allowed && a.reset == reset {
			seen[a.remaining]++
		}
	}
	for remaining := range uint32(budget) {
		if seen[remaining] != 1 {
			t.Errorf("window to %d: remaining %d was told %d times", reset, remaining, seen[remaining])
		}
	}
	if len(seen) != budget {
		t.Errorf("window to %d: %d requests passed; want %d", reset, len(seen), budget)
	}
}

// TestParallelColdStart lets 8 workers take 1000 requests of a client who was never seen.
func TestParallelColdStart(t *testing.T) {
	answers := inParallel(t, 8, 125, func() (int64, error) { return 100e9, nil }, "100/3600")
	if len(answers) != 1000 {
		t.Fatalf("%d answers", len(answers))
	}
	checkExact(t, answers, 3600, 100)
}

// TestParallelBoundary lets the window end in the middle of the burst.
func TestParallelBoundary(t *testing.T) {
	var readings atomic.Int64
	clock := func() (int64, error) {
		if readings.Add(1) > 600 {
			return 3600e9, nil
		}
		return 3599e9, nil
	}
	answers := inParallel(t, 8, 250, clock, "100/3600")
	checkExact(t, answers, 3600, 100)
	checkExact(t, answers, 7200, 100)
}
