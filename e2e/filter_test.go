package e2e

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"tollgate/e2e/envoytest"
)

// hour is the window of tests that count but do not test time. A test of some seconds needs little room in it.
const (
	hour     = time.Hour
	hourRoom = 20 * time.Second
)

// tollgate returns the filter under test with a configuration.
func tollgate(t testing.TB, config string) envoytest.Filter {
	t.Helper()
	return envoytest.Plugin{Module: envoytest.Module(t), Config: &config}.Filter()
}

// oneRule returns a configuration with the one rule "api" for every request, in a domain of its own.
func oneRule(domain string, requests int, window string) string {
	return fmt.Sprintf(`{"domain": %q, "rules": [{"name": "api", "limits": [{"requests": %d, "window": %q}]}]}`,
		domain, requests, window)
}

// rbac returns Envoy's own filter that answers 403 to requests with a header of the name given.
func rbac(t testing.TB, header string) envoytest.Filter {
	t.Helper()
	typed := fmt.Sprintf(`{
		"@type": "type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC",
		"rules": {"action": "DENY", "policies": {"marked": {
			"permissions": [{"any": true}],
			"principals": [{"header": {"name": %q, "present_match": true}}]
		}}}
	}`, header)
	return envoytest.Filter{Name: "envoy.filters.http.rbac", Typed: json.RawMessage(typed)}
}
