package limiter

// cacheSize is the number of exhausted counters that a limiter remembers, a power of two: 16 KiB.
const cacheSize = 1024

// exhausted remembers counters that had no room, so that a client that hammers on costs no trip to the store. Only counters
// that never go down within a window may be put in: what was seen is then a lower bound for as long as the window lasts.
type exhausted struct{ entries [cacheSize]entry }

// get returns the remembered counter of a fingerprint.
func (x *exhausted) get(fingerprint uint64) (entry, bool) {
	e := x.entries[fingerprint%cacheSize]
	return e, e.end != 0 && e.fingerprint == fingerprint
}

func (x *exhausted) put(e entry) { x.entries[e.fingerprint%cacheSize] = e }

func (x *exhausted) drop(fingerprint uint64) { x.entries[fingerprint%cacheSize] = entry{} }

// in says whether now lies in the window that ends with e.
func (e entry) in(now int64, window uint32) bool {
	return e.live(now) && now >= (int64(e.end)-int64(window))*second
}
