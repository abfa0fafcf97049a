package abi

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"tollgate/filter"
)

func fields(pairs [][2]string) []filter.Field {
	var all []filter.Field
	for _, p := range pairs {
		all = append(all, filter.Field{Name: p[0], Value: []byte(p[1])})
	}
	return all
}

func TestPairsRoundTrip(t *testing.T) {
	for name, pairs := range map[string][][2]string{
		"none":        nil,
		"one":         {{":path", "/"}},
		"repeated":    {{"a", "1"}, {"a", "2"}, {"a", ""}},
		"empty":       {{"", ""}, {"", ""}},
		"any byte":    {{"\x00", "\xff\x00\xfe"}, {"ü", "\r\n"}},
		"a large one": {{"x", strings.Repeat("l", 70_000)}, {"y", "z"}},
	} {
		data := encodePairs(nil, fields(pairs))
		got, ok := decodePairs(nil, data)
		if !ok || !slices.Equal(got, pairs) {
			t.Errorf("%s: %q, %t", name, got, ok)
		}
	}
}

// TestPairsLayout holds the bytes against an example written out from pairs_util.h.
func TestPairsLayout(t *testing.T) {
	const want = "\x02\x00\x00\x00" + "\x01\x00\x00\x00\x02\x00\x00\x00" + "\x03\x00\x00\x00\x00\x00\x00\x00" + "a\x00bc\x00" + "def\x00\x00"
	got := encodePairs([]byte("before"), fields([][2]string{{"a", "bc"}, {"def", ""}}))
	if string(got) != "before"+want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestDecodedPairsAreAppended(t *testing.T) {
	before := [2]string{"kept", "kept"}
	got, ok := decodePairs([][2]string{before}, encodePairs(nil, fields([][2]string{{"a", "b"}})))
	if want := [][2]string{before, {"a", "b"}}; !ok || !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, ok := decodePairs(nil, nil); !ok || len(got) != 0 {
		t.Errorf("no data: %q, %t", got, ok)
	}
}

// malformed are data that are no list of pairs.
var malformed = map[string]string{
	"a part of the number":      "\x01\x00\x00",
	"no lengths":                "\x01\x00\x00\x00",
	"a part of the lengths":     "\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00",
	"no texts":                  "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
	"one text":                  "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
	"a name too long":           "\x01\x00\x00\x00\x09\x00\x00\x00\x01\x00\x00\x00a\x00b\x00",
	"a value too long":          "\x01\x00\x00\x00\x01\x00\x00\x00\x09\x00\x00\x00a\x00b\x00",
	"the longest name":          "\x01\x00\x00\x00\xff\xff\xff\xff\x01\x00\x00\x00a\x00b\x00",
	"the most pairs":            "\xff\xff\xff\xff\x01\x00\x00\x00\x01\x00\x00\x00a\x00b\x00",
	"pairs that wrap around":    "\x00\x00\x00\x20\x01\x00\x00\x00\x01\x00\x00\x00a\x00b\x00",
	"no zero after a name":      "\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00axb\x00",
	"no zero after a value":     "\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00a\x00bx",
	"no last zero":              "\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00a\x00b",
	"more than the pairs":       "\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00a\x00b\x00\x00",
	"texts of pairs not told":   "\x00\x00\x00\x00a\x00b\x00",
	"a second pair that is not": "\x02\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00a\x00b\x00",
}

func TestMalformedPairs(t *testing.T) {
	for name, data := range malformed {
		if got, ok := decodePairs(nil, []byte(data)); ok {
			t.Errorf("%s: taken for %q", name, got)
		}
	}
}

// FuzzDecodePairs holds that the decoder never panics or reads beyond the data, and takes nothing but what the encoder writes.
func FuzzDecodePairs(f *testing.F) {
	f.Add([]byte{})
	for _, data := range malformed {
		f.Add([]byte(data))
	}
	f.Add(encodePairs(nil, nil))
	f.Add(encodePairs(nil, fields([][2]string{{":method", "GET"}, {":path", "/login?next=%2F"}, {"x-api-key", "\xff\x00"}, {"", ""}})))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = slices.Clip(data)
		pairs, ok := decodePairs(nil, data)
		if len(pairs) > len(data)/(2*pairsWord) {
			t.Fatalf("%d pairs in %d bytes", len(pairs), len(data))
		}
		for _, pair := range pairs {
			for _, text := range pair {
				if !inside(text, data) {
					t.Fatalf("%q is not in the data", text)
				}
			}
		}
		if again := encodePairs(nil, fields(pairs)); ok && len(data) > 0 && !bytes.Equal(again, data) {
			t.Errorf("%q was taken for %q, which is %q", data, pairs, again)
		}
	})
}

// inside says whether a text's memory is a part of data.
func inside(text string, data []byte) bool {
	if len(text) == 0 {
		return true
	}
	from := uintptr(unsafe.Pointer(unsafe.StringData(text))) - uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	return uint64(from) <= uint64(len(data)) && uint64(from)+uint64(len(text)) <= uint64(len(data))
}

// BenchmarkDecodePairs is the cost of the headers of an ordinary request.
func BenchmarkDecodePairs(b *testing.B) {
	var pairs [][2]string
	for i := range 20 {
		pairs = append(pairs, [2]string{"x-header-" + string(rune('a'+i)), strings.Repeat("v", 20)})
	}
	data := encodePairs(nil, fields(pairs))
	if n := binary.LittleEndian.Uint32(data); n != 20 {
		b.Fatalf("%d pairs", n)
	}
	b.ReportAllocs()
	var dst [][2]string
	for b.Loop() {
		dst, _ = decodePairs(dst[:0], data)
	}
}
