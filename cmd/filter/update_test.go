package main

import (
	"errors"
	"strings"
	"testing"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
)

// TestUpdateInTheSameVM replaces a configuration while a stream is open: the stream ends under the old one, new ones begin
// under the new one, and counters whose rule and window stay are kept.
func TestUpdateInTheSameVM(t *testing.T) {
	host := hosttest.New(t)
	old := start(t, host, `{"domain": "shop", "rules": [
		{"name": "login", "match": [{"path": "/login"}], "limits": [{"requests": 1, "window": "10s"}]},
		{"name": "api", "limits": [{"requests": 3, "window": "10s"}]}]}`)
	want(t, "before", do(t, old, get("/", "alice"), nil), 200, "limit=3 remaining=2 reset=1700000010")
	open, err := old.Begin(get("/", "alice"))
	if err != nil {
		t.Fatal(err)
	}

	updated, err := old.Update([]byte(limited(5, "10s", "")))
	if err != nil {
		t.Fatal(err)
	}
	want(t, "counter kept", do(t, updated, get("/", "alice"), nil), 200, "limit=5 remaining=2 reset=1700000010")
	want(t, "rule gone", do(t, updated, get("/login", "alice"), nil), 200, "limit=5 remaining=1 reset=1700000010")
	response, err := open.Finish(nil)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "the open stream", response, 200, "limit=3 remaining=1 reset=1700000010")

	if deleted, err := old.Shutdown(); !deleted || err != nil {
		t.Errorf("the old plugin was not deleted: %v", err)
	}
	tick(t, updated)
	wantMetrics(t, host, map[string]uint64{"api.allowed": 4, "login.allowed": 0})
	want(t, "afterwards", do(t, updated, get("/", "alice"), nil), 200, "limit=5 remaining=0 reset=1700000010")
}

// TestAStreamOutlivesItsPlugin ends a stream after its plugin is gone.
func TestAStreamOutlivesItsPlugin(t *testing.T) {
	host := hosttest.New(t)
	root := start(t, host, threeInTen)
	open, err := root.Begin(get("/", "alice"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := root.Shutdown(); err != nil {
		t.Fatal(err)
	}
	response, err := open.Finish(nil)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "the open stream", response, 200, "limit=3 remaining=2 reset=1700000010")
}

// TestBrokenUpdateIsRefused holds that every error is in the log with its place, and that the running plugin keeps serving.
func TestBrokenUpdateIsRefused(t *testing.T) {
	host := hosttest.New(t)
	root := start(t, host, threeInTen)
	want(t, "before", do(t, root, get("/", "alice"), nil), 200, "limit=3 remaining=2 reset=1700000010")
	host.ResetLogs()
	const broken = `{
  "domain": "shop",
  "rules": [
    {"name": "api", "limits": [{"requests": -1, "window": "0s"}]},
    {"name": "api", "limts": []}
  ]
}`
	if _, err := root.Update([]byte(broken)); !errors.Is(err, wasmhost.ErrConfigureRefused) {
		t.Fatalf("the broken configuration: %v", err)
	}
	for _, place := range []string{
		"rules[0].limits[0].requests 4:45 ", "rules[0].limits[0].window 4:59 ",
		"rules[1].limts 5:21 ", "rules[1].name 5:14 ",
	} {
		if n := strings.Count(host.LogText(), "error tollgate: configuration refused: "+place); n != 1 {
			t.Errorf("%d lines about %s, want 1", n, place)
		}
	}
	for _, line := range lines(host.LogText()) {
		if !strings.HasPrefix(line, "error ") || !strings.Contains(line, "; ") {
			t.Errorf("a line without level or advice: %q", line)
		}
	}
	want(t, "afterwards", do(t, root, get("/", "alice"), nil), 200, "limit=3 remaining=1 reset=1700000010")
}

// TestBrokenConfigurationsAreRefusedAtTheStart holds that none of them traps, and that the VM can be used afterwards.
func TestBrokenConfigurationsAreRefusedAtTheStart(t *testing.T) {
	host := hosttest.New(t)
	vm, err := host.NewVM(built(t), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"", " ", "{}", "null", "[]", "0", `"text"`, "\xef\xbb\xbf" + threeInTen, threeInTen + ",", threeInTen[:40],
		strings.Repeat("[", 100_000), "\x0a\x00", "\x00", "\xff\xfe", strings.Replace(threeInTen, "limits", "limt", 1),
	} {
		host.ResetLogs()
		if _, err := vm.Start(wasmhost.Plugin{Config: []byte(text)}); !errors.Is(err, wasmhost.ErrConfigureRefused) {
			t.Fatalf("%.60q: %v", text, err)
		}
		if !strings.Contains(host.LogText(), "error tollgate: configuration refused: ") {
			t.Errorf("%.60q: no error in the log: %q", text, host.LogText())
		}
	}
	root, err := vm.Start(wasmhost.Plugin{Config: []byte(threeInTen)})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "afterwards", do(t, root, get("/", "alice"), nil), 200, "limit=3 remaining=2 reset=1700000010")
}

// TestAConfigurationThatIsNotThere is told from one that cannot be read, also in a VM that has read another one before.
func TestAConfigurationThatIsNotThere(t *testing.T) {
	const empty, unreadable = "configuration 1:1 is empty; write at least {", "it could not be read"
	for name, c := range map[string]struct {
		hooks wasmhost.Hooks
		log   string
	}{
		"no bytes":     {wasmhost.Hooks{}, empty},
		"none":         {wasmhost.Hooks{Inject: wasmhost.Fail("get_buffer_bytes", 1, wasmhost.NotFound)}, empty},
		"out of reach": {wasmhost.Hooks{Inject: wasmhost.Fail("get_buffer_bytes", 1, wasmhost.BadArgument)}, unreadable},
	} {
		host := hosttest.New(t)
		root := start(t, host, threeInTen)
		for range 2 {
			do(t, root, get("/", "alice"), nil) // leaves what it read in the VM
		}
		host.ResetLogs()
		root.VM().SetHooks(c.hooks)
		if _, err := root.Update(nil); !errors.Is(err, wasmhost.ErrConfigureRefused) {
			t.Errorf("%s: %v", name, err)
		}
		if want := "error tollgate: configuration refused: " + c.log; !strings.HasPrefix(host.LogText(), want) {
			t.Errorf("%s: log %q, want %q", name, host.LogText(), want)
		}
	}
}

// TestTwoPlugins run side by side: with different domains they do not know of each other, with one they share counters.
func TestTwoPlugins(t *testing.T) {
	for _, c := range []struct{ domain, second string }{
		{"mart", "limit=3 remaining=2 reset=1700000010"},
		{"shop", "limit=3 remaining=1 reset=1700000010"},
	} {
		host := hosttest.New(t)
		first := start(t, host, limited(1, "10s", ""))
		second := start(t, host, strings.Replace(threeInTen, "shop", c.domain, 1))
		want(t, "first", do(t, first, get("/", "alice"), nil), 200, "limit=1 remaining=0 reset=1700000010")
		want(t, "second of "+c.domain, do(t, second, get("/", "alice"), nil), 200, c.second)
		if _, err := first.Update([]byte("{}")); !errors.Is(err, wasmhost.ErrConfigureRefused) {
			t.Errorf("a broken update of the first: %v", err)
		}
		want(t, "first", do(t, first, get("/", "alice"), nil), 429, "limit=1 remaining=0 reset=1700000010 retry-after=10")
	}
}
