package limiter_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tollgate/limiter"
	"tollgate/limiter/memstore"
)

var hashKey = limiter.HashKey([]byte("sixteen key byte"))

// oneBucket and twoBuckets are tables small enough to say where a counter stands.
var (
	oneBucket  = limiter.Options{Domain: "test", MaxCounters: 8}
	twoBuckets = limiter.Options{Domain: "test", MaxCounters: 16}
)

// rig is a limiter over a spied store, with a clock that the test sets.
type rig struct {
	*limiter.Limiter
	t     *testing.T
	store *spy
	now   int64
	fault error // of the clock
}

func newRig(t *testing.T, o limiter.Options) *rig {
	return newWorker(t, o, new(memstore.Store))
}

// newWorker returns a rig over a store that others use too.
func newWorker(t *testing.T, o limiter.Options, shared *memstore.Store) *rig {
	r := &rig{t: t, store: &spy{Store: shared}}
	r.Limiter = limiter.New(r.store, r.clock, hashKey, o)
	return r
}

func (r *rig) clock() (int64, error) {
	if err := r.store.call("clock"); err != nil {
		return 0, err
	}
	return r.now, r.fault
}

// instant reads a time since the epoch, such as "1007.5s", in nanoseconds.
func instant(t *testing.T, text string) int64 {
	t.Helper()
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return int64(d)
}

// step is a request of a timeline: when, who, what it is held to, and the answer (describe). who may be a range of clients,
// "c1..c16", who all get the same answer.
type step struct{ at, who, what, want string }

func (r *rig) play(steps []step) {
	r.t.Helper()
	for i, s := range steps {
		r.now = instant(r.t, s.at)
		for _, who := range clients(s.who) {
			if got := r.ask(who, s.what); got != s.want {
				r.t.Errorf("step %d at %s, %s asks for %s:\n got %s\nwant %s", i, s.at, who, s.what, got, s.want)
			}
			checkBuckets(r.t, r.store.Store)
		}
	}
}

// clients expands "c1..c3" to c1, c2, c3.
func clients(who string) []string {
	first, last, isRange := strings.Cut(who, "..")
	if !isRange {
		return []string{who}
	}
	name := strings.TrimRight(first, "0123456789")
	from, _ := strconv.Atoi(first[len(name):])
	to, _ := strconv.Atoi(last[len(name):])
	var all []string
	for i := from; i <= to; i++ {
		all = append(all, name+strconv.Itoa(i))
	}
	return all
}

func (r *rig) ask(who, what string) string {
	r.t.Helper()
	return describe(r.Take(charges(r.t, who, what)))
}

// charges reads what a request is held to: charges joined by " + ", each a rule's name and a colon (else "rule:"), its limits as
// requests/seconds joined by commas, then any of: x2 (the cost), @who (another client), shadow, stagger, hidden,
// refundable, critical.
func charges(t *testing.T, who, what string) []limiter.Charge {
	t.Helper()
	var all []limiter.Charge
	for text := range strings.SplitSeq(what, " + ") {
		c := limiter.Charge{Rule: "rule", Identity: []byte(who), Cost: 1}
		for word := range strings.FieldsSeq(text) {
			if err := option(&c, word); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
		}
		all = append(all, c)
	}
	return all
}

func option(c *limiter.Charge, word string) error {
	flags := map[string]*bool{"shadow": &c.Shadow, "stagger": &c.Stagger, "hidden": &c.Hidden,
		"refundable": &c.Refundable, "critical": &c.Critical}
	switch {
	case flags[word] != nil:
		*flags[word] = true
	case strings.HasSuffix(word, ":"):
		c.Rule = strings.TrimSuffix(word, ":")
	case word[0] == '@':
		c.Identity = []byte(word[1:])
	case word[0] == 'x':
		_, err := fmt.Sscanf(word, "x%d", &c.Cost)
		return err
	default:
		return limits(c, word)
	}
	return nil
}

func limits(c *limiter.Charge, text string) error {
	for part := range strings.SplitSeq(text, ",") {
		var l limiter.Limit
		if _, err := fmt.Sscanf(part, "%d/%d", &l.Requests, &l.Window); err != nil {
			return fmt.Errorf("limit %q: %w", part, err)
		}
		c.Limits = append(c.Limits, l)
	}
	return nil
}

// describe puts a decision into words: "ok 2/3 @1010" (remaining, budget, reset), "no 0/3 @1010 retry 3", and what else
// is to be told of it.
func describe(d *limiter.Decision) string {
	var b strings.Builder
	b.WriteString(map[bool]string{true: "ok", false: "no"}[d.Allowed])
	if d.Shown >= 0 {
		s := &d.States[d.Shown]
		fmt.Fprintf(&b, " %d/%d @%d", s.Remaining(), s.Budget, s.Reset)
	}
	if retry := d.RetryAfter(); retry > 0 {
		fmt.Fprintf(&b, " retry %d", retry)
	}
	if d.Cached {
		b.WriteString(" cached")
	}
	for _, n := range []struct {
		name  string
		count int
	}{{"overflows", d.Overflows}, {"conflicts", d.Conflicts}, {"lost", d.LostRefunds}} {
		if n.count > 0 {
			fmt.Fprintf(&b, " %s %d", n.name, n.count)
		}
	}
	for i := range d.Outcomes {
		if err := d.Outcomes[i].Err; err != nil {
			fmt.Fprintf(&b, " error %s", faultName(err))
		}
	}
	return b.String()
}

func faultName(err error) string {
	names := map[error]string{limiter.ErrClock: "clock", limiter.ErrContended: "contended", limiter.ErrCorrupt: "corrupt",
		limiter.ErrTableFull: "full", errBroken: "broken"}
	if name, ok := names[err]; ok {
		return name
	}
	return err.Error()
}

// counter is one stored entry, read by the layout that the README of the counters gives and not by the limiter's own code.
type counter struct {
	bucket, slot int
	fingerprint  uint64
	end, count   uint32
}

// counters returns all entries of all buckets that are not blank, in order.
func counters(t *testing.T, store *memstore.Store) []counter {
	t.Helper()
	values := make(map[int][]byte)
	store.Each(func(key string, value []byte) {
		bucket, err := strconv.Atoi(key[strings.LastIndexByte(key, '/')+1:])
		if err != nil {
			t.Errorf("key %q is no bucket", key)
		}
		values[bucket] = value
	})
	var all []counter
	for _, bucket := range slices.Sorted(maps.Keys(values)) {
		value := values[bucket]
		if len(value)%16 != 1 || len(value) > 1+32*16 || value[0] != limiter.LayoutVersion {
			t.Errorf("bucket %d holds %x", bucket, value)
			continue
		}
		for slot := range len(value) / 16 {
			e := value[1+16*slot:]
			c := counter{bucket, slot, binary.LittleEndian.Uint64(e), binary.LittleEndian.Uint32(e[8:]), binary.LittleEndian.Uint32(e[12:])}
			if c.end != 0 {
				all = append(all, c)
			}
		}
	}
	return all
}

// checkBuckets holds what must be true of every table at every time: each counter stands in it once.
func checkBuckets(t *testing.T, store *memstore.Store) {
	t.Helper()
	seen := make(map[uint64]counter)
	for _, c := range counters(t, store) {
		if other, ok := seen[c.fingerprint]; ok {
			t.Errorf("one counter stands twice: %+v and %+v", other, c)
		}
		seen[c.fingerprint] = c
	}
}

// counts returns the stored counts in the order of their places, those of finished windows too.
func counts(t *testing.T, store *memstore.Store) string {
	t.Helper()
	var all []string
	for _, c := range counters(t, store) {
		all = append(all, fmt.Sprintf("%d@%d", c.count, c.end))
	}
	return strings.Join(all, " ")
}

// ruleIn returns the name of a rule whose counters for the client fall into a bucket.
func ruleIn(t *testing.T, o limiter.Options, who string, bucket int) string {
	t.Helper()
	for i := range math.MaxUint8 {
		name := "rule" + strconv.Itoa(i)
		r := newRig(t, o)
		r.ask(who, name+": 1/10")
		if counters(t, r.store.Store)[0].bucket == bucket {
			return name
		}
	}
	t.Fatalf("no rule falls into bucket %d", bucket)
	return ""
}

// errBroken is the failure that a test injects.
var errBroken = errors.New("broken")

// spy is a store that writes down the calls, and fails or is interrupted where a test says so. A call is named like
// "get 1" (the bucket's number); its nth occurrence like "get 1#2", from 1.
type spy struct {
	*memstore.Store
	calls  []string
	seen   map[string]int
	faults map[string]error  // by name, of every occurrence or of one
	hooks  map[string]func() // run before the call
}

func (s *spy) call(name string) error {
	if s.seen == nil {
		s.seen = make(map[string]int)
	}
	s.seen[name]++
	s.calls = append(s.calls, name)
	nth := fmt.Sprintf("%s#%d", name, s.seen[name])
	if hook := s.hooks[nth]; hook != nil {
		hook()
	}
	if err := s.faults[nth]; err != nil {
		return err
	}
	return s.faults[name]
}

// trace returns the calls since the last one.
func (s *spy) trace() string {
	text := strings.Join(s.calls, ", ")
	s.calls = nil
	return text
}

func bucketName(key []byte) string { return string(key[strings.LastIndexByte(string(key), '/')+1:]) }

func (s *spy) Get(key []byte) ([]byte, uint32, error) {
	if err := s.call("get " + bucketName(key)); err != nil {
		return nil, 0, err
	}
	return s.Store.Get(key)
}

func (s *spy) Create(key, value []byte) error {
	if err := s.call("create " + bucketName(key)); err != nil {
		return err
	}
	return s.Store.Create(key, value)
}

func (s *spy) CompareAndSwap(key, value []byte, version uint32) error {
	if err := s.call("swap " + bucketName(key)); err != nil {
		return err
	}
	return s.Store.CompareAndSwap(key, value, version)
}
