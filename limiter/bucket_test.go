package limiter

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"testing"
)

// TestLayout holds the bytes of a bucket: workers of another build read them.
func TestLayout(t *testing.T) {
	var b bucket
	b.reset()
	if got, want := hex.EncodeToString(b.bytes()), "01"; got != want {
		t.Errorf("empty bucket: %s; want %s", got, want)
	}
	b.put(0, entry{fingerprint: 0x0102030405060708, end: 0x11121314, count: 0x21222324})
	if got, want := hex.EncodeToString(b.bytes()), "01"+"0807060504030201"+"14131211"+"24232221"; got != want {
		t.Errorf("one entry: %s; want %s", got, want)
	}
	b.put(2, entry{fingerprint: 1, end: 2, count: 3})
	want := "01" + "0807060504030201" + "14131211" + "24232221" + "00000000000000000000000000000000" + "0100000000000000" + "02000000" + "03000000"
	if got := hex.EncodeToString(b.bytes()); got != want {
		t.Errorf("an entry after a gap: %s; want %s", got, want)
	}
}

// TestGapIsBlank lengthens a bucket over what a longer one left in the same memory.
func TestGapIsBlank(t *testing.T) {
	var b bucket
	if err := b.load(append([]byte{LayoutVersion}, bytes.Repeat([]byte{0xff}, maxBucketSize-1)...)); err != nil {
		t.Fatal(err)
	}
	b.reset()
	b.put(5, entry{fingerprint: 1, end: 2, count: 3})
	for i := range 5 {
		if e := b.at(i); e != (entry{}) {
			t.Errorf("entry %d: %+v", i, e)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, value := range [][]byte{
		nil, {}, {0}, {LayoutVersion + 1}, {LayoutVersion, 0}, make([]byte, 17),
		append([]byte{LayoutVersion}, make([]byte, 15)...), append([]byte{LayoutVersion}, make([]byte, maxBucketSize)...),
		append([]byte{LayoutVersion}, make([]byte, maxBucketSize-1+16)...),
	} {
		var b bucket
		if err := b.load(value); !errors.Is(err, ErrCorrupt) {
			t.Errorf("load(%d bytes %.20x) = %v; want ErrCorrupt", len(value), value, err)
		}
	}
}

func TestLive(t *testing.T) {
	for _, test := range []struct {
		end  uint32
		now  int64
		want bool
	}{
		{10, 10*second - 1, true}, {10, 10 * second, false}, {10, 11 * second, false}, {0, 0, false},
		{math.MaxUint32, math.MaxUint32*second - 1, true}, {math.MaxUint32, math.MaxInt64, false},
	} {
		if got := (entry{end: test.end}).live(test.now); got != test.want {
			t.Errorf("end %d is live at %d: %v; want %v", test.end, test.now, got, test.want)
		}
	}
}

// TestVacant checks which slots may be given away, also of entries that end too far ahead for their slot.
func TestVacant(t *testing.T) {
	const now = 1000 * second
	for _, test := range []struct {
		name string
		end  uint32
		slot int
		want bool
	}{
		{"blank", 0, 0, true},
		{"over", 1000, 9, true},
		{"live", 1001, 0, false},
		{"the end of the longest short window", 1000 + shortWindow, 0, false},
		{"a second of tolerance", 1000 + shortWindow + 1, 3, false},
		{"ahead of every short window", 1000 + shortWindow + 2, 3, true},
		{"a long window", 1000 + shortWindow + 2, 4, false},
		{"the longest window", 1000 + MaxWindow + 1, 4, false},
		{"ahead of every window", 1000 + MaxWindow + 2, 4, true},
		{"an overflow counter", 1000 + shortWindow + 2, 16, false},
	} {
		if got := vacant(entry{fingerprint: 1, end: test.end, count: 1}, test.slot, now); got != test.want {
			t.Errorf("%s: %v; want %v", test.name, got, test.want)
		}
	}
}

// FuzzBucket loads any bytes as a stored bucket. What loads comes back byte for byte, and an entry that is put is there and
// leaves the others alone.
func FuzzBucket(f *testing.F) {
	one := append([]byte{LayoutVersion}, bytes.Repeat([]byte{7}, entrySize)...)
	full := append([]byte{LayoutVersion}, bytes.Repeat([]byte{9}, maxBucketSize-1)...)
	for _, value := range [][]byte{nil, {LayoutVersion}, {0}, one, one[:len(one)-1], full, append(full, 1), []byte("foreign")} {
		f.Add(value, byte(0), uint64(1), uint32(2), uint32(3))
		f.Add(value, byte(maxEntries-1), uint64(math.MaxUint64), uint32(math.MaxUint32), uint32(math.MaxUint32))
	}
	f.Fuzz(func(t *testing.T, value []byte, slot byte, fingerprint uint64, end, count uint32) {
		var b bucket
		if err := b.load(value); err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("load = %v", err)
			}
			b.reset()
			value = b.bytes()
		}
		if !bytes.Equal(b.bytes(), value) {
			t.Fatalf("loaded %x as %x", value, b.bytes())
		}
		checkPut(t, &b, int(slot)%maxEntries, entry{fingerprint: fingerprint, end: end, count: count})
	})
}

func checkPut(t *testing.T, b *bucket, slot int, e entry) {
	before := *b
	b.put(slot, e)
	if got := b.at(slot); got != e {
		t.Fatalf("put %+v, found %+v", e, got)
	}
	for i := range maxEntries {
		if i != slot && b.at(i) != before.at(i) {
			t.Fatalf("put into slot %d changed slot %d", slot, i)
		}
	}
	if found := b.find(e.fingerprint, 0, maxEntries); found < 0 || found > slot || b.at(found).fingerprint != e.fingerprint {
		t.Fatalf("found the fingerprint in slot %d; want %d or one before", found, slot)
	}
	var again bucket
	if err := again.load(b.bytes()); err != nil || !bytes.Equal(again.bytes(), b.bytes()) {
		t.Fatalf("what was put does not load: %v", err)
	}
}
