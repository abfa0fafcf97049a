package wasmhost

import (
	"sync"
	"time"
)

// clock is the wall clock of a host: set by the test, or read from a function.
type clock struct {
	mu   sync.Mutex
	set  time.Time
	read func() time.Time // used instead of set, if not nil
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	read, set := c.read, c.set
	c.mu.Unlock()
	if read != nil {
		return read() // outside the lock: it may set the clock
	}
	return set
}

// Now returns the host's time.
func (h *Host) Now() time.Time { return h.clock.now() }

// SetTime stops the clock at t. The guest sees it as nanoseconds since 1970 from proxy_get_current_time_nanoseconds and
// from the WASI wall clock alike. The monotonic clock, which only the guest's runtime reads, is the real one.
func (h *Host) SetTime(t time.Time) {
	h.clock.mu.Lock()
	defer h.clock.mu.Unlock()
	h.clock.set, h.clock.read = t, nil
}

// Advance moves the set clock by d, which may be negative. It does nothing to a clock given by SetClock.
func (h *Host) Advance(d time.Duration) {
	h.clock.mu.Lock()
	defer h.clock.mu.Unlock()
	h.clock.set = h.clock.set.Add(d)
}

// SetClock makes the host read its time from now, which may be called from several goroutines; time.Now makes it real.
func (h *Host) SetClock(now func() time.Time) {
	h.clock.mu.Lock()
	defer h.clock.mu.Unlock()
	h.clock.read = now
}
