package limiter_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"tollgate/limiter"
)

// TestShown checks which limit a client is told of.
func TestShown(t *testing.T) {
	p := newPair(t)
	tests := []struct {
		name  string
		steps []step
	}{
		{"allowed: the smallest remaining", []step{
			{"100s", "a", "9/10,5/20,7/30", "ok 4/5 @120"},
		}},
		{"allowed: then the latest reset", []step{
			{"100s", "a", "5/10,5/20,5/15", "ok 4/5 @120"},
		}},
		{"allowed: then the first rule", []step{
			{"100s", "a", "one: 5/10 + two: 5/20", "ok 4/5 @120"},
			{"100s", "b", "one: 5/10 + two: 7/10 x3", "ok 4/5 @110"},
			{"100s", "c", "two: 7/10 x3 + one: 5/10", "ok 4/7 @110"},
		}},
		{"refused: only limits that had no room", []step{
			{"100s", "a", "1/10,2/20,9/60", "ok 0/1 @110"},
			{"100s", "a", "1/10,2/20,9/60", "no 0/1 @110 retry 10"},
			{"110s", "a", "1/10,2/20,9/60", "ok 0/1 @120"},
			{"111s", "a", "2/10,2/20,9/60", "no 0/2 @120 retry 9"},
		}},
		{"refused: the latest reset, so that waiting is enough", []step{
			{"100s", "a", "1/10,1/60,1/20", "ok 0/1 @120"},
			{"101s", "a", "1/10,1/60,1/20", "no 0/1 @120 retry 19"},
			{"120s", "a", "1/10,1/60,1/20", "ok 0/1 @180"},
			{"121s", "a", "1/10,1/60,1/20", "no 0/1 @180 retry 59"},
			{"130s", "a", "1/10,1/60,1/20", "no 0/1 @180 retry 50 cached"},
		}},
		{"refused: then the first rule", []step{
			{"100s", "a", "one: 1/10 + two: 2/10", "ok 0/1 @110"},
			{"100s", "a", "one: 1/10 + two: 1/10", "no 0/1 @110 retry 10"},
			{"100s", "b", "two: 2/10 x2 + one: 1/10", "ok 0/2 @110"},
			{"100s", "b", "two: 2/10 + one: 1/10", "no 0/2 @110 retry 10"},
		}},
		{"refused: a budget of 0 before all others, and no waiting", []step{
			{"100s", "a", "1/60,0/10", "no 0/0 @110"},
			{"100s", "b", "1/60", "ok 0/1 @120"},
			{"100s", "b", "1/60,0/10", "no 0/0 @110"},
			{"100s", "b", "1/60", "no 0/1 @120 retry 20"},
		}},
		{"hidden limits are not shown", []step{
			{"100s", "a", "one: 2/10 hidden + two: 9/20", "ok 8/9 @120"},
			{"100s", "a", "one: 2/10 hidden", "ok"},
		}},
		{"hidden limits refuse, and the client waits for them", []step{
			{"100s", "a", "one: 1/10 hidden + two: 9/20", "ok 8/9 @120"},
			{"100s", "a", "one: 1/10 hidden + two: 9/20", "no retry 10"},
			{"100s", "a", "one: 1/10 hidden + two: 9/20", "no retry 10 cached"},
		}},
		{"of a hidden and a shown limit without room the later is waited for", []step{
			{"100s", "a", "one: 1/60 hidden + two: 1/10", "ok 0/1 @110"},
			{"100s", "a", "one: 1/60 hidden + two: 1/10", "no 0/1 @110 retry 20"},
			{"101s", "a", "one: 1/60 hidden + two: 1/10", "no 0/1 @110 retry 19"},
			{"110s", "a", "one: 1/60 hidden + two: 1/10", "no retry 10"},
			{"111s", "a", "one: 1/60 hidden + two: 1/10", "no retry 9 cached"},
		}},
		{"shadow limits are not shown", []step{
			{"100s", "a", "one: 1/10 shadow + two: 9/20", "ok 8/9 @120"},
			{"100s", "a", "one: 1/10 shadow", "ok"},
		}},
		{"across buckets", []step{
			{"100s", "a", p.both("5/10", "4/20"), "ok 3/4 @120"},
			{"100s", "a", p.both("5/10", "9/20"), "ok 3/5 @110"},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			newRig(t, twoBuckets).play(test.steps)
		})
	}
}

// TestWaitingIsEnough refuses clients of many limits and comes back when RetryAfter says so, and a second before.
func TestWaitingIsEnough(t *testing.T) {
	r := newRig(t, limiter.Options{Domain: "test", MaxCounters: 4096})
	for i := range 500 {
		who := strconv.Itoa(i)
		r.now = 1e9*int64(100+i) + int64(i)*123_456_789
		var d *limiter.Decision
		for d = r.Take(charges(t, who, "3/7,4/13,5/61")); d.Allowed; d = r.Take(charges(t, who, "3/7,4/13,5/61")) {
		}
		wait := int64(d.RetryAfter())
		refused := r.now
		if r.now = refused + (wait-1)*1e9; wait > 1 && r.Take(charges(t, who, "3/7,4/13,5/61")).Allowed {
			t.Errorf("client %d: allowed a second before the %d seconds were over", i, wait)
		}
		if r.now = refused + wait*1e9; !r.Take(charges(t, who, "3/7,4/13,5/61")).Allowed {
			t.Errorf("client %d: not allowed after %d seconds", i, wait)
		}
	}
}

// TestStates reads all of a decision, as a renderer of every limit does.
func TestStates(t *testing.T) {
	r := newRig(t, twoBuckets)
	r.now = instant(t, "100s")
	d := r.Take(charges(t, "a", "one: 5/10,7/20 x2 + two: 9/60 shadow"))
	var got []string
	for i := range d.States {
		s := &d.States[i]
		got = append(got, fmt.Sprintf("%d.%d %d of %d/%d @%d", s.Charge, s.Limit, s.Count, s.Budget, s.Window, s.Reset))
	}
	want := "0.0 2 of 5/10 @110, 0.1 2 of 7/20 @120, 1.0 1 of 9/60 @120"
	if got := strings.Join(got, ", "); got != want {
		t.Errorf("states %s; want %s", got, want)
	}
	if len(d.Outcomes) != 2 || !d.Outcomes[0].Charged || !d.Outcomes[1].Charged || d.Now != r.now {
		t.Errorf("outcomes %+v at %d", d.Outcomes, d.Now)
	}
}

// TestNoCharge lets a request pass that nothing holds.
func TestNoCharge(t *testing.T) {
	r := newRig(t, oneBucket)
	if got, want := describe(r.Take(nil)), "ok"; got != want {
		t.Errorf("got %s; want %s", got, want)
	}
	if got := r.store.trace(); got != "" {
		t.Errorf("calls: %s; want none", got)
	}
}

// TestIdentityIsInjective counts, for pairs that a careless encoding would mix up, each as a client of its own.
func TestIdentityIsInjective(t *testing.T) {
	r := newRig(t, limiter.Options{Domain: "test", MaxCounters: 4096})
	r.now = instant(t, "100s")
	for _, c := range []limiter.Charge{
		{Rule: "ab", Route: "c", Identity: []byte("d")},
		{Rule: "a", Route: "bc", Identity: []byte("d")},
		{Rule: "a", Route: "b", Identity: []byte("cd")},
		{Rule: "abcd"},
		{Route: "abcd"},
		{Identity: []byte("abcd")},
		{Rule: "ab", Route: "cd"},
		{Rule: "ab", Identity: []byte("cd")},
		{Route: "ab", Identity: []byte("cd")},
		{Rule: "a", Identity: []byte("b\x00")},
		{Rule: "a", Identity: []byte("b")},
		{Rule: "a\x00", Identity: []byte("b")},
		{Rule: "a", Route: "\x00", Identity: []byte("b")},
		{Rule: "a", Identity: []byte{0xff, 0xfe}},
		{Rule: "a", Identity: []byte("\ufffd\ufffd")},
		{},
	} {
		c.Cost, c.Limits = 1, []limiter.Limit{{Requests: 1, Window: 10}}
		if d := r.Take([]limiter.Charge{c}); !d.Allowed {
			t.Errorf("rule %q, route %q, identity %q shares a counter", c.Rule, c.Route, c.Identity)
		}
	}
	long := []byte(strings.Repeat("k", 8192))
	for _, last := range "ab" {
		long[len(long)-1] = byte(last)
		c := limiter.Charge{Rule: "long", Identity: long, Cost: 1, Limits: []limiter.Limit{{Requests: 1, Window: 10}}}
		if d := r.Take([]limiter.Charge{c}); !d.Allowed {
			t.Errorf("a long identity that ends with %c shares a counter", last)
		}
	}
}

// TestDomainsAndCapacitiesAreApart counts one client in tables that must not touch each other.
func TestDomainsAndCapacitiesAreApart(t *testing.T) {
	first := newRig(t, limiter.Options{Domain: "one", MaxCounters: 64})
	for _, o := range []limiter.Options{{Domain: "two", MaxCounters: 64}, {Domain: "one", MaxCounters: 128}} {
		second := newWorker(t, o, first.store.Store)
		for _, r := range []*rig{first, second} {
			r.now += instant(t, "10s")
			if got := r.Take(charges(t, "a", "1/10")); !got.Allowed {
				t.Errorf("%+v shares a counter: %s", o, describe(got))
			}
		}
	}
}

// TestRouteCountsApart gives each route counters of its own, the overflow counter too.
func TestRouteCountsApart(t *testing.T) {
	r := newRig(t, oneBucket)
	r.play([]step{{"100s", "c1..c16", "9/10", "ok 8/9 @110"}})
	for _, route := range []string{"one", "two"} {
		request := charges(t, "a", "1/10")
		request[0].Route = route
		for _, want := range []string{"ok 0/1 @110 overflows 1", "no 0/1 @110 retry 10 overflows 1"} {
			if got := describe(r.Take(request)); got != want {
				t.Errorf("route %s: %s; want %s", route, got, want)
			}
		}
	}
}

// TestKeysHideWhoIsCounted looks for rule, route and identity in everything stored.
func TestKeysHideWhoIsCounted(t *testing.T) {
	r := newRig(t, oneBucket)
	c := limiter.Charge{Rule: "secretrule", Route: "secretroute", Identity: []byte("secretkey"), Cost: 1, Limits: []limiter.Limit{{Requests: 1, Window: 10}}}
	r.Take([]limiter.Charge{c})
	for key, value := range memoryOf(t, r.store.Store) {
		if strings.Contains(key+string(value), "secret") {
			t.Errorf("%q holds %q", key, value)
		}
		if want := "tollgate/1/test/1/0"; key != want {
			t.Errorf("key %q; want %q", key, want)
		}
	}
}
