package filter

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"
)

// The part of the quiet host that only some policies need.

func (h *quietHost) Property(path string) (string, bool) {
	value, ok := h.properties[path] // with its zero bytes
	return value, ok
}

func (h *quietHost) ResponseStatus() (int, error)              { return h.status, nil }
func (h *quietHost) ReplaceRequestHeader(string, []byte) error { h.written++; return nil }
func (h *quietHost) RemoveRequestHeader(string) error          { h.written++; return nil }
func (h *quietHost) AddResponseHeader(string, []byte) error    { h.written++; return nil }
func (h *quietHost) IncrementCounter(Counter, uint64) error    { return nil }
func (h *quietHost) set(path, value string) {
	h.properties[strings.ReplaceAll(path, ".", "\x00")] = value
}

// TestPoliciesAllocateNothing holds that the steady state leaves nothing to collect, whatever the rules say and whatever becomes of
// the request.
func TestPoliciesAllocateNothing(t *testing.T) {
	const plenty, once, never = `"limits": [{"requests": 4000000000, "window": "10s"}]`, `"limits": [{"requests": 1, "window": "366d"}]`, `"limits": [{"requests": 0, "window": "10s"}]`
	for _, c := range []struct {
		name             string
		rules            string
		fields           string
		request          [][2]string
		replies, written int // of each exchange
	}{
		{"two rules", `{"name": "all", "identity": [{"constant": "everyone"}], "continue": true, ` + plenty + `}, {"name": "api", ` + plenty + `}`, ``, get("/", "alice"), 0, 3},
		{"two rules, the later one refuses", `{"name": "all", "identity": [{"constant": "everyone"}], "continue": true, ` + plenty + `}, {"name": "api", ` + once + `}`, ``, get("/", "alice"), 1, 0},
		{"two rules, both refuse", `{"name": "all", "identity": [{"constant": "everyone"}], "continue": true, ` + never + `}, {"name": "api", ` + once + `}`, ``, get("/", "alice"), 1, 0},
		{"two windows refuse, from memory", `{"name": "api", "limits": [{"requests": 1, "window": "1h"}, {"requests": 1, "window": "366d"}]}`, ``, get("/", "alice"), 1, 0},
		{"shadow", `{"name": "watched", "mode": "shadow", ` + once + `}, {"name": "api", ` + plenty + `}`, ``, get("/", "alice"), 0, 3},
		{"shadow, told to the upstream", `{"name": "watched", "mode": "shadow", ` + once + `}, {"name": "api", ` + plenty + `}`, `"shadow_header": "x-shadow",`, get("/", "alice"), 0, 4},
		{"shadow header removed", `{"name": "watched", "mode": "shadow", "match": [{"path": "/x"}], ` + once + `}, {"name": "api", ` + plenty + `}`, `"shadow_header": "x-shadow",`,
			with(get("/", "alice"), "x-shadow", "forged"), 0, 4},
		{"a plan by metadata", `{"name": "api", ` + once + `, "plans": {"gold": [{"requests": 4000000000, "window": "10s"}]}}`,
			`"plans": {"gold": {"members": [` + member("goldie") + `]}}, "plan_from": [{"metadata": ["m", "plan"]}],`, get("/", "alice"), 0, 3},
		{"a plan by membership", `{"name": "api", ` + once + `, "plans": {"gold": [{"requests": 4000000000, "window": "10s"}]}}`,
			`"plans": {"gold": {"members": [` + member("goldie") + `]}},`, get("/", "goldie"), 0, 3},
		{"a plan of nobody", `{"name": "api", ` + plenty + `, "plans": {"silver": ` + `"unlimited"` + `}}`, `"plans": {"silver": {}}, "plan_from": [{"metadata": ["m", "plan"]}],`, get("/", "alice"), 0, 3},
		{"unlimited", `{"name": "api", "limits": "unlimited"}`, ``, get("/", "alice"), 0, 0},
		{"exempt", `{"name": "api", ` + once + `}`, `"exempt": [{"path": "/healthz", "addresses": ["10.0.0.0/8"]}],`, get("/healthz", "alice"), 0, 0},
		{"a status that counts", `{"name": "api", ` + plenty + `, "count_statuses": ["401"]}`, ``, get("/", "alice"), 0, 3},
		{"a status that does not", `{"name": "api", ` + plenty + `, "count_statuses": ["5xx"]}`, ``, get("/", "alice"), 0, 3},
		{"stagger", `{"name": "api", "stagger": true, ` + plenty + `}`, ``, get("/", "alice"), 0, 3},
		{"style ietf", `{"name": "api", ` + plenty + `}`, `"ratelimit_headers": {"style": "ietf"},`, get("/", "alice"), 0, 2},
		{"style both, exposed", `{"name": "api", ` + plenty + `}`, `"ratelimit_headers": {"style": "both", "expose": true},`, get("/", "alice"), 0, 6},
		{"style both, exposed, refused", `{"name": "api", ` + once + `}`, `"ratelimit_headers": {"style": "both", "expose": true},`, get("/", "alice"), 1, 0},
		{"problem details", `{"name": "api", ` + once + `}`, `"refusal": {"problem_details": true, "headers": {"cache-control": "no-store"}},`, get("/", "alice"), 1, 0},
		{"problem details of several", `{"name": "all", "continue": true, ` + once + `}, {"name": "api", ` + once + `}`, `"refusal": {"problem_details": true},`, get("/", "alice"), 1, 0},
		{"a body", `{"name": "api", ` + once + `}`, `"refusal": {"body": "Slow down."},`, get("/", "alice"), 1, 0},
		{"a challenge", `{"name": "api", "on_unidentified": "refuse", ` + once + `}`, ``, bare("GET", "/"), 1, 0},
		{"combined sources", `{"name": "api", "identity": [{"combine": [{"address": {}}, {"query": "k"}, {"cookie": "c"}, {"bearer": {}}, {"route": {}}]}], ` + plenty + `}`, ``,
			with(with(get("/?k=a%20b", "alice"), "cookie", "c=1"), "authorization", "Bearer t"), 0, 3},
		{"every match", `{"name": "api", "match": [{"methods": ["GET"], "path_regex": "/a/[a-z]+", "hosts": ["*.example"], "headers": [{"name": "x-api-key", "regex": "al.*"}],
			"addresses": ["10.0.0.0/8"], "route": "first", "virtual_host": "here", "policy": "gold"}], ` + plenty + `}`, ``, get("/a/b", "alice"), 0, 3},
		{"rules of a route", `{"name": "api", ` + once + `}`, `"per_route": true,`, get("/", "alice"), 0, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newQuietHost()
			h.configuration = shop(c.rules)
			h.configuration = `{` + c.fields + h.configuration[1:]
			h.status = 401
			h.properties = map[string]string{}
			h.set("source.address", "10.1.2.3:80")
			h.set("metadata.filter_metadata.m.plan", "gold")
			h.set("xds.virtual_host_name", "here")
			h.set("xds.route_metadata.filter_metadata.tollgate.policy", "gold")
			h.set(routeName, "first")
			h.set(routeRules, `[{"name": "own", `+plenty+`}]`)
			p := NewVM(h).NewPluginContext(1)
			if p.OnPluginStart(len(h.configuration)) != types.OnPluginStartStatusOK {
				t.Fatalf("the plugin did not start: %v", h.logs)
			}
			h.request = c.request
			exchange := func() {
				h.now++
				h.exchange(p)
			}
			exchange()
			exchange()
			h.replies, h.written = 0, 0
			const runs = 100
			if allocations := testing.AllocsPerRun(runs, exchange); allocations != 0 {
				t.Errorf("%v allocations", allocations)
			}
			if got, want := fmt.Sprint(h.replies, h.written), fmt.Sprint((runs+1)*c.replies, (runs+1)*c.written); got != want {
				t.Errorf("replies and headers in %d exchanges: %s, want %s", runs+1, got, want)
			}
		})
	}
}
