package limiter

import (
	"errors"
	"math/bits"
	"strconv"

	"github.com/dchest/siphash"
)

// countersPerBucket is the average load that a table is sized for. A bucket holds twice as many.
const countersPerBucket = 8

// HashKey is the key of the hash that spreads clients over buckets. All workers of a domain share one.
type HashKey [16]byte

// kind tells apart the counters that one identity may have in one window length. The numbers are stored.
type kind uint8

const (
	enforced kind = iota + 1
	shadow
	enforcedOverflow
	shadowOverflow
)

func (k kind) overflow() kind { return k + 2 }

// digest is the keyed hash of who is counted: which bucket, and the base of the fingerprints in it.
type digest struct{ place, id uint64 }

// fingerprint tells the counters of one digest apart. The id is the output of a keyed hash, so different clients get unrelated
// numbers; window and kind stand in 40 bits, so one client never gets the same number twice.
func (d digest) fingerprint(window uint32, k kind) uint64 {
	return d.id ^ (uint64(window)<<8 | uint64(k))
}

// offset is the client's shift of a staggered window in whole seconds, from bits that choose no bucket.
func (d digest) offset(window uint32) uint32 {
	return uint32(d.place>>32) % window
}

// table knows the buckets of one domain.
type table struct {
	k0, k1  uint64
	buckets uint32 // a power of two
	key     []byte // of the bucket last asked for
	prefix  int    // length of the constant part of key
	scratch []byte // the message being hashed
}

// Buckets returns the number of buckets for a capacity: a power of two, 8 counters a bucket on average.
func Buckets(maxCounters uint32) uint32 {
	n := (uint64(maxCounters) + countersPerBucket - 1) / countersPerBucket
	return 1 << bits.Len64(max(n, 1)-1)
}

func domainKey(domain string) []byte {
	key := append([]byte("tollgate/"), strconv.Itoa(LayoutVersion)...)
	key = append(key, '/')
	key = append(key, domain...)
	return append(key, '/')
}

func newTable(key HashKey, domain string, maxCounters uint32) table {
	n := Buckets(maxCounters)
	prefix := domainKey(domain)
	prefix = strconv.AppendUint(prefix, uint64(n), 10)
	prefix = append(prefix, '/')
	t := table{buckets: n, key: prefix, prefix: len(prefix)}
	for i := range 8 {
		t.k0 |= uint64(key[i]) << (8 * i)
		t.k1 |= uint64(key[8+i]) << (8 * i)
	}
	return t
}

// bucketKey returns the store's key of a bucket, valid until the next call.
func (t *table) bucketKey(bucket uint32) []byte {
	t.key = strconv.AppendUint(t.key[:t.prefix], uint64(bucket), 10)
	return t.key
}

func (t *table) bucketOf(d digest) uint32 { return uint32(d.place) & (t.buckets - 1) }

// client digests one identity under one rule. The encoding is injective: the lengths of the first two parts lead them.
func (t *table) client(rule, route string, identity []byte) digest {
	t.begin(0, rule, route)
	t.scratch = append(t.scratch, identity...)
	return t.hash()
}

// everyone digests a rule without an identity, for the overflow counters that its clients share.
func (t *table) everyone(rule, route string) digest {
	t.begin(1, rule, route)
	return t.hash()
}

func (t *table) begin(tag byte, rule, route string) {
	t.scratch = append(t.scratch[:0], tag)
	t.scratch = appendSized(t.scratch, rule)
	t.scratch = appendSized(t.scratch, route)
}

func (t *table) hash() digest {
	place, id := siphash.Hash128(t.k0, t.k1, t.scratch)
	return digest{place: place, id: id}
}

func appendSized(dst []byte, s string) []byte {
	n := uint32(len(s))
	dst = append(dst, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	return append(dst, s...)
}

// LoadHashKey returns the hash key of a domain, creating it from random bytes if no worker has yet: create-if-absent
// makes all workers agree on one. It fails with ErrCorrupt if the stored key has another length, and with the errors
// of the store and of random; a key of its own would make a worker count apart.
func LoadHashKey(store Store, domain string, random func([]byte) error) (HashKey, error) {
	name := append(domainKey(domain), "key"...)
	key, err := readHashKey(store, name)
	if !errors.Is(err, ErrNotFound) {
		return key, err
	}
	if err := random(key[:]); err != nil {
		return HashKey{}, err
	}
	if err := store.Create(name, key[:]); !errors.Is(err, ErrExists) {
		return key, err
	}
	return readHashKey(store, name)
}

func readHashKey(store Store, name []byte) (key HashKey, err error) {
	value, _, err := store.Get(name)
	if err != nil {
		return key, err
	}
	if len(value) != len(key) {
		return key, ErrCorrupt
	}
	copy(key[:], value)
	return key, nil
}
