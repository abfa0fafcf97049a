package limiter_test

import (
	"strconv"
	"testing"

	"tollgate/limiter"
)

// TestTimelines plays, for each behaviour, requests against one limiter that starts empty.
func TestTimelines(t *testing.T) {
	tests := []struct {
		name  string
		steps []step
	}{
		{"windows come from the clock, not from the first request", []step{
			{"1007.5s", "a", "3/10", "ok 2/3 @1010"},
			{"1009.999999999s", "a", "3/10", "ok 1/3 @1010"},
			{"1010s", "a", "3/10", "ok 2/3 @1020"},
			{"1019.999999999s", "a", "3/10", "ok 1/3 @1020"},
			{"1020s", "a", "3/10", "ok 2/3 @1030"},
		}},
		{"a window does not slide with its hits", []step{
			{"100s", "a", "5/10", "ok 4/5 @110"},
			{"103s", "a", "5/10", "ok 3/5 @110"},
			{"109s", "a", "5/10", "ok 2/5 @110"},
			{"110.1s", "a", "5/10", "ok 4/5 @120"},
		}},
		{"the budget passes, not one less or more, and remaining is never negative", []step{
			{"3600s", "a", "3/3600", "ok 2/3 @7200"},
			{"3601s", "a", "3/3600", "ok 1/3 @7200"},
			{"3602s", "a", "3/3600", "ok 0/3 @7200"},
			{"3603s", "a", "3/3600", "no 0/3 @7200 retry 3597"},
			{"3604s", "a", "3/3600", "no 0/3 @7200 retry 3596 cached"},
		}},
		{"a window holds a budget on either side of its boundary", []step{
			{"109s", "a", "1/10", "ok 0/1 @110"},
			{"109.999999999s", "a", "1/10", "no 0/1 @110 retry 1"},
			{"110s", "a", "1/10", "ok 0/1 @120"},
			{"110.000000001s", "a", "1/10", "no 0/1 @120 retry 10"},
		}},
		{"waiting is rounded up to whole seconds", []step{
			{"100s", "a", "1/10", "ok 0/1 @110"},
			{"100s", "a", "1/10", "no 0/1 @110 retry 10"},
			{"100.000000001s", "a", "1/10", "no 0/1 @110 retry 10 cached"},
			{"108.999999999s", "a", "1/10", "no 0/1 @110 retry 2 cached"},
			{"109s", "a", "1/10", "no 0/1 @110 retry 1 cached"},
			{"109.999999999s", "a", "1/10", "no 0/1 @110 retry 1 cached"},
		}},
		{"clients are counted apart", []step{
			{"100s", "a", "1/10", "ok 0/1 @110"},
			{"100s", "b", "1/10", "ok 0/1 @110"},
			{"100s", "", "1/10", "ok 0/1 @110"},
			{"100s", "a", "1/10", "no 0/1 @110 retry 10"},
			{"100s", "b", "1/10", "no 0/1 @110 retry 10"},
			{"100s", "", "1/10", "no 0/1 @110 retry 10"},
		}},
		{"rules are counted apart", []step{
			{"100s", "a", "login: 1/10", "ok 0/1 @110"},
			{"100s", "a", "other: 1/10", "ok 0/1 @110"},
			{"100s", "a", "login: 1/10", "no 0/1 @110 retry 10"},
		}},
		{"windows of another length are counted apart", []step{
			{"100s", "a", "1/10", "ok 0/1 @110"},
			{"100s", "a", "1/20", "ok 0/1 @120"},
			{"100s", "a", "1/266", "ok 0/1 @266"}, // 10 + 256: the same low byte
			{"100s", "a", "1/10", "no 0/1 @110 retry 10"},
		}},
		{"two limits pass together or not at all", []step{
			{"3600s", "a", "2/10,3/3600", "ok 1/2 @3610"},
			{"3601s", "a", "2/10,3/3600", "ok 0/2 @3610"},
			{"3602s", "a", "2/10,3/3600", "no 0/2 @3610 retry 8"},
			{"3610s", "a", "2/10,3/3600", "ok 0/3 @7200"}, // the refusal did not count in the hour
			{"3611s", "a", "2/10,3/3600", "no 0/3 @7200 retry 3589"},
			{"3611s", "a", "2/10", "ok 0/2 @3620"}, // nor did this one count in the ten seconds
		}},
		{"a cost is charged whole or not at all", []step{
			{"100s", "a", "10/10 x4", "ok 6/10 @110"},
			{"100s", "a", "10/10 x4", "ok 2/10 @110"},
			{"100s", "a", "10/10 x4", "no 2/10 @110 retry 10"},
			{"100s", "a", "10/10 x3", "no 2/10 @110 retry 10 cached"},
			{"100s", "a", "10/10 x2", "ok 0/10 @110"},
			{"100s", "a", "10/10 x1", "no 0/10 @110 retry 10"},
		}},
		{"a cost above the budget never passes", []step{
			{"100s", "a", "10/10 x11", "no 10/10 @110 retry 10"},
			{"110s", "a", "10/10 x11", "no 10/10 @120 retry 10"},
			{"110s", "a", "10/10 x10", "ok 0/10 @120"},
		}},
		{"a budget of 0 always refuses, and waiting does not help", []step{
			{"100s", "a", "0/10", "no 0/0 @110"},
			{"101s", "a", "0/10", "no 0/0 @110 cached"},
			{"110s", "a", "0/10", "no 0/0 @120"},
		}},
		{"the largest budget does not overflow", []step{
			{"100s", "a", "4294967295/10 x4294967294", "ok 1/4294967295 @110"},
			{"100s", "a", "4294967295/10 x4294967295", "no 1/4294967295 @110 retry 10"},
			{"100s", "a", "4294967295/10 x2", "no 1/4294967295 @110 retry 10 cached"},
			{"100s", "a", "4294967295/10", "ok 0/4294967295 @110"},
			{"100s", "a", "4294967295/10", "no 0/4294967295 @110 retry 10"},
		}},
		{"a budget that changes applies to what was counted already", []step{
			{"100s", "a", "3/10 x3", "ok 0/3 @110"},
			{"100s", "a", "3/10", "no 0/3 @110 retry 10"},
			{"100s", "a", "5/10", "ok 1/5 @110"},
			{"100s", "a", "2/10", "no 0/2 @110 retry 10 cached"},
			{"100s", "a", "5/10", "ok 0/5 @110"},
			{"100s", "a", "5/10", "no 0/5 @110 retry 10"},
		}},
		{"the longest window", []step{
			{"100s", "a", "1/31622400", "ok 0/1 @31622400"},
			{"31622399.5s", "a", "1/31622400", "no 0/1 @31622400 retry 1"},
			{"31622400s", "a", "1/31622400", "ok 0/1 @63244800"},
		}},
		{"the shortest window", []step{
			{"100.999s", "a", "1/1", "ok 0/1 @101"},
			{"100.9999s", "a", "1/1", "no 0/1 @101 retry 1"},
			{"101s", "a", "1/1", "ok 0/1 @102"},
		}},
		{"a shadow limit counts and never refuses", []step{
			{"100s", "a", "1/10 shadow", "ok"},
			{"100s", "a", "1/10 shadow", "ok"},
			{"100s", "a", "1/10", "ok 0/1 @110"}, // the enforced counter is another one
			{"100s", "a", "1/10", "no 0/1 @110 retry 10"},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			newRig(t, limiter.Options{Domain: "test", MaxCounters: 1024}).play(test.steps)
		})
	}
}

// TestClocks plays clocks that stand at the ends of their range or jump.
func TestClocks(t *testing.T) {
	tests := []struct {
		name  string
		steps []step
	}{
		{"frozen at 0", []step{
			{"0s", "a", "1/10", "ok 0/1 @10"},
			{"0s", "a", "1/10", "no 0/1 @10 retry 10"},
			{"0s", "a", "1/10", "no 0/1 @10 retry 10 cached"},
		}},
		{"past 2038", []step{
			{"2147483647.5s", "a", "1/10", "ok 0/1 @2147483650"},
			{"2147483648s", "a", "1/10", "no 0/1 @2147483650 retry 2"},
			{"2147483650s", "a", "1/10", "ok 0/1 @2147483660"},
		}},
		{"at the end of 2106 an error, not a wrap", []step{
			{"4294967289.9s", "a", "1/10", "ok 0/1 @4294967290"},
			{"4294967290s", "a", "1/10", "ok error clock"},
			{"4294967294.9s", "a", "1/1", "ok 0/1 @4294967295"},
			{"4294967294.9s", "a", "1/1", "no 0/1 @4294967295 retry 1"},
			{"4294967295s", "a", "1/1", "ok error clock"},
			{"4294967296s", "a", "1/1", "ok error clock"},
			{"4294967295s", "a", "1/1 critical", "no error clock"},
		}},
		{"before 1970", []step{
			{"-0.000000001s", "a", "1/10", "ok error clock"},
			{"-5s", "a", "1/10 critical", "no error clock"},
			{"0s", "a", "1/10", "ok 0/1 @10"},
		}},
		{"back by less than a window and a second: the counter keeps its end", []step{
			{"100s", "a", "2/10", "ok 1/2 @110"},
			{"99s", "a", "2/10", "ok 0/2 @110"},
			{"99s", "a", "2/10", "no 0/2 @110 retry 11"},
			{"110s", "a", "2/10", "ok 1/2 @120"},
		}},
		{"back by more: the counter keeps its count and moves to the window of now", []step{
			{"100s", "a", "2/10", "ok 1/2 @110"},
			{"98.999999999s", "a", "2/10", "ok 0/2 @100"},
			{"99s", "a", "2/10", "no 0/2 @100 retry 1"},
			{"100s", "a", "2/10", "ok 1/2 @110"},
		}},
		{"back by 500 s after the budget is spent: served again within a window", []step{
			{"1000s", "a", "1/10", "ok 0/1 @1010"},
			{"1000s", "a", "1/10", "no 0/1 @1010 retry 10"},
			{"500s", "a", "1/10", "no 0/1 @510 retry 10"}, // not from memory, and with an end of its own
			{"501s", "a", "1/10", "no 0/1 @510 retry 9 cached"},
			{"510s", "a", "1/10", "ok 0/1 @520"},
		}},
		{"a year forward and back: the count of the year ahead stays for a window", []step{
			{"1000s", "a", "3/10 x3", "ok 0/3 @1010"},
			{"31537000s", "a", "3/10 x2", "ok 1/3 @31537010"},
			{"1001s", "a", "3/10", "ok 0/3 @1010"},
			{"1002s", "a", "3/10", "no 0/3 @1010 retry 8"},
			{"1010s", "a", "3/10", "ok 2/3 @1020"},
		}},
		{"a day back within a daily window", []step{
			{"172800s", "a", "1/86400", "ok 0/1 @259200"},
			{"86400s", "a", "1/86400", "no 0/1 @172800 retry 86400"},
			{"172800s", "a", "1/86400", "ok 0/1 @259200"},
		}},
		{"the moved end is stored even if nothing is admitted", []step{
			{"1000s", "a", "1/10,9/3600", "ok 0/1 @1010"},
			{"500s", "a", "1/10,9/3600", "no 0/1 @510 retry 10"},
			{"505s", "a", "5/10,9/3600", "ok 3/5 @510"}, // an end of 1010 would be kept, 500 s ahead
			{"510s", "a", "1/10,9/3600", "ok 0/1 @520"},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			newRig(t, limiter.Options{Domain: "test", MaxCounters: 1024}).play(test.steps)
		})
	}
}

// TestSetBackRefusalWrites shows the one case in which a refusal writes, by the store's calls.
func TestSetBackRefusalWrites(t *testing.T) {
	r := newRig(t, oneBucket)
	r.play([]step{{"1000s", "a", "1/10", "ok 0/1 @1010"}})
	r.store.trace()
	r.play([]step{{"500s", "a", "1/10", "no 0/1 @510 retry 10"}})
	if got, want := r.store.trace(), "get 0, clock, swap 0"; got != want {
		t.Errorf("calls: %s; want %s", got, want)
	}
	if got, want := counts(t, r.store.Store), "1@510"; got != want {
		t.Errorf("stored: %s; want %s", got, want)
	}
}

func TestFailingClock(t *testing.T) {
	r := newRig(t, oneBucket)
	r.play([]step{{"100s", "a", "2/10", "ok 1/2 @110"}})
	r.fault = errBroken
	r.play([]step{
		{"100s", "a", "2/10", "ok error clock"},
		{"100s", "a", "2/10 critical", "no error clock"},
	})
	r.fault = nil
	r.play([]step{
		{"100s", "a", "2/10", "ok 0/2 @110"}, // the failures counted nothing
		{"100s", "a", "2/10", "no 0/2 @110 retry 10"},
	})
	r.fault = errBroken
	r.play([]step{{"100s", "a", "2/10", "ok error clock"}}) // memory needs the clock as well
}

// TestRefusedAddsNothing looks into the store.
func TestRefusedAddsNothing(t *testing.T) {
	r := newRig(t, oneBucket)
	r.play([]step{
		{"100s", "a", "3/3600 x3", "ok 0/3 @3600"},
		{"100s", "a", "3/3600", "no 0/3 @3600 retry 3500"},
		{"100s", "a", "3/3600", "no 0/3 @3600 retry 3500 cached"},
		{"100s", "a", "9/3600,2/10 x3", "no 2/2 @110 retry 10"},
	})
	if got, want := counts(t, r.store.Store), "3@3600"; got != want {
		t.Errorf("stored: %s; want %s", got, want)
	}
}

// TestBoundaryBurst is the known flaw of fixed windows: two budgets within a moment, around a boundary.
func TestBoundaryBurst(t *testing.T) {
	newRig(t, oneBucket).play([]step{
		{"108.5s", "a", "3/10 x3", "ok 0/3 @110"},
		{"109.9s", "a", "3/10", "no 0/3 @110 retry 1"},
		{"110s", "a", "3/10 x3", "ok 0/3 @120"},
		{"110.1s", "a", "3/10", "no 0/3 @120 retry 10"},
	})
}

// TestStagger checks that shifted windows are as long as the others, stable, and spread over the clients.
func TestStagger(t *testing.T) {
	const window, clients = 100, 200
	wide := limiter.Options{Domain: "test", MaxCounters: 8192}
	first, second := newRig(t, wide), newRig(t, wide)
	resets := make(map[uint32]int)
	for i := range clients {
		who := strconv.Itoa(i)
		now := instant(t, "1000s")
		reset := staggeredReset(first, who, now)
		if reset <= 1000 || reset > 1000+window {
			t.Errorf("client %s: reset %d is not within a window of 1000", who, reset)
		}
		if other := staggeredReset(second, who, now); other != reset {
			t.Errorf("client %s: resets %d and %d on two workers", who, reset, other)
		}
		boundary := int64(reset) * 1e9
		if before := staggeredReset(first, who, boundary-1); before != reset {
			t.Errorf("client %s: reset %d just before %d", who, before, reset)
		}
		if after := staggeredReset(first, who, boundary); after != reset+window {
			t.Errorf("client %s: reset %d at %d", who, after, reset)
		}
		resets[reset]++
	}
	if len(resets) < window/2 {
		t.Errorf("%d clients return at only %d instants", clients, len(resets))
	}
}

func staggeredReset(r *rig, who string, now int64) uint32 {
	r.now = now
	return r.Take(charges(r.t, who, "1000/100 stagger")).States[0].Reset
}

// TestStaggerNearTheEpoch checks the window that contains 0 of a client whose windows are shifted: it began before 1970.
func TestStaggerNearTheEpoch(t *testing.T) {
	for i := range 50 {
		r := newRig(t, oneBucket)
		who := strconv.Itoa(i)
		if reset := staggeredReset(r, who, 0); reset < 1 || reset > 100 {
			t.Errorf("client %s: reset %d at 0", who, reset)
		}
	}
}
