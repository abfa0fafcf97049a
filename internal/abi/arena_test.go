package abi

import (
	"bytes"
	"math"
	"runtime"
	"testing"
	"unsafe"
)

// given is what a host does with memory: it asks, writes and returns the address.
func given(t *testing.T, a *arena, text string) (address uintptr, size uint32) {
	t.Helper()
	size = uint32(len(text))
	p := a.allocate(size)
	if p == nil {
		t.Fatalf("no memory for %d bytes", size)
	}
	if uintptr(p)%8 != 0 {
		t.Errorf("the address %p for %d bytes is not aligned", p, size)
	}
	copy(unsafe.Slice((*byte)(p), size), text)
	return uintptr(p), size
}

// TestArenaKeepsWhatTheHostReturned asks for memory of all sizes around the arena's own: none overlaps another.
func TestArenaKeepsWhatTheHostReturned(t *testing.T) {
	type block struct {
		address uintptr
		size    uint32
		text    string
	}
	var a arena
	for range 3 { // callbacks
		a.reset()
		var blocks []block
		for i, size := range []int{1, 7, 8, 9, 100, arenaSize / 2, arenaSize / 2, arenaSize, arenaSize + 1, 1, 3 * arenaSize, 15} {
			text := string(bytes.Repeat([]byte{byte('a' + i)}, size))
			address, n := given(t, &a, text)
			blocks = append(blocks, block{address, n, text})
		}
		for i, b := range blocks {
			if got := a.bytes(b.address, b.size); string(got) != b.text || cap(got) != len(got) {
				t.Errorf("block %d of %d bytes: %d bytes with a capacity of %d", i, b.size, len(got), cap(got))
			}
			if a.text(b.address, b.size) != b.text {
				t.Errorf("block %d of %d bytes is another text", i, b.size)
			}
		}
	}
}

// TestArenaKnowsItsOwnMemoryOnly holds that an address or a size that was never given yields nothing.
func TestArenaKnowsItsOwnMemoryOnly(t *testing.T) {
	var a arena
	small, _ := given(t, &a, "small")
	large, size := given(t, &a, string(make([]byte, 2*arenaSize)))
	start := uintptr(unsafe.Pointer(&a.block[0]))
	for name, c := range map[string]struct {
		address uintptr
		size    uint32
	}{
		"zero":                    {0, 4},
		"nothing":                 {small, 0},
		"before the block":        {start - 1, 2},
		"beyond the block":        {start + arenaSize, 1},
		"over the block's end":    {start + arenaSize - 4, 5},
		"before a large one":      {large - 1, 2},
		"over a large one's end":  {large + uintptr(size) - 1, 2},
		"the size wraps":          {small, math.MaxUint32},
		"the size of a large one": {large, math.MaxUint32},
		"the last address":        {^uintptr(0), 1},
	} {
		if got := a.bytes(c.address, c.size); got != nil {
			t.Errorf("%s: %d bytes", name, len(got))
		}
		if got := a.text(c.address, c.size); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	runtime.KeepAlive(&a)
}

// TestArenaForgetsLargeBlocks holds that what did not fit is freed with the next callback, and that the arena's own memory is
// used again.
func TestArenaForgetsLargeBlocks(t *testing.T) {
	var a arena
	first, _ := given(t, &a, "text")
	large, size := given(t, &a, string(make([]byte, 2*arenaSize)))
	a.reset()
	if got := a.bytes(large, size); got != nil {
		t.Errorf("%d bytes of the callback before", len(got))
	}
	if again, _ := given(t, &a, "next"); again != first {
		t.Error("the arena's memory is not used again")
	}
}

func TestArenaAllocatesNothingForWhatFits(t *testing.T) {
	var a arena
	if n := testing.AllocsPerRun(10, func() {
		a.reset()
		for range 64 {
			if a.allocate(1000) == nil {
				t.Fatal("no memory")
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestArenaRefusesTheAbsurd holds that a size near 2^32 is neither rounded down to nothing nor granted.
func TestArenaRefusesTheAbsurd(t *testing.T) {
	var a arena
	for _, size := range []uint32{maxAllocation + 1, math.MaxInt32, math.MaxUint32 - 7, math.MaxUint32} {
		if a.allocate(size) != nil {
			t.Errorf("%d bytes were given", size)
		}
	}
	if a.used != 0 || len(a.extra) != 0 {
		t.Errorf("%d bytes and %d blocks are taken", a.used, len(a.extra))
	}
	if a.allocate(0) == nil {
		t.Error("no bytes have no address, which the host takes for a failure")
	}
}
