package limiter

// look finds the counters of a bucket's charges and says, for the instant now, which of them have room. It changes nothing
// but the states and outcomes.
func (l *Limiter) look(g *group, now int64) {
	taken := l.claimOwn(g)
	// Enforced charges choose first, so that a shadow rule never takes the entry that an enforced one needs.
	for _, turn := range [...]bool{false, true} {
		for i := range l.charges {
			if l.d.Outcomes[i].bucket == g.number && l.charges[i].Shadow == turn {
				l.lookCharge(g, i, now, &taken)
			}
		}
	}
}

// claimOwn finds every counter that exists already, live or not, before any free slot is given away: an expired entry of
// one limit must not be taken for another limit of the same request, or it could stand in the bucket twice.
func (l *Limiter) claimOwn(g *group) (taken uint32) {
	for i := range l.charges {
		o := &l.d.Outcomes[i]
		if o.bucket != g.number {
			continue
		}
		for j := range o.states(&l.d) {
			s := &l.d.States[o.first+j]
			s.slot = g.find(s.own, 0, clientSlots)
			s.sharedSlot = noSlot
			if g.entries() > clientSlots {
				s.shared = l.sharedFingerprint(&l.charges[i], s.Window)
				s.sharedSlot = g.find(s.shared, clientSlots, maxEntries)
			}
			taken |= bit(s.slot) | bit(s.sharedSlot)
		}
	}
	return taken
}

func bit(slot int) uint32 {
	if slot == noSlot {
		return 0
	}
	return 1 << slot
}

func (l *Limiter) sharedFingerprint(c *Charge, window uint32) uint64 {
	return l.table.everyone(c.Rule, c.Route).fingerprint(window, c.kind().overflow())
}

func (l *Limiter) lookCharge(g *group, charge int, now int64, taken *uint32) {
	o, c := &l.d.Outcomes[charge], &l.charges[charge]
	o.NoRoom, o.Err = false, nil
	for j := range o.states(&l.d) {
		s := &l.d.States[o.first+j]
		s.NoRoom, s.Overflow, s.mended = false, false, false
		if o.Err = l.settle(g, c, s, now, taken); o.Err != nil {
			return
		}
		s.NoRoom = s.NoRoom || uint64(s.Count)+uint64(c.Cost) > uint64(s.Budget)
		o.NoRoom = o.NoRoom || s.NoRoom
	}
}

// settle chooses the entry that a limit counts in and fills in its state as before the charge.
func (l *Limiter) settle(g *group, c *Charge, s *State, now int64, taken *uint32) error {
	if s.slot == noSlot {
		if err := l.newcomer(g, c, s, now, taken); err != nil {
			return err
		}
	}
	offset := s.offset
	if s.Overflow {
		offset = 0 // shared by clients whose own windows are shifted differently
	}
	end, err := windowEnd(now, s.Window, offset)
	if err != nil {
		return err
	}
	if s.slot == noSlot {
		l.uncounted(s, end)
		return nil
	}
	s.open(g.at(s.slot), now, end)
	return nil
}

// open takes over the stored entry if it is live and this counter's, and starts a new window in it otherwise.
func (s *State) open(stored entry, now int64, end uint32) {
	fingerprint := s.own
	if s.Overflow {
		fingerprint = s.shared
	}
	if stored.fingerprint != fingerprint || !stored.live(now) {
		stored = entry{fingerprint: fingerprint, end: end}
	}
	// The clock was set back: without this the client would wait for the end of a window that is far away.
	if int64(stored.end)*second > now+(int64(s.Window)+1)*second {
		stored.end, s.mended = end, true
	}
	s.entry, s.Count, s.Reset = stored, stored.count, stored.end
}

// newcomer finds a slot for a client without an entry. It leaves noSlot where the bucket is full and OnFull wants
// nothing counted.
func (l *Limiter) newcomer(g *group, c *Charge, s *State, now int64, taken *uint32) error {
	// While the overflow counter is live no new entry is made: who has spent its budget there must not get a second
	// one when a slot falls free.
	if s.sharedSlot != noSlot && g.at(s.sharedSlot).live(now) {
		l.overflow(s, s.sharedSlot)
		return nil
	}
	if i := g.free(now, firstSlot(s.Window), clientSlots, *taken); i != noSlot {
		s.slot = i
		*taken |= bit(i)
		return nil
	}
	return l.full(g, c, s, now, taken)
}

// firstSlot is where the slots begin that a window may use.
func firstSlot(window uint32) int {
	if window > shortWindow {
		return shortSlots
	}
	return 0
}

// full serves a client whose bucket has no free entry.
func (l *Limiter) full(g *group, c *Charge, s *State, now int64, taken *uint32) error {
	if l.onFull != ShareWhenFull {
		l.overflow(s, noSlot)
		return nil
	}
	i := s.sharedSlot
	if i == noSlot {
		s.shared = l.sharedFingerprint(c, s.Window)
		i = g.free(now, clientSlots, maxEntries, *taken)
	}
	if i == noSlot {
		return ErrTableFull
	}
	*taken |= bit(i)
	l.overflow(s, i)
	return nil
}

// overflow lets a state count in the overflow counter at index i, or nowhere, as OnFull says.
func (l *Limiter) overflow(s *State, i int) {
	s.Overflow = true
	if l.onFull == ShareWhenFull {
		s.slot = i
	}
}

// uncounted is the state of a limit for which nothing is stored: as before the first request of its window, or spent.
func (l *Limiter) uncounted(s *State, end uint32) {
	s.Count, s.Reset = 0, end
	if l.onFull == RefuseWhenFull {
		s.Count, s.NoRoom = s.Budget, true
	}
}
