package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"tollgate/bench/envoy"
	"tollgate/bench/load"
)

// cost is what was measured of a scenario: Envoy's processor time for one request in microseconds, one value each round.
type cost struct {
	name   string
	rounds []float64
}

// fleet is one running Envoy for each filter.
type fleet map[envoy.Filter]*envoy.Process

// start returns the process that runs the filter, starting it if there is none.
func (f fleet) start(ctx context.Context, binary string, filter envoy.Filter) (*envoy.Process, error) {
	if f[filter] == nil {
		p, err := envoy.Start(ctx, binary, filter, 1)
		if err != nil {
			return nil, err
		}
		f[filter] = p
	}
	return f[filter], nil
}

func (f fleet) stop() {
	for _, p := range f {
		if err := p.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
	}
}

// subject is a scenario with what it runs on.
type subject struct {
	cost    cost
	process *envoy.Process
	load    *load.Load
	used    time.Duration // by the process in this round
}

// measureCosts measures all scenarios round after round.
func measureCosts(ctx context.Context, o options, list []scenario) ([]cost, error) {
	f := fleet{}
	defer f.stop()
	subjects := make([]subject, len(list))
	for i := range list {
		if err := subjects[i].prepare(ctx, &list[i], f, o); err != nil {
			return nil, fmt.Errorf("%s: %w", list[i].name, err)
		}
	}
	for round := range o.rounds {
		progress("round %d of %d", round+1, o.rounds)
		if err := measureRound(ctx, subjects); err != nil {
			return nil, err
		}
	}
	costs := make([]cost, len(subjects))
	for i := range subjects {
		costs[i] = subjects[i].cost
	}
	return costs, nil
}

// prepare starts the process if there is none, and lets it compile what it runs often, fill its tables, and spend the budgets
// that are to be spent.
func (s *subject) prepare(ctx context.Context, sc *scenario, f fleet, o options) (err error) {
	progress("warming up: %s", sc.name)
	if s.process, err = f.start(ctx, o.binary, sc.filter); err != nil {
		return err
	}
	s.cost.name = sc.name
	warm := sc.load(s.process.Address, max(o.requests, sc.clients), o.connections)
	warm.Expect = load.Expect{}
	if err := warm.Run(); err != nil {
		return err
	}
	s.load = sc.load(s.process.Address, o.requests/slices, o.connections)
	return nil
}

// slices is into how many parts a round is cut. They are sent in turn, so that a machine that changes its pace for some seconds
// meets all scenarios alike.
const slices = 10

func measureRound(ctx context.Context, subjects []subject) error {
	for range slices {
		for i := range subjects {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := subjects[i].measureSlice(); err != nil {
				return fmt.Errorf("%s: %w", subjects[i].cost.name, err)
			}
		}
	}
	for i := range subjects {
		s := &subjects[i]
		each := float64(s.used) / float64(time.Microsecond) / float64(slices*s.load.Total)
		s.cost.rounds, s.used = append(s.cost.rounds, each), 0
	}
	return nil
}

func (s *subject) measureSlice() error {
	before, err := s.process.CPU()
	if err != nil {
		return err
	}
	if err := s.load.Run(); err != nil {
		return err
	}
	s.load.First += s.load.Total
	after, err := s.process.CPU()
	s.used += after - before
	return err
}

func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...) }
