package abi

import "unsafe"

// arenaSize holds what one callback usually gets from the host: 64 KiB are the headers of any ordinary request and a bucket.
const arenaSize = 64 << 10

// maxAllocation is the most that the host gets at once: far more than a proxy's limits on headers and configurations let it ask
// for.
const maxAllocation = 256 << 20

// arena hands out the memory that the host asks for to return something in (proxy_on_memory_allocate). While it asks, the host
// allows the module almost no call, so the memory is there beforehand and no garbage collection starts. It is reset when the
// next callback begins: what the host returned is valid until then.
type arena struct {
	block [arenaSize]byte
	used  uint32
	// extra holds blocks for what did not fit.
	extra [][]byte
}

func (a *arena) reset() {
	a.used = 0
	if a.extra != nil {
		clear(a.extra)
		a.extra = a.extra[:0]
	}
}

// allocate returns the address of size fresh bytes, or nil, upon which the host lets its call fail.
func (a *arena) allocate(size uint32) unsafe.Pointer {
	const align = 8
	if size > maxAllocation {
		return nil
	}
	if size = (size + align - 1) &^ (align - 1); size <= arenaSize-a.used && size != 0 {
		p := unsafe.Pointer(&a.block[a.used])
		a.used += size
		return p
	}
	block := make([]byte, max(size, align))
	a.extra = append(a.extra, block)
	return unsafe.Pointer(&block[0])
}

// bytes returns the memory at an address that allocate returned, nil for any other.
func (a *arena) bytes(address uintptr, size uint32) []byte {
	if size == 0 {
		return nil
	}
	if b := within(a.block[:], address, size); b != nil {
		return b
	}
	for _, block := range a.extra {
		if b := within(block, address, size); b != nil {
			return b
		}
	}
	return nil
}

func within(block []byte, address uintptr, size uint32) []byte {
	start := uintptr(unsafe.Pointer(&block[0]))
	if address < start || uint64(address-start)+uint64(size) > uint64(len(block)) {
		return nil
	}
	from := address - start
	to := from + uintptr(size)
	return block[from:to:to]
}

// text is the same memory as a string.
func (a *arena) text(address uintptr, size uint32) string {
	b := a.bytes(address, size)
	return unsafe.String(unsafe.SliceData(b), len(b))
}
