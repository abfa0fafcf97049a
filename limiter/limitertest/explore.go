package limitertest

import (
	"slices"
	"strings"

	"tollgate/limiter"
)

// Scenario is a small history whose every interleaving is explored: which worker takes its next step (a call of the store or
// a reading of the clock), and when the clock advances.
type Scenario struct {
	Options limiter.Options
	Before  []Event    // requests that are decided one after the other before the workers start
	Workers [][]Action // what each worker does, in order; at most three workers

	// Instants are the readings of the clock, in Unix nanoseconds. It stands at the first and may go on to the next at any
	// moment. If one lies before its predecessor the clock steps, and only what is promised then is checked.
	Instants []int64

	// Interruptions is how often, at any moment, another client's request may replace a bucket, so that all who have read
	// it meet a conflict.
	Interruptions int
}

// Action is a request, or the giving back of one. Shadow charges and staggered windows are not explored.
type Action struct {
	Charges  []limiter.Charge // of a request
	GiveBack int              // instead: which of the worker's actions is given back (its first charge), counted from 1
}

// Event is a request at a time.
type Event struct {
	Now     int64 // Unix nanoseconds
	Charges []limiter.Charge
}

// Report says what was explored.
type Report struct {
	States    int     // distinct states of store, clock and workers
	Schedules float64 // distinct orders of all steps
	Steps     int     // of the longest schedule
	Attempts  int     // most readings of one bucket by one request
	Outcomes  int     // distinct sets of decisions
}

// Violation is an invariant that does not hold, with the schedule that leads there.
type Violation struct {
	Invariant string
	Schedule  []string
}

// Error returns the invariant and the schedule, a step a line.
func (v *Violation) Error() string {
	return strings.Join(append([]string{v.Invariant}, v.Schedule...), "\n\t")
}

// Explore runs the limiter through every interleaving of a scenario. It returns the first Violation that it finds, or an
// error of another kind if the scenario is larger than a state can hold.
//
// A worker is a deterministic function of what the store and the clock have answered it. So the state of the whole is what
// the store holds, the clock, and each worker's answers so far, and a state that was met before is not explored again. For
// a new sequence of answers the worker's program is run from its beginning, so no worker is ever suspended.
func Explore(s Scenario) (Report, error) {
	x, err := newExplorer(s)
	if err != nil {
		return Report{}, err
	}
	start, err := x.start()
	if err != nil {
		return Report{}, err
	}
	x.report.Schedules = x.schedules(start)
	x.report.States, x.report.Outcomes = len(x.seen), len(x.outcomes)
	if x.violation != "" {
		return x.report, &Violation{x.violation, x.path}
	}
	return x.report, nil
}

// explorer is one exploration.
type explorer struct {
	Scenario
	*library
	ledger    *ledger
	seen      map[state]float64 // schedules that follow
	outcomes  map[string]bool
	path      []string // the schedule that led to a violation
	depth     int
	violation string
	report    Report
}

// transition is one step of the whole: a worker's, the clock's, or an interruption.
type transition struct {
	worker  int
	advance bool
	bucket  int // that an interruption replaces; only without worker and advance
}

const nobody = -1

// schedules explores everything that can follow a state and returns the number of schedules.
func (x *explorer) schedules(s state) float64 {
	key := x.canonical(s)
	if n, ok := x.seen[key]; ok {
		return n
	}
	x.report.Steps = max(x.report.Steps, x.depth)
	total, over := 0.0, true
	for w := range x.Workers {
		if !x.node(&s, w).done {
			over = false
			total += x.follow(s, transition{worker: w})
		}
	}
	if over {
		x.finish(&s)
		total = 1
	} else {
		total += x.environment(s)
	}
	x.seen[key] = total
	return total
}

// environment explores what happens to the workers: the clock advances, others write.
func (x *explorer) environment(s state) (total float64) {
	if int(s.clock) < len(x.Instants)-1 {
		total += x.follow(s, transition{worker: nobody, advance: true})
	}
	for bucket := range x.keys {
		if s.interruptions > 0 && s.read(bucket) {
			total += x.follow(s, transition{worker: nobody, bucket: bucket})
		}
	}
	return total
}

// follow explores what comes after one transition.
func (x *explorer) follow(s state, t transition) (total float64) {
	if x.violation != "" {
		return 0
	}
	next := s
	x.depth++
	if x.violation = x.apply(&next, t); x.violation == "" {
		total = x.schedules(next)
	}
	x.depth--
	if x.violation != "" {
		x.path = slices.Insert(x.path, 0, x.text(&s, t))
	}
	return total
}

// canonical returns the same state for workers of one program that have changed places.
func (x *explorer) canonical(s state) state {
	for i := 1; i < len(x.Workers); i++ {
		for j := i; j > 0 && x.programs[j] == x.programs[j-1] && s.workers[j].node < s.workers[j-1].node; j-- {
			s.workers[j], s.workers[j-1] = s.workers[j-1], s.workers[j]
		}
	}
	return s
}
