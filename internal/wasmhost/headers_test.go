package wasmhost

import (
	"reflect"
	"testing"
)

func TestHeadersLookup(t *testing.T) {
	h := Headers{{"A", "1"}, {"b", "2"}, {"a", "3"}}
	value, ok := h.Get("a")
	wantEqual(t, "first value", value, "1")
	wantEqual(t, "found", ok, true)
	_, ok = h.Get("c")
	wantEqual(t, "c found", ok, false)
	wantEqual(t, "missing value", h.Value("c"), "")
	wantLines(t, "values", h.Values("A"), "1", "3")
	wantLines(t, "names", h.Names(), "A", "b", "a")
}

func TestHeadersSetRemovesAllLinesAndAddsOneAtTheEnd(t *testing.T) {
	before := Headers{{"a", "1"}, {"b", "2"}, {"a", "3"}}
	h := before
	h.set("A", "4")
	if want := (Headers{{"b", "2"}, {"a", "4"}}); !reflect.DeepEqual(h, want) {
		t.Errorf("got %v, want %v", h, want)
	}
	wantEqual(t, "the original's last line", before[2][1], "3")
}

func TestPairsRoundTrip(t *testing.T) {
	for _, h := range []Headers{nil, {{"a", "1"}}, {{"a", ""}, {"", "x\x00y"}, {"a", "2"}}} {
		if got := decodePairs(encodePairs(h)); !reflect.DeepEqual(got, h) {
			t.Errorf("got %q, want %q", got, h)
		}
	}
}

func TestPairsLayout(t *testing.T) {
	got := string(encodePairs(Headers{{"ab", "c"}}))
	wantEqual(t, "bytes", got, "\x01\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00ab\x00c\x00")
}

func TestMalformedPairsAreNone(t *testing.T) {
	valid := string(encodePairs(Headers{{"ab", "c"}}))
	for _, b := range []string{"", "\x01", "\xff\xff\xff\xff", valid[:11], valid[:len(valid)-1],
		valid[:4] + "\xff\xff\xff\xff" + valid[8:], valid[:14] + "x" + valid[15:]} {
		if got := decodePairs([]byte(b)); got != nil {
			t.Errorf("%q: got %v, want none", b, got)
		}
	}
}
