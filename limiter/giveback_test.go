package limiter_test

import (
	"errors"
	"testing"

	"tollgate/limiter"
	"tollgate/limiter/memstore"
)

// admit takes a request that must pass and returns the receipt of its first charge.
func (r *rig) admit(at, who, what string) limiter.Receipt {
	r.t.Helper()
	r.now = instant(r.t, at)
	request := charges(r.t, who, what)
	d := r.Take(request)
	if !d.Allowed {
		r.t.Fatalf("%s at %s: %s", what, at, describe(d))
	}
	return d.Receipt(request, 0)
}

func TestGiveBack(t *testing.T) {
	tests := []struct {
		name      string
		take      step   // who and what is charged; no answer wanted
		meanwhile []step // what happens before it is given back
		stored    string // afterwards
		count     uint32 // what the receipt tells of its first limit
		given     bool
	}{
		{"the charge is taken back", step{at: "100s", who: "a", what: "3/10"}, nil, "0@110", 0, true},
		{"all limits are", step{at: "100s", who: "a", what: "3/10,9/60 x2"}, []step{
			{"100s", "a", "3/10,9/60", "ok 0/3 @110"},
		}, "1@110 1@120", 1, true},
		{"charges of others stay", step{at: "100s", who: "a", what: "3/10"}, []step{
			{"100s", "b", "3/10", "ok 2/3 @110"},
			{"100s", "a", "3/10", "ok 1/3 @110"},
		}, "1@110 1@110", 1, true},
		{"its window only", step{at: "100s", who: "a", what: "3/10"}, []step{
			{"110s", "a", "3/10", "ok 2/3 @120"},
		}, "1@120", 0, false},
		{"a finished window that nobody reused", step{at: "100s", who: "a", what: "3/10"}, []step{
			{"110s", "b", "other: 3/20", "ok 2/3 @120"}, // takes the slot
			{"110s", "a", "3/10", "ok 2/3 @120"},
		}, "1@120 1@120", 0, false},
		{"the limit whose window goes on", step{at: "100s", who: "a", what: "3/10,9/60"}, []step{
			{"110s", "a", "3/10,9/60", "ok 2/3 @120"},
		}, "1@120 1@120", 0, false},
		{"the slot was reused by another client", step{at: "100s", who: "a", what: "3/10"}, []step{
			{"110s", "b", "3/10", "ok 2/3 @120"},
		}, "1@120", 0, false},
		{"the end was moved because the clock was set back", step{at: "1000s", who: "a", what: "3/10"}, []step{
			{"500s", "a", "3/10", "ok 1/3 @510"},
		}, "2@510", 0, false},
		{"a shadow charge", step{at: "100s", who: "a", what: "3/10 shadow"}, nil, "0@110", 0, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, oneBucket)
			receipt := r.admit(test.take.at, test.take.who, test.take.what)
			r.play(test.meanwhile)
			if err := r.GiveBack(&receipt); err != nil {
				t.Fatal(err)
			}
			if got := counts(t, r.store.Store); got != test.stored {
				t.Errorf("stored %s; want %s", got, test.stored)
			}
			if count, given := receipt.Count(0); count != test.count || given != test.given {
				t.Errorf("Count(0) = %d, %v; want %d, %v", count, given, test.count, test.given)
			}
		})
	}
}

func TestGiveBackOnce(t *testing.T) {
	r := newRig(t, oneBucket)
	receipt := r.admit("100s", "a", "9/10")
	r.play([]step{{"100s", "a", "9/10", "ok 7/9 @110"}})
	for range 2 {
		if err := r.GiveBack(&receipt); err != nil {
			t.Fatal(err)
		}
		if got, want := counts(t, r.store.Store), "1@110"; got != want {
			t.Errorf("stored %s; want %s", got, want)
		}
		if count, given := receipt.Count(0); count != 1 || !given {
			t.Errorf("Count(0) = %d, %v; want 1, true", count, given)
		}
	}
}

// TestGiveBackNothing gives back what was never charged, without a call of the store.
func TestGiveBackNothing(t *testing.T) {
	r := newRig(t, oneBucket)
	r.play([]step{{"100s", "a", "1/10", "ok 0/1 @110"}})
	request := charges(t, "a", "1/10")
	refused := r.Take(request).Receipt(request, 0)
	r.store.trace()
	for _, receipt := range []*limiter.Receipt{&refused, {}} {
		if err := r.GiveBack(receipt); err != nil {
			t.Error(err)
		}
	}
	if got := r.store.trace(); got != "" {
		t.Errorf("calls: %s; want none", got)
	}
	if got, want := counts(t, r.store.Store), "1@110"; got != want {
		t.Errorf("stored %s; want %s", got, want)
	}
}

// TestGiveBackIsNeverBelowZero gives back, with a receipt of 3, a counter that stands at 1.
func TestGiveBackIsNeverBelowZero(t *testing.T) {
	shared := new(memstore.Store)
	r := newWorker(t, oneBucket, shared)
	receipt := r.admit("100s", "a", "9/10 x3")
	lowered := memoryOf(t, shared)
	for key, value := range lowered {
		value[1+12] = 1 // the count of the first entry
		shared.Set([]byte(key), value, 0)
	}
	for range 2 {
		again := receipt
		if err := r.GiveBack(&again); err != nil {
			t.Fatal(err)
		}
		if got, want := counts(t, shared), "0@110"; got != want {
			t.Errorf("stored %s; want %s", got, want)
		}
	}
}

// memoryOf returns a copy of everything stored.
func memoryOf(t *testing.T, store *memstore.Store) map[string][]byte {
	t.Helper()
	all := make(map[string][]byte)
	store.Each(func(key string, value []byte) { all[key] = append([]byte(nil), value...) })
	return all
}

// TestGiveBackShared gives back to an overflow counter, and to none where nothing was counted.
func TestGiveBackShared(t *testing.T) {
	for _, test := range []struct {
		onFull limiter.OnFull
		given  bool
	}{{limiter.ShareWhenFull, true}, {limiter.AllowWhenFull, false}} {
		o := oneBucket
		o.OnFull = test.onFull
		r := newRig(t, o)
		r.play([]step{{"100s", "c1..c16", "9/10", "ok 8/9 @110"}})
		before := counts(t, r.store.Store)
		receipt := r.admit("100s", "n", "9/10")
		if err := r.GiveBack(&receipt); err != nil {
			t.Fatal(err)
		}
		want := before
		if test.given {
			want += " 0@110"
		}
		if got := counts(t, r.store.Store); got != want {
			t.Errorf("on full %d: stored %s; want %s", test.onFull, got, want)
		}
		if _, given := receipt.Count(0); given != test.given {
			t.Errorf("on full %d: given back %v; want %v", test.onFull, given, test.given)
		}
	}
}

// TestGiveBackFails shows what a failing store leaves: the charge, and a receipt that is spent.
func TestGiveBackFails(t *testing.T) {
	tests := []struct {
		name   string
		faults map[string]error
		want   error
		swaps  int
	}{
		{"the store cannot read", map[string]error{"get 0": errBroken}, errBroken, 0},
		{"the store cannot write", map[string]error{"swap 0": errBroken}, errBroken, 1},
		{"every swap conflicts", map[string]error{"swap 0": limiter.ErrConflict}, limiter.ErrContended, 64},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, oneBucket)
			receipt := r.admit("100s", "a", "9/10")
			r.store.faults = test.faults
			if err := r.GiveBack(&receipt); !errors.Is(err, test.want) {
				t.Errorf("GiveBack = %v; want %v", err, test.want)
			}
			if _, given := receipt.Count(0); given {
				t.Error("the receipt says that it was given back")
			}
			if got := r.store.seen["swap 0"]; got != test.swaps {
				t.Errorf("%d swaps; want %d", got, test.swaps)
			}
			r.store.faults = nil
			if err := r.GiveBack(&receipt); err != nil {
				t.Error(err)
			}
			if got, want := counts(t, r.store.Store), "1@110"; got != want {
				t.Errorf("stored %s; want %s", got, want)
			}
		})
	}
}

// TestGiveBackMissingOrForeign gives back to a bucket that is gone or none of this layout.
func TestGiveBackMissingOrForeign(t *testing.T) {
	r := newRig(t, oneBucket)
	receipt := r.admit("100s", "a", "9/10")
	missing, foreign := receipt, receipt
	r.store.faults = map[string]error{"get 0#2": limiter.ErrNotFound}
	if err := r.GiveBack(&missing); err != nil {
		t.Errorf("missing: %v", err)
	}
	for key := range memoryOf(t, r.store.Store) {
		r.store.Store.Set([]byte(key), []byte("foreign"), 0)
	}
	if err := r.GiveBack(&foreign); !errors.Is(err, limiter.ErrCorrupt) {
		t.Errorf("foreign: %v; want ErrCorrupt", err)
	}
}
