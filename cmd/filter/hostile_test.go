package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
)

// TestHostileRequests sends what no decent client sends. Nothing traps, and everything is counted.
func TestHostileRequests(t *testing.T) {
	many := bare("GET", "/")
	for i := range 5_000 {
		many = append(many, [2]string{fmt.Sprint("x-", i), strings.Repeat("v", 60)})
	}
	for name, headers := range map[string]wasmhost.Headers{
		"no headers":                 {},
		"no path":                    {{":method", "GET"}, {":authority", "shop.example"}},
		"no method":                  {{":path", "/"}},
		"empty path":                 bare("GET", ""),
		"asterisk":                   bare("OPTIONS", "*"),
		"path not UTF-8":             bare("GET", "/\xff\xfe"),
		"bad percent escapes":        bare("GET", "/%%%2/%zz%"),
		"ten thousand dot segments":  bare("GET", strings.Repeat("/..", 10_000)),
		"ten thousand slashes":       bare("GET", strings.Repeat("/", 10_000)),
		"header not UTF-8":           append(bare("GET", "/"), [2]string{"x-note", "\xc3\x28\xff"}),
		"zero bytes":                 append(bare("GET", "/"), [2]string{"x-\x00", "\x00\x00"}),
		"empty name":                 append(bare("GET", "/"), [2]string{"", ""}),
		"60 KB value":                append(bare("GET", "/"), [2]string{"x-long", strings.Repeat("l", 60<<10)}),
		"1 MB value":                 append(bare("GET", "/"), [2]string{"x-long", strings.Repeat("l", 1<<20)}),
		"60 KB path":                 bare("GET", "/"+strings.Repeat("p", 60<<10)),
		"thousands of lines":         many,
		"the filter's own names":     append(bare("GET", "/"), [2]string{"x-ratelimit-remaining", "99"}),
		"a line break in the method": bare("GET\r\nX: y", "/"),
	} {
		t.Run(name, func(t *testing.T) {
			root := start(t, hosttest.New(t), threeInTen)
			for _, remaining := range []string{"2", "1"} {
				want(t, name, do(t, root, headers, nil), 200, "limit=3 remaining="+remaining+" reset=1700000010")
			}
		})
	}
}

// TestHostileKeys holds that keys are bytes: those that differ anywhere are different clients, whatever they are made of.
func TestHostileKeys(t *testing.T) {
	long := strings.Repeat("k", 8<<10)
	root := start(t, hosttest.New(t), limited(1, "10s", ""))
	for _, key := range []string{
		"\xff", "\xfe", "\xc3\x28", "\x00", "\x00\x00", "a\x00b", "a\x00c", long + "1", long + "2", long,
		strings.Repeat("k", 60<<10), "alice", "Alice", "al ice", "*", "anonymous", "null", "💣",
	} {
		what := fmt.Sprintf("%.20q of %d bytes", key, len(key))
		want(t, what, do(t, root, get("/", key), nil), 200, "limit=1 remaining=0 reset=1700000010")
		want(t, what, do(t, root, get("/", key), nil), 429, "limit=1 remaining=0 reset=1700000010 retry-after=10")
	}
	want(t, "no key", do(t, root, bare("GET", "/"), nil), 200, "limit=1 remaining=0 reset=1700000010")
	for _, key := range []string{"", " ", " \t "} {
		want(t, "blank key", do(t, root, get("/", key), nil), 429, "limit=1 remaining=0 reset=1700000010 retry-after=10")
	}
}

// TestKeysStaySecret looks for API keys in everything that leaves the module: shared data, log, metrics, replies.
func TestKeysStaySecret(t *testing.T) {
	const key = "s3cr3t-0f-al1ce"
	host := hosttest.New(t)
	root := start(t, host, limited(1, "10s", `"on_error": "refuse",`))
	serve := func() {
		response := do(t, root, get("/", key), nil)
		if text := fmt.Sprint(response); strings.Contains(text, key) {
			t.Errorf("the response holds the key: %s", text)
		}
	}
	serve() // allowed
	serve() // refused
	serve() // refused from memory
	for _, call := range []string{"get_header_map_pairs", "get_shared_data", "set_shared_data", "get_current_time_nanoseconds",
		"replace_header_map_value", "send_local_response"} {
		root.VM().SetHooks(wasmhost.Hooks{Inject: wasmhost.Fail(call, -1, wasmhost.InternalFailure)})
		serve()
	}
	tick(t, root)

	if text := host.LogText(); strings.Contains(text, key) || !strings.Contains(text, "error ") {
		t.Errorf("the log holds the key, or no failure: %s", text)
	}
	for name := range host.Metrics() {
		if strings.Contains(name, key) {
			t.Errorf("metric %s", name)
		}
	}
	dump := host.Shared("").Dump()
	for name, value := range dump {
		if strings.Contains(name, key) || bytes.Contains(value, []byte(key)) {
			t.Errorf("shared data %q = %q", name, value)
		}
	}
	if len(dump) < 3 {
		t.Errorf("shared data has %d keys only: nothing was counted", len(dump))
	}
}
