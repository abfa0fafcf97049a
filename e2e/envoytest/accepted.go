package envoytest

import "fmt"

// AwaitAccepted waits until a listener has accepted at least n connections, and returns how many each worker has taken of
// them, by the worker's number.
func (e *Envoy) AwaitAccepted(listener string, n uint64) []uint64 {
	e.t.Helper()
	var accepted []uint64
	err := e.process.await("connections on "+listener, startTimeout, func() (bool, error) {
		stats, err := e.stats()
		accepted = make([]uint64, stats["server.concurrency"])
		total := uint64(0)
		for worker := range accepted {
			accepted[worker] = stats[fmt.Sprintf("listener.%s.worker_%d.downstream_cx_total", listener, worker)]
			total += accepted[worker]
		}
		return total >= n, err
	})
	if err != nil {
		e.t.Fatalf("%v; want %d, each worker has %v", err, n, accepted)
	}
	return accepted
}
