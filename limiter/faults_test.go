package limiter_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"tollgate/limiter"
	"tollgate/limiter/memstore"
)

// TestForeignValues stores, in the place of a bucket, what no limiter of this layout has written. It is an error once, for
// the request that meets it; the next one counts from an empty bucket.
func TestForeignValues(t *testing.T) {
	tests := []struct {
		name  string
		value []byte
	}{
		{"empty", nil},
		{"text", []byte("foreign")},
		{"a future version", append([]byte{2}, make([]byte, 16)...)},
		{"version 0", append([]byte{0}, make([]byte, 16)...)},
		{"a truncated entry", append([]byte{1}, make([]byte, 15)...)},
		{"a byte too many", append([]byte{1}, make([]byte, 17)...)},
		{"an entry too many", append([]byte{1}, make([]byte, 33*16)...)},
		{"zero bytes", make([]byte, 513)},
		{"very long", bytes.Repeat([]byte{1}, 1<<20)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			shared := new(memstore.Store)
			r, other := newWorker(t, oneBucket, shared), newWorker(t, oneBucket, shared)
			r.play([]step{{"100s", "a", "3/10", "ok 2/3 @110"}})
			for key := range memoryOf(t, shared) {
				shared.Set([]byte(key), test.value, 0)
			}
			r.play([]step{{"100s", "a", "3/10", "ok error corrupt"}})
			other.play([]step{{"100s", "a", "3/10", "ok 2/3 @110"}})
			r.play([]step{{"100s", "a", "3/10", "ok 1/3 @110"}})
		})
	}
}

// TestForeignValueOfACriticalRule refuses.
func TestForeignValueOfACriticalRule(t *testing.T) {
	r := newRig(t, oneBucket)
	r.play([]step{{"100s", "a", "3/10", "ok 2/3 @110"}})
	for key := range memoryOf(t, r.store.Store) {
		r.store.Set([]byte(key), []byte("foreign"), 0)
	}
	r.play([]step{
		{"100s", "a", "3/10 critical", "no error corrupt"},
		{"100s", "a", "3/10 critical", "ok 2/3 @110"},
	})
}

// TestForeignValueIsReplacedOnlyIfUnchanged lets another worker replace the value, and count in it, first.
func TestForeignValueIsReplacedOnlyIfUnchanged(t *testing.T) {
	shared := new(memstore.Store)
	r, other := newWorker(t, oneBucket, shared), newWorker(t, oneBucket, shared)
	r.play([]step{{"100s", "a", "3/10", "ok 2/3 @110"}})
	for key := range memoryOf(t, shared) {
		shared.Set([]byte(key), []byte("foreign"), 0)
	}
	r.store.hooks = map[string]func(){"swap 0#1": func() {
		other.play([]step{
			{"100s", "a", "3/10", "ok error corrupt"},
			{"100s", "a", "3/10", "ok 2/3 @110"},
		})
	}}
	r.play([]step{
		{"100s", "a", "3/10", "ok error corrupt"},
		{"100s", "a", "3/10", "ok 1/3 @110"},
	})
}

// TestConflicts tells the limiter k times that another worker was first.
func TestConflicts(t *testing.T) {
	always := map[string]error{"create 0": limiter.ErrExists, "swap 0": limiter.ErrConflict}
	three := map[string]error{"create 0#1": limiter.ErrExists, "create 0#2": limiter.ErrConflict, "create 0#3": limiter.ErrExists}
	tests := []struct {
		name   string
		faults map[string]error
		what   string
		want   string
		stored string
		calls  string
	}{
		{"three times: counted once", three, "3/10", "ok 2/3 @110 conflicts 3", "1@110",
			strings.Repeat("get 0, clock, create 0, ", 4)},
		{"always: bounded", always, "3/10", "ok conflicts 64 error contended", "",
			strings.Repeat("get 0, clock, create 0, ", 64)},
		{"always, critical: refused", always, "3/10 critical", "no conflicts 64 error contended", "",
			strings.Repeat("get 0, clock, create 0, ", 64)},
		{"always, shadow: not noticed", always, "3/10 shadow", "ok conflicts 64 error contended", "",
			strings.Repeat("get 0, clock, create 0, ", 64)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, oneBucket)
			r.store.faults = test.faults
			r.play([]step{{"100s", "a", test.what, test.want}})
			if got := r.store.trace() + ", "; got != test.calls {
				t.Errorf("calls: %s", got)
			}
			if got := counts(t, r.store.Store); got != test.stored {
				t.Errorf("stored %s; want %s", got, test.stored)
			}
		})
	}
}

// TestConflictLooksAgain changes, before the swap, what the decision was made of: the bucket, and the time.
func TestConflictLooksAgain(t *testing.T) {
	tests := []struct {
		name  string
		after string // when another worker takes a request, and the clock stands from then on
		want  string
	}{
		{"the budget is spent meanwhile", "105s", "no 0/2 @110 retry 5 conflicts 1"},
		{"a new window has begun meanwhile", "110s", "ok 0/2 @120 conflicts 1"},
		{"two windows have passed meanwhile", "125s", "ok 0/2 @130 conflicts 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			shared := new(memstore.Store)
			r, other := newWorker(t, oneBucket, shared), newWorker(t, oneBucket, shared)
			other.play([]step{{"104s", "a", "2/10", "ok 1/2 @110"}})
			r.store.hooks = map[string]func(){"swap 0#1": func() {
				other.now, r.now = instant(t, test.after), instant(t, test.after)
				other.ask("a", "2/10")
			}}
			r.play([]step{{"104s", "a", "2/10", test.want}})
		})
	}
}

// TestStoreErrors fails at each call of a request that is held to rules in two buckets, and of the one after it.
func TestStoreErrors(t *testing.T) {
	p := newPair(t)
	tests := []struct {
		name      string
		call      string
		low, high string // options of the two rules
		want      string
		stored    string
		again     string // the next request, with a store that works
	}{
		{"first get", "get 0#1", "", "", "ok 8/9 @120 error broken", "1@120", "ok 7/9 @120"},
		{"first get, critical", "get 0#1", "critical", "", "no error broken", "", "ok 8/9 @120"},
		{"second get", "get 1#1", "", "", "ok 8/9 @110 error broken", "1@110", "ok 7/9 @110"},
		{"second get, critical", "get 1#1", "", "critical", "no error broken", "", "ok 8/9 @120"},
		{"clock", "clock#1", "", "", "ok error clock error clock", "", "ok 8/9 @120"},
		{"clock, critical", "clock#1", "", "critical", "no error clock error clock", "", "ok 8/9 @120"},
		{"first write", "create 0#1", "", "", "ok 8/9 @120 error broken", "1@120", "ok 7/9 @120"},
		{"first write, critical", "create 0#1", "critical", "", "no error broken", "", "ok 8/9 @120"},
		{"second write", "create 1#1", "", "", "ok 8/9 @110 error broken", "1@110", "ok 7/9 @110"},
		{"second write, critical: the first is refunded", "create 1#1", "", "critical", "no error broken", "0@110", "ok 8/9 @120"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, twoBuckets)
			r.store.faults = map[string]error{test.call: errBroken}
			request := p.both("9/10 "+test.low, "9/20 "+test.high)
			r.play([]step{{"100s", "a", request, test.want}})
			if got := counts(t, r.store.Store); got != test.stored {
				t.Errorf("stored %s; want %s", got, test.stored)
			}
			r.store.faults = nil
			r.play([]step{{"100s", "a", request, test.again}})
		})
	}
}

// TestCriticalSaysWhy returns the store's own error for the request as a whole.
func TestCriticalSaysWhy(t *testing.T) {
	r := newRig(t, oneBucket)
	r.store.faults = map[string]error{"get 0": errBroken}
	d := r.Take(charges(t, "a", "9/10 critical"))
	if !errors.Is(d.Err, errBroken) || d.Allowed || d.Shown != -1 || d.Refuser != -1 || d.RetryAfter() != 0 {
		t.Errorf("%+v", d)
	}
	d = r.Take(charges(t, "a", "9/10"))
	if d.Err != nil || !d.Allowed || !errors.Is(d.Outcomes[0].Err, errBroken) || d.Outcomes[0].Charged {
		t.Errorf("%+v", d)
	}
}

// TestRefusalWithAFailedRule decides by the rules that could be counted.
func TestRefusalWithAFailedRule(t *testing.T) {
	p := newPair(t)
	r := newRig(t, twoBuckets)
	r.play([]step{{"100s", "a", p.both("9/10", "1/20"), "ok 0/1 @120"}})
	r.store.faults = map[string]error{"get 0": errBroken}
	r.play([]step{{"100s", "a", p.both("9/10", "1/20"), "no 0/1 @120 retry 20 error broken"}})
}

// TestSelfTest runs the check of a store on stores that break one rule each.
func TestSelfTest(t *testing.T) {
	tests := []struct {
		name  string
		store limiter.Store
		want  error
	}{
		{"sound", new(memstore.Store), nil},
		{"create overwrites", &overwriting{}, limiter.ErrStore},
		{"create of an existing key reports another conflict", &misnaming{}, limiter.ErrStore},
		{"swap ignores the version", &careless{}, limiter.ErrStore},
		{"swap writes nothing", &lazy{}, limiter.ErrStore},
		{"swap never succeeds", &spy{faults: map[string]error{"swap selftest": limiter.ErrConflict}, Store: new(memstore.Store)}, limiter.ErrStore},
		{"versions do not change", &frozen{}, limiter.ErrStore},
		{"what was created is missing", &spy{faults: map[string]error{"get selftest": limiter.ErrNotFound}, Store: new(memstore.Store)}, limiter.ErrStore},
		{"create fails", &spy{faults: map[string]error{"create selftest": errBroken}, Store: new(memstore.Store)}, errBroken},
		{"second create fails", &spy{faults: map[string]error{"create selftest#2": errBroken}, Store: new(memstore.Store)}, errBroken},
		{"get fails", &spy{faults: map[string]error{"get selftest": errBroken}, Store: new(memstore.Store)}, errBroken},
		{"swap fails", &spy{faults: map[string]error{"swap selftest": errBroken}, Store: new(memstore.Store)}, errBroken},
		{"reading back fails", &spy{faults: map[string]error{"get selftest#2": errBroken}, Store: new(memstore.Store)}, errBroken},
		{"stale swap fails", &spy{faults: map[string]error{"swap selftest#2": errBroken}, Store: new(memstore.Store)}, errBroken},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := limiter.SelfTest(test.store, "test"); !errors.Is(err, test.want) {
				t.Errorf("SelfTest = %v; want %v", err, test.want)
			}
		})
	}
}

// TestSelfTestForeign finds a value on its key that it never writes.
func TestSelfTestForeign(t *testing.T) {
	store := new(memstore.Store)
	if err := limiter.SelfTest(store, "test"); err != nil {
		t.Fatal(err)
	}
	for key := range memoryOf(t, store) {
		store.Set([]byte(key), []byte("foreign"), 0)
	}
	if err := limiter.SelfTest(store, "test"); !errors.Is(err, limiter.ErrCorrupt) {
		t.Errorf("SelfTest = %v; want ErrCorrupt", err)
	}
}

// overwriting creates what exists already.
type overwriting struct{ memstore.Store }

func (s *overwriting) Create(key, value []byte) error {
	s.Set(key, value, 0)
	return nil
}

// misnaming does not tell that a key exists.
type misnaming struct{ memstore.Store }

func (s *misnaming) Create(key, value []byte) error {
	if s.Store.Create(key, value) != nil {
		return limiter.ErrConflict
	}
	return nil
}

// careless swaps whatever the version.
type careless struct{ memstore.Store }

func (s *careless) CompareAndSwap(key, value []byte, _ uint32) error {
	s.Set(key, value, 0)
	return nil
}

// lazy claims to have swapped.
type lazy struct{ memstore.Store }

func (s *lazy) CompareAndSwap(_, _ []byte, _ uint32) error { return nil }

// frozen gives every value the same version.
type frozen struct{ memstore.Store }

func (s *frozen) Get(key []byte) ([]byte, uint32, error) {
	value, _, err := s.Store.Get(key)
	return value, 1, err
}

func (s *frozen) CompareAndSwap(key, value []byte, _ uint32) error {
	s.Set(key, value, 0)
	return nil
}

// TestLoadHashKey covers the ways in which the key of the hash comes to a worker.
func TestLoadHashKey(t *testing.T) {
	const name = "tollgate/1/test/key"
	mine, theirs := bytes.Repeat([]byte{1}, 16), bytes.Repeat([]byte{2}, 16)
	tests := []struct {
		name   string
		stored []byte
		faults map[string]error
		random error
		first  []byte // what another worker creates first, after the key was found missing
		want   []byte
		err    error
	}{
		{name: "created", want: mine},
		{name: "found", stored: theirs, want: theirs},
		{name: "another worker is first", first: theirs, want: theirs},
		{name: "too short", stored: theirs[:15], err: limiter.ErrCorrupt},
		{name: "too long", stored: append(theirs, 2), err: limiter.ErrCorrupt},
		{name: "empty", stored: []byte{}, err: limiter.ErrCorrupt},
		{name: "another worker's is too short", first: []byte{2}, err: limiter.ErrCorrupt},
		{name: "no randomness", random: errBroken, err: errBroken},
		{name: "found without randomness", stored: theirs, random: errBroken, want: theirs},
		{name: "get fails", faults: map[string]error{"get key": errBroken}, err: errBroken},
		{name: "create fails", faults: map[string]error{"create key": errBroken}, err: errBroken},
		{name: "second get fails", first: theirs, faults: map[string]error{"get key#2": errBroken}, err: errBroken},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			store := &spy{Store: new(memstore.Store), faults: test.faults}
			if test.stored != nil {
				store.Store.Set([]byte(name), test.stored, 0)
			}
			store.hooks = map[string]func(){"create key#1": func() {
				if test.first != nil {
					store.Store.Set([]byte(name), test.first, 0)
				}
			}}
			key, err := limiter.LoadHashKey(store, "test", func(b []byte) error {
				copy(b, mine)
				return test.random
			})
			if !errors.Is(err, test.err) || test.err == nil && !bytes.Equal(key[:], test.want) {
				t.Errorf("LoadHashKey = %x, %v; want %x, %v", key, err, test.want, test.err)
			}
		})
	}
}

// TestLoadHashKeyAgrees starts workers at once, each with randomness of its own.
func TestLoadHashKeyAgrees(t *testing.T) {
	const workers = 8
	for range 100 {
		store := new(memstore.Store)
		keys := make(chan limiter.HashKey, workers)
		for id := range workers {
			go func() {
				key, err := limiter.LoadHashKey(store, "test", func(b []byte) error {
					copy(b, bytes.Repeat([]byte{byte(id + 1)}, len(b)))
					return nil
				})
				if err != nil {
					t.Errorf("worker %d: %v", id, err)
				}
				keys <- key
			}()
		}
		all := make([]limiter.HashKey, workers)
		for i := range all {
			all[i] = <-keys
		}
		if slices.ContainsFunc(all, func(k limiter.HashKey) bool { return k != all[0] || k == limiter.HashKey{} }) {
			t.Fatalf("workers disagree: %x", all)
		}
	}
}

// TestLoadHashKeyByDomain keeps the keys of two domains apart.
func TestLoadHashKeyByDomain(t *testing.T) {
	store := new(memstore.Store)
	next := byte(0)
	random := func(b []byte) error {
		next++
		b[0] = next
		return nil
	}
	first, err1 := limiter.LoadHashKey(store, "one", random)
	second, err2 := limiter.LoadHashKey(store, "two", random)
	if err := errors.Join(err1, err2); err != nil || first == second {
		t.Errorf("keys %x and %x, %v", first, second, err)
	}
}
