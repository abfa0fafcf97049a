package limiter

import "math"

// second is a second in nanoseconds, the unit of a Clock.
const second = 1_000_000_000

// floorDiv divides rounding towards minus infinity, so that instants before a shifted origin fall into the window
// that contains them.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// windowEnd returns the end, in Unix seconds, of the window of the given length that contains now (nanoseconds). The
// windows are aligned to the Unix epoch shifted by offset seconds (0 <= offset < length). It fails with ErrClock where the
// end is not between 1 and 2^32-1 (the year 2106): wrapping around would open a spent budget.
func windowEnd(now int64, length, offset uint32) (uint32, error) {
	if now < 0 {
		return 0, ErrClock
	}
	w, o := int64(length), int64(offset)
	end := floorDiv(floorDiv(now, second)-o, w)*w + o + w
	if end > math.MaxUint32 {
		return 0, ErrClock
	}
	return uint32(end), nil
}

// secondsUntil returns the whole seconds from now (nanoseconds) to end (Unix seconds), rounded up and at least 1: waiting that
// long is always enough.
func secondsUntil(end uint32, now int64) uint32 {
	left := int64(end)*second - now
	if left <= second {
		return 1
	}
	return uint32((left + second - 1) / second)
}
