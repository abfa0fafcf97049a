package prove

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
	"tollgate/prove/forms"
)

const (
	spreadCounters = 128
	spreadBuckets  = 16
	spreadConfig   = `{"max_counters": 128, "rules": [{"name": "api", "limits": [{"requests": 1000000, "window": "10s"}]}]}`
)

// TestNobodyCanAimAtABucket holds that clients spread evenly over the buckets of a proxy whatever keys they choose, also if they all
// fall into one bucket of another proxy: who knows the code but not the key of the hash cannot fill a bucket of his choice.
func TestNobodyCanAimAtABucket(t *testing.T) {
	t.Parallel()
	seed := seed(t)
	clients := forms.Pick(400, 4000)
	attackers := newAim(t, seed)
	collisions := attackers.collide(clients)
	if spread := attackers.spread(collisions); spread.most() != clients {
		t.Errorf("the attacker's own proxy has the clients in %v, want all in one bucket", spread)
	}

	numbers := random(seed, 0)
	kinds := []struct {
		name string
		key  func(i int) string
	}{
		{"sequential keys", func(i int) string { return fmt.Sprint(i) }},
		{"ever longer keys", func(i int) string { return strings.Repeat("a", i+1) }},
		{"random keys", func(int) string { return fmt.Sprintf("%016x", numbers.Uint64()) }},
		{"keys that collide elsewhere", func(i int) string { return collisions[i] }},
	}
	for _, kind := range kinds {
		keys := make([]string, clients)
		for i := range keys {
			keys[i] = kind.key(i)
		}
		spread := newAim(t, seed+1).spread(keys)
		chi, bound := spread.chiSquare(), chiSquareBound(spreadBuckets-1)
		forms.Proved(t, "spread", "%d clients with %s over %d buckets: chi-square %.1f of at most %.1f, the fullest has %d (seed %d)",
			clients, kind.name, spreadBuckets, chi, bound, spread.most(), seed)
		if chi > bound {
			t.Errorf("%s fall into %v", kind.name, spread)
		}
	}
}

// aim is a proxy of which one can see what bucket a request goes to.
type aim struct {
	t    *testing.T
	root *wasmhost.Root
	last string // key of the bucket read or written last
}

// newAim returns a proxy whose key of the hash is made from the seed.
func newAim(t *testing.T, seed uint64) *aim {
	t.Helper()
	host := hosttest.New(t)
	host.SetSeed(seed)
	a := &aim{t: t, root: start(t, host, spreadConfig)}
	host.ObserveShared(func(access wasmhost.Access) {
		if strings.HasPrefix(access.Key, bucketPrefix(spreadCounters)) {
			a.last = access.Key
		}
	})
	return a
}

// bucket returns the bucket that a client's counter is in.
func (a *aim) bucket(key string) string {
	a.last = ""
	do(a.t, a.root, get(key))
	if a.last == "" {
		a.t.Fatalf("no bucket was asked for the key %q", key)
	}
	return a.last
}

// collide finds so many keys that all fall into the bucket of the first one.
func (a *aim) collide(n int) []string {
	var keys []string
	target := a.bucket("attacker 0")
	for i := 0; len(keys) < n; i++ {
		if key := fmt.Sprint("attacker ", i); a.bucket(key) == target {
			keys = append(keys, key)
		}
	}
	return keys
}

// spread is how many clients fell into each bucket that any fell into.
type spread map[string]int

func (a *aim) spread(keys []string) spread {
	s := spread{}
	for _, key := range keys {
		s[a.bucket(key)]++
	}
	return s
}

func (s spread) most() int {
	most := 0
	for _, n := range s {
		most = max(most, n)
	}
	return most
}

// chiSquare compares the spread with an even one.
func (s spread) chiSquare() float64 {
	total := 0
	for _, n := range s {
		total += n
	}
	mean := float64(total) / spreadBuckets
	sum := mean * float64(spreadBuckets-len(s)) // of the buckets that nobody fell into
	for _, n := range s {
		sum += (float64(n) - mean) * (float64(n) - mean) / mean
	}
	return sum
}

// chiSquareBound is what an even spread exceeds about once in 10^9 times (the approximation of Wilson and Hilferty).
func chiSquareBound(freedom float64) float64 {
	const z = 6
	c := 2 / (9 * freedom)
	return freedom * math.Pow(1-c+z*math.Sqrt(c), 3)
}
