package limiter_test

import (
	"fmt"
	"testing"

	"tollgate/limiter"
	"tollgate/limiter/memstore"
)

// TestExhausted plays what is refused from memory and what is not.
func TestExhausted(t *testing.T) {
	p := newPair(t)
	tests := []struct {
		name  string
		steps []step
	}{
		{"from the second refusal on", []step{
			{"100s", "a", "1/10", "ok 0/1 @110"},
			{"101s", "a", "1/10", "no 0/1 @110 retry 9"},
			{"102s", "a", "1/10", "no 0/1 @110 retry 8 cached"},
			{"109.999999999s", "a", "1/10", "no 0/1 @110 retry 1 cached"},
		}},
		{"until the window ends", []step{
			{"100s", "a", "1/10 x1", "ok 0/1 @110"},
			{"101s", "a", "1/10", "no 0/1 @110 retry 9"},
			{"110s", "a", "1/10", "ok 0/1 @120"},
			{"110s", "a", "1/10", "no 0/1 @120 retry 10"},
		}},
		{"by the budget of the request, not of the one remembered", []step{
			{"100s", "a", "1/10", "ok 0/1 @110"},
			{"100s", "a", "1/10", "no 0/1 @110 retry 10"},
			{"100s", "a", "3/10", "ok 1/3 @110"},
			{"100s", "a", "1/10", "no 0/1 @110 retry 10 cached"},
			{"100s", "a", "3/10", "ok 0/3 @110"},
		}},
		{"by the cost of the request", []step{
			{"100s", "a", "3/10 x2", "ok 1/3 @110"},
			{"100s", "a", "3/10 x2", "no 1/3 @110 retry 10"},
			{"100s", "a", "3/10 x2", "no 1/3 @110 retry 10 cached"},
			{"100s", "a", "3/10", "ok 0/3 @110"},
		}},
		{"not another client, rule or window", []step{
			{"100s", "a", "1/10", "ok 0/1 @110"},
			{"100s", "a", "1/10", "no 0/1 @110 retry 10"},
			{"100s", "b", "1/10", "ok 0/1 @110"},
			{"100s", "a", "other: 1/10", "ok 0/1 @110"},
			{"100s", "a", "1/20", "ok 0/1 @120"},
		}},
		{"never a counter that may go down", []step{
			{"100s", "a", "1/10 refundable", "ok 0/1 @110"},
			{"100s", "a", "1/10 refundable", "no 0/1 @110 retry 10"},
			{"100s", "a", "1/10 refundable", "no 0/1 @110 retry 10"},
			{"100s", "a", "1/10", "no 0/1 @110 retry 10"}, // nothing was remembered
			{"100s", "a", "1/10", "no 0/1 @110 retry 10 cached"},
			{"100s", "a", "1/10 refundable", "no 0/1 @110 retry 10"}, // nor would it be used
		}},
		{"never a shadow limit", []step{
			{"100s", "a", "1/10 shadow", "ok"},
			{"100s", "a", "1/10 shadow", "ok"},
			{"100s", "a", "1/10 shadow + 5/10", "ok 4/5 @110"},
		}},
		{"not while the clock is set back behind the window", []step{
			{"100s", "a", "1/10", "ok 0/1 @110"},
			{"100s", "a", "1/10", "no 0/1 @110 retry 10"},
			{"99.999999999s", "a", "1/10", "no 0/1 @110 retry 11"},
			{"100s", "a", "1/10", "no 0/1 @110 retry 10 cached"},
		}},
		{"by one limit of several", []step{
			{"100s", "a", "1/10,5/60", "ok 0/1 @110"},
			{"100s", "a", "1/10,5/60", "no 0/1 @110 retry 10"},
			{"100s", "a", "1/10,5/60", "no 0/1 @110 retry 10 cached"},
			{"110s", "a", "1/10,5/60", "ok 0/1 @120"},
		}},
		{"by the latest reset of several", []step{
			{"100s", "a", "1/10,1/60", "ok 0/1 @120"},
			{"100s", "a", "1/10,1/60", "no 0/1 @120 retry 20"},
			{"100s", "a", "1/10,1/60", "no 0/1 @120 retry 20 cached"},
			{"110s", "a", "1/10,1/60", "no 0/1 @120 retry 10 cached"},
			{"120s", "a", "1/10,1/60", "ok 0/1 @180"},
		}},
		{"by one rule of several", []step{
			{"100s", "a", p.both("9/10", "1/20"), "ok 0/1 @120"},
			{"100s", "a", p.both("9/10", "1/20"), "no 0/1 @120 retry 20"},
			{"100s", "a", p.both("9/10", "1/20"), "no 0/1 @120 retry 20 cached"},
			{"100s", "a", p.low + ": 9/10", "ok 7/9 @110"},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			newRig(t, twoBuckets).play(test.steps)
		})
	}
}

// TestExhaustedCalls shows what a refusal from memory costs: the clock alone. What is not in memory does not read it twice.
func TestExhaustedCalls(t *testing.T) {
	r := newRig(t, oneBucket)
	for _, test := range []struct{ at, calls string }{
		{"100s", "get 0, clock, create 0"},
		{"101s", "get 0, clock"},
		{"102s", "clock"},
		{"110s", "clock, get 0, clock, swap 0"}, // the one request that reads it twice
		{"111s", "get 0, clock"},
	} {
		r.now = instant(t, test.at)
		r.ask("a", "1/10")
		if got := r.store.trace(); got != test.calls {
			t.Errorf("at %s: %s; want %s", test.at, got, test.calls)
		}
	}
}

// TestExhaustedIsAWorkersOwn shows that memory is not shared, and that a worker without one decides alike.
func TestExhaustedIsAWorkersOwn(t *testing.T) {
	shared := new(memstore.Store)
	first, second := newWorker(t, oneBucket, shared), newWorker(t, oneBucket, shared)
	first.play([]step{
		{"100s", "a", "1/10", "ok 0/1 @110"},
		{"100s", "a", "1/10", "no 0/1 @110 retry 10"},
	})
	second.play([]step{
		{"100s", "a", "1/10", "no 0/1 @110 retry 10"},
		{"100s", "a", "1/10", "no 0/1 @110 retry 10 cached"},
	})
}

// TestExhaustedIsBounded spends the budgets of more clients than memory holds: all are refused, remembered or not.
func TestExhaustedIsBounded(t *testing.T) {
	const clients = 5000
	r := newRig(t, limiter.Options{Domain: "test", MaxCounters: 65536})
	r.now = instant(t, "100s")
	cached := 0
	for range 3 {
		cached = 0
		for i := range clients {
			d := r.Take(charges(t, fmt.Sprint(i), "0/10"))
			if d.Allowed {
				t.Fatalf("client %d is allowed", i)
			}
			if d.Cached {
				cached++
			}
		}
	}
	if cached > 1024 {
		t.Errorf("%d clients are remembered; the memory holds 1024", cached)
	}
}
