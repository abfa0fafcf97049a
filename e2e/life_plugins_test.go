package e2e

import (
	"errors"
	"testing"

	"tollgate/e2e/envoytest"
)

// Two plugins that count together: a faulty update of one harms neither, and a good update of one leaves the other alone.
func TestLifeOfTwins(t *testing.T) {
	t.Parallel()
	window := farWindow()
	twin := func(name string, requests int) envoytest.Listener {
		return limited(t, name, oneRule("twins", requests, inSeconds(window)), "")
	}
	faulty := limited(t, "one", broken, "")
	envoy := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{twin("one", 5), twin("two", 5)}})
	ask := func(listener string, status int, limit, remaining int64) {
		t.Helper()
		connect(t, http1, envoy.Addr(listener)).get("/", "alice").check(t, status, standing{limit, remaining, window})
	}
	ask("one", 200, 5, 4)
	ask("two", 200, 5, 3)
	if err := envoy.Update(faulty, twin("two", 5)); !errors.Is(err, envoytest.ErrRejected) {
		t.Fatalf("update: %v, want it rejected", err)
	}
	ask("one", 200, 5, 2)
	ask("two", 200, 5, 1)
	update(t, envoy, twin("one", 7), twin("two", 5))
	ask("one", 200, 7, 2)
	ask("two", 429, 5, 0)
	ask("one", 200, 7, 1)
	update(t, envoy, twin("two", 5))
	ask("two", 429, 5, 0)
}
