package limiter_test

import (
	"testing"

	"tollgate/limiter"
)

// arena is a store for one worker that allocates nothing once a key exists.
type arena struct {
	keys    map[string]int
	records [8]struct {
		value   [4096]byte
		size    int
		version uint32
	}
}

func newArena() *arena { return &arena{keys: make(map[string]int)} }

func (a *arena) Get(key []byte) ([]byte, uint32, error) {
	i, ok := a.keys[string(key)]
	if !ok {
		return nil, 0, limiter.ErrNotFound
	}
	r := &a.records[i]
	return r.value[:r.size], r.version, nil
}

func (a *arena) Create(key, value []byte) error {
	if _, ok := a.keys[string(key)]; ok {
		return limiter.ErrExists
	}
	a.keys[string(key)] = len(a.keys)
	return a.CompareAndSwap(key, value, 0)
}

func (a *arena) CompareAndSwap(key, value []byte, version uint32) error {
	r := &a.records[a.keys[string(key)]]
	if r.version != version {
		return limiter.ErrConflict
	}
	r.size = copy(r.value[:], value)
	r.version++
	return nil
}

// TestNoAllocation holds every kind of decision to no allocation in the steady state.
func TestNoAllocation(t *testing.T) {
	p := newPair(t)
	tests := []struct {
		name, what string
		allowed    bool
		cached     bool
	}{
		{"one rule with two limits", "4000000000/10,4000000000/3600", true, false},
		{"eight limits", "9000/1,9000/2,9000/3,9000/4,9000/5,9000/6,9000/7,9000/8", true, false},
		{"two buckets", p.both("4000000000/10", "4000000000/20"), true, false},
		{"with a shadow rule elsewhere", p.both("4000000000/10", "4000000000/20 shadow"), true, false},
		{"refused", "0/10 refundable", false, false},
		{"refused from memory", "0/10", false, true},
		{"staggered", "4000000000/10 stagger", true, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := limiter.New(newArena(), func() (int64, error) { return 100e9, nil }, hashKey, twoBuckets)
			request := charges(t, "a", test.what)
			d := l.Take(request)
			if n := testing.AllocsPerRun(100, func() { d = l.Take(request) }); n != 0 {
				t.Errorf("%v allocations a decision", n)
			}
			if d.Allowed != test.allowed || d.Cached != test.cached {
				t.Errorf("measured another decision: %s", describe(d))
			}
		})
	}
}

// TestNoAllocationAfterClients takes requests of clients in turn, some of whom meet a full bucket.
func TestNoAllocationAfterClients(t *testing.T) {
	l := limiter.New(newArena(), func() (int64, error) { return 100e9, nil }, hashKey, oneBucket)
	var requests [][]limiter.Charge
	for _, who := range clients("c1..c20") {
		requests = append(requests, charges(t, who, "9000/10,9000/3600"))
		l.Take(requests[len(requests)-1])
	}
	i := 0
	if n := testing.AllocsPerRun(1000, func() { l.Take(requests[i%len(requests)]); i++ }); n != 0 {
		t.Errorf("%v allocations a decision", n)
	}
}

func TestNoAllocationGivingBack(t *testing.T) {
	l := limiter.New(newArena(), func() (int64, error) { return 100e9, nil }, hashKey, oneBucket)
	request := charges(t, "a", "9/10,9/60 refundable")
	given := false
	n := testing.AllocsPerRun(100, func() {
		receipt := l.Take(request).Receipt(request, 0)
		err := l.GiveBack(&receipt)
		_, ok := receipt.Count(0)
		given = ok && err == nil
	})
	if n != 0 || !given {
		t.Errorf("%v allocations, given back: %v", n, given)
	}
}

func BenchmarkTake(b *testing.B) {
	l := limiter.New(newArena(), func() (int64, error) { return 100e9, nil }, hashKey, oneBucket)
	request := []limiter.Charge{{Rule: "rule", Identity: []byte("a"), Cost: 1,
		Limits: []limiter.Limit{{Requests: 1<<32 - 1, Window: 10}, {Requests: 1<<32 - 1, Window: 3600}}}}
	b.ReportAllocs()
	for b.Loop() {
		l.Take(request)
	}
}
