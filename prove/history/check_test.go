package history

import (
	"errors"
	"testing"
	"time"
)

// two allows two requests in ten seconds.
var two = Limit{Requests: 2, Window: 10}

// at is an operation of one client whose clock and time both run from call to back, in seconds.
func at(call, back int64, a Answer) Operation {
	second := int64(time.Second)
	return Operation{
		Call: call * second, Return: back * second, Earliest: call * second, Latest: back * second, Answer: a,
	}
}

func allowed(remaining uint32, reset int64) Answer { return Answer{true, 2, remaining, reset} }

func refused(reset int64) Answer { return Answer{false, 2, 0, reset} }

func TestCheck(t *testing.T) {
	tests := []struct {
		name    string
		history History
		legal   bool
	}{
		{"nothing", nil, true},
		{"one after the other", History{at(1, 2, allowed(1, 10)), at(3, 4, allowed(0, 10)), at(5, 6, refused(10))}, true},
		{"a new window", History{at(1, 2, allowed(1, 10)), at(3, 4, allowed(0, 10)), at(10, 11, allowed(1, 20))}, true},
		{"at once, in the other order", History{at(1, 9, allowed(0, 10)), at(2, 8, allowed(1, 10))}, true},
		{"across a boundary, in the other order", History{at(8, 12, allowed(1, 20)), at(8, 12, allowed(1, 10))}, true},
		{"refused at once with what spent the budget", History{at(1, 9, refused(10)), at(1, 9, allowed(0, 10)), at(1, 9, allowed(1, 10))}, true},

		{"a lost count", History{at(1, 9, allowed(1, 10)), at(2, 8, allowed(1, 10))}, false},
		{"one too many", History{at(1, 2, allowed(1, 10)), at(3, 4, allowed(0, 10)), at(5, 6, allowed(0, 10))}, false},
		{"refused with room", History{at(1, 2, allowed(1, 10)), at(3, 4, refused(10))}, false},
		{"refused before the budget was spent", History{at(1, 2, refused(10)), at(3, 4, allowed(1, 10)), at(5, 6, allowed(0, 10))}, false},
		{"refused with something remaining", History{at(1, 2, allowed(1, 10)), at(3, 4, allowed(0, 10)), at(5, 6, Answer{false, 2, 1, 10})}, false},
		{"remaining in the wrong order", History{at(1, 2, allowed(0, 10)), at(3, 4, allowed(1, 10))}, false},
		{"another limit", History{at(1, 2, Answer{true, 3, 1, 10})}, false},
		{"a window that was over", History{at(10, 11, allowed(1, 10))}, false},
		{"a window to come", History{at(1, 2, allowed(1, 20))}, false},
		{"no window's end", History{at(1, 12, allowed(1, 15))}, false},
		{"back to an earlier window", History{at(8, 12, allowed(1, 20)), at(13, 14, allowed(0, 20)), at(8, 15, allowed(1, 10)), at(16, 17, allowed(1, 20))}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.history.Check(two, time.Minute)
			if tt.legal && err != nil || !tt.legal && !errors.Is(err, ErrIllegal) {
				t.Errorf("got %v, want legal = %v", err, tt.legal)
			}
		})
	}
}

// A checker that is cut off has shown nothing.
func TestCheckTimeout(t *testing.T) {
	// Refusals that all overlap can stand in any order, and no order helps: one request too many was allowed.
	h := History{at(0, 9, allowed(1, 10)), at(0, 9, allowed(0, 10)), at(0, 9, allowed(0, 10))}
	for range 40 {
		h = append(h, at(0, 9, refused(10)))
	}
	if err := h.Check(two, 10*time.Millisecond); !errors.Is(err, ErrTimeout) {
		t.Errorf("got %v, want ErrTimeout", err)
	}
}

func TestFigures(t *testing.T) {
	h := History{
		at(1, 2, allowed(1, 10)), // alone
		at(3, 9, allowed(0, 10)), // around the next two
		at(4, 5, refused(10)),
		at(6, 7, refused(10)),
		at(11, 12, allowed(1, 20)), // alone
	}
	if got, want := h.Figures(), (Figures{Operations: 5, Overlapping: 3, Allowed: 3, Windows: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestDemanding(t *testing.T) {
	enough := Figures{Operations: 200, Overlapping: 60, Allowed: 100, Windows: 2}
	tests := []struct {
		name   string
		change func(*Figures)
		want   error
	}{
		{"enough", func(*Figures) {}, nil},
		{"too short", func(f *Figures) { f.Operations = 199 }, ErrTame},
		{"too few overlap", func(f *Figures) { f.Overlapping = 59 }, ErrTame},
		{"nothing refused", func(f *Figures) { f.Allowed = 200 }, ErrTame},
		{"nothing allowed", func(f *Figures) { f.Allowed = 0 }, ErrTame},
		{"one window", func(f *Figures) { f.Windows = 1 }, ErrTame},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := enough
			tt.change(&f)
			if err := f.Demanding(); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}
