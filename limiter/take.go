package limiter

import "errors"

// maxAttempts bounds how often a bucket is tried that changes under every swap.
const maxAttempts = 64

// Options describe the table of a Limiter.
type Options struct {
	Domain      string // namespace of the counters
	MaxCounters uint32 // capacity, rounded up to whole buckets (Buckets)
	OnFull      OnFull
}

// Limiter decides requests against the counters of one domain. It is not safe for concurrent use: each worker has its own,
// and they meet in the Store.
type Limiter struct {
	store  Store
	clock  Clock
	table  table
	onFull OnFull
	cache  exhausted

	// Scratch of one Take, kept so that the steady state allocates nothing.
	charges []Charge
	groups  []group
	debits  []debit
	spare   bucket
	d       Decision
}

// New returns a limiter over the table that options describe, in store. All limiters of a domain need the same key
// (LoadHashKey).
func New(store Store, clock Clock, key HashKey, o Options) *Limiter {
	return &Limiter{store: store, clock: clock, table: newTable(key, o.Domain, o.MaxCounters), onFull: o.OnFull}
}

// group is the charges of a request that fall into one bucket, with a private copy of it.
type group struct {
	bucket
	number   uint32 // of the bucket
	version  uint32
	exists   bool
	enforced bool // it holds a charge that can refuse
	dropped  bool // it could not be counted
	attempts int
}

// Take decides one request: every charge is added to all of its counters, or none is and the request is refused. The
// decision is valid until the next Take. It never fails as a whole: what could not be counted stands in the outcomes.
func (l *Limiter) Take(charges []Charge) *Decision {
	l.prepare(charges)
	if !l.refuseFromMemory() {
		l.takeEnforced()
		if l.d.Allowed {
			l.takeShadow()
		}
	}
	l.d.conclude(charges)
	l.remember()
	l.charges = nil
	return &l.d
}

// prepare lays out the states of all charges and groups them by bucket.
func (l *Limiter) prepare(charges []Charge) {
	l.charges = charges
	l.groups = l.groups[:0]
	l.d = Decision{Allowed: true, Outcomes: l.d.Outcomes[:0], States: l.d.States[:0]}
	for i := range charges {
		c := &charges[i]
		who := l.table.client(c.Rule, c.Route, c.Identity)
		o := Outcome{bucket: l.table.bucketOf(who), first: len(l.d.States)}
		for j, limit := range c.Limits {
			s := State{Charge: i, Limit: j, Budget: limit.Requests, Window: limit.Window}
			s.own = who.fingerprint(limit.Window, c.kind())
			if c.Stagger {
				s.offset = who.offset(limit.Window)
			}
			l.d.States = append(l.d.States, s)
		}
		o.last = len(l.d.States)
		l.d.Outcomes = append(l.d.Outcomes, o)
		l.join(o.bucket, !c.Shadow)
	}
	l.sortGroups()
}

// join adds a charge's bucket to the groups.
func (l *Limiter) join(number uint32, enforced bool) {
	for i := range l.groups {
		if l.groups[i].number == number {
			l.groups[i].enforced = l.groups[i].enforced || enforced
			return
		}
	}
	if len(l.groups) == cap(l.groups) {
		l.groups = append(l.groups, group{})
	} else {
		l.groups = l.groups[:len(l.groups)+1]
	}
	g := &l.groups[len(l.groups)-1]
	g.number, g.enforced, g.dropped, g.attempts = number, enforced, false, 0
}

// sortGroups puts those that can refuse first, each kind by the bucket's number.
func (l *Limiter) sortGroups() {
	for i := 1; i < len(l.groups); i++ {
		for j := i; j > 0 && l.groups[j].before(&l.groups[j-1]); j-- {
			l.groups[j], l.groups[j-1] = l.groups[j-1], l.groups[j]
		}
	}
}

func (g *group) before(other *group) bool {
	if g.enforced != other.enforced {
		return g.enforced
	}
	return g.number < other.number
}

// takeEnforced charges the buckets in order. It reads all that are left, then the clock, and refuses if one has no room;
// a conflict starts again with the bucket it happened in. What was charged before is given back if a later one refuses, or if
// its window is over by then: a request belongs to one instant.
func (l *Limiter) takeEnforced() {
	end := 0
	for end < len(l.groups) && l.groups[end].enforced {
		end++
	}
	for from := 0; from < end; {
		now := l.lookAt(l.groups[from:end])
		if now >= 0 {
			l.d.Now = now
		}
		if l.d.Err != nil || !l.d.Allowed {
			l.refund(l.groups[:from])
			l.mend(l.groups[from:end])
			return
		}
		if from > 0 && l.outlived(now) {
			l.refund(l.groups[:from])
			from = 0
			continue
		}
		for from < end && l.swap(&l.groups[from]) {
			from++
		}
		if l.d.Err != nil {
			l.refund(l.groups[:from])
			return
		}
	}
}

// outlived says whether a charge that is stored already was made in a window that is over.
func (l *Limiter) outlived(now int64) bool {
	for i := range l.d.States {
		s := &l.d.States[i]
		o := &l.d.Outcomes[s.Charge]
		if o.Charged && o.Err == nil && !l.charges[s.Charge].Shadow && now >= int64(s.Reset)*second {
			return true
		}
	}
	return false
}

// takeShadow charges the buckets that hold shadow charges alone. Nothing in them can refuse the request.
func (l *Limiter) takeShadow() {
	for i := range l.groups {
		if g := &l.groups[i]; !g.enforced {
			for done := false; !done; done = l.swap(g) {
				l.lookAt(l.groups[i : i+1])
			}
		}
	}
}

// lookAt reads the buckets, then the clock, and decides at that instant, which it returns; negative if the clock failed.
func (l *Limiter) lookAt(groups []group) (now int64) {
	for i := range groups {
		if g := &groups[i]; !g.dropped {
			if err := l.read(g); err != nil {
				l.drop(g, err)
			}
		}
	}
	now = l.reading()
	for i := range groups {
		g := &groups[i]
		if now < 0 && !g.dropped { // before 1970 even a blank entry would look live
			l.drop(g, ErrClock)
		}
		if !g.dropped {
			l.look(g, now)
			l.judge(g)
		}
	}
	return now
}

// judge carries the outcomes of a bucket's charges over to the request.
func (l *Limiter) judge(g *group) {
	for i := range l.charges {
		c, o := &l.charges[i], &l.d.Outcomes[i]
		if o.bucket != g.number || c.Shadow {
			continue
		}
		if o.Err != nil && c.Critical {
			l.d.Err, l.d.Allowed = o.Err, false
		}
		if o.Err == nil && o.NoRoom {
			l.d.Allowed = false
		}
	}
}

// read copies a bucket from the store. A value of another layout is replaced by an empty bucket, and is an error this once.
func (l *Limiter) read(g *group) error {
	value, version, err := l.store.Get(l.table.bucketKey(g.number))
	g.exists, g.version = err == nil, version
	if errors.Is(err, ErrNotFound) {
		g.reset()
		return nil
	}
	if err != nil {
		return err
	}
	if err = g.load(value); err != nil {
		g.reset()
		// A conflict is as good: another worker has replaced it.
		_ = l.store.CompareAndSwap(l.table.bucketKey(g.number), g.bytes(), version)
	}
	return err
}

// drop leaves a bucket out of the decision.
func (l *Limiter) drop(g *group, err error) {
	g.dropped = true
	for i := range l.charges {
		c, o := &l.charges[i], &l.d.Outcomes[i]
		if o.bucket != g.number {
			continue
		}
		o.Err, o.NoRoom = err, false
		if c.Critical && !c.Shadow {
			l.d.Err, l.d.Allowed = err, false
		}
	}
}

// swap charges a bucket. It returns false where the bucket must be looked at again.
func (l *Limiter) swap(g *group) bool {
	if g.dropped || !l.enter(g, true) {
		l.charged(g)
		return true
	}
	err := l.write(g)
	switch {
	case err == nil:
		l.charged(g)
		return true
	case isConflict(err):
		l.d.Conflicts++
		if g.attempts++; g.attempts < maxAttempts {
			return false
		}
		err = ErrContended
	}
	l.drop(g, err)
	return l.d.Err == nil
}

func isConflict(err error) bool { return errors.Is(err, ErrConflict) || errors.Is(err, ErrExists) }

// write stores the private copy if the stored bucket is still the one it was made from.
func (l *Limiter) write(g *group) error {
	key := l.table.bucketKey(g.number)
	if !g.exists {
		return l.store.Create(key, g.bytes())
	}
	return l.store.CompareAndSwap(key, g.bytes(), g.version)
}

// enter puts the entries of a bucket's charges into the private copy: with the cost where the request is admitted and there
// is room, without it where only the end was mended. It returns whether anything changed.
func (l *Limiter) enter(g *group, admitted bool) (changed bool) {
	for i := range l.charges {
		o := &l.d.Outcomes[i]
		if o.bucket != g.number || o.Err != nil {
			continue
		}
		cost := uint32(0)
		if admitted && !o.NoRoom {
			cost = l.charges[i].Cost
		}
		for j := range o.states(&l.d) {
			s := &l.d.States[o.first+j]
			if s.slot == noSlot || cost == 0 && !s.mended {
				continue
			}
			e := s.entry
			e.count += cost
			g.put(s.slot, e)
			changed = true
		}
	}
	return changed
}

// charged notes that a bucket's admitted charges are stored.
func (l *Limiter) charged(g *group) {
	for i := range l.charges {
		o := &l.d.Outcomes[i]
		if o.bucket != g.number || o.Err != nil || o.NoRoom {
			continue
		}
		o.Charged = true
		for j := range o.states(&l.d) {
			s := &l.d.States[o.first+j]
			s.Count += l.charges[i].Cost
		}
	}
}

// mend stores the ends that were ahead of any window, the one case in which a refusal writes. A conflict is left to the
// next refusal.
func (l *Limiter) mend(groups []group) {
	for i := range groups {
		if g := &groups[i]; !g.dropped && l.d.Err == nil && l.enter(g, false) {
			_ = l.write(g)
		}
	}
}

// refuseFromMemory refuses a request whose counter is known to have no room. Only a match reads the clock.
func (l *Limiter) refuseFromMemory() bool {
	now := int64(-1)
	for i := range l.d.States {
		s := &l.d.States[i]
		c := &l.charges[s.Charge]
		e, ok := l.cache.get(s.own)
		if !ok || c.Shadow || c.Refundable || uint64(e.count)+uint64(c.Cost) <= uint64(s.Budget) {
			continue
		}
		if now < 0 {
			now = l.reading()
		}
		if now < 0 || !e.in(now, s.Window) {
			l.cache.drop(s.own) // or each request of the next window would read the clock twice
			continue
		}
		s.Count, s.Reset, s.NoRoom = e.count, e.end, true
		l.d.Outcomes[s.Charge].NoRoom = true
		l.d.Allowed, l.d.Cached, l.d.Now = false, true, now
	}
	return l.d.Cached
}

// reading returns the time, or a negative number if the clock failed.
func (l *Limiter) reading() int64 {
	now, err := l.clock()
	if err != nil {
		return -1
	}
	return now
}

// remember keeps the counter that a refusal waits for, if it cannot go down before its window ends. It alone: of several
// without room one with an earlier reset would send the client back too soon. Where the client is shown another one, both would be
// needed, and nothing is kept.
func (l *Limiter) remember() {
	if l.d.Cached || l.d.Refuser < 0 || l.d.Shown >= 0 && l.d.Shown != l.d.Refuser {
		return
	}
	s := &l.d.States[l.d.Refuser]
	if s.slot != noSlot && !l.charges[s.Charge].Refundable {
		l.cache.put(entry{fingerprint: s.own, end: s.Reset, count: s.Count})
	}
}
