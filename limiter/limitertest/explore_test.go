package limitertest_test

import (
	"fmt"
	"testing"

	"tollgate/limiter"
	"tollgate/limiter/limitertest"
	"tollgate/prove/forms"
)

// ask is a request of a client to one rule.
func ask(who string, limits ...limiter.Limit) limitertest.Action {
	return request(charge("rule", who, limits...))
}

func request(charges ...limiter.Charge) limitertest.Action {
	return limitertest.Action{Charges: charges}
}

func charge(rule, who string, limits ...limiter.Limit) limiter.Charge {
	return limiter.Charge{Rule: rule, Identity: []byte(who), Cost: 1, Limits: limits}
}

func refundable(c limiter.Charge) limiter.Charge {
	c.Refundable = true
	return c
}

func costing(cost uint32, c limiter.Charge) limiter.Charge {
	c.Cost = cost
	return c
}

// back gives back the worker's nth action.
func back(n int) limitertest.Action { return limitertest.Action{GiveBack: n} }

func per(requests, window uint32) limiter.Limit {
	return limiter.Limit{Requests: requests, Window: window}
}

// before is what stands in the table when the workers start.
func before(second int64, actions ...limitertest.Action) (events []limitertest.Event) {
	for _, a := range actions {
		events = append(events, limitertest.Event{Now: second * 1e9, Charges: a.Charges})
	}
	return events
}

// fill is n other clients with a counter each.
func fill(second int64, n int, limit limiter.Limit) []limitertest.Event {
	var actions []limitertest.Action
	for i := range n {
		actions = append(actions, ask(fmt.Sprintf("filler %d of %d", i, limit.Window), limit))
	}
	return before(second, actions...)
}

type actions = []limitertest.Action

// inSeconds lists instants.
func inSeconds(all ...float64) (instants []int64) {
	for _, s := range all {
		instants = append(instants, int64(s*1e9))
	}
	return instants
}

// twoRules are the names of rules whose counters for client a stand in two buckets, in their order.
func twoRules(t *testing.T) (low, high string) {
	for i := 0; low == "" || high == ""; i++ {
		name := fmt.Sprintf("rule %d", i)
		switch limitertest.BucketOf(twoBuckets, charge(name, "a", per(1, 10))) {
		case 0:
			low = name
		case 1:
			high = name
		}
	}
	return low, high
}

var (
	oneBucket  = limiter.Options{Domain: "test", MaxCounters: 8}
	twoBuckets = limiter.Options{Domain: "test", MaxCounters: 16}
)

// scenario is what one worker does, or several, and how much of it is explored.
type scenario struct {
	name string
	limitertest.Scenario
	states int  // explored when this was written: fewer means that something is no longer looked at
	long   bool // only in the long form
}

func scenarios(t *testing.T) []scenario {
	a2, a3 := ask("a", per(2, 10)), ask("a", per(3, 10))
	cost2 := request(costing(2, charge("rule", "a", per(3, 10))))
	two := ask("a", per(2, 10), per(3, 20))
	low, high := twoRules(t)
	lowA, highA := refundable(charge(low, "a", per(1, 10))), refundable(charge(high, "a", per(2, 10)))
	lastA := refundable(charge(high, "a", per(1, 10)))
	once := request(refundable(charge("rule", "a", per(1, 10))))
	twice := request(refundable(charge("rule", "a", per(2, 10))))
	n, m := ask("n", per(1, 20)), ask("m", per(1, 20))
	n2, m2 := ask("n", per(2, 20)), ask("m", per(2, 20))
	crowd := append(fill(101, 1, per(1, 10)), fill(101, 15, per(1, 20))...)
	return []scenario{
		{name: "cold start", states: 1990, Scenario: limitertest.Scenario{
			Workers: []actions{{a2, a2}, {a2, a2}, {a2}}, Instants: inSeconds(105)}},
		{name: "cold start of two clients", states: 9915, Scenario: limitertest.Scenario{
			Workers: []actions{{a2, ask("b", per(1, 10))}, {ask("b", per(1, 10)), a2}, {a2}}, Instants: inSeconds(105)}},
		{name: "warm key", states: 17488, Scenario: limitertest.Scenario{Before: before(101, a3),
			Workers: []actions{{a3, a3}, {a3}, {a3}}, Instants: inSeconds(109.9, 110)}},
		{name: "boundary between any two operations", states: 1199, Scenario: limitertest.Scenario{
			Workers: []actions{{a2, a2}, {a2, a2}}, Instants: inSeconds(109.999999999, 110)}},
		{name: "several limits", states: 6471, Scenario: limitertest.Scenario{
			Workers: []actions{{two, two}, {two, two}}, Instants: inSeconds(109, 110, 120)}},
		{name: "costs", states: 893, Scenario: limitertest.Scenario{
			Workers: []actions{{cost2, a3}, {cost2, a3}}, Instants: inSeconds(109, 110)}},
		{name: "budgets that differ by request", states: 4440, Scenario: limitertest.Scenario{
			Workers: []actions{{ask("a", per(1, 10)), a3, ask("a", per(1, 10))}, {ask("a", per(1, 10)), a3}}, Instants: inSeconds(109, 110)}},
		{name: "exhausted over a boundary", states: 15306, Scenario: limitertest.Scenario{Before: before(101, a2),
			Workers: []actions{{a2, a2, a2, a2}, {a2}}, Instants: inSeconds(109, 110, 120)}},
		{name: "conflict storm", states: 20431, Scenario: limitertest.Scenario{
			Workers: []actions{{a2}, {a2}}, Instants: inSeconds(109, 110), Interruptions: 4}},
		{name: "stalled across two boundaries", states: 2711, Scenario: limitertest.Scenario{
			Workers: []actions{{a2}, {a2}, {a2}}, Instants: inSeconds(105, 115, 125)}},
		{name: "full bucket", states: 526, Scenario: limitertest.Scenario{Before: fill(101, 16, per(1, 20)),
			Workers: []actions{{n2, n2}, {m2}}, Instants: inSeconds(119, 120)}},
		{name: "expired slots are reused", states: 68801, Scenario: limitertest.Scenario{
			Before:  append(fill(101, 1, per(1, 10)), fill(101, 14, per(1, 60))...),
			Workers: []actions{{n, n}, {ask("b", per(1, 10))}, {n}}, Instants: inSeconds(109, 110, 120)}},
		{name: "sticky overflow", states: 5676, Scenario: limitertest.Scenario{Before: crowd,
			Workers: []actions{{n}, {n}, {m}}, Instants: inSeconds(105, 110, 120)}},
		{name: "give back", states: 1441, Scenario: limitertest.Scenario{
			Workers: []actions{{once, back(1)}, {once, once, once}}, Instants: inSeconds(109, 110)}},
		{name: "give back from three", states: 12669, Scenario: limitertest.Scenario{
			Workers: []actions{{once, back(1)}, {once, back(1)}, {once}}, Instants: inSeconds(109, 110)}},
		{name: "give back to a slot that is reused", states: 34896, Scenario: limitertest.Scenario{
			Workers: []actions{{once, back(1), once}, {ask("b", per(1, 10)), once}}, Instants: inSeconds(109, 110, 120)}},
		{name: "two buckets", states: 465, Scenario: limitertest.Scenario{Options: twoBuckets,
			Workers: []actions{{request(lowA, highA)}, {request(lowA, highA)}, {request(highA)}}, Instants: inSeconds(109)}},
		{name: "two buckets, the second one refuses", states: 328, Scenario: limitertest.Scenario{Options: twoBuckets,
			Workers: []actions{{request(lowA, lastA)}, {request(lowA, lastA)}, {request(lastA)}}, Instants: inSeconds(109)}},
		{name: "two buckets over a boundary", states: 1780, Scenario: limitertest.Scenario{Options: twoBuckets,
			Workers: []actions{{request(lowA, highA)}, {request(highA), request(lowA)}}, Instants: inSeconds(109, 110)}},
		{name: "clock set back far", states: 10644, Scenario: limitertest.Scenario{
			Workers: []actions{{a2, a2}, {a2, a2}}, Instants: inSeconds(1005, 500, 505, 510)}},
		{name: "clock set back a little", states: 13317, Scenario: limitertest.Scenario{
			Workers: []actions{{a2, a2}, {a2, a2}}, Instants: inSeconds(1009, 1010, 1009.5, 1020)}},
		{name: "clock a year forward and back", states: 13182, Scenario: limitertest.Scenario{
			Workers: []actions{{a2, a2}, {a2, a2}}, Instants: inSeconds(1005, 31537005, 1006, 1010)}},

		{name: "cold start of three times two", states: 760766, long: true, Scenario: limitertest.Scenario{
			Workers: []actions{{a3, a3}, {a3, a3}, {a3, a3}}, Instants: inSeconds(109, 110)}},
		{name: "two workers, three requests, four windows", states: 579287, long: true, Scenario: limitertest.Scenario{
			Workers: []actions{{a2, a2, a2}, {a2, a2, a2}}, Instants: inSeconds(109, 110, 120, 130)}},
		{name: "warm key of three", states: 153198, long: true, Scenario: limitertest.Scenario{Before: before(101, a3),
			Workers: []actions{{a3, a3}, {a3, a3}, {a3}}, Instants: inSeconds(109, 110)}},
		{name: "several limits of three", states: 113505, long: true, Scenario: limitertest.Scenario{
			Workers: []actions{{two, two}, {two}, {two}}, Instants: inSeconds(109, 110, 120)}},
		{name: "conflict storm of three", states: 664486, long: true, Scenario: limitertest.Scenario{
			Workers: []actions{{a2}, {a2}, {a2}}, Instants: inSeconds(109, 110), Interruptions: 3}},
		{name: "stalled across two boundaries, twice", states: 110215, long: true, Scenario: limitertest.Scenario{
			Workers: []actions{{a2, a2}, {a2}, {a2}}, Instants: inSeconds(105, 115, 125)}},
		{name: "full bucket of three", states: 33446, long: true, Scenario: limitertest.Scenario{Before: fill(101, 16, per(1, 20)),
			Workers: []actions{{n2, n2}, {m2}, {n2}}, Instants: inSeconds(119, 120)}},
		{name: "sticky overflow, twice", states: 56858, long: true, Scenario: limitertest.Scenario{Before: crowd,
			Workers: []actions{{n, n}, {n}, {m}}, Instants: inSeconds(105, 110, 120)}},
		{name: "give back of two", states: 343573, long: true, Scenario: limitertest.Scenario{
			Workers: []actions{{twice, twice, back(1)}, {twice, back(1)}, {twice}}, Instants: inSeconds(109, 110)}},
		{name: "two buckets of three over a boundary", states: 12432, long: true, Scenario: limitertest.Scenario{Options: twoBuckets,
			Workers: []actions{{request(lowA, highA)}, {request(lowA, highA)}, {request(highA)}}, Instants: inSeconds(109, 110)}},
		{name: "five requests over two boundaries", states: 1476906, long: true, Scenario: limitertest.Scenario{
			Workers: []actions{{a2, a2}, {a2, a2}, {a2}}, Instants: inSeconds(105, 115, 125)}},
		{name: "sticky overflow, five requests", states: 102473, long: true, Scenario: limitertest.Scenario{Before: crowd,
			Workers: []actions{{n, n}, {n, n}, {m}}, Instants: inSeconds(105, 110, 120)}},
		{name: "several limits, five requests", states: 1484081, long: true, Scenario: limitertest.Scenario{
			Workers: []actions{{two, two}, {two, two}, {two}}, Instants: inSeconds(109, 110, 120)}},
		{name: "two buckets, five requests", states: 1028898, long: true, Scenario: limitertest.Scenario{Options: twoBuckets,
			Workers: []actions{{request(lowA, highA)}, {request(lowA, highA), request(lowA)}, {request(highA), request(lowA)}}, Instants: inSeconds(109, 110)}},
		{name: "conflict storm, four requests", states: 1288335, long: true, Scenario: limitertest.Scenario{
			Workers: []actions{{a2, a2}, {a2, a2}}, Instants: inSeconds(109, 110), Interruptions: 4}},
		{name: "clock set back, three", states: 257031, long: true, Scenario: limitertest.Scenario{
			Workers: []actions{{a2, a2}, {a2}, {a2}}, Instants: inSeconds(1005, 500, 505, 510)}},
	}
}

// TestInterleavings explores every scenario. It prints how much that was, and fails where it was less than before.
func TestInterleavings(t *testing.T) {
	var total limitertest.Report
	for _, s := range scenarios(t) {
		if s.long && !forms.Long() {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			if s.Options.MaxCounters == 0 {
				s.Options = oneBucket
			}
			r, err := limitertest.Explore(s.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: %d states, %.3g schedules of up to %d steps, %d outcomes; up to %d attempts", s.bounds(), r.States, r.Schedules, r.Steps, r.Outcomes, r.Attempts)
			total.States += r.States
			total.Schedules += r.Schedules
			if r.States < s.states {
				t.Errorf("%d states; there were %d", r.States, s.states)
			}
		})
	}
	t.Logf("%d states, %.3g schedules in all", total.States, total.Schedules)
}

// bounds tells how large a scenario is.
func (s *scenario) bounds() string {
	text := fmt.Sprintf("%d workers", len(s.Workers))
	for _, actions := range s.Workers {
		text += fmt.Sprintf(", %d", len(actions))
	}
	return text + fmt.Sprintf(" actions, %d instants, %d interruptions", len(s.Instants), s.Interruptions)
}
