package limiter

import "encoding/binary"

// The layout of a bucket's value: a version byte, then entries of 16 bytes. The first 16 entries belong to clients, those
// after them are overflow counters. An entry is a fingerprint (8 bytes), the window's end in Unix seconds (4) and the
// count (4), all little-endian. A value is as long as its last used entry.
const (
	// LayoutVersion leads every bucket and stands in every key, so that another layout starts on keys of its own.
	LayoutVersion = 1

	entrySize     = 16
	clientSlots   = 16
	overflowSlots = 16
	maxEntries    = clientSlots + overflowSlots
	maxBucketSize = 1 + maxEntries*entrySize

	// The first slots are kept for windows of at most shortWindow seconds, so that a flood on a daily limit leaves room
	// for the short ones.
	shortSlots  = 4
	shortWindow = 60
)

// entry is one counter. An entry whose window is over is free; it needs no sweeping.
type entry struct {
	fingerprint uint64
	end         uint32 // Unix seconds
	count       uint32
}

func (e entry) live(now int64) bool { return now < int64(e.end)*second }

// bucket is a private copy of one bucket's value.
type bucket struct {
	size int
	data [maxBucketSize]byte
}

// reset makes the bucket empty, as a key that does not exist.
func (b *bucket) reset() {
	b.data[0] = LayoutVersion
	b.size = 1
}

// load copies a stored value. It fails with ErrCorrupt for a value that this layout cannot have.
func (b *bucket) load(value []byte) error {
	if len(value) == 0 || len(value) > maxBucketSize || len(value)%entrySize != 1 || value[0] != LayoutVersion {
		return ErrCorrupt
	}
	b.size = copy(b.data[:], value)
	return nil
}

func (b *bucket) bytes() []byte { return b.data[:b.size] }

func (b *bucket) entries() int { return b.size / entrySize }

// at returns entry i, a free one beyond the end of the value.
func (b *bucket) at(i int) entry {
	if i >= b.entries() {
		return entry{}
	}
	p := b.data[1+i*entrySize:]
	return entry{
		fingerprint: binary.LittleEndian.Uint64(p),
		end:         binary.LittleEndian.Uint32(p[8:]),
		count:       binary.LittleEndian.Uint32(p[12:]),
	}
}

// put writes entry i, lengthening the value by free entries where needed.
func (b *bucket) put(i int, e entry) {
	if need := 1 + (i+1)*entrySize; need > b.size {
		clear(b.data[b.size:need])
		b.size = need
	}
	p := b.data[1+i*entrySize:]
	binary.LittleEndian.PutUint64(p, e.fingerprint)
	binary.LittleEndian.PutUint32(p[8:], e.end)
	binary.LittleEndian.PutUint32(p[12:], e.count)
}

// find returns the index of a fingerprint among the entries from, from+1, ... to-1, live or not, or -1.
func (b *bucket) find(fingerprint uint64, from, to int) int {
	for i := from; i < min(to, b.entries()); i++ {
		if binary.LittleEndian.Uint64(b.data[1+i*entrySize:]) == fingerprint {
			return i
		}
	}
	return -1
}

// free returns the first free slot among from, from+1, ... to-1 that is not in the bit set taken, or -1.
func (b *bucket) free(now int64, from, to int, taken uint32) int {
	for i := from; i < to; i++ {
		if taken&(1<<i) == 0 && vacant(b.at(i), i, now) {
			return i
		}
	}
	return -1
}

// vacant says whether slot i may be given away: its window is over, or ends later than any window that this slot may hold
// could end, so that the clock was set back since. Without the second clause the counters made while a clock was a year ahead would keep
// the short slots for that year.
func vacant(e entry, slot int, now int64) bool {
	longest := int64(MaxWindow)
	if slot < shortSlots {
		longest = shortWindow
	}
	return !e.live(now) || int64(e.end)*second > now+(longest+1)*second
}
