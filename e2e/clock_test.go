package e2e

import "time"

// windowEnd returns the Unix time, in seconds, at which the aligned window of length w that contains at ends.
func windowEnd(at time.Time, w time.Duration) int64 {
	seconds := int64(w / time.Second)
	return (at.Unix()/seconds + 1) * seconds
}

// needRoom returns when the current window of length w has at least room left, so that no test straddles a boundary by
// chance.
func needRoom(w, room time.Duration) {
	if end := time.Unix(windowEnd(time.Now(), w), 0); time.Until(end) < room {
		waitUntil(end)
	}
}

// waitUntil returns at the instant of the wall clock, never before it.
func waitUntil(instant time.Time) {
	for wait := time.Until(instant); wait > 0; wait = time.Until(instant) {
		<-time.After(wait)
	}
}
