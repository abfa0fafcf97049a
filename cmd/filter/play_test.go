package main

import (
	"fmt"
	"strings"
	"testing"

	"tollgate/internal/wasmhost"
)

// threeInTen allows a client three requests in ten seconds.
const threeInTen = `{"domain": "shop", "rules": [{"name": "api", "limits": [{"requests": 3, "window": "10s"}]}]}`

// start starts the module with a configuration in a VM of its own.
func start(t testing.TB, host *wasmhost.Host, configuration string) *wasmhost.Root {
	t.Helper()
	root, err := host.Start(built(t), wasmhost.Plugin{Name: "plugin", Config: []byte(configuration)})
	if err != nil {
		t.Fatalf("%v\n%s", err, host.LogText())
	}
	return root
}

// limited is a configuration with one rule for everything. fields are more of the top level's, each with a comma after it.
func limited(requests int, window, fields string) string {
	return fmt.Sprintf(`{"domain": "shop", %s "rules": [{"name": "api", "limits": [{"requests": %d, "window": %q}]}]}`,
		fields, requests, window)
}

// do plays one exchange; a nil upstream answers 200.
func do(t testing.TB, root *wasmhost.Root, request wasmhost.Headers, upstream wasmhost.Upstream) wasmhost.Response {
	t.Helper()
	response, err := root.Do(request, upstream)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// get is a request of a client with an API key.
func get(target, key string) wasmhost.Headers {
	return append(bare("GET", target), [2]string{"x-api-key", key})
}

func bare(method, target string) wasmhost.Headers {
	return wasmhost.Headers{{":method", method}, {":scheme", "http"}, {":authority", "shop.example"}, {":path", target}}
}

// told lists the headers that the filter writes, in the order in which they stand.
func told(r wasmhost.Response) string {
	var lines []string
	for _, line := range r.Headers {
		if strings.HasPrefix(line[0], "x-ratelimit-") || line[0] == "retry-after" {
			lines = append(lines, strings.TrimPrefix(line[0], "x-ratelimit-")+"="+line[1])
		}
	}
	return strings.Join(lines, " ")
}

// want compares a response with a status and what told makes of its headers.
func want(t testing.TB, what string, r wasmhost.Response, status int, headers string) {
	t.Helper()
	if r.Status != status || told(r) != headers {
		t.Errorf("%s: %d with %q, want %d with %q", what, r.Status, told(r), status, headers)
	}
}
