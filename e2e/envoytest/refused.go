package envoytest

import "testing"

// StartRefused runs an Envoy that is expected to end by itself instead of serving, and returns its exit code and what it
// logged. The test fails if it serves.
func StartRefused(t testing.TB, c Config) (exitCode int, log string) {
	t.Helper()
	e, err := start(t, c)
	if err == nil {
		t.Fatal("envoy serves, but was expected to refuse its configuration")
	}
	if e == nil {
		t.Fatal(err)
	}
	<-e.process.exited // start does not leave it running
	state := e.process.cmd.ProcessState
	if !state.Exited() {
		t.Fatalf("envoy did not end by itself: %v", err)
	}
	return state.ExitCode(), e.Log()
}
