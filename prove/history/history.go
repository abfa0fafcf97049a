// Package history records what the clients of a rate limiter see and checks it against the limiter that the documentation
// describes: one counter per client, which a single worker would keep.
//
// Record the requests of several workers with a [Recorder], split them by client with [Recorder.Histories], and let
// [History.Check] look for an order in which a single worker could have given the same answers (linearizability). The
// checker does not know how the limiter works; it sees what a client sees, and when.
package history

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Operation is one request and what came of it.
type Operation struct {
	Worker int    // who sent it, for messages
	Client string // whose budget it is held to

	// Call and Return are when it was sent and answered, in nanoseconds of a monotonic clock that all workers share.
	Call, Return int64
	// Earliest and Latest are what the limiter's own clock showed before the call and after the return, in Unix nanoseconds.
	Earliest, Latest int64

	Answer Answer
}

// String describes the operation for messages of tests.
func (o Operation) String() string {
	return fmt.Sprintf("worker %d, client %s, %d to %d ns: %v", o.Worker, o.Client, o.Call, o.Return, o.Answer)
}

// History is the operations of one client, in the order of their calls.
type History []Operation

// Recorder gathers operations. Its methods may be called from several goroutines.
type Recorder struct {
	wall  func() time.Time
	began time.Time

	mu         sync.Mutex
	operations []Operation
}

// NewRecorder returns an empty recorder. wall reads the clock that the limiter reads.
func NewRecorder(wall func() time.Time) *Recorder {
	return &Recorder{wall: wall, began: time.Now()}
}

// Record makes a request and notes when it began and ended and what it was answered. A request that fails is not part of
// the history; its error is returned.
func (r *Recorder) Record(worker int, client string, ask func() (Answer, error)) error {
	o := Operation{Worker: worker, Client: client, Earliest: r.wall().UnixNano(), Call: r.now()}
	answer, err := ask()
	o.Return, o.Latest = r.now(), r.wall().UnixNano()
	if err != nil {
		return err
	}
	o.Answer = answer
	r.mu.Lock()
	defer r.mu.Unlock()
	r.operations = append(r.operations, o)
	return nil
}

// now is monotonic.
func (r *Recorder) now() int64 { return int64(time.Since(r.began)) }

// Histories returns what was recorded, one history for each client, in the order of their names.
func (r *Recorder) Histories() []History {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := slices.Clone(r.operations)
	slices.SortStableFunc(all, func(a, b Operation) int {
		return cmp.Or(cmp.Compare(a.Client, b.Client), cmp.Compare(a.Call, b.Call))
	})
	var histories []History
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Client == all[0].Client {
			n++
		}
		histories, all = append(histories, all[:n]), all[n:]
	}
	return histories
}
