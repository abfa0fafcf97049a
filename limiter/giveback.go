package limiter

import "errors"

// debit is one counter that was charged.
type debit struct {
	fingerprint uint64
	end         uint32 // 0: nothing to give back
	count       uint32 // after the giving back
	given       bool
}

// Receipt is what a charge added to the counters, for giving it back. It is small and holds no reference to the Decision.
type Receipt struct {
	bucket uint32
	cost   uint32
	debits [MaxLimits]debit
	n      int
}

// Receipt returns the receipt of a charge, an empty one if nothing was charged.
func (d *Decision) Receipt(charges []Charge, charge int) Receipt {
	o := &d.Outcomes[charge]
	r := Receipt{bucket: o.bucket, cost: charges[charge].Cost}
	if !o.Charged {
		return r
	}
	for _, s := range o.states(d) {
		r.debits[r.n] = s.debit()
		r.n++
	}
	return r
}

func (s *State) debit() debit {
	if s.slot == noSlot {
		return debit{}
	}
	return debit{fingerprint: s.entry.fingerprint, end: s.entry.end}
}

// Count returns what a limit's counter held when the charge was given back, and whether it was.
func (r *Receipt) Count(limit int) (uint32, bool) {
	return r.debits[limit].count, r.debits[limit].given
}

// GiveBack takes a charge back: from exactly the counters that it was added to, in the window it was added in, once. A counter
// that was reused since keeps what it has. On an error the charge stays.
func (l *Limiter) GiveBack(r *Receipt) error {
	if r.n == 0 {
		return nil
	}
	debits := r.debits[:r.n]
	r.n = 0
	return l.giveBack(r.bucket, r.cost, debits)
}

// refund takes the charges of buckets back, the last one first, because a later bucket refused.
func (l *Limiter) refund(groups []group) {
	for i := len(groups) - 1; i >= 0; i-- {
		if g := &groups[i]; !g.dropped {
			l.refundGroup(g)
		}
	}
}

func (l *Limiter) refundGroup(g *group) {
	for i := range l.charges {
		o := &l.d.Outcomes[i]
		if o.bucket != g.number || !o.Charged {
			continue
		}
		l.debits = l.debits[:0]
		for _, s := range o.states(&l.d) {
			l.debits = append(l.debits, s.debit())
		}
		if err := l.giveBack(o.bucket, l.charges[i].Cost, l.debits); err != nil {
			l.d.LostRefunds++
			continue
		}
		o.Charged = false
		for j := range o.states(&l.d) {
			l.d.States[o.first+j].Count -= l.charges[i].Cost
		}
	}
}

func (l *Limiter) giveBack(number, cost uint32, debits []debit) error {
	key := l.table.bucketKey(number)
	for range maxAttempts {
		value, version, err := l.store.Get(key)
		if err == nil {
			err = l.spare.load(value)
		}
		if errors.Is(err, ErrNotFound) || err == nil && !l.spare.credit(debits, cost) {
			return nil
		}
		if err == nil {
			err = l.store.CompareAndSwap(key, l.spare.bytes(), version)
		}
		if err == nil {
			return nil
		}
		if !isConflict(err) {
			return withdraw(debits, err)
		}
	}
	return withdraw(debits, ErrContended)
}

// withdraw notes that nothing was given back after all.
func withdraw(debits []debit, err error) error {
	for i := range debits {
		debits[i].given = false
	}
	return err
}

// credit lowers the counters of the debits. It returns whether any was found.
func (b *bucket) credit(debits []debit, cost uint32) (found bool) {
	for i := range debits {
		d := &debits[i]
		d.given = false
		slot := b.find(d.fingerprint, 0, maxEntries)
		if slot == noSlot || d.end == 0 {
			continue
		}
		if e := b.at(slot); e.end == d.end && e.count > 0 {
			e.count -= min(e.count, cost)
			b.put(slot, e)
			d.count, d.given = e.count, true
			found = true
		}
	}
	return found
}
