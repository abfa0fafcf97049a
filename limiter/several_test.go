package limiter_test

import (
	"fmt"
	"testing"

	"tollgate/limiter"
	"tollgate/limiter/memstore"
)

// pair is two rules of one client that stand in buckets 0 and 1, and a third that shares bucket 0.
type pair struct{ low, high, mate string }

func newPair(t *testing.T) pair {
	p := pair{low: ruleIn(t, twoBuckets, "a", 0), high: ruleIn(t, twoBuckets, "a", 1)}
	for i := 0; p.mate == ""; i++ {
		name := fmt.Sprintf("mate%d", i)
		r := newRig(t, twoBuckets)
		r.ask("a", name+": 1/10")
		if counters(t, r.store.Store)[0].bucket == 0 {
			p.mate = name
		}
	}
	return p
}

// both describes a request that is held to low and high, with their limits and options.
func (p pair) both(low, high string) string {
	return fmt.Sprintf("%s: %s + %s: %s", p.low, low, p.high, high)
}

// TestSeveralBuckets plays requests that are held to rules in different buckets.
func TestSeveralBuckets(t *testing.T) {
	p := newPair(t)
	tests := []struct {
		name   string
		steps  []step
		stored string // counts by place
	}{
		{"all are charged", []step{
			{"100s", "a", p.both("3/10", "5/20"), "ok 2/3 @110"},
			{"100s", "a", p.both("3/10", "2/20"), "ok 0/2 @120"},
		}, "2@110 2@120"},
		{"the order of the rules does not matter", []step{
			{"100s", "a", p.high + ": 5/20 + " + p.low + ": 3/10", "ok 2/3 @110"},
			{"100s", "a", p.both("3/10", "5/20"), "ok 1/3 @110"},
		}, "2@110 2@120"},
		{"a refusal by the first leaves the second as it was", []step{
			{"100s", "a", p.both("1/10", "5/20"), "ok 0/1 @110"},
			{"100s", "a", p.both("1/10", "5/20"), "no 0/1 @110 retry 10"},
		}, "1@110 1@120"},
		{"a refusal by the second leaves the first as it was", []step{
			{"100s", "a", p.both("5/10", "1/20"), "ok 0/1 @120"},
			{"100s", "a", p.both("5/10", "1/20"), "no 0/1 @120 retry 20"},
		}, "1@110 1@120"},
		{"rules of one bucket and of another", []step{
			{"100s", "a", fmt.Sprintf("%s: 5/10 + %s: 5/10 + %s: 1/20", p.low, p.mate, p.high), "ok 0/1 @120"},
			{"100s", "a", fmt.Sprintf("%s: 5/10 + %s: 5/10 + %s: 1/20", p.low, p.mate, p.high), "no 0/1 @120 retry 20"},
			{"100s", "a", fmt.Sprintf("%s: 5/10 + %s: 1/10", p.low, p.mate), "no 0/1 @110 retry 10"},
		}, "1@110 1@110 1@120"},
		{"costs differ by rule", []step{
			{"100s", "a", p.both("9/10 x2", "9/20 x5"), "ok 4/9 @120"},
			{"100s", "a", p.both("9/10 x2", "9/20 x5"), "no 4/9 @120 retry 20"},
			{"100s", "a", p.both("9/10 x2", "9/20 x4"), "ok 0/9 @120"},
		}, "4@110 9@120"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, twoBuckets)
			r.play(test.steps)
			if got := counts(t, r.store.Store); got != test.stored {
				t.Errorf("stored %s; want %s", got, test.stored)
			}
		})
	}
}

// TestRulesOfOneBucketShareOneSwap lists the calls of the store.
func TestRulesOfOneBucketShareOneSwap(t *testing.T) {
	p := newPair(t)
	r := newRig(t, twoBuckets)
	request := fmt.Sprintf("%s: 5/10 + %s: 5/10,9/60 + %s: 5/10 shadow", p.low, p.mate, p.low)
	r.play([]step{{"100s", "a", request, "ok 4/5 @110"}})
	if got, want := r.store.trace(), "get 0, clock, create 0"; got != want {
		t.Errorf("calls: %s; want %s", got, want)
	}
	if got, want := counts(t, r.store.Store), "1@110 1@110 1@120 1@110"; got != want {
		t.Errorf("stored %s; want %s", got, want)
	}
}

// TestRefund lets another worker spend the second bucket's budget between the readings and the swap: the first bucket, charged
// already, is refunded.
func TestRefund(t *testing.T) {
	p := newPair(t)
	tests := []struct {
		name   string
		faults map[string]error
		want   string
		stored string
		calls  string
	}{
		{"refunded", nil, "no 0/1 @120 retry 20 conflicts 1", "1@110 1@110 1@120",
			"get 0, get 1, clock, swap 0, swap 1, get 1, clock, get 0, swap 0"},
		{"refunded after conflicts", map[string]error{"swap 0#2": limiter.ErrConflict, "swap 0#3": limiter.ErrConflict},
			"no 0/1 @120 retry 20 conflicts 1", "1@110 1@110 1@120",
			"get 0, get 1, clock, swap 0, swap 1, get 1, clock, get 0, swap 0, get 0, swap 0, get 0, swap 0"},
		{"a refund that fails stays charged", map[string]error{"swap 0#2": errBroken},
			"no 0/1 @120 retry 20 conflicts 1 lost 1", "2@110 1@110 1@120",
			"get 0, get 1, clock, swap 0, swap 1, get 1, clock, get 0, swap 0"},
		{"a refund that cannot read stays charged", map[string]error{"get 0#2": errBroken},
			"no 0/1 @120 retry 20 conflicts 1 lost 1", "2@110 1@110 1@120",
			"get 0, get 1, clock, swap 0, swap 1, get 1, clock, get 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			shared := new(memstore.Store)
			other := newWorker(t, twoBuckets, shared)
			other.play([]step{{"100s", "a", p.low + ": 9/10 + " + p.high + ": 9/10", "ok 8/9 @110"}}) // both buckets exist
			r := newWorker(t, twoBuckets, shared)
			r.store.faults = test.faults
			r.store.hooks = map[string]func(){"swap 1#1": func() {
				other.play([]step{{"100s", "a", p.high + ": 1/20", "ok 0/1 @120"}})
			}}
			r.play([]step{{"100s", "a", p.both("9/10", "1/20"), test.want}})
			if got := r.store.trace(); got != test.calls {
				t.Errorf("calls: %s\n want: %s", got, test.calls)
			}
			if got := counts(t, shared); got != test.stored {
				t.Errorf("stored %s; want %s", got, test.stored)
			}
		})
	}
}

// TestRefundInReverse refuses at the last of four buckets.
func TestRefundInReverse(t *testing.T) {
	o := limiter.Options{Domain: "test", MaxCounters: 32}
	var rules [4]string
	for bucket := range rules {
		rules[bucket] = ruleIn(t, o, "a", bucket)
	}
	request := fmt.Sprintf("%s: 9/10 + %s: 1/10 + %s: 9/10 + %s: 9/10 + %s: 9/10 shadow",
		rules[2], rules[3], rules[0], rules[1], rules[1])
	shared := new(memstore.Store)
	other, r := newWorker(t, o, shared), newWorker(t, o, shared)
	r.store.hooks = map[string]func(){"create 3#1": func() {
		other.play([]step{{"100s", "a", rules[3] + ": 1/10", "ok 0/1 @110"}})
	}}
	r.now = instant(t, "100s")
	d := r.Take(charges(t, "a", request))
	if got, want := describe(d), "no 0/1 @110 retry 10 conflicts 1"; got != want {
		t.Errorf("got %s; want %s", got, want)
	}
	for i := range d.Outcomes {
		if d.Outcomes[i].Charged {
			t.Errorf("charge %d is reported as charged", i)
		}
	}
	want := "get 0, get 1, get 2, get 3, clock, create 0, create 1, create 2, create 3, get 3, clock, " +
		"get 2, swap 2, get 1, swap 1, get 1, swap 1, get 0, swap 0"
	if got := r.store.trace(); got != want {
		t.Errorf("calls: %s\n want: %s", got, want)
	}
	if got, want := counts(t, shared), "0@110 0@110 0@110 0@110 1@110"; got != want {
		t.Errorf("stored %s; want %s", got, want)
	}
}

// TestConflictInSecondBucket starts again with the bucket that changed: what is charged stays charged.
func TestConflictInSecondBucket(t *testing.T) {
	p := newPair(t)
	shared := new(memstore.Store)
	other, r := newWorker(t, twoBuckets, shared), newWorker(t, twoBuckets, shared)
	r.store.hooks = map[string]func(){"create 1#1": func() {
		other.play([]step{{"100s", "a", p.high + ": 3/20", "ok 2/3 @120"}})
	}}
	r.play([]step{{"100s", "a", p.both("9/10", "3/20"), "ok 1/3 @120 conflicts 1"}})
	want := "get 0, get 1, clock, create 0, create 1, get 1, clock, swap 1"
	if got := r.store.trace(); got != want {
		t.Errorf("calls: %s\n want: %s", got, want)
	}
	if got, want := counts(t, shared), "1@110 2@120"; got != want {
		t.Errorf("stored %s; want %s", got, want)
	}
}

// TestConflictAcrossABoundary starts again with all buckets: the charge in the first was made in a window that is over, and a
// request belongs to one instant.
func TestConflictAcrossABoundary(t *testing.T) {
	p := newPair(t)
	shared := new(memstore.Store)
	other, r := newWorker(t, twoBuckets, shared), newWorker(t, twoBuckets, shared)
	r.store.hooks = map[string]func(){"create 1#1": func() {
		other.play([]step{{"109s", "a", p.high + ": 3/20", "ok 2/3 @120"}})
		r.now = instant(t, "110s")
	}}
	r.now = instant(t, "109s")
	if got, want := r.ask("a", p.both("9/10", "3/20")), "ok 1/3 @120 conflicts 1"; got != want {
		t.Errorf("got %s; want %s", got, want)
	}
	want := "get 0, get 1, clock, create 0, create 1, get 1, clock, get 0, swap 0, get 0, get 1, clock, swap 0, swap 1"
	if got := r.store.trace(); got != want {
		t.Errorf("calls: %s\n want: %s", got, want)
	}
	if got, want := counts(t, shared), "1@120 2@120"; got != want {
		t.Errorf("stored %s; want %s", got, want)
	}
}

// TestOverflowsAreCountedOnce refuses, in the second bucket, a request that met a full first one.
func TestOverflowsAreCountedOnce(t *testing.T) {
	p := newPair(t)
	shared := new(memstore.Store)
	other, r := newWorker(t, twoBuckets, shared), newWorker(t, twoBuckets, shared)
	other.now = instant(t, "100s")
	for i := 0; len(counters(t, shared)) < 17; i++ { // one of them is in the overflow counter
		if who := fmt.Sprintf("c%d", i); inLow(t, p.low, who) {
			other.ask(who, p.low+": 9/10")
		}
	}
	r.store.hooks = map[string]func(){"create 1#1": func() {
		other.play([]step{{"100s", "a", p.high + ": 1/20", "ok 0/1 @120"}})
	}}
	r.play([]step{{"100s", "a", p.both("9/10", "1/20"), "no 0/1 @120 retry 20 overflows 1 conflicts 1"}})
}

// inLow says whether a client of a rule falls into bucket 0.
func inLow(t *testing.T, rule, who string) bool {
	r := newRig(t, twoBuckets)
	r.ask(who, rule+": 1/10")
	return counters(t, r.store.Store)[0].bucket == 0
}

// TestShadow plays shadow rules beside enforced ones, in the same bucket and in another.
func TestShadow(t *testing.T) {
	p := newPair(t)
	tests := []struct {
		name   string
		steps  []step
		stored string
	}{
		{"refuses nothing and is charged while it has room, in the same bucket", []step{
			{"100s", "a", p.low + ": 9/10 + " + p.mate + ": 1/10 shadow", "ok 8/9 @110"},
			{"100s", "a", p.low + ": 9/10 + " + p.mate + ": 1/10 shadow", "ok 7/9 @110"},
		}, "2@110 1@110"},
		{"refuses nothing and is charged while it has room, in another bucket", []step{
			{"100s", "a", p.both("9/10", "1/20 shadow"), "ok 8/9 @110"},
			{"100s", "a", p.both("9/10", "1/20 shadow"), "ok 7/9 @110"},
		}, "2@110 1@120"},
		{"is charged only with requests that are admitted, in the same bucket", []step{
			{"100s", "a", p.low + ": 1/10 + " + p.mate + ": 9/10 shadow", "ok 0/1 @110"},
			{"100s", "a", p.low + ": 1/10 + " + p.mate + ": 9/10 shadow", "no 0/1 @110 retry 10"},
			{"100s", "a", p.low + ": 1/10 + " + p.mate + ": 9/10 shadow", "no 0/1 @110 retry 10 cached"},
		}, "1@110 1@110"},
		{"is charged only with requests that are admitted, in another bucket", []step{
			{"100s", "a", p.both("9/10 shadow", "1/20"), "ok 0/1 @120"},
			{"100s", "a", p.both("9/10 shadow", "1/20"), "no 0/1 @120 retry 20"},
		}, "1@110 1@120"},
		{"its limits are all or nothing among themselves", []step{
			{"100s", "a", p.low + ": 9/10,1/20 shadow", "ok"},
			{"100s", "a", p.low + ": 9/10,1/20 shadow", "ok"},
		}, "1@110 1@120"},
		{"two shadow rules do not hold up each other", []step{
			{"100s", "a", p.both("1/10 shadow", "9/20 shadow"), "ok"},
			{"100s", "a", p.both("1/10 shadow", "9/20 shadow"), "ok"},
		}, "1@110 2@120"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, twoBuckets)
			r.play(test.steps)
			if got := counts(t, r.store.Store); got != test.stored {
				t.Errorf("stored %s; want %s", got, test.stored)
			}
		})
	}
}

// TestShadowTellsNoRoom reads what a metric is made of.
func TestShadowTellsNoRoom(t *testing.T) {
	r := newRig(t, oneBucket)
	r.now = instant(t, "100s")
	request := charges(t, "a", "1/10 shadow")
	for i, want := range []limiter.Outcome{{Charged: true}, {NoRoom: true}} {
		got := r.Take(request).Outcomes[0]
		if got.Charged != want.Charged || got.NoRoom != want.NoRoom {
			t.Errorf("request %d: charged %v, no room %v", i, got.Charged, got.NoRoom)
		}
	}
}

// TestShadowBucketFails shows that a shadow rule whose bucket cannot be reached changes nothing that the client sees.
func TestShadowBucketFails(t *testing.T) {
	p := newPair(t)
	for _, call := range []string{"get 1", "clock#2", "create 1"} {
		r := newRig(t, twoBuckets)
		r.store.faults = map[string]error{call: errBroken}
		r.now = instant(t, "100s")
		d := r.Take(charges(t, "a", p.both("9/10 critical", "9/20 shadow critical")))
		if !d.Allowed || d.Err != nil || !d.Outcomes[0].Charged || d.Outcomes[1].Charged || d.Outcomes[1].Err == nil {
			t.Errorf("%s fails: allowed %v, %v, outcomes %+v", call, d.Allowed, d.Err, d.Outcomes)
		}
		if d.Now != r.now {
			t.Errorf("%s fails: the decision is dated %d; want %d", call, d.Now, r.now)
		}
	}
}

// TestNowIsOfTheDecision lets the clock advance between the enforced bucket and the shadow one.
func TestNowIsOfTheDecision(t *testing.T) {
	p := newPair(t)
	r := newRig(t, twoBuckets)
	r.now = instant(t, "109s")
	r.store.hooks = map[string]func(){"clock#2": func() { r.now = instant(t, "111s") }}
	d := r.Take(charges(t, "a", p.both("9/10", "9/20 shadow")))
	if d.Now != instant(t, "109s") || d.States[d.Shown].Reset != 110 {
		t.Errorf("decided at %d, reset %d; want 109 s, 110", d.Now, d.States[d.Shown].Reset)
	}
}
