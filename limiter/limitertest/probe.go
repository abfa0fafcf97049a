package limitertest

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"tollgate/limiter"
	"tollgate/limiter/memstore"
)

// BucketOf returns the number of the bucket, from 0, that a charge's counters stand in.
func BucketOf(o limiter.Options, c limiter.Charge) int {
	keys, _ := probe(o, new(memstore.Store), c)
	number, _ := strconv.Atoi(string(keys[0][bytes.LastIndexByte(keys[0], '/')+1:]))
	return number
}

// entry is a stored counter.
type entry struct {
	slot        int
	fingerprint uint64
	end, count  uint32
}

// entries decodes a bucket's value, by the documented layout and not by the limiter's own code.
func entries(value []byte) (all []entry) {
	for slot := range len(value) / 16 {
		e := value[1+16*slot:]
		decoded := entry{slot, binary.LittleEndian.Uint64(e), binary.LittleEndian.Uint32(e[8:]), binary.LittleEndian.Uint32(e[12:])}
		if decoded.end != 0 {
			all = append(all, decoded)
		}
	}
	return all
}

// probe returns the bucket keys and values that one charge leaves in a store.
func probe(o limiter.Options, store *memstore.Store, c limiter.Charge) (keys [][]byte, values [][]byte) {
	l := limiter.New(store, func() (int64, error) { return 1e9, nil }, HashKey, o)
	c.Cost = 1
	c.Limits = []limiter.Limit{{Requests: 1, Window: c.Limits[0].Window}}
	l.Take([]limiter.Charge{c})
	store.Each(func(key string, value []byte) {
		keys, values = append(keys, []byte(key)), append(values, value)
	})
	return keys, values
}

// bucketOf returns the number of the bucket that a charge counts in.
func (g *ledger) bucketOf(c *limiter.Charge) uint8 {
	keys, _ := probe(g.options, new(memstore.Store), *c)
	return g.bucket(keys[0])
}

// oneBucket is a table in which all clients meet. Fingerprints do not depend on the table's size.
var oneBucket = limiter.Options{MaxCounters: 1}

func ownFingerprint(c *limiter.Charge, window uint32) uint64 {
	who := limiter.Charge{Rule: c.Rule, Route: c.Route, Identity: c.Identity, Limits: []limiter.Limit{{Window: window}}}
	_, values := probe(oneBucket, new(memstore.Store), who)
	return entries(values[0])[0].fingerprint
}

// sharedFingerprint fills a bucket, so that the next client meets the shared counter.
func sharedFingerprint(c *limiter.Charge, window uint32) uint64 {
	store := new(memstore.Store)
	for i := range 16 {
		probe(oneBucket, store, limiter.Charge{Rule: "fill", Identity: []byte{byte(i)}, Limits: []limiter.Limit{{Window: 60}}})
	}
	who := limiter.Charge{Rule: c.Rule, Route: c.Route, Identity: []byte("one more"), Limits: []limiter.Limit{{Window: window}}}
	_, values := probe(oneBucket, store, who)
	all := entries(values[0])
	return all[len(all)-1].fingerprint
}
