package limiter_test

import (
	"fmt"
	"strconv"
	"testing"

	"tollgate/limiter"
	"tollgate/limiter/memstore"
)

// TestFullBucket plays clients that do not fit into their only bucket.
func TestFullBucket(t *testing.T) {
	tests := []struct {
		name   string
		onFull limiter.OnFull
		steps  []step
	}{
		{"sixteen clients have counters of their own", limiter.ShareWhenFull, []step{
			{"100s", "c1..c16", "2/10", "ok 1/2 @110"},
			{"100s", "c1..c16", "2/10", "ok 0/2 @110"},
			{"100s", "c1..c16", "2/10", "no 0/2 @110 retry 10"},
		}},
		{"share: newcomers share one counter", limiter.ShareWhenFull, []step{
			{"100s", "c1..c16", "3/10", "ok 2/3 @110"},
			{"101s", "n1", "3/10", "ok 2/3 @110 overflows 1"},
			{"101s", "n2", "3/10", "ok 1/3 @110 overflows 1"},
			{"101s", "n1", "3/10", "ok 0/3 @110 overflows 1"},
			{"101s", "n3", "3/10", "no 0/3 @110 retry 9 overflows 1"},
			{"102s", "c1..c16", "3/10", "ok 1/3 @110"}, // nobody lost a count
			{"110s", "n1..n16", "3/10", "ok 2/3 @120"},
		}},
		{"share: each limit has an overflow counter of its own", limiter.ShareWhenFull, []step{
			{"100s", "c1..c16", "3/10", "ok 2/3 @110"},
			{"100s", "n1", "3/10", "ok 2/3 @110 overflows 1"},
			{"100s", "n1", "3/20", "ok 2/3 @120 overflows 1"},
			{"100s", "n1", "other: 3/10", "ok 2/3 @110 overflows 1"},
			{"100s", "n1", "3/10 shadow", "ok overflows 1"},
			{"100s", "n2", "3/10", "ok 1/3 @110 overflows 1"},
		}},
		{"share: refused by the shared counter, from memory the second time", limiter.ShareWhenFull, []step{
			{"100s", "c1..c16", "1/10", "ok 0/1 @110"},
			{"100s", "n1", "1/10", "ok 0/1 @110 overflows 1"},
			{"100s", "n2", "1/10", "no 0/1 @110 retry 10 overflows 1"},
			{"100s", "n2", "1/10", "no 0/1 @110 retry 10 cached"},
			{"110s", "n2", "1/10", "ok 0/1 @120"},
		}},
		{"share: a limit that fits and one that does not are one decision", limiter.ShareWhenFull, []step{
			{"100s", "c1..c15", "9/10", "ok 8/9 @110"},
			{"100s", "n1", "2/10,9/20", "ok 1/2 @110 overflows 1"},
			{"100s", "n2", "2/10,9/20", "ok 1/2 @110 overflows 2"},
			{"100s", "n1", "2/10,9/20", "ok 0/2 @110 overflows 1"},
			{"100s", "n1", "2/10,9/20", "no 0/2 @110 retry 10 overflows 1"},
			{"100s", "n2", "2/10,9/20", "ok 0/2 @110 overflows 2"}, // 2/10 of n1 is its own, 9/20 is shared: 4 counted
			{"100s", "n3", "5/20", "ok 0/5 @120 overflows 1"},
		}},
		{"sticky: a slot that falls free serves nobody who may have spent the shared budget", limiter.ShareWhenFull, []step{
			{"100s", "c1..c8", "1/10", "ok 0/1 @110"},
			{"100s", "c9..c16", "1/20", "ok 0/1 @120"},
			{"105s", "n1", "1/20", "ok 0/1 @120 overflows 1"},
			{"110s", "n1", "1/20", "no 0/1 @120 retry 10 overflows 1"},
			{"110s", "n2", "1/20", "no 0/1 @120 retry 10 overflows 1"},
			{"110s", "n1", "1/10", "ok 0/1 @120"},     // another limit may have the slot
			{"110s", "c1..c4", "1/10", "ok 0/1 @120"}, // and so may those who were there
			{"120s", "n1", "1/20", "ok 0/1 @140"},
		}},
		{"allow: each request is the first of its window, nothing is counted", limiter.AllowWhenFull, []step{
			{"100s", "c1..c16", "1/10", "ok 0/1 @110"},
			{"100s", "n1", "3/10", "ok 2/3 @110 overflows 1"},
			{"100s", "n1", "3/10", "ok 2/3 @110 overflows 1"},
			{"100s", "n1", "3/10 x4", "no 3/3 @110 retry 10 overflows 1"},
			{"100s", "n1", "0/10", "no 0/0 @110 overflows 1"},
			{"100s", "c1..c16", "1/10", "no 0/1 @110 retry 10"},
			{"110s", "n1", "3/10", "ok 2/3 @120"},
		}},
		{"refuse: the limit is spent", limiter.RefuseWhenFull, []step{
			{"100s", "c1..c16", "1/10", "ok 0/1 @110"},
			{"104s", "n1", "3/10", "no 0/3 @110 retry 6 overflows 1"},
			{"104s", "n1", "3/10", "no 0/3 @110 retry 6 overflows 1"}, // nothing to remember: a slot may fall free
			{"110s", "n1", "3/10", "ok 2/3 @120"},
		}},
		{"refuse: a shadow limit does not", limiter.RefuseWhenFull, []step{
			{"100s", "c1..c16", "1/10", "ok 0/1 @110"},
			{"104s", "n1", "3/10 shadow", "ok overflows 1"},
		}},
		{"windows above a minute leave four slots to the short ones", limiter.ShareWhenFull, []step{
			{"100s", "c1..c12", "9/61", "ok 8/9 @122"},
			{"100s", "c13", "9/61", "ok 8/9 @122 overflows 1"},
			{"100s", "c14", "9/61", "ok 7/9 @122 overflows 1"},
			{"100s", "s1..s4", "9/60", "ok 8/9 @120"},
			{"100s", "s5", "9/60", "ok 8/9 @120 overflows 1"},
		}},
		{"windows of a minute may use all sixteen", limiter.ShareWhenFull, []step{
			{"100s", "c1..c16", "9/60", "ok 8/9 @120"},
			{"100s", "c17", "9/60", "ok 8/9 @120 overflows 1"},
		}},
		{"an expired slot is used again, the own one first", limiter.ShareWhenFull, []step{
			{"105s", "c1", "3/10", "ok 2/3 @110"},
			{"105s", "c2", "3/20", "ok 2/3 @120"},
			{"105s", "c3", "3/10", "ok 2/3 @110"},
			{"112s", "c2", "3/20", "ok 1/3 @120"}, // the slot before it is free
			{"112s", "c3", "3/10", "ok 2/3 @120"}, // so is its own
			{"112s", "c3", "3/10", "ok 1/3 @120"},
		}},
		{"an expired counter of one limit is not given to another of the same request", limiter.ShareWhenFull, []step{
			{"100s", "c1", "3/10", "ok 2/3 @110"},
			{"112s", "c1", "9/20,3/10", "ok 2/3 @120"},
			{"112s", "c1", "9/20,3/10", "ok 1/3 @120"},
		}},
		{"an enforced limit comes before a shadow one", limiter.ShareWhenFull, []step{
			{"100s", "c1..c15", "9/10", "ok 8/9 @110"},
			{"100s", "n1", "3/10 shadow + 3/10", "ok 2/3 @110 overflows 1"},
			{"100s", "n1", "3/10", "ok 1/3 @110"},
		}},
		{"sixteen overflow counters, then an error", limiter.ShareWhenFull, append(overflows(16), []step{
			{"3600s", "n", "9/58", "ok error full"},
			{"3600s", "n", "9/58 critical", "no error full"},
			{"3600s", "n", "9/57", "ok 7/9 @3648 overflows 1"}, // the others go on
			{"3648s", "n", "9/58", "ok 8/9 @3654 overflows 1"},
		}...)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := oneBucket
			o.OnFull = test.onFull
			newRig(t, o).play(test.steps)
		})
	}
}

// overflows fills the bucket for a minute, and n overflow counters after it, of windows from 57 s downwards.
func overflows(n int) []step {
	steps := []step{{"3600s", "c1..c16", "1/60", "ok 0/1 @3660"}}
	for window := 57; window > 57-n; window-- {
		end := (3600/window + 1) * window
		steps = append(steps, step{"3600s", "n", fmt.Sprintf("9/%d", window), fmt.Sprintf("ok 8/9 @%d overflows 1", end)})
	}
	return steps
}

// TestFullBucketKeepsCounts floods a bucket: whoever had a counter keeps it.
func TestFullBucketKeepsCounts(t *testing.T) {
	r := newRig(t, oneBucket)
	r.play([]step{
		{"100s", "a", "3/3600 x3", "ok 0/3 @3600"},
		{"100s", "f1..f15", "9/60", "ok 8/9 @120"},
	})
	r.now = instant(t, "101s")
	for i := range 1000 {
		r.ask("n"+strconv.Itoa(i), "5/3600")
	}
	r.play([]step{{"102s", "a", "3/3600", "no 0/3 @3600 retry 3498"}})
}

// TestMemory counts 10,000 clients in each of five windows: there are no more values than buckets, none of them longer than
// it may be, and none is added after the first window.
func TestMemory(t *testing.T) {
	o := limiter.Options{Domain: "test", MaxCounters: 512}
	r := newRig(t, o)
	for window := range 5 {
		r.now = instant(t, fmt.Sprintf("%ds", 1000+10*window))
		for i := range 10_000 {
			r.ask(fmt.Sprintf("client%d of window %d", i, window), "5/10,20/3600")
		}
		keys, longest := measure(r.store.Store)
		if keys != int(limiter.Buckets(o.MaxCounters)) || longest > 1+32*16 {
			t.Errorf("window %d: %d keys, the longest value %d bytes", window, keys, longest)
		}
	}
}

func measure(store *memstore.Store) (keys, longest int) {
	store.Each(func(_ string, value []byte) { longest = max(longest, len(value)) })
	return store.Keys(), longest
}

// TestClockAheadLeavesNoLastingDamage fills a bucket while the clock stands a year ahead: the short windows are served again at once,
// and the shared counters come back with the clock.
func TestClockAheadLeavesNoLastingDamage(t *testing.T) {
	newRig(t, oneBucket).play([]step{
		{"31537000s", "c1..c16", "1/10", "ok 0/1 @31537010"},
		{"31537000s", "n1", "1/10", "ok 0/1 @31537010 overflows 1"},
		{"1000s", "c5", "1/10", "no 0/1 @1010 retry 10"}, // has its own, moved to now
		{"1000s", "n2", "1/10", "no 0/1 @1010 retry 10 overflows 1"},
		{"1010s", "n2", "1/10", "ok 0/1 @1020"}, // in a slot that no short window can have filled
		{"1010s", "n3", "1/10", "ok 0/1 @1020"},
	})
}
