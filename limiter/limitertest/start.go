package limitertest

import (
	"fmt"
	"slices"

	"tollgate/limiter"
	"tollgate/limiter/memstore"
)

func newExplorer(s Scenario) (*explorer, error) {
	lib := newLibrary(s)
	g, err := newLedger(lib)
	if err != nil {
		return nil, err
	}
	return &explorer{Scenario: s, library: lib, ledger: g, seen: make(map[state]float64), outcomes: make(map[string]bool)}, nil
}

// start returns the state after the requests that came before.
func (x *explorer) start() (s state, err error) {
	store, now := new(memstore.Store), int64(0)
	l := limiter.New(store, func() (int64, error) { return now, nil }, HashKey, x.Options)
	for _, e := range x.Before {
		now = e.Now
		d := l.Take(e.Charges)
		if !d.Allowed {
			return s, fmt.Errorf("limitertest: a request before the workers start is refused at %s", seconds(now))
		}
		x.ledger.bookBefore(&s, e.Charges, d)
	}
	store.Each(func(key string, value []byte) {
		if bucket := x.bucket([]byte(key)); bucket < maxBuckets {
			s.values[bucket] = x.values.intern(value)
		} else {
			err = errTooLarge
		}
	})
	s.interruptions = uint8(x.Interruptions)
	for w := range x.Workers {
		s.workers[w].node = x.roots[w].id
	}
	x.ledger.initial = s.booked
	if violation := x.ledger.checkStored(&s); violation != "" && err == nil {
		err = fmt.Errorf("limitertest: before the workers start: %s", violation)
	}
	return s, err
}

// bookBefore books what the counters of the scenario hold from the beginning.
func (g *ledger) bookBefore(s *state, charges []limiter.Charge, d *limiter.Decision) {
	for i := range d.States {
		st := &d.States[i]
		c := &charges[st.Charge]
		own := g.find(c, st.Window)
		counters := []int{own}
		if st.Overflow {
			anyone := limiter.Charge{Rule: c.Rule, Route: c.Route}
			counters = append(counters, g.find(&anyone, st.Window))
		}
		for _, k := range counters {
			if k < 0 {
				continue
			}
			if instant := slices.Index(g.counters[k].ends, st.Reset); instant >= 0 {
				s.booked[g.counters[k].books[instant]] += uint8(c.Cost)
			}
		}
	}
}
