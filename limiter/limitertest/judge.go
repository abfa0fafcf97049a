package limitertest

import (
	"fmt"
	"slices"
	"strings"

	"tollgate/limiter"
)

// judge holds a finished action to the guarantee: a request was decided at an instant between its arrival and its answer,
// belongs to the window that contains it, and was refused only if a limit had no room then.
func (g *ledger) judge(s *state, w int, n *node, action int) string {
	r := &n.results[action]
	if back := n.program.actions[action].GiveBack; back > 0 {
		return g.judgeGiveBack(s, n, &n.results[back-1], r)
	}
	d := &r.decision
	for i := range d.Outcomes {
		if err := d.Outcomes[i].Err; err != nil {
			return fmt.Sprintf("a request failed: %v", err)
		}
	}
	if r.reading < 0 || d.Now != g.instants[r.reading] {
		return fmt.Sprintf("a decision is dated %s, not at the last reading of the clock", seconds(d.Now))
	}
	if g.stepping {
		return g.judgeStepping(d)
	}
	if d.Allowed {
		return g.judgeAllowed(s, w, n, action)
	}
	return g.judgeRefused(s, w, n, action)
}

// judgeAllowed checks that everything is charged, in the window of the instant.
func (g *ledger) judgeAllowed(s *state, w int, n *node, action int) string {
	r := &n.results[action]
	if want := uint8(1)<<len(n.program.actions[action].Charges) - 1; s.workers[w].held != want {
		return fmt.Sprintf("a request was allowed with the charges %b stored of %b", s.workers[w].held, want)
	}
	for i := range r.decision.States {
		if violation := g.judgeState(n, action, i); violation != "" {
			return violation
		}
	}
	return ""
}

// judgeState checks that what is told of a limit is of the window that contains the instant.
func (g *ledger) judgeState(n *node, action, i int) string {
	st, r := &n.results[action].decision.States[i], &n.results[action]
	k := &g.counters[g.plans[n.program][action].limits[i].counter]
	if st.Reset != k.ends[r.reading] {
		return fmt.Sprintf("a request decided at %s counts in the window to %d, not to %d", seconds(r.decision.Now), st.Reset, k.ends[r.reading])
	}
	return ""
}

// judgeRefused checks that nothing stays charged, and that the limit that is said to have refused had no room in its window at some
// instant since the request came.
func (g *ledger) judgeRefused(s *state, w int, n *node, action int) string {
	me, r := &s.workers[w], &n.results[action]
	d := &r.decision
	for charge := range n.program.actions[action].Charges {
		if g.holds(s, w, n.program, action, charge) {
			return fmt.Sprintf("a request was refused and left charge %d stored", charge)
		}
	}
	if d.Refuser < 0 || !d.States[d.Refuser].NoRoom {
		return "a request was refused by no limit"
	}
	k := &g.counters[g.plans[n.program][action].limits[d.Refuser].counter]
	own, shared := g.roomBit(d.Refuser, k, false, r.reading), g.roomBit(d.Refuser, k, true, r.reading)
	if me.noRoom&own == 0 && !(d.States[d.Refuser].Overflow || d.Cached) {
		return fmt.Sprintf("%s was refused at %s with room in that window all the time", k.name(), seconds(d.Now))
	}
	if me.noRoom&(own|shared) == 0 {
		return fmt.Sprintf("%s was refused at %s with room in that window all the time, in the shared counter too", k.name(), seconds(d.Now))
	}
	return g.judgeState(n, action, d.Refuser)
}

// judgeGiveBack checks that a charge whose window goes on was given back.
func (g *ledger) judgeGiveBack(s *state, n *node, taken, r *result) string {
	if r.err != nil {
		return fmt.Sprintf("giving back failed: %v", r.err)
	}
	if g.stepping {
		return ""
	}
	for i := range taken.decision.States {
		st := &taken.decision.States[i]
		over := g.instants[s.clock] >= int64(st.Reset)*1e9
		if _, given := r.receipt.Count(i); taken.decision.Allowed && st.Charge == 0 && !given && !over {
			return fmt.Sprintf("a charge in the window to %d was not given back", st.Reset)
		}
	}
	return ""
}

// judgeStepping checks what holds even though the clock steps: nobody waits for longer than a window and a second.
func (g *ledger) judgeStepping(d *limiter.Decision) string {
	for i := range d.States {
		st := &d.States[i]
		told := d.Allowed || st.NoRoom
		if told && int64(st.Reset)*1e9 > d.Now+(int64(st.Window)+1)*1e9 {
			return fmt.Sprintf("at %s a client is told to wait until %d", seconds(d.Now), st.Reset)
		}
	}
	return ""
}

// finish checks all decisions together, from what the clients were told alone.
func (x *explorer) finish(s *state) {
	tallies := make(map[tallyKey]*tally)
	var outcome []string
	for w := range x.Workers {
		n := x.node(s, w)
		var told []string
		for action := range n.results {
			x.ledger.tally(tallies, n, action)
			told = append(told, n.results[action].text())
		}
		outcome = append(outcome, strings.Join(told, "; "))
	}
	slices.Sort(outcome)
	x.outcomes[strings.Join(outcome, "\n")] = true
	for key, t := range tallies {
		if violation := x.ledger.check(key, t); violation != "" {
			x.violation = violation
		}
	}
}

// tallyKey is a client's limit in one window. A clock that steps back begins another epoch.
type tallyKey struct {
	counter int
	end     uint32
	epoch   int
}

// tally sums up the requests that were decided in a window.
type tally struct {
	admitted, requests int
	budget             uint32 // the largest
	remaining          []uint32
	plain              bool // one limit, cost 1, one budget, nothing given back or shared: exactness is promised
	book               int
}

func (g *ledger) tally(tallies map[tallyKey]*tally, n *node, action int) {
	r := &n.results[action]
	if back := n.program.actions[action].GiveBack; back > 0 {
		g.tallyGiveBack(tallies, n, back-1, r)
		return
	}
	limits := g.plans[n.program][action].limits
	for i, l := range limits {
		t := g.tallyOf(tallies, l, r.reading)
		st := &r.decision.States[i]
		t.requests++
		t.plain = t.plain && len(limits) == 1 && l.cost == 1 && !st.Overflow && !n.program.actions[action].Charges[l.charge].Refundable &&
			(t.budget == 0 || t.budget == l.budget)
		t.budget = max(t.budget, l.budget)
		if r.decision.Allowed {
			t.admitted += int(l.cost)
			t.remaining = append(t.remaining, st.Remaining())
		}
	}
}

func (g *ledger) tallyGiveBack(tallies map[tallyKey]*tally, n *node, taken int, r *result) {
	for i, l := range g.plans[n.program][taken].limits {
		if _, given := r.receipt.Count(i); l.charge == 0 && given {
			g.tallyOf(tallies, l, n.results[taken].reading).admitted -= int(l.cost)
		}
	}
}

func (g *ledger) tallyOf(tallies map[tallyKey]*tally, l limitPlan, reading int) *tally {
	k := &g.counters[l.counter]
	key := tallyKey{l.counter, k.ends[reading], g.epoch(reading)}
	if tallies[key] == nil {
		tallies[key] = &tally{plain: !g.stepping, book: k.books[reading]}
	}
	return tallies[key]
}

func (g *ledger) epoch(reading int) (n int) {
	for i := range reading {
		if g.instants[i+1] < g.instants[i] {
			n++
		}
	}
	return n
}

// check holds a window to its budget: never more, and where it is promised exactly as much as was asked for, each remaining value once.
func (g *ledger) check(key tallyKey, t *tally) string {
	k := &g.counters[key.counter]
	before := int(g.initial[t.book])
	if g.stepping {
		before = 0
	}
	if before+t.admitted > int(t.budget) {
		return fmt.Sprintf("%s got %d of %d in the window to %d", k.name(), before+t.admitted, t.budget, key.end)
	}
	if !t.plain {
		return ""
	}
	if want := min(t.requests, int(t.budget)-before); t.admitted != want {
		return fmt.Sprintf("%s got %d of %d requests in the window to %d; want %d", k.name(), t.admitted, t.requests, key.end, want)
	}
	slices.Sort(t.remaining)
	if len(slices.Compact(slices.Clone(t.remaining))) != len(t.remaining) {
		return fmt.Sprintf("%s was told the same remaining twice in the window to %d: %d", k.name(), key.end, t.remaining)
	}
	return ""
}
