package readme_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tollgate/config"
	"tollgate/internal/readme"
	"tollgate/internal/wasmhost"
)

// TestHostCalls counts the host calls of an allowed request under each configuration of the table, in the built module.
func TestHostCalls(t *testing.T) {
	module, err := wasmhost.LoadBuilt()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range table(t, "Host calls", "with").Rows {
		extra := readme.CodeSpans(row[0])[0]
		t.Run(extra, func(t *testing.T) {
			if got := strconv.Itoa(callsWith(t, module, extra)); got != row[1] {
				t.Errorf("%s calls, the page says %s", got, row[1])
			}
		})
	}
}

// callsWith returns how many host calls an allowed request makes if these fields, of a rule or of the top level, are added to a
// plain configuration.
func callsWith(t *testing.T, module *wasmhost.Module, extra string) int {
	t.Helper()
	host := wasmhost.NewHost()
	defer host.Close()
	host.SetSeed(1) // two rules are in two buckets
	host.SetProperty([]byte("192.0.2.1:1234"), "source", "address")
	host.SetProperty([]byte("users"), "xds", "route_name")
	host.SetProperty([]byte("alice"), "metadata", "filter_metadata", "envoy.filters.http.jwt_authn", "payload", "sub")
	root, err := host.Start(module, wasmhost.Plugin{Name: "plugin", Config: withFields(t, extra)})
	if err != nil {
		t.Fatalf("%v\n%s", err, host.LogText())
	}
	request := wasmhost.Headers{{":method", "GET"}, {":authority", "example.com"}, {":path", "/users/1"}, {"x-api-key", "alice"}}
	exchange := func() {
		response, err := root.Do(request, nil)
		if err != nil || response.Status != 200 {
			t.Fatalf("%+v, %v", response, err)
		}
	}
	exchange() // the first request allocates, and Go's runtime may read its own clock
	root.VM().SetTrace(true)
	exchange()
	return len(slices.DeleteFunc(root.VM().Trace(), func(c wasmhost.Call) bool { return strings.HasPrefix(c.Name, "clock_time_get") }))
}

// withFields returns a configuration with these fields: in its only rule where a rule may have them, else at the top.
func withFields(t *testing.T, extra string) []byte {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(extra), &fields); err != nil {
		t.Fatal(err)
	}
	rule := map[string]any{"name": "api", "limits": []any{map[string]any{"requests": 9, "window": "1h"}}}
	top := map[string]any{"rules": []any{rule}}
	for name := range fields {
		if slices.Contains(config.Fields(), "rules."+name) {
			maps.Copy(rule, fields)
		} else {
			maps.Copy(top, fields)
		}
	}
	text, err := json.Marshal(top)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
