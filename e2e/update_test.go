package e2e

import (
	"errors"
	"strings"
	"testing"

	"tollgate/e2e/envoytest"
)

// A running Envoy gets a new budget: it holds from then on, and what was counted stays counted.
func TestUpdateChangesTheBudgetAndKeepsTheCount(t *testing.T) {
	t.Parallel()
	with := func(config string) envoytest.Listener {
		return envoytest.Listener{Name: "main", Filters: []envoytest.Filter{tollgate(t, config)}}
	}
	envoy := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{with(oneRule("update", 3, "1h"))}})
	needRoom(hour, hourRoom)
	before := connect(t, http1, envoy.Addr("main"))
	before.get("/", "alice").check(t, 200, standing{3, 2, hour})
	before.get("/", "alice").check(t, 200, standing{3, 1, hour})

	if err := envoy.Update(with(oneRule("update", 9, "1h"))); err != nil {
		t.Fatal(err)
	}
	after := connect(t, http1, envoy.Addr("main"))
	after.get("/", "alice").check(t, 200, standing{9, 6, hour})

	if err := envoy.Update(with(oneRule("update", 2, "1h"))); err != nil {
		t.Fatal(err)
	}
	lowered := connect(t, http1, envoy.Addr("main"))
	lowered.get("/", "alice").check(t, 429, standing{2, 0, hour})
	lowered.get("/", "bob").check(t, 200, standing{2, 1, hour})
}

// twoMistakes is a configuration with a mistake on each of two lines, and saysBoth is how each must be reported.
const twoMistakes = `{"domain": "broken", "rules": [
  {"name": "api", "limits": [{"requests": 10, "window": "0s"}]},
  {"name": "rest", "limts": []}
]}`

var saysBoth = []string{"rules[0].limits[0].window 2:57 ", "rules[1].limts 3:20 "}

// A bad update is refused, with every mistake in the log. The running configuration goes on, its counters intact.
func TestBadUpdateIsRefused(t *testing.T) {
	t.Parallel()
	with := func(config string) envoytest.Listener {
		return envoytest.Listener{Name: "main", Filters: []envoytest.Filter{tollgate(t, config)}}
	}
	envoy := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{with(oneRule("good", 3, "1h"))}})
	needRoom(hour, hourRoom)
	connect(t, http1, envoy.Addr("main")).get("/", "alice").check(t, 200, standing{3, 2, hour})

	if err := envoy.Update(with(twoMistakes)); !errors.Is(err, envoytest.ErrRejected) {
		t.Fatalf("update: %v, want it rejected", err)
	}
	checkLog(t, envoy.Log(), saysBoth)
	connect(t, http1, envoy.Addr("main")).get("/", "alice").check(t, 200, standing{3, 1, hour})
}

// An Envoy that is to start with a bad configuration does not, and says why.
func TestBadConfigurationStopsTheStart(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		filter func() envoytest.Filter
		want   []string
	}{
		{"two mistakes", func() envoytest.Filter { return tollgate(t, twoMistakes) }, saysBoth},
		{"none at all", func() envoytest.Filter { return envoytest.Plugin{Module: envoytest.Module(t)}.Filter() }, []string{`"rules"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			log := envoytest.StartError(t, envoytest.Config{
				Static:    true,
				Listeners: []envoytest.Listener{{Name: "main", Filters: []envoytest.Filter{tt.filter()}}},
			})
			checkLog(t, log, tt.want)
		})
	}
}

func checkLog(t *testing.T, log string, want []string) {
	t.Helper()
	for _, text := range want {
		if !strings.Contains(log, text) {
			t.Errorf("Envoy's log lacks %q:\n%s", text, log)
		}
	}
}
