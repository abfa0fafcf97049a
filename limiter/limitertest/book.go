package limitertest

import "fmt"

// roomBit is the bit of a limit of a request, its own counter or the shared one, in the window of an instant.
func (g *ledger) roomBit(limit int, k *counter, shared bool, instant int) uint32 {
	i := 2 * limit
	if shared {
		i++
	}
	return 1 << (i*g.windows + k.books[instant] - k.books[0])
}

// noRoom says which limits of the action that a worker is at have no room at this moment.
func (g *ledger) noRoom(s *state, n *node) (bits uint32) {
	now := int(s.clock)
	for i, l := range g.plans[n.program][n.action()].limits {
		own := &g.counters[l.counter]
		for _, k := range []*counter{own, &g.counters[own.shared]} {
			if uint64(s.booked[k.books[now]])+uint64(l.cost) > uint64(l.budget) {
				bits |= g.roomBit(i, own, k != own, now)
			}
		}
	}
	return bits
}

// book notes what a write has stored: a charge that was given back, or the request's charges in the bucket.
func (g *ledger) book(s *state, w int, n, child *node) string {
	if g.stepping {
		return ""
	}
	p, action := n.program, n.action()
	if back := p.actions[action].GiveBack; back > 0 {
		r := &n.results[back-1]
		return g.add(s, p, back-1, 0, r.reading, r, -1)
	}
	if n.reading < 0 {
		return "a bucket is written without a reading of the clock"
	}
	charges := g.plans[p][action].in(n.pending.bucket)
	for _, charge := range charges {
		// A refund reads the bucket alone; a charge reads the clock after it.
		if me := &s.workers[w]; me.held&(1<<charge) != 0 && !n.clocked[n.pending.bucket] {
			me.held &^= 1 << charge
			return g.add(s, p, action, charge, int(me.at[charge]), nil, -1)
		}
	}
	return g.bookCharges(s, w, n, child, charges)
}

// bookCharges books the charges of a request that stand in one bucket. What they met is known if that was its last call.
func (g *ledger) bookCharges(s *state, w int, n, child *node, charges []int) string {
	var r *result
	if len(child.results) > n.action() {
		r = &child.results[n.action()]
	}
	me := &s.workers[w]
	for _, charge := range charges {
		if g.holds(s, w, n.program, n.action(), charge) {
			return "a request is charged twice"
		}
		me.held |= 1 << charge
		me.at[charge] = uint8(n.reading)
		if violation := g.add(s, n.program, n.action(), charge, n.reading, r, 1); violation != "" {
			return violation
		}
	}
	return ""
}

// in lists the charges in a bucket.
func (p plan) in(bucket uint8) (charges []int) {
	for charge, b := range p.buckets {
		if b == bucket {
			charges = append(charges, charge)
		}
	}
	return charges
}

// holds says whether a charge is stored in a window that is not over. One that is over may have been overwritten.
func (g *ledger) holds(s *state, w int, p *program, action, charge int) bool {
	me := &s.workers[w]
	if me.held&(1<<charge) == 0 {
		return false
	}
	for _, l := range g.plans[p][action].limits {
		end := g.counters[l.counter].ends[me.at[charge]]
		if l.charge == charge && g.instants[s.clock] < int64(end)*1e9 {
			return true
		}
	}
	return false
}

// add books a charge, or takes it back (sign -1). r is what the request was told, if it was answered.
func (g *ledger) add(s *state, p *program, action, charge, instant int, r *result, sign int) string {
	for i, l := range g.plans[p][action].limits {
		if l.charge != charge {
			continue
		}
		own := &g.counters[l.counter]
		in := []*counter{own}
		if r != nil && r.decision.States[i].Overflow {
			in = append(in, &g.counters[own.shared])
		}
		for _, k := range in {
			booked := int(s.booked[k.books[instant]]) + sign*int(l.cost)
			if booked < 0 || sign > 0 && booked > int(l.budget) {
				return fmt.Sprintf("%s was charged %d of %d in the window to %d", k.name(), booked, l.budget, k.ends[instant])
			}
			s.booked[k.books[instant]] = uint8(booked)
		}
	}
	return ""
}

func (k *counter) name() string {
	if k.identity == "" {
		return fmt.Sprintf("the shared counter of %s per %d s", k.rule, k.window)
	}
	return fmt.Sprintf("client %s of %s per %d s", k.identity, k.rule, k.window)
}

// checkStored compares what is stored with what was charged: no count is lost, none is invented.
func (g *ledger) checkStored(s *state) string {
	if g.stepping {
		return ""
	}
	stored := make([]int, len(g.counters))
	for _, value := range s.values {
		if value == 0 {
			continue
		}
		for _, e := range g.entries(value) {
			for i := range g.counters {
				if k := &g.counters[i]; k.fingerprint == e.fingerprint && k.ends[s.clock] == e.end {
					stored[i] += int(e.count)
				}
			}
		}
	}
	return g.compare(s, stored)
}

// entries decodes a value by its number, once.
func (g *ledger) entries(value uint32) []entry {
	all, ok := g.decoded[value]
	if !ok {
		all = entries(g.values.values[value])
		g.decoded[value] = all
	}
	return all
}

// compare holds each limit to the books: what its clients have together with the counter they share, and each alone where
// nobody shares.
func (g *ledger) compare(s *state, stored []int) string {
	charged := make([]int, len(g.counters)) // by limit, at the index of the shared counter
	found := make([]int, len(g.counters))
	for i := range g.counters {
		k := &g.counters[i]
		booked := int(s.booked[k.books[s.clock]])
		sharing := s.booked[g.counters[k.shared].books[s.clock]] > 0
		if booked != stored[i] && (!sharing || i == k.shared) {
			return fmt.Sprintf("%s: %d stored, %d charged", k.name(), stored[i], booked)
		}
		found[k.shared] += stored[i]
		if i != k.shared {
			charged[k.shared] += booked
		}
	}
	for i := range g.counters {
		if charged[i] != found[i] {
			return fmt.Sprintf("all clients of %s: %d stored, %d charged", g.counters[i].name(), found[i], charged[i])
		}
	}
	return ""
}
