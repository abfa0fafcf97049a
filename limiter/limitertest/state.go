package limitertest

import (
	"fmt"
	"time"

	"tollgate/limiter"
)

// Bounds that keep a state small.
const (
	maxWorkers = 3
	maxBuckets = 3
	maxCharges = 3  // of one request
	maxBooks   = 24 // counters times windows
)

// state is everything that the future depends on.
type state struct {
	clock         uint8              // index of the instant
	interruptions uint8              // left
	values        [maxBuckets]uint32 // what the store holds, by bucket; 0 is nothing
	booked        [maxBooks]uint8    // what was charged, by counter and window, kept by the ledger
	workers       [maxWorkers]workerState
}

// workerState is where one worker stands. All but node is of the request that it works on.
type workerState struct {
	node    uint32            // what it has seen
	noRoom  uint32            // limits that had no room at some instant since the request came, by bit
	current uint8             // buckets, by bit, that nobody has replaced since it read them
	held    uint8             // charges, by bit, that are stored
	at      [maxCharges]uint8 // the instants they belong to
}

// read says whether a worker has read the bucket as it is.
func (s *state) read(bucket int) bool {
	for w := range s.workers {
		if s.workers[w].current&(1<<bucket) != 0 {
			return true
		}
	}
	return false
}

// replace stores a value. What workers have read of the bucket is stale from then on.
func (s *state) replace(bucket int, value uint32) {
	s.values[bucket] = value
	for w := range s.workers {
		s.workers[w].current &^= 1 << bucket
	}
}

// apply makes a transition. It returns the invariant that is violated then, if any.
func (x *explorer) apply(s *state, t transition) string {
	switch {
	case t.advance:
		s.clock++
		x.observe(s)
	case t.worker == nobody:
		s.interruptions--
		if s.replace(t.bucket, s.values[t.bucket]); s.values[t.bucket] == 0 {
			s.values[t.bucket] = x.values.intern([]byte{limiter.LayoutVersion})
		}
	default:
		if violation := x.step(s, t.worker); violation != "" {
			return violation
		}
	}
	return x.ledger.checkStored(s)
}

// step lets a worker make its next call.
func (x *explorer) step(s *state, w int) string {
	me, n := &s.workers[w], x.node(s, w)
	if n.fresh { // the request arrives
		me.noRoom = x.ledger.noRoom(s, n)
	}
	reply, violation := answer(s, w, n.pending)
	if violation != "" {
		return violation
	}
	child := x.child(n, reply)
	x.report.Attempts = max(x.report.Attempts, child.attempts)
	me.node = child.id
	if n.pending.writes() && reply == succeeded {
		violation = x.ledger.book(s, w, n, child)
	}
	x.observe(s)
	me.noRoom |= x.ledger.noRoom(s, n)
	for i := len(n.results); i < len(child.results) && violation == ""; i++ {
		violation = x.ledger.judge(s, w, child, i)
	}
	if child.fresh || child.done {
		*me = workerState{node: child.id}
	}
	return violation
}

// observe notes, for every request that is being worked on, which of its limits have no room now.
func (x *explorer) observe(s *state) {
	for w := range x.Workers {
		if n := x.node(s, w); !n.fresh && !n.done {
			s.workers[w].noRoom |= x.ledger.noRoom(s, n)
		}
	}
}

// Replies to a write. A reading of a bucket is answered with the value's number, 0 if there is none, and one of the clock with the
// instant's index.
const (
	failed uint32 = iota
	succeeded
)

// answer does what a worker asks of the store or the clock.
func answer(s *state, w int, c call) (reply uint32, violation string) {
	bit := uint8(1) << c.bucket
	switch c.kind {
	case readClock:
		return uint32(s.clock), ""
	case get:
		s.workers[w].current |= bit
		return s.values[c.bucket], ""
	case create:
		if s.values[c.bucket] != 0 {
			return failed, ""
		}
	case swap:
		if c.stale {
			return 0, "a bucket is swapped with another version than the one read last"
		}
		if s.workers[w].current&bit == 0 {
			return failed, ""
		}
	}
	s.replace(int(c.bucket), c.value)
	return succeeded, ""
}

// text describes a transition for a schedule.
func (x *explorer) text(s *state, t transition) string {
	switch {
	case t.advance:
		return "the clock goes to " + seconds(x.Instants[s.clock+1])
	case t.worker == nobody:
		return fmt.Sprintf("another client replaces bucket %d", t.bucket)
	}
	n := x.node(s, t.worker)
	after := *s
	reply, _ := answer(&after, t.worker, n.pending)
	text := fmt.Sprintf("worker %d, action %d: %s", t.worker, len(n.results)+1, x.describe(n.pending, reply))
	for _, r := range x.child(n, reply).results[len(n.results):] {
		text += "; " + r.text()
	}
	return text
}

func seconds(now int64) string { return time.Duration(now).String() }
