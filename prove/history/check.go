package history

import (
	"errors"
	"fmt"
	"time"

	"github.com/anishathalye/porcupine"
)

// Limit is the rule that all operations of a history are held to: one limit, cost 1.
type Limit struct {
	Requests uint32
	Window   int64 // seconds
}

// Why a history does not prove anything.
var (
	// ErrIllegal says that no single worker could have given these answers in any order that the times allow.
	ErrIllegal = errors.New("history: not linearizable")
	// ErrTimeout says that the checker did not come to an end.
	ErrTimeout = errors.New("history: the checker ran out of time")
	// ErrTame says that the history is too short or too orderly to show anything.
	ErrTame = errors.New("history: too tame")
)

// Check looks for an order of the operations, each at one instant between its call and its return, in which a single
// worker would have given the same answers. It returns nil, or an error that wraps ErrIllegal or ErrTimeout.
func (h History) Check(limit Limit, timeout time.Duration) error {
	switch porcupine.CheckOperationsTimeout(limit.model(), h.operations(), timeout) {
	case porcupine.Ok:
		return nil
	case porcupine.Illegal:
		return fmt.Errorf("%w: %s", ErrIllegal, h.stuck(limit, timeout))
	}
	return fmt.Errorf("%w after %v: %d operations", ErrTimeout, timeout, len(h))
}

// stuck describes how far the checker came. It searches once more, which keeping this information makes slower.
func (h History) stuck(limit Limit, timeout time.Duration) string {
	_, info := porcupine.CheckOperationsVerbose(limit.model(), h.operations(), timeout)
	longest, fits := 0, map[int]bool{}
	for _, order := range info.PartialLinearizations()[0] {
		if len(order) > longest {
			longest = len(order)
			clear(fits)
			for _, id := range order {
				fits[id] = true
			}
		}
	}
	for id, o := range h {
		if !fits[id] {
			return fmt.Sprintf("at most %d of %d operations fit into one order; the first that does not is %v", longest, len(h), o)
		}
	}
	return fmt.Sprintf("%d operations", len(h))
}

func (h History) operations() []porcupine.Operation {
	operations := make([]porcupine.Operation, len(h))
	for i := range h {
		operations[i] = porcupine.Operation{ClientId: h[i].Worker, Input: h[i], Call: h[i].Call, Output: h[i].Answer, Return: h[i].Return}
	}
	return operations
}

// counter is the whole state of the sequential limiter: the window that it counts in and what it has admitted there.
type counter struct {
	end   int64 // Unix seconds
	count uint32
}

func (l Limit) model() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return counter{} },
		Step: func(state, input, output any) (bool, any) {
			return l.step(state.(counter), input.(Operation), output.(Answer))
		},
	}
}

// step is the sequential limiter. It says whether it could have given this answer now, and what it has counted then.
func (l Limit) step(c counter, o Operation, a Answer) (bool, counter) {
	if a.Limit != l.Requests || a.Reset < l.windowEnd(o.Earliest) || a.Reset > l.windowEnd(o.Latest) || a.Reset%l.Window != 0 {
		return false, c
	}
	if a.Reset < c.end {
		return false, c // time does not go back
	}
	if a.Reset > c.end {
		c = counter{end: a.Reset}
	}
	if c.count >= l.Requests {
		return !a.Allowed && a.Remaining == 0, c
	}
	c.count++
	return a.Allowed && a.Remaining == l.Requests-c.count, c
}

// windowEnd returns the end, in Unix seconds, of the window that contains an instant in Unix nanoseconds.
func (l Limit) windowEnd(now int64) int64 {
	return (now/int64(time.Second)/l.Window + 1) * l.Window
}
