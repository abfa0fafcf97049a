package main

import (
	"testing"
	"time"

	"tollgate/internal/vectors"
	"tollgate/internal/wasmhost/hosttest"
)

// TestWireTraces plays every step of the traces through the module, each scenario on an empty store.
func TestWireTraces(t *testing.T) {
	file, err := vectors.Read("../../testdata/vectors/fixed-window.json")
	if err != nil {
		t.Fatal(err)
	}
	played := 0
	for _, scenario := range file.Scenarios {
		t.Run(scenario.Name, func(t *testing.T) {
			host := hosttest.New(t)
			root := start(t, host, string(scenario.Config))
			for i, step := range scenario.Steps {
				host.SetTime(time.Unix(0, int64(step.At)))
				response := do(t, root, step.Request(), nil)
				if err := step.Check(response.Status, response.Headers); err != nil {
					t.Errorf("step %d, %s %s: %v", i, step.Method, step.Target, err)
				}
				if response.Local && response.Body != "" {
					t.Errorf("step %d: the refusal has a body: %q", i, response.Body)
				}
				played++
			}
		})
	}
	t.Logf("played %d steps of %d scenarios", played, len(file.Scenarios))
	if played != file.Steps() {
		t.Errorf("played %d of %d steps", played, file.Steps())
	}
}
