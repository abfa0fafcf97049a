package main

import (
	"context"
	"fmt"
	"time"

	"tollgate/bench/envoy"
)

// start is what was measured of processes that were started anew, one value each time.
type start struct {
	name     string
	workers  int
	ready    []float64 // milliseconds to the first answer
	resident []float64 // megabytes after a load
}

const megabyte = 1e6

// measureStarts starts every kind of process several times, in turn.
func measureStarts(ctx context.Context, o options) ([]start, error) {
	var list []start
	if o.starts == 0 {
		return list, nil
	}
	all := scenarios(o)
	kinds := []scenario{find(all, noFilter), find(all, "Go module that does nothing"), find(all, "Tollgate, 10,000 clients")}
	for range o.starts {
		at := 0
		for _, s := range kinds {
			for _, workers := range []int{1, 2} {
				if at == len(list) {
					list = append(list, start{name: s.name, workers: workers})
				}
				if err := list[at].measure(ctx, &s, o); err != nil {
					return nil, fmt.Errorf("%s: %w", s.name, err)
				}
				at++
			}
		}
	}
	return list, nil
}

// find returns the scenario of that name.
func find(list []scenario, name string) scenario {
	for _, s := range list {
		if s.name == name {
			return s
		}
	}
	return scenario{}
}

func (m *start) measure(ctx context.Context, s *scenario, o options) error {
	progress("starting: %s, %d workers", m.name, m.workers)
	p, err := envoy.Start(ctx, o.binary, s.filter, m.workers)
	if err != nil {
		return err
	}
	err = m.loaded(s, p, o)
	if stopErr := p.Stop(); err == nil {
		err = stopErr
	}
	return err
}

func (m *start) loaded(s *scenario, p *envoy.Process, o options) error {
	if err := s.load(p.Address, max(o.requests, s.clients), o.connections).Run(); err != nil {
		return err
	}
	resident, err := p.Resident()
	m.ready = append(m.ready, float64(p.Started)/float64(time.Millisecond))
	m.resident = append(m.resident, float64(resident)/megabyte)
	return err
}
