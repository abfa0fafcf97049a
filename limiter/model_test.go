package limiter_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"tollgate/limiter"
	"tollgate/limiter/memstore"
)

// model is the counting written down as plainly as it can be: a map of counters, no table, no bytes, no memory.
type model map[string]uint32

func (m model) name(c *limiter.Charge, l limiter.Limit, now int64) string {
	return fmt.Sprintf("%s|%s|%v|%d|%d", c.Rule, c.Identity, c.Shadow, l.Window, modelReset(l, now))
}

func modelReset(l limiter.Limit, now int64) uint32 {
	w := int64(l.Window)
	return uint32((now/1e9/w + 1) * w)
}

func (m model) room(c *limiter.Charge, l limiter.Limit, now int64) bool {
	return int64(m[m.name(c, l, now)])+int64(c.Cost) <= int64(l.Requests)
}

func (m model) allRoom(c *limiter.Charge, now int64) bool {
	for _, l := range c.Limits {
		if !m.room(c, l, now) {
			return false
		}
	}
	return true
}

func (m model) add(c *limiter.Charge, now int64, cost uint32) {
	for _, l := range c.Limits {
		m[m.name(c, l, now)] += cost
	}
}

// take decides a request and returns which charges were made.
func (m model) take(charges []limiter.Charge, now int64) (allowed bool, charged []bool) {
	allowed, charged = true, make([]bool, len(charges))
	for i := range charges {
		allowed = allowed && (charges[i].Shadow || m.allRoom(&charges[i], now))
	}
	for i := range charges {
		if charged[i] = allowed && m.allRoom(&charges[i], now); charged[i] {
			m.add(&charges[i], now, charges[i].Cost)
		}
	}
	return allowed, charged
}

// shown is what the client is told: remaining, budget and reset of one limit. now is the instant of the decision.
func (m model) shown(charges []limiter.Charge, allowed bool, now int64) string {
	best, text := [3]int64{}, "nothing"
	for i := range charges {
		c := &charges[i]
		for _, l := range c.Limits {
			if c.Shadow || c.Hidden || !allowed && m.room(c, l, now) {
				continue
			}
			remaining, reset := max(0, int64(l.Requests)-int64(m[m.name(c, l, now)])), int64(modelReset(l, now))
			rank := [3]int64{1, -remaining, reset}
			if !allowed {
				rank[1] = 0
				if l.Requests == 0 {
					rank[1] = 1
				}
			}
			if less(best, rank) {
				best, text = rank, fmt.Sprintf("%d/%d @%d", remaining, l.Requests, reset)
			}
		}
	}
	return text
}

func less(a, b [3]int64) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

func shownOf(d *limiter.Decision) string {
	if d.Shown < 0 {
		return "nothing"
	}
	s := &d.States[d.Shown]
	return fmt.Sprintf("%d/%d @%d", s.Remaining(), s.Budget, s.Reset)
}

// given is a charge that may be given back: what the limiter and the model need for it.
type given struct {
	receipt limiter.Receipt
	charge  limiter.Charge
	at      int64
}

// timeline is a random history: workers over one store, a clock that goes forward, and the model.
type timeline struct {
	t       *rapid.T
	shared  *memstore.Store
	workers []*limiter.Limiter
	now     int64
	model   model
	given   []given
}

func newTimeline(t *rapid.T, o limiter.Options) *timeline {
	l := &timeline{t: t, shared: new(memstore.Store), now: 1000e9, model: make(model)}
	for range 3 {
		l.workers = append(l.workers, limiter.New(l.shared, func() (int64, error) { return l.now, nil }, hashKey, o))
	}
	return l
}

func (l *timeline) worker() *limiter.Limiter {
	return l.workers[rapid.IntRange(0, len(l.workers)-1).Draw(l.t, "worker")]
}

// advance moves the clock: by a moment, to an exact boundary, or far.
func (l *timeline) advance(t *rapid.T) {
	switch rapid.IntRange(0, 2).Draw(t, "how") {
	case 0:
		l.now += rapid.Int64Range(1, 3e9).Draw(t, "nanoseconds")
	case 1:
		l.now = (l.now/1e9 + rapid.Int64Range(1, 10).Draw(t, "seconds")) * 1e9
	default:
		l.now += rapid.Int64Range(10e9, 5000e9).Draw(t, "far")
	}
}

// rules are what a request may be held to. The plan chooses the budgets; give says that the rule's charges may be given back.
var rules = []struct {
	name                 string
	plans                [][]limiter.Limit
	shadow, hidden, give bool
}{
	{name: "one", plans: [][]limiter.Limit{{{Requests: 3, Window: 10}}, {{Requests: 6, Window: 10}}, {{Requests: 2, Window: 60}}}},
	{name: "two", plans: [][]limiter.Limit{{{Requests: 2, Window: 7}, {Requests: 5, Window: 60}}, {{Requests: 0, Window: 7}}}},
	{name: "back", give: true, plans: [][]limiter.Limit{{{Requests: 4, Window: 10}, {Requests: 5, Window: 3600}}}},
	{name: "shadow", shadow: true, plans: [][]limiter.Limit{{{Requests: 3, Window: 10}, {Requests: 4, Window: 30}}}},
	{name: "hidden", hidden: true, plans: [][]limiter.Limit{{{Requests: 9, Window: 20}}}},
}

// request draws one to three rules, in any order, for clients that may differ by rule.
func request(t *rapid.T, clients int, plans bool) []limiter.Charge {
	order := rapid.Permutation([]int{0, 1, 2, 3, 4}).Draw(t, "rules")[:rapid.IntRange(1, 3).Draw(t, "how many")]
	var all []limiter.Charge
	for _, i := range order {
		r, plan := rules[i], 0
		if plans {
			plan = rapid.IntRange(0, len(r.plans)-1).Draw(t, "plan")
		}
		all = append(all, limiter.Charge{
			Rule: r.name, Limits: r.plans[plan], Shadow: r.shadow, Hidden: r.hidden, Refundable: r.give,
			Identity: fmt.Appendf(nil, "client%d", rapid.IntRange(1, clients).Draw(t, "client")),
			Cost:     rapid.SampledFrom([]uint32{1, 1, 1, 2}).Draw(t, "cost"),
		})
	}
	return all
}

// take compares one decision with the model.
func (l *timeline) take(t *rapid.T) {
	charges := request(t, 4, true)
	d := l.worker().Take(charges)
	allowed, charged := l.model.take(charges, l.now)
	if d.Allowed != allowed || d.Conflicts+d.Overflows+d.LostRefunds != 0 || d.Err != nil {
		t.Fatalf("at %d: %s; the model says %v", l.now, describe(d), allowed)
	}
	for i := range charges {
		if o := d.Outcomes[i]; o.Err != nil || o.Charged != charged[i] {
			t.Fatalf("charge %d: charged %v, %v; the model says %v", i, o.Charged, o.Err, charged[i])
		}
		if charged[i] && charges[i].Refundable {
			l.given = append(l.given, given{d.Receipt(charges, i), charges[i], l.now})
		}
	}
	l.compare(t, d, charges)
}

// compare holds what is told of each limit to the model. A refusal from memory knows only the counter that it remembers, as
// it was then: it must have no room, and the same reset.
func (l *timeline) compare(t *rapid.T, d *limiter.Decision, charges []limiter.Charge) {
	if want := l.model.shown(charges, d.Allowed, l.now); !d.Cached && shownOf(d) != want {
		t.Fatalf("at %d: shows %s; the model %s", l.now, shownOf(d), want)
	}
	for i := range d.States {
		s := &d.States[i]
		c := &charges[s.Charge]
		limit := c.Limits[s.Limit]
		count, reset := l.model[l.model.name(c, limit, l.now)], modelReset(limit, l.now)
		switch {
		case d.Cached && s.NoRoom:
			if s.Reset != reset || s.Count > count || l.model.room(c, limit, l.now) {
				t.Fatalf("state %d from memory: %d @%d; the model says %d @%d", i, s.Count, s.Reset, count, reset)
			}
		case !d.Cached && (d.Allowed || !c.Shadow):
			if s.Count != count || s.Reset != reset {
				t.Fatalf("state %d: %d @%d; the model says %d @%d", i, s.Count, s.Reset, count, reset)
			}
		}
	}
}

// giveBack takes back any charge that was not given back, however old.
func (l *timeline) giveBack(t *rapid.T) {
	if len(l.given) == 0 {
		return
	}
	i := rapid.IntRange(0, len(l.given)-1).Draw(t, "which")
	g := l.given[i]
	l.given = append(l.given[:i], l.given[i+1:]...)
	if err := l.worker().GiveBack(&g.receipt); err != nil {
		t.Fatal(err)
	}
	for _, limit := range g.charge.Limits {
		l.model[l.model.name(&g.charge, limit, g.at)] -= g.charge.Cost
	}
}

// TestAgainstModel plays random timelines on a table with room for all: every decision equals the model's.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newTimeline(t, limiter.Options{Domain: "test", MaxCounters: 65536})
		t.Repeat(map[string]func(*rapid.T){
			"take":    l.take,
			"again":   l.take, // twice as often
			"back":    l.giveBack,
			"advance": l.advance,
		})
	})
}

// TestCrowdedTable plays random timelines on a table far too small. Then clients share counters, and what holds is: nobody
// gets more than the budget in a window, who is refused has no room of his own or shares a counter, and memory is bounded.
func TestCrowdedTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newTimeline(t, oneBucket)
		t.Repeat(map[string]func(*rapid.T){
			"take":    l.takeCrowded,
			"again":   l.takeCrowded,
			"advance": l.advance,
			"": func(t *rapid.T) {
				if keys, longest := measure(l.shared); keys > 1 || longest > 513 {
					t.Fatalf("%d keys, the longest value %d bytes", keys, longest)
				}
			},
		})
	})
}

func (l *timeline) takeCrowded(t *rapid.T) {
	charges := request(t, 12, false)
	d := l.worker().Take(charges)
	if !d.Allowed {
		l.checkRefused(t, d, charges)
		return
	}
	for i := range charges {
		c := &charges[i]
		if !d.Outcomes[i].Charged {
			if !c.Shadow {
				t.Fatalf("charge %d of an allowed request is not charged: %v", i, d.Outcomes[i].Err)
			}
			continue
		}
		if l.model.add(c, l.now, c.Cost); c.Shadow {
			continue
		}
		for _, limit := range c.Limits {
			if count := l.model[l.model.name(c, limit, l.now)]; count > limit.Requests {
				t.Fatalf("%s got %d of %d in the window to %d", c.Identity, count, limit.Requests, modelReset(limit, l.now))
			}
		}
	}
}

func (l *timeline) checkRefused(t *rapid.T, d *limiter.Decision, charges []limiter.Charge) {
	s := &d.States[d.Refuser]
	c := &charges[s.Charge]
	if l.model.room(c, c.Limits[s.Limit], l.now) && !s.Overflow && !d.Cached {
		t.Fatalf("%s was refused with room in a counter of its own", c.Identity)
	}
}
