package limitertest

import (
	"errors"
	"slices"

	"tollgate/limiter"
)

// ledger knows the counters of a scenario and what must be true of them, independently of the limiter: it books each charge
// when it is stored, in the window that contains the instant the worker read last.
type ledger struct {
	*library
	counters []counter
	plans    map[*program][]plan
	windows  int // most of any counter
	stepping bool
	initial  [maxBooks]uint8
	decoded  map[uint32][]entry
}

// counter is the budget of one client under one limit, or the one that clients without an entry share.
type counter struct {
	rule, route, identity string // identity is empty where it is shared
	window                uint32
	shared                int // the counter shared under this limit; its own index if it is that
	fingerprint           uint64
	ends                  []uint32 // of the window that contains each instant
	books                 []int    // where in state.booked that window stands
}

// plan is what one action does.
type plan struct {
	buckets []uint8 // by charge
	limits  []limitPlan
}

type limitPlan struct {
	charge  int
	counter int
	cost    uint8
	budget  uint32
}

var errTooLarge = errors.New("limitertest: scenario does not fit into a state")

func newLedger(lib *library) (*ledger, error) {
	g := &ledger{library: lib, plans: make(map[*program][]plan), decoded: make(map[uint32][]entry)}
	for i := 1; i < len(lib.instants); i++ {
		g.stepping = g.stepping || lib.instants[i] < lib.instants[i-1]
	}
	for _, p := range lib.programs {
		if g.plans[p] == nil {
			g.plans[p] = g.plan(p)
		}
	}
	books := 0
	for i := range g.counters {
		books = g.lay(&g.counters[i], books)
	}
	if books > maxBooks || len(lib.keys) > maxBuckets || len(lib.programs) > maxWorkers {
		return nil, errTooLarge
	}
	return g, g.checkBits()
}

func (g *ledger) plan(p *program) []plan {
	plans := make([]plan, len(p.actions))
	for i, a := range p.actions {
		for j := range a.Charges {
			c := &a.Charges[j]
			plans[i].buckets = append(plans[i].buckets, g.bucketOf(c))
			for _, l := range c.Limits {
				plans[i].limits = append(plans[i].limits, limitPlan{j, g.counter(c, l.Window), uint8(c.Cost), l.Requests})
			}
		}
	}
	return plans
}

// counter returns the number of a charge's counter, and makes it and the shared one when they are met first.
func (g *ledger) counter(c *limiter.Charge, window uint32) int {
	if i := g.find(c, window); i >= 0 {
		return i
	}
	anyone := limiter.Charge{Rule: c.Rule, Route: c.Route}
	shared := g.find(&anyone, window)
	if shared < 0 {
		shared = len(g.counters)
		g.counters = append(g.counters, counter{c.Rule, c.Route, "", window, shared, sharedFingerprint(c, window), nil, nil})
	}
	g.counters = append(g.counters, counter{c.Rule, c.Route, string(c.Identity), window, shared, ownFingerprint(c, window), nil, nil})
	return len(g.counters) - 1
}

func (g *ledger) find(c *limiter.Charge, window uint32) int {
	return slices.IndexFunc(g.counters, func(k counter) bool {
		return k.rule == c.Rule && k.route == c.Route && k.identity == string(c.Identity) && k.window == window
	})
}

// lay gives each window of a counter a place in the books.
func (g *ledger) lay(k *counter, books int) int {
	first, windows := books, make(map[uint32]int)
	for _, now := range g.instants {
		end := uint32(now/1e9/int64(k.window)+1) * k.window
		if _, ok := windows[end]; !ok {
			windows[end] = books
			books++
		}
		k.ends = append(k.ends, end)
		k.books = append(k.books, windows[end])
	}
	g.windows = max(g.windows, books-first)
	return books
}

func (g *ledger) checkBits() error {
	for _, plans := range g.plans {
		for _, p := range plans {
			if len(p.buckets) > maxCharges || 2*len(p.limits)*g.windows > 32 {
				return errTooLarge
			}
		}
	}
	return nil
}
