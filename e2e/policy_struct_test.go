package e2e

import (
	"fmt"
	"strings"
	"testing"

	"tollgate/e2e/envoytest"
)

// A configuration that is written as YAML in Envoy's own, without a text in between, arrives as a protobuf Struct. It works like the
// text, and errors go by the path alone. YAML reads a bare "off" as a boolean: the error says so.
//
// Fields: domain, mode, rules
func TestPolicyStruct(t *testing.T) {
	t.Parallel()
	w := newTimes()
	good := `{domain: yaml, on_unidentified: next, mode: "enforce", max_counters: 1000, rules: [
		{name: login, match: [{methods: [POST], path: /login}], limits: [{requests: 2, window: hour}], cost: 1},
		{name: watch, mode: shadow, limits: [{requests: 1, window: hour}]},
		{name: api, limits: [{requests: 3, window: hour}, {requests: 9, window: day}]}]}`
	for word, length := range w {
		good = strings.ReplaceAll(good, "window: "+word, "window: "+inSeconds(length))
	}
	t.Run("runs", func(t *testing.T) {
		t.Parallel()
		envoy := envoytest.Start(t, envoytest.Config{Bootstrap: structBootstrap(t, good)})
		w.run(t, envoy.Addr("main"), []step{
			{"POST /login\nx-api-key: alice", "200 2/1 hour"}, {"POST /login\nx-api-key: alice", "200 2/0 hour"}, {"POST /login\nx-api-key: alice", "429 2/0 hour"},
			get("/", "alice", "200 3/2 hour"), {"GET /", "200"},
		})
	})
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		bad := `{domain: yaml, mode: off, stagger: "yes", rules: [
			{name: login, limts: [], limits: [{requests: 1.5, window: 10}]}, {name: on, limits: []}]}`
		_, log := envoytest.StartRefused(t, envoytest.Config{Bootstrap: structBootstrap(t, bad)})
		checkLog(t, log, []string{
			"configuration refused: mode is false, not a string; ", `(YAML reads a bare on, off, yes or no as true or false: quote it)`,
			"configuration refused: stagger is a string, not ",
			"configuration refused: rules[0].limts is not a known field; ",
			"configuration refused: rules[0].limits[0].requests ",
			`configuration refused: rules[0].limits[0].window is a number, not a string; write "10s" for seconds`,
			"configuration refused: rules[1].name is true, not a string; ",
			"configuration refused: rules[1].limits is an empty list; ",
		})
	})
}

// structBootstrap returns the start configuration of an Envoy whose plugin has this YAML as its configuration.
func structBootstrap(t *testing.T, yaml string) string {
	t.Helper()
	text := `{"@type": type.googleapis.com/google.protobuf.StringValue, value: %q}`
	before, after, ok := strings.Cut(perRoute, text)
	if !ok {
		t.Fatal("the bootstrap has no text to replace")
	}
	before = fmt.Sprintf(before, envoytest.Module(t))
	return before + `{"@type": type.googleapis.com/google.protobuf.Struct, value: ` + yaml + `}` + after
}
