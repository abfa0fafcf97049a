package filter

import (
	"testing"

	"tollgate/internal/vectors"
)

// TestWireTraces plays every step of the traces through configuration, counting and reply, each scenario on an empty store.
func TestWireTraces(t *testing.T) {
	file, err := vectors.Read("../testdata/vectors/fixed-window.json")
	if err != nil {
		t.Fatal(err)
	}
	played := 0
	for _, scenario := range file.Scenarios {
		t.Run(scenario.Name, func(t *testing.T) {
			h := newFakeHost()
			p := startPlugin(t, h, string(scenario.Config))
			for i, step := range scenario.Steps {
				h.now = int64(step.At)
				r := h.play(p, step.Request())
				if err := step.Check(r.status, r.headers); err != nil {
					t.Errorf("step %d, %s %s: %v", i, step.Method, step.Target, err)
				}
				if rule := h.decider(p); rule != step.Decider() {
					t.Errorf("step %d, %s %s: rule %q decided, want %q", i, step.Method, step.Target, rule, step.Decider())
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
