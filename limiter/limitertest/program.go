package limitertest

import (
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"tollgate/limiter"
)

// program is what a worker does. Workers that do the same share one.
type program struct{ actions []Action }

// node is a worker after a sequence of answers.
type node struct {
	id       uint32
	program  *program
	replies  []uint32
	pending  call             // what it asks next
	fresh    bool             // with this call it begins an action
	done     bool             // it asks nothing any more
	results  []result         // of the actions that are finished
	reading  int              // the last instant it read during this action; -1 if none
	attempts int              // most readings of one bucket during this action
	clocked  [maxBuckets]bool // whether the clock was read since the bucket was
	next     map[uint32]*node
}

// action returns the index of the action that the pending call belongs to.
func (n *node) action() int { return len(n.results) }

// callKind is what a worker asks for.
type callKind uint8

const (
	readClock callKind = iota
	get
	create
	swap
)

type call struct {
	kind   callKind
	bucket uint8
	value  uint32 // that is to be stored
	stale  bool   // a swap with another version than the one read last
}

func (c call) writes() bool { return c.kind == create || c.kind == swap }

// result is what became of an action.
type result struct {
	decision limiter.Decision // with slices of its own; nil ones after giving back
	receipt  limiter.Receipt
	err      error // of giving back
	reading  int   // the last instant that was read
}

// library holds what does not change from state to state: the values met, the buckets' keys, and the workers' programs.
type library struct {
	options  limiter.Options
	instants []int64
	values   interner
	keys     [][]byte
	programs []*program // by worker
	roots    []*node    // by worker
	nodes    []*node
}

// interner numbers values from 1.
type interner struct {
	ids    map[string]uint32
	values [][]byte
}

func (in *interner) intern(value []byte) uint32 {
	if id, ok := in.ids[string(value)]; ok {
		return id
	}
	if in.ids == nil {
		in.ids, in.values = make(map[string]uint32), make([][]byte, 1)
	}
	id := uint32(len(in.values))
	in.ids[string(value)] = id
	in.values = append(in.values, slices.Clone(value))
	return id
}

func newLibrary(s Scenario) *library {
	lib := &library{options: s.Options, instants: s.Instants}
	for w, actions := range s.Workers {
		same := slices.IndexFunc(s.Workers[:w], func(a []Action) bool { return reflect.DeepEqual(a, actions) })
		if same >= 0 {
			lib.programs = append(lib.programs, lib.programs[same])
			lib.roots = append(lib.roots, lib.roots[same])
			continue
		}
		p := &program{actions}
		lib.programs = append(lib.programs, p)
		lib.roots = append(lib.roots, lib.run(p, nil))
	}
	return lib
}

// bucket returns the number of a key, counted as the keys are met.
func (lib *library) bucket(key []byte) uint8 {
	i := slices.IndexFunc(lib.keys, func(k []byte) bool { return string(k) == string(key) })
	if i < 0 {
		i = len(lib.keys)
		lib.keys = append(lib.keys, slices.Clone(key))
	}
	return uint8(i)
}

func (lib *library) node(s *state, w int) *node { return lib.nodes[s.workers[w].node] }

// child returns the worker after one more answer.
func (lib *library) child(n *node, reply uint32) *node {
	child, ok := n.next[reply]
	if !ok {
		child = lib.run(n.program, append(slices.Clone(n.replies), reply))
		n.next[reply] = child
	}
	return child
}

// run runs a program with given answers up to the call that has none.
func (lib *library) run(p *program, replies []uint32) *node {
	n := &node{id: uint32(len(lib.nodes)), program: p, replies: replies, reading: -1, next: make(map[uint32]*node)}
	lib.nodes = append(lib.nodes, n)
	s := &script{library: lib, replies: replies, reading: -1}
	l := limiter.New(s, s.clock, HashKey, lib.options)
	for _, a := range p.actions {
		s.begin()
		r := act(l, a, n.results)
		if s.asked {
			n.pending, n.fresh, n.reading = s.pending, s.used == 0, s.reading
			n.attempts, n.clocked = s.attempts(), s.clocked
			return n
		}
		r.reading = s.reading
		n.results = append(n.results, r)
		n.attempts = s.attempts()
	}
	n.done = true
	return n
}

// HashKey is the key of the hash that explored limiters have.
var HashKey = limiter.HashKey([]byte("limitertest hash"))

func act(l *limiter.Limiter, a Action, earlier []result) (r result) {
	if a.GiveBack > 0 {
		r.receipt = earlier[a.GiveBack-1].receipt
		r.err = l.GiveBack(&r.receipt)
		return r
	}
	d := l.Take(a.Charges)
	r.decision = *d
	r.decision.States, r.decision.Outcomes = slices.Clone(d.States), slices.Clone(d.Outcomes)
	r.receipt = d.Receipt(a.Charges, 0)
	return r
}

func (r *result) text() string {
	d := &r.decision
	if d.States == nil {
		return fmt.Sprintf("gives back: %v", r.err)
	}
	text := fmt.Sprintf("allowed %v at %s", d.Allowed, seconds(d.Now))
	for i := range d.States {
		s := &d.States[i]
		text += fmt.Sprintf(", %d of %d @%d", s.Count, s.Budget, s.Reset)
	}
	return text
}

// errOver ends a run: the script has no answer. The limiter takes it for a store that failed, and what it makes of that is
// thrown away.
var errOver = errors.New("limitertest: no answer yet")

// script is a store and a clock that give the answers of a list.
type script struct {
	*library
	replies []uint32
	next    int // the answer to give next
	used    int // answers given during this action
	asked   bool
	pending call
	read    [maxBuckets]uint32 // the version given last, by bucket
	gets    [maxBuckets]int    // during this action
	clocked [maxBuckets]bool
	reading int
}

// begin starts an action.
func (s *script) begin() { s.used, s.gets, s.reading = 0, [maxBuckets]int{}, -1 }

func (s *script) attempts() int { return slices.Max(s.gets[:]) }

func (s *script) ask(c call) (reply uint32, ok bool) {
	if s.asked {
		return 0, false
	}
	if s.next == len(s.replies) {
		s.asked, s.pending = true, c
		return 0, false
	}
	s.next++
	s.used++
	return s.replies[s.next-1], true
}

func (s *script) clock() (int64, error) {
	reply, ok := s.ask(call{kind: readClock})
	if !ok {
		return 0, errOver
	}
	s.reading, s.clocked = int(reply), [maxBuckets]bool{true, true, true}
	return s.instants[reply], nil
}

// Get gives each reading a version of its own: whether it is still current is known to the state, not to the worker.
func (s *script) Get(key []byte) ([]byte, uint32, error) {
	bucket := s.bucket(key)
	reply, ok := s.ask(call{kind: get, bucket: bucket})
	if !ok {
		return nil, 0, errOver
	}
	s.gets[bucket]++
	s.clocked[bucket] = false
	s.read[bucket] = uint32(s.next)
	if reply == 0 {
		return nil, 0, limiter.ErrNotFound
	}
	return s.values.values[reply], s.read[bucket], nil
}

func (s *script) Create(key, value []byte) error {
	return s.write(call{kind: create, bucket: s.bucket(key), value: s.values.intern(value)}, limiter.ErrExists)
}

func (s *script) CompareAndSwap(key, value []byte, version uint32) error {
	bucket := s.bucket(key)
	return s.write(call{kind: swap, bucket: bucket, value: s.values.intern(value), stale: version != s.read[bucket]}, limiter.ErrConflict)
}

func (s *script) write(c call, otherwise error) error {
	reply, ok := s.ask(c)
	switch {
	case !ok:
		return errOver
	case reply == failed:
		return otherwise
	}
	return nil
}

// describe puts a call and its answer into words.
func (lib *library) describe(c call, reply uint32) string {
	switch c.kind {
	case readClock:
		return "reads the clock: " + seconds(lib.instants[reply])
	case get:
		return fmt.Sprintf("gets bucket %d: %s", c.bucket, lib.content(reply))
	}
	name := map[callKind]string{create: "creates", swap: "swaps"}[c.kind]
	outcome := map[uint32]string{failed: "conflict", succeeded: "done"}[reply]
	return fmt.Sprintf("%s bucket %d, %s: %s", name, c.bucket, lib.content(c.value), outcome)
}

// content lists the entries of a value: the last bytes of the fingerprint, the count and the end.
func (lib *library) content(value uint32) string {
	if value == 0 {
		return "nothing"
	}
	text := "["
	for _, e := range entries(lib.values.values[value]) {
		text += fmt.Sprintf(" %s:%d@%d", hex.EncodeToString([]byte{byte(e.fingerprint >> 8), byte(e.fingerprint)}), e.count, e.end)
	}
	return text + " ]"
}
