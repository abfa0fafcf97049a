package limiter

import (
	"fmt"
	"testing"
)

func TestBuckets(t *testing.T) {
	for _, test := range []struct{ maxCounters, want uint32 }{
		{0, 1}, {1, 1}, {8, 1}, {9, 2}, {16, 2}, {17, 4}, {4096, 512}, {65536, 8192}, {65537, 16384}, {1 << 20, 1 << 17},
		{1<<32 - 1, 1 << 29},
	} {
		if got := Buckets(test.maxCounters); got != test.want {
			t.Errorf("Buckets(%d) = %d; want %d", test.maxCounters, got, test.want)
		}
	}
}

func TestBucketKey(t *testing.T) {
	table := newTable(HashKey{}, "shop", 65536)
	for _, test := range []struct {
		bucket uint32
		want   string
	}{{8191, "tollgate/1/shop/8192/8191"}, {0, "tollgate/1/shop/8192/0"}, {10, "tollgate/1/shop/8192/10"}} {
		if got := string(table.bucketKey(test.bucket)); got != test.want {
			t.Errorf("bucketKey(%d) = %q; want %q", test.bucket, got, test.want)
		}
	}
}

// TestFingerprints lists all counters of one client: no two are the same, whatever window and kind.
func TestFingerprints(t *testing.T) {
	d := digest{id: 0x0123456789abcdef}
	seen := make(map[uint64]string)
	for _, window := range []uint32{1, 2, 10, 60, 255, 256, 266, 3600, 65536, 86400, MaxWindow} {
		for k := enforced; k <= shadowOverflow; k++ {
			name := fmt.Sprintf("window %d, kind %d", window, k)
			if other, ok := seen[d.fingerprint(window, k)]; ok {
				t.Errorf("%s and %s have one fingerprint", name, other)
			}
			seen[d.fingerprint(window, k)] = name
		}
	}
}

// TestHashIsKeyed shows that another key spreads the same clients otherwise, and that all 128 bits of it matter.
func TestHashIsKeyed(t *testing.T) {
	base := newTable(HashKey{}, "shop", 16)
	for i := range len(HashKey{}) {
		var key HashKey
		key[i] = 1
		other := newTable(key, "shop", 16)
		if base.client("rule", "", []byte("a")) == other.client("rule", "", []byte("a")) {
			t.Errorf("byte %d of the key does not matter", i)
		}
	}
}

// TestSpread counts clients per bucket for identities that follow a pattern: a bucket's share is near its average of 8.
func TestSpread(t *testing.T) {
	table := newTable(HashKey{1}, "shop", 8192)
	patterns := map[string]func(i int) string{
		"sequential":  func(i int) string { return fmt.Sprintf("client-%06d", i) },
		"one bit":     func(i int) string { return fmt.Sprintf("%b", i) },
		"long prefix": func(i int) string { return fmt.Sprintf("%01000d", i) },
	}
	for name, identity := range patterns {
		load := make([]int, table.buckets)
		for i := range 8192 {
			load[table.bucketOf(table.client("rule", "", []byte(identity(i))))]++
		}
		// Poisson with a mean of 8: more than 25 in any of 1024 buckets has a probability below 1 in 10,000.
		for bucket, n := range load {
			if n > 25 {
				t.Errorf("%s: bucket %d holds %d of 8192 clients", name, bucket, n)
			}
		}
	}
}

// TestOverflowIsNoClient keeps the overflow counter of a rule apart from a client without an identity.
func TestOverflowIsNoClient(t *testing.T) {
	table := newTable(HashKey{}, "shop", 16)
	if table.everyone("rule", "") == table.client("rule", "", nil) {
		t.Error("the overflow counter is that of the empty identity")
	}
}
