package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
)

// TestDomains holds that plugins of one domain share their counters, in one VM or in several, and that others do not; the domain is
// the plugin's name where the configuration has none.
//
// Fields: domain, $schema
func TestDomains(t *testing.T) {
	const rules = `"rules": [{"name": "api", "limits": [{"requests": 9, "window": "1h"}]}]`
	host := hosttest.New(t)
	for i, c := range []struct{ name, domain, left string }{
		{"one", `"domain": "shop", "$schema": "./tollgate.schema.json",`, "8"},
		{"two", `"domain": "shop",`, "7"},
		{"one", `"domain": "bank",`, "8"},
		{"shop", ``, "6"},
		{"one", ``, "8"},
		{"two", ``, "8"},
	} {
		root, err := host.Start(built(t), wasmhost.Plugin{Name: c.name, Config: []byte(`{` + c.domain + rules + `}`)})
		if err != nil {
			t.Fatal(err)
		}
		if got := remaining(t, root, get("/", "alice")); got != c.left {
			t.Errorf("plugin %d, %s with %s: %s left, want %s", i, c.name, c.domain, got, c.left)
		}
	}
}

// TestFullTables holds what clients get for whom the table has no counter left, and that its keys are bounded by max_counters.
//
// Fields: max_counters, on_full
func TestFullTables(t *testing.T) {
	const clients, buckets = 200, 2 // of 12 counters each that a window of an hour may have
	for onFull, passed := range map[string]int{"": 26, `"on_full": "share",`: 26, `"on_full": "allow",`: clients, `"on_full": "refuse",`: 24} {
		host := hosttest.New(t)
		root := start(t, host, limited(1, "1h", onFull+` "max_counters": 16,`))
		keys, got := host.Shared("").Len(), 0
		for i := range clients {
			r := do(t, root, get("/", fmt.Sprint("client-", i)), nil)
			if r.Status == 200 {
				got++
			}
			if r.Headers.Value("x-ratelimit-limit") != "1" {
				t.Fatalf("client %d is told %q", i, headersOf(r))
			}
		}
		if got != passed {
			t.Errorf("%q: %d of %d clients pass, want %d", onFull, got, clients, passed)
		}
		if n := host.Shared("").Len() - keys; n != buckets {
			t.Errorf("%q: %d keys were written, want %d", onFull, n, buckets)
		}
		tick(t, root)
		wantMetrics(t, host, map[string]uint64{"table_full": clients - 24})
	}
	host := hosttest.New(t)
	start(t, host, limited(1, "1h", `"max_counters": 1000,`))
	if want := "info tollgate shop: started with 1 rules and 128 buckets for 1000 counters\n"; host.LogText() != want {
		t.Errorf("log %q, want %q", host.LogText(), want)
	}
}

// TestOnError holds what a request gets that cannot be counted: what its rule says, else what the top level does.
//
// Fields: on_error, rules.on_error
func TestOnError(t *testing.T) {
	for _, c := range []struct {
		top, rule string
		status    int
	}{
		{"", "", 200}, {`"on_error": "allow",`, "", 200}, {`"on_error": "refuse",`, "", 503},
		{`"on_error": "allow",`, `"on_error": "refuse",`, 503}, {`"on_error": "refuse",`, `"on_error": "allow",`, 200},
	} {
		root := start(t, hosttest.New(t), `{`+c.top+` "domain": "shop", "rules": [{"name": "api", `+c.rule+` "limits": [{"requests": 9, "window": "1h"}]}]}`)
		root.VM().SetHooks(wasmhost.Hooks{Inject: wasmhost.Fail("get_shared_data", 1, wasmhost.InternalFailure)})
		want(t, c.top+c.rule, do(t, root, get("/", "alice"), nil), c.status, "")
		want(t, c.top+c.rule+" afterwards", do(t, root, get("/", "alice"), nil), 200, "limit=9 remaining=8 reset=1700002800")
	}
}

// TestAStruct plays requests against a configuration that arrives as a protobuf Struct, and one that has a fault.
//
// Fields: rules
func TestAStruct(t *testing.T) {
	configuration, err := os.ReadFile("../../testdata/struct/shop.pb")
	if err != nil {
		t.Fatal(err)
	}
	host := hosttest.New(t)
	root := start(t, host, string(configuration))
	login := with(bare("POST", "/login"), "x-api-key", "alice")
	play(t, "a Struct", root,
		exchange{login, 200, 200, "limit=2 remaining=2 reset=10"}, exchange{login, 401, 401, "limit=2 remaining=1 reset=10"},
		exchange{get("/export", "alice"), 0, 200, "limit=10 remaining=7 reset=2800"},
		exchange{get("/", "alice"), 0, 200, "limit=1 remaining=0 reset=40"}, exchange{get("/", "alice"), 0, 429, "limit=1 remaining=0 reset=40 retry-after=40"},
		exchange{bare("GET", "/healthz"), 0, 200, ""})
	host.ResetLogs()
	_, err = root.Update([]byte(strings.Replace(string(configuration), "export", "expo\xff\xfe", 1)))
	if err == nil || host.LogText() != "error tollgate: configuration refused: configuration 1:1 is neither JSON nor a protobuf Struct; write JSON in a StringValue, or a google.protobuf.Struct\n" {
		t.Errorf("a broken Struct: %v, log %q", err, host.LogText())
	}
	host.ResetLogs()
	_, err = root.Update([]byte(strings.Replace(string(configuration), "continue", "continua", 1) + "\x0a\x0a\x0a\x04limt\x12\x02\x20\x01"))
	if err == nil || !strings.HasPrefix(host.LogText(), "error tollgate: configuration refused: limt is not a known field; ") {
		t.Errorf("a faulty Struct: %v, log %q", err, host.LogText())
	}
	play(t, "the old configuration", root, exchange{login, 401, 401, "limit=2 remaining=0 reset=10"})
}
