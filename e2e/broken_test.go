package e2e

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tollgate/e2e/envoytest"
)

// broken has mistakes of many sorts, and brokenAt is where each of them stands.
const broken = `{
  "domain": "broken",
  "rules": [
    {"name": "login", "match": [{"path": "/x/../login"}], "limits": [{"requests": 3, "window": "0s"}]},
    {"name": "login", "limts": [{"requests": 3, "window": "10s"}]},
    {"name": "api", "limits": [{"requests": -1, "window": "1.5s"}, {"requests": "3", "window": "10s", "requests": 4}]}
  ]
}`

var brokenAt = []string{
	"rules[0].match[0].path 4:42",
	"rules[0].limits[0].window 4:96",
	"rules[1].name 5:14",
	"rules[1].limts 5:23",
	"rules[2] 6:5",
	"rules[2].limits[0].requests 6:45",
	"rules[2].limits[0].window 6:59",
	"rules[2].limits[1].requests 6:81",
	"rules[2].limits[1].requests 6:103",
}

// Envoy does not start with a broken configuration, or with none: it ends with an exit code that says so, and every mistake in
// its log.
func TestBrokenConfigurationEndsEnvoy(t *testing.T) {
	t.Parallel()
	none := envoytest.Plugin{Module: envoytest.Module(t)}
	for _, tt := range []struct {
		name   string
		filter envoytest.Filter
		at     []string
	}{
		{"broken", tollgate(t, broken), brokenAt},
		{"none", none.Filter(), []string{"configuration 1:1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			exitCode, log := envoytest.StartRefused(t, envoytest.Config{
				Static:    true,
				Listeners: []envoytest.Listener{{Name: "main", Filters: []envoytest.Filter{tt.filter}}},
			})
			if exitCode == 0 {
				t.Errorf("exit code %d, want that of a failure", exitCode)
			}
			checkMistakes(t, log, tt.at)
		})
	}
}

// A broken update of one listener is refused, as often as it comes, with every mistake in the log. That listener goes on as
// before with its counters, and the others are updated all the same.
func TestBrokenUpdateHarmsNobody(t *testing.T) {
	t.Parallel()
	window := farWindow()
	main := limited(t, "main", oneRule("main", 3, inSeconds(window)), "")
	neighbour := func(requests int) envoytest.Listener {
		return limited(t, "neighbour", oneRule("neighbour", requests, inSeconds(window)), "")
	}
	envoy := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{main, neighbour(9)}})
	ask := func(listener string) answer { return connect(t, http1, envoy.Addr(listener)).get("/", "alice") }
	open := connect(t, http1, envoy.Addr("main"))
	open.get("/", "alice").check(t, 200, standing{3, 2, window})
	ask("neighbour").check(t, 200, standing{9, 8, window})

	for i := range int64(2) {
		err := envoy.Update(limited(t, "main", broken, ""), neighbour(10+int(i)))
		if !errors.Is(err, envoytest.ErrRejected) {
			t.Fatalf("update %d: %v, want it rejected", i+1, err)
		}
		ask("neighbour").check(t, 200, standing{10 + i, 8, window})
	}
	checkMistakes(t, envoy.Log(), brokenAt)
	open.get("/", "alice").check(t, 200, standing{3, 1, window}) // the listener did not even begin to drain
	ask("main").check(t, 200, standing{3, 0, window})
	ask("main").check(t, 429, standing{3, 0, window})

	update(t, envoy, limited(t, "main", oneRule("main", 4, inSeconds(window)), ""), neighbour(10))
	ask("main").check(t, 200, standing{4, 0, window})
}

var mistake = regexp.MustCompile(`(?m)configuration refused: (\S+ \d+:\d+) (.*)$`)

// checkMistakes holds that the log has a line for each of these places and no other, and that each says what is wrong and,
// after a semicolon, what to write instead.
func checkMistakes(t testing.TB, log string, want []string) {
	t.Helper()
	var at []string
	for _, m := range mistake.FindAllStringSubmatch(log, -1) {
		at = append(at, m[1])
		if reason, advice, _ := strings.Cut(m[2], "; "); reason == "" || advice == "" {
			t.Errorf("%s: %q, want a reason and an advice", m[1], m[2])
		}
	}
	if !slices.Equal(at, want) {
		t.Errorf("Envoy's log has mistakes at\n%q, want\n%q", at, want)
	}
}

// checkLog holds that a log has each of these texts.
func checkLog(t *testing.T, log string, want []string) {
	t.Helper()
	for _, text := range want {
		if !strings.Contains(log, text) {
			t.Errorf("Envoy's log lacks %q:\n%s", text, log)
		}
	}
}
