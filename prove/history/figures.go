package history

import "fmt"

// Figures say how much a history can show.
type Figures struct {
	Operations  int
	Overlapping int // operations during which another one of the history was under way
	Allowed     int
	Windows     int
}

// Figures counts.
func (h History) Figures() Figures {
	f := Figures{Operations: len(h)}
	windows := map[int64]bool{}
	lastReturn := int64(-1) // of all operations that were called before
	for i, o := range h {
		if o.Call <= lastReturn || i+1 < len(h) && h[i+1].Call <= o.Return {
			f.Overlapping++
		}
		lastReturn = max(lastReturn, o.Return)
		if o.Answer.Allowed {
			f.Allowed++
		}
		windows[o.Answer.Reset] = true
	}
	f.Windows = len(windows)
	return f
}

// What a history needs to show anything.
const (
	minOperations         = 200
	minOverlappingPercent = 30
	minWindows            = 2
)

// Demanding returns nil if the history was a test of the limiter: long enough, with many requests at once, some allowed
// and some refused, across a boundary between windows. Otherwise its error wraps ErrTame.
func (f Figures) Demanding() error {
	switch {
	case f.Operations < minOperations:
		return fmt.Errorf("%w: %v, want %d operations", ErrTame, f, minOperations)
	case f.Overlapping*100 < f.Operations*minOverlappingPercent:
		return fmt.Errorf("%w: %v, want %d %% of them to overlap", ErrTame, f, minOverlappingPercent)
	case f.Allowed == 0 || f.Allowed == f.Operations:
		return fmt.Errorf("%w: %v, want some allowed and some refused", ErrTame, f)
	case f.Windows < minWindows:
		return fmt.Errorf("%w: %v, want %d windows", ErrTame, f, minWindows)
	}
	return nil
}

// Add adds the figures of another history. Windows become the greater number of the two.
func (f Figures) Add(g Figures) Figures {
	return Figures{
		Operations:  f.Operations + g.Operations,
		Overlapping: f.Overlapping + g.Overlapping,
		Allowed:     f.Allowed + g.Allowed,
		Windows:     max(f.Windows, g.Windows),
	}
}

// String is the figures as a test prints them.
func (f Figures) String() string {
	return fmt.Sprintf("%d operations, %d %% overlapping, %d allowed, %d refused, %d windows",
		f.Operations, 100*f.Overlapping/max(f.Operations, 1), f.Allowed, f.Operations-f.Allowed, f.Windows)
}
