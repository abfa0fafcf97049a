package envoytest

// AwaitWorkers waits until every worker has all listeners as they are configured. Update returns when the main thread has
// taken them, and a worker may still accept a connection under the ones before.
func (e *Envoy) AwaitWorkers() {
	e.t.Helper()
	const prefix = "listener_manager.listener_"
	err := e.process.await("listeners on all workers", startTimeout, func() (bool, error) {
		s, err := e.stats()
		if err != nil {
			return false, err
		}
		brought := s["server.concurrency"] * (s[prefix+"added"] + s[prefix+"modified"])
		return s[prefix+"create_success"]+s[prefix+"create_failure"] >= brought, nil
	})
	if err != nil {
		e.t.Fatal(err)
	}
}
