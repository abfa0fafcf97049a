package main

import (
	"slices"
	"strings"
	"testing"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
)

// The host calls of an exchange: reading, taking and telling are what every counted request costs.
var (
	reading = []string{"get_header_map_pairs(request)"}
	taking  = []string{"get_shared_data", "get_current_time_nanoseconds", "set_shared_data"}
	telling = []string{
		"replace_header_map_value(response x-ratelimit-limit)",
		"replace_header_map_value(response x-ratelimit-remaining)",
		"replace_header_map_value(response x-ratelimit-reset)",
	}
	tellingIETF = []string{"replace_header_map_value(response ratelimit-policy)", "replace_header_map_value(response ratelimit)"}
)

// TestHostCallsOfPolicies holds the whole list of host calls for every option that costs one, and for those that must not.
//
// Fields: exempt, plan_from, per_route, shadow_header, stagger, rules.cost, rules.count_statuses, rules.match.addresses, rules.match.route,
// rules.match.virtual_host, rules.match.policy, identity.address, identity.metadata, identity.route, refusal.problem_details,
// ratelimit_headers.style, ratelimit_headers.expose
func TestHostCallsOfPolicies(t *testing.T) {
	const limits, never = `"limits": [{"requests": 9, "window": "1h"}]`, `"limits": [{"requests": 0, "window": "1h"}]`
	const everyone, metadata = `"identity": [{"constant": "everyone"}],`, `{"metadata": ["envoy.filters.http.jwt_authn", "payload", "claim"]}`
	counted := slices.Concat(reading, taking, telling)
	refused := slices.Concat(reading, []string{"get_current_time_nanoseconds", "send_local_response"}) // from memory
	read := func(paths ...[]string) (calls []string) {
		for _, path := range paths {
			calls = append(calls, "get_property("+strings.Join(path, ".")+")")
		}
		return calls
	}
	replaceShadow, removeShadow := "replace_header_map_value(request x-shadow)", "remove_header_map_value(request x-shadow)"
	for _, c := range []struct {
		what, fields, rules string
		request             wasmhost.Headers
		calls               []string
	}{
		{"nothing asked for", ``, `{"name": "api", ` + limits + `}`, get("/", "alice"), counted},
		{"conditions on method, path, host and headers", ``, `{"name": "api", "match": [{"methods": ["GET"], "path_regex": "/.*", "hosts": ["shop.example"], "headers": [{"name": "x-api-key"}]}], ` + limits + `}`, get("/", "alice"), counted},
		{"several limits, cost, stagger", `"stagger": true`, `{"name": "api", "cost": 2, "limits": [{"requests": 9, "window": "1h"}, {"requests": 99, "window": "1d"}]}`, get("/", "alice"), counted},
		{"plans by members", `"plans": {"gold": {"members": ["sha256:` + strings.Repeat("0", 64) + `"]}}`, `{"name": "api", ` + limits + `, "plans": {"gold": "unlimited"}}`, get("/", "alice"), counted},
		{"exempt", `"exempt": [{"path": "/healthz"}]`, `{"name": "api", ` + limits + `}`, get("/healthz", "alice"), reading},
		{"unlimited", ``, `{"name": "api", "limits": "unlimited"}`, get("/", "alice"), reading},
		{"a challenge", `"on_unidentified": "refuse"`, `{"name": "api", ` + limits + `}`, bare("GET", "/"), append(slices.Clone(reading), "send_local_response")},
		{"a refusal with everything", `"refusal": {"problem_details": true, "headers": {"x-a": "1"}}, "ratelimit_headers": {"style": "both", "expose": true}`, `{"name": "api", ` + never + `}`, get("/", "alice"), refused},
		{"style ietf", `"ratelimit_headers": {"style": "ietf"}`, `{"name": "api", ` + limits + `}`, get("/", "alice"), slices.Concat(reading, taking, tellingIETF)},
		{"style both", `"ratelimit_headers": {"style": "both"}`, `{"name": "api", ` + limits + `}`, get("/", "alice"), slices.Concat(reading, taking, telling, tellingIETF)},
		{"style none", `"ratelimit_headers": {"style": "none"}`, `{"name": "api", ` + limits + `}`, get("/", "alice"), slices.Concat(reading, taking)},
		{"exposed", `"ratelimit_headers": {"expose": true}`, `{"name": "api", ` + limits + `}`, get("/", "alice"), append(slices.Clone(counted), "add_header_map_value(response access-control-expose-headers)")},
		{"a status that counts", ``, `{"name": "api", ` + limits + `, "count_statuses": ["2xx"]}`, get("/", "alice"), slices.Concat(reading, taking, []string{"get_header_map_value(response :status)"}, telling)},
		{"a status that does not", ``, `{"name": "api", ` + limits + `, "count_statuses": ["401"]}`, get("/", "alice"),
			slices.Concat(reading, taking, []string{"get_header_map_value(response :status)", "get_shared_data", "set_shared_data"}, telling)},
		{"shadow, not told to the upstream", ``, `{"name": "api", "mode": "shadow", ` + limits + `}`, get("/", "alice"), slices.Concat(reading, taking)},
		{"shadow, told to the upstream", `"shadow_header": "x-shadow"`, `{"name": "api", "mode": "shadow", ` + limits + `}`, with(get("/", "alice"), "x-shadow", "forged"), slices.Concat(reading, taking, []string{replaceShadow})},
		{"a shadow header of the client's", `"shadow_header": "x-shadow"`, `{"name": "api", "mode": "shadow", "match": [{"path": "/a"}], ` + limits + `}`, with(get("/", "alice"), "x-shadow", "forged"), append(slices.Clone(reading), removeShadow)},
		{"no shadow header", `"shadow_header": "x-shadow"`, `{"name": "api", "mode": "shadow", "match": [{"path": "/a"}], ` + limits + `}`, get("/", "alice"), reading},
		{"an address, asked for three times", `"exempt": [{"path": "/healthz", "addresses": ["10.0.0.0/8"]}]`,
			`{"name": "api", "match": [{"addresses": ["192.0.2.0/24"]}, {"addresses": ["203.0.113.0/24"]}], "identity": [{"address": {}}], ` + limits + `}`,
			get("/", "alice"), slices.Concat(reading, read(address), taking, telling)},
		{"metadata as identity and plan", `"plans": {"gold": {}}, "plan_from": [` + metadata + `]`, `{"name": "api", "identity": [` + metadata + `], ` + limits + `, "plans": {"gold": "unlimited"}}`,
			get("/", "alice"), slices.Concat(reading, read(claim), taking, telling)},
		{"a plan of a rule that has none", `"plans": {"gold": {}}, "plan_from": [` + metadata + `]`,
			`{"name": "gold", "match": [{"path": "/gold"}], ` + limits + `, "plans": {"gold": "unlimited"}}, {"name": "api", ` + limits + `}`, get("/", "alice"), counted},
		{"route as condition and identity", ``, `{"name": "api", "match": [{"route": "second"}, {"route": "first"}], "identity": [{"route": {}}], ` + limits + `}`, get("/", "alice"), slices.Concat(reading, read(routeName), taking, telling)},
		{"virtual host", ``, `{"name": "other", "match": [{"virtual_host": "there"}], ` + limits + `}, {"name": "api", "match": [{"virtual_host": "here"}], ` + limits + `}`, get("/", "alice"), slices.Concat(reading, read(virtualHost), taking, telling)},
		{"policy", ``, `{"name": "other", "match": [{"policy": "other"}], ` + limits + `}, {"name": "api", "match": [{"policy": "gold"}], ` + limits + `}`, get("/", "alice"), slices.Concat(reading, read(policy), taking, telling)},
		{"conditions that need not be looked at", ``, `{"name": "other", "match": [{"path": "/other", "policy": "gold", "route": "first", "virtual_host": "here", "addresses": ["203.0.113.0/24"]}], ` + limits + `}`, get("/", "alice"), reading},
		{"rules of a route", `"per_route": true`, `{"name": "api", ` + never + `}`, get("/", "alice"), slices.Concat(reading, read(routeRules, routeName), taking, telling)},
		{"two rules", ``, `{"name": "all", ` + everyone + ` "continue": true, ` + limits + `}, {"name": "api", ` + everyone + ` "match": [{"path": "/other"}], ` + limits + `}`, get("/", "alice"), counted},
	} {
		host := hosttest.New(t)
		root := start(t, host, shop(c.rules, slices.DeleteFunc([]string{c.fields}, func(f string) bool { return f == "" })...))
		present := []property{{address, "203.0.113.7:80"}, {claim, "silver"}, {routeName, "first"}, {virtualHost, "here"}, {policy, "gold"}, {routeRules, `[{"name": "own", ` + limits + `}]`}}
		set(host, present, func() {
			do(t, root, c.request, nil) // compiles and allocates
			if got := callsOf(t, root, c.request, nil); !slices.Equal(got, c.calls) {
				t.Errorf("%s:\n\t%s\nwant\n\t%s", c.what, strings.Join(got, "\n\t"), strings.Join(c.calls, "\n\t"))
			}
		})
	}
}

// TestHostCallsOfSeveralRules holds that rules which fall into different buckets cost a reading and a swap each, and one clock for all.
//
// Fields: rules.continue
func TestHostCallsOfSeveralRules(t *testing.T) {
	root := start(t, hosttest.New(t), shop(`
		{"name": "all", "identity": [{"constant": "everyone"}], "continue": true, "limits": [{"requests": 9999, "window": "1h"}]},
		{"name": "keyed", "limits": [{"requests": 99, "window": "1h"}]}`, `"max_counters": 16`))
	apart := slices.Concat(reading, []string{"get_shared_data", "get_shared_data", "get_current_time_nanoseconds", "set_shared_data", "set_shared_data"}, telling)
	together := slices.Concat(reading, taking, telling)
	seen := map[bool]bool{}
	for i := range 24 {
		request := get("/", string(rune('a'+i)))
		do(t, root, request, nil)
		got := callsOf(t, root, request, nil)
		seen[len(got) == len(apart)] = true
		if !slices.Equal(got, apart) && !slices.Equal(got, together) {
			t.Errorf("calls\n\t%s", strings.Join(got, "\n\t"))
		}
	}
	if !seen[true] || !seen[false] {
		t.Errorf("the counters of 24 clients never lie in one bucket, or always: %v", seen)
	}
}
