package limiter

import (
	"errors"
	"math"
	"testing"
)

func TestWindowEnd(t *testing.T) {
	const s = second
	tests := []struct {
		now            int64
		length, offset uint32
		want           uint32
	}{
		{0, 10, 0, 10},
		{1, 10, 0, 10},
		{10*s - 1, 10, 0, 10},
		{10 * s, 10, 0, 20},
		{0, 1, 0, 1},
		{s - 1, 1, 0, 1},
		{s, 1, 0, 2},
		{0, MaxWindow, 0, MaxWindow},
		{0, 10, 3, 3}, // the window of 0 began before 1970
		{3*s - 1, 10, 3, 3},
		{3 * s, 10, 3, 13},
		{0, 10, 9, 9},
		{1_700_000_005 * s, 3600, 0, 1_700_002_800},
		{1 << 31 * s, 60, 0, 1<<31 - 1<<31%60 + 60},
		{math.MaxUint32*s - 1, 1, 0, math.MaxUint32},
		{(math.MaxUint32 - 5) * s, 5, 0, math.MaxUint32}, // 2^32-1 is a multiple of 5
	}
	for _, test := range tests {
		got, err := windowEnd(test.now, test.length, test.offset)
		if err != nil || got != test.want {
			t.Errorf("windowEnd(%d, %d, %d) = %d, %v; want %d", test.now, test.length, test.offset, got, err, test.want)
		}
	}
}

func TestWindowEndOutOfRange(t *testing.T) {
	for _, test := range []struct {
		now    int64
		length uint32
	}{
		{math.MaxUint32 * second, 1},
		{(math.MaxUint32 - 4) * second, 10},
		{math.MaxInt64, 1},
		{math.MaxInt64, MaxWindow},
		{-1, 10},
		{math.MinInt64, 10},
	} {
		if end, err := windowEnd(test.now, test.length, 0); !errors.Is(err, ErrClock) {
			t.Errorf("windowEnd(%d, %d, 0) = %d, %v; want ErrClock", test.now, test.length, end, err)
		}
	}
}

func TestFloorDiv(t *testing.T) {
	for _, test := range []struct{ a, b, want int64 }{
		{7, 3, 2}, {6, 3, 2}, {0, 3, 0}, {-1, 3, -1}, {-3, 3, -1}, {-4, 3, -2}, {math.MinInt64, 1, math.MinInt64},
	} {
		if got := floorDiv(test.a, test.b); got != test.want {
			t.Errorf("floorDiv(%d, %d) = %d; want %d", test.a, test.b, got, test.want)
		}
	}
}

func TestSecondsUntil(t *testing.T) {
	const s = second
	for _, test := range []struct {
		end  uint32
		now  int64
		want uint32
	}{
		{10, 0, 10},
		{10, 1, 10},
		{10, s - 1, 10},
		{10, s, 9},
		{10, 9 * s, 1},
		{10, 10*s - 1, 1},
		{10, 10 * s, 1}, // never 0
		{10, 20 * s, 1}, // nor negative
		{math.MaxUint32, 0, math.MaxUint32},
	} {
		if got := secondsUntil(test.end, test.now); got != test.want {
			t.Errorf("secondsUntil(%d, %d) = %d; want %d", test.end, test.now, got, test.want)
		}
	}
}
