package limitertest

import (
	"errors"
	"strings"
	"testing"

	"tollgate/limiter"
)

func small(instants ...int64) Scenario {
	ask := func(who string) Action {
		return Action{Charges: []limiter.Charge{{Rule: "rule", Identity: []byte(who), Cost: 1, Limits: []limiter.Limit{{Requests: 2, Window: 10}}}}}
	}
	return Scenario{
		Options:       oneBucket,
		Workers:       [][]Action{{ask("a"), ask("a")}, {ask("b")}, {ask("b")}},
		Instants:      instants,
		Interruptions: 1,
	}
}

// TestStatesAreComplete compares an exploration that remembers states with one that follows every schedule to its end.
func TestStatesAreComplete(t *testing.T) {
	s := small(109e9)
	s.Workers = s.Workers[:2]
	r, err := Explore(s)
	if err != nil {
		t.Fatal(err)
	}
	x, err := newExplorer(s)
	if err != nil {
		t.Fatal(err)
	}
	start, err := x.start()
	if err != nil {
		t.Fatal(err)
	}
	if n := x.everySchedule(t, start); n != r.Schedules || len(x.outcomes) != r.Outcomes {
		t.Errorf("%v schedules with %d outcomes; remembering states %v with %d", n, len(x.outcomes), r.Schedules, r.Outcomes)
	}
	t.Logf("%d states stand for %v schedules", r.States, r.Schedules)
}

func (x *explorer) everySchedule(t *testing.T, s state) (n float64) {
	var all []transition
	for w := range x.Workers {
		if !x.node(&s, w).done {
			all = append(all, transition{worker: w})
		}
	}
	if len(all) == 0 {
		x.finish(&s)
		return 1
	}
	if int(s.clock) < len(x.Instants)-1 {
		all = append(all, transition{worker: nobody, advance: true})
	}
	if s.interruptions > 0 && s.read(0) {
		all = append(all, transition{worker: nobody})
	}
	for _, step := range all {
		next := s
		if violation := x.apply(&next, step); violation != "" {
			t.Fatal(violation)
		}
		n += x.everySchedule(t, next)
	}
	return n
}

// TestEqualWorkersAreInterchangeable shows that symmetry saves states and loses no schedule.
func TestEqualWorkersAreInterchangeable(t *testing.T) {
	s := small(109e9, 110e9)
	s.Interruptions = 0
	equal, err := Explore(s)
	if err != nil {
		t.Fatal(err)
	}
	s.Workers[2][0].Charges[0].Hidden = true // another program that does the same
	different, err := Explore(s)
	if err != nil {
		t.Fatal(err)
	}
	if equal.Schedules != different.Schedules || equal.States >= different.States {
		t.Errorf("equal workers %+v, different ones %+v", equal, different)
	}
}

// TestViolationShowsTheSchedule tampers with the books, so that an invariant fails.
func TestViolationShowsTheSchedule(t *testing.T) {
	x, err := newExplorer(small(109e9, 110e9))
	if err != nil {
		t.Fatal(err)
	}
	start, err := x.start()
	if err != nil {
		t.Fatal(err)
	}
	start.booked[x.ledger.counters[1].books[0]] = 1
	x.schedules(start)
	text := (&Violation{x.violation, x.path}).Error()
	for _, want := range []string{"client a of rule per 10 s: 0 stored, 1 charged", "worker 0, action 1: gets bucket 0: nothing"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\ndoes not tell %q", text, want)
		}
	}
}

func TestScenarioThatDoesNotFit(t *testing.T) {
	many := small()
	for i := range int64(13) {
		many.Instants = append(many.Instants, i*10e9)
	}
	workers := small(109e9)
	workers.Workers = append(workers.Workers, workers.Workers[0])
	charges := small(109e9)
	c := charges.Workers[0][0].Charges[0]
	charges.Workers[0][0].Charges = []limiter.Charge{c, c, c, c}
	for name, s := range map[string]Scenario{"windows": many, "workers": workers, "charges": charges} {
		if _, err := Explore(s); !errors.Is(err, errTooLarge) {
			t.Errorf("too many %s: %v", name, err)
		}
	}
}

func TestScenarioThatIsRefusedBefore(t *testing.T) {
	s := small(109e9)
	charges := s.Workers[0][0].Charges
	s.Before = []Event{{105e9, charges}, {105e9, charges}, {105e9, charges}}
	if _, err := Explore(s); err == nil {
		t.Error("a scenario whose beginning is refused was explored")
	}
}
