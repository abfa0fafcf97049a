package main

import (
	"strings"
	"testing"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
)

// TestConflictsAreTriedAgain lets the proxy answer "conflict" some times: the request is counted once.
func TestConflictsAreTriedAgain(t *testing.T) {
	for _, conflicts := range []int{1, 3, 63} {
		host := hosttest.New(t)
		root := start(t, host, limited(5, "1h", ""))
		// The first write creates the bucket, the second one swaps it.
		for _, remaining := range []string{"4", "3"} {
			root.VM().SetHooks(wasmhost.Hooks{Inject: wasmhost.Fail("set_shared_data", conflicts, wasmhost.CASMismatch)})
			root.VM().ResetTrace()
			response := do(t, root, get("/", "alice"), nil)
			want(t, "after conflicts", response, 200, "limit=5 remaining="+remaining+" reset=1700002800")
			if n := root.VM().Count("set_shared_data"); n != conflicts+1 {
				t.Errorf("%d conflicts: %d writes", conflicts, n)
			}
		}
		tick(t, root)
		wantMetrics(t, host, map[string]uint64{"api.allowed": 2, "cas_conflicts": 2 * uint64(conflicts), "errors_contended": 0})
	}
}

// TestEndlessConflictsEndWithOnError holds that the attempts are bounded, and what a request gets then.
func TestEndlessConflictsEndWithOnError(t *testing.T) {
	for onError, status := range map[string]int{"allow": 200, "refuse": 503} {
		host := hosttest.New(t)
		root := start(t, host, limited(5, "1h", `"on_error": "`+onError+`",`))
		host.ResetLogs()
		root.VM().SetHooks(wasmhost.Hooks{Inject: wasmhost.Fail("set_shared_data", -1, wasmhost.CASMismatch)})
		for range 2 {
			root.VM().ResetTrace()
			want(t, onError, do(t, root, get("/", "alice"), nil), status, "")
			if n := root.VM().Count("set_shared_data"); n != 64 {
				t.Errorf("%s: %d attempts, want 64", onError, n)
			}
		}
		tick(t, root)
		wantMetrics(t, host, map[string]uint64{"api.allowed": 0, "api.limited": 0, "cas_conflicts": 128, "errors_contended": 2})
		if n := strings.Count(host.LogText(), "\n"); n != 1 || !strings.Contains(host.LogText(), "error tollgate shop:") {
			t.Errorf("%s: want one line of level error, have %q", onError, host.LogText())
		}
		root.VM().SetHooks(wasmhost.Hooks{})
		want(t, "afterwards", do(t, root, get("/", "alice"), nil), 200, "limit=5 remaining=4 reset=1700002800")
	}
}

// TestFailingHostCalls lets each host call of an exchange fail with each status that a proxy may return. Nothing traps, and
// the client gets what on_error says.
func TestFailingHostCalls(t *testing.T) {
	const counted = "limit=1 remaining=0 reset=1700002800"
	for _, c := range []struct {
		call            string
		spent           bool // whether the budget is spent before
		allowed, strict int  // status with on_error allow, and with refuse
		headers         string
		metric          string
	}{
		{call: "get_header_map_pairs", allowed: 200, strict: 503, metric: "errors_headers"},
		{call: "get_shared_data", allowed: 200, strict: 503, metric: "errors_store"},
		{call: "get_current_time_nanoseconds", allowed: 200, strict: 503, metric: "errors_clock"},
		{call: "set_shared_data", allowed: 200, strict: 503, metric: "errors_store"},
		{call: "replace_header_map_value", allowed: 200, strict: 200, metric: "errors_headers"},
		{call: "send_local_response", spent: true, allowed: 200, strict: 200, headers: counted, metric: "errors_reply"},
	} {
		for status := wasmhost.BadArgument; status <= wasmhost.Unimplemented; status++ {
			if c.call == "set_shared_data" && status == wasmhost.CASMismatch {
				continue // a conflict, which is tried again
			}
			for onError, code := range map[string]int{"allow": c.allowed, "refuse": c.strict} {
				host := hosttest.New(t)
				root := start(t, host, limited(1, "1h", `"on_error": "`+onError+`",`))
				if c.spent {
					want(t, "before", do(t, root, get("/", "alice"), nil), 200, counted)
				}
				root.VM().SetHooks(wasmhost.Hooks{Inject: wasmhost.Fail(c.call, 1, status)})
				want(t, c.call+" "+status.String(), do(t, root, get("/", "alice"), nil), code, c.headers)
				tick(t, root)
				wantMetrics(t, host, map[string]uint64{c.metric: 1})
				if err := host.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// tick runs a plugin's tick, which passes the metrics on.
func tick(t *testing.T, root *wasmhost.Root) {
	t.Helper()
	if err := root.Tick(); err != nil {
		t.Fatal(err)
	}
}

// wantMetrics compares metrics of the domain shop.
func wantMetrics(t *testing.T, host *wasmhost.Host, want map[string]uint64) {
	t.Helper()
	for name, value := range want {
		if got, ok := host.Metric("tollgate.shop." + name); !ok || got != value {
			t.Errorf("metric %s = %d (defined: %t), want %d", name, got, ok, value)
		}
	}
}
