package main

import (
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

func (f fleet) start(binary string, list []scenario) error {
	for _, s := range list {
		if f[s.filter] != nil {
			continue
		}
		p, err := envoy.Start(binary, s.filter, 1)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		f[s.filter] = p
	}
	return nil
}

func (f fleet) stop() {
	for _, p := range f {
		if err := p.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
	}
}

// measureCosts measures all scenarios in turn, round after round, so that a machine that changes its pace meets them alike.
func measureCosts(o options, list []scenario) ([]cost, error) {
	f := fleet{}
	defer f.stop()
	if err := f.start(o.binary, list); err != nil {
		return nil, err
	}
	costs := make([]cost, len(list))
	for i := range list {
		costs[i].name = list[i].name
		if err := warm(&list[i], f[list[i].filter], o); err != nil {
			return nil, fmt.Errorf("%s: %w", list[i].name, err)
		}
	}
	for round := range o.rounds {
		progress("round %d of %d", round+1, o.rounds)
		for i := range list {
			each, err := measure(list[i].load(f[list[i].filter].Address, o.requests, o.connections), f[list[i].filter])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", list[i].name, err)
			}
			costs[i].rounds = append(costs[i].rounds, each)
		}
	}
	return costs, nil
}

// warm lets the filter compile what it runs often, fill its tables, and spend the budgets that are to be spent.
func warm(s *scenario, p *envoy.Process, o options) error {
	progress("warming up: %s", s.name)
	l := s.load(p.Address, max(o.requests, s.clients), o.connections)
	l.Expect = load.Expect{}
	return l.Run()
}

// measure runs a batch and returns Envoy's microseconds for each request.
func measure(l *load.Load, p *envoy.Process) (float64, error) {
	before, err := p.CPU()
	if err != nil {
		return 0, err
	}
	if err := l.Run(); err != nil {
		return 0, err
	}
	after, err := p.CPU()
	return float64(after-before) / float64(time.Microsecond) / float64(l.Total), err
}

func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...) }
