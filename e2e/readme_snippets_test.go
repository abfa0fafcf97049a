package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tollgate/e2e/envoytest"
	"tollgate/internal/readme"
)

// The kinds of snippets of Envoy's configuration: a part of an HTTP connection manager, and a route.
const (
	managerSnippet = "http_connection_manager"
	routeSnippet   = "route"
)

// mapping is a mapping of a YAML document.
type mapping = map[string]any

// withSnippets adds a listener for each snippet of a connection manager to a bootstrap. Each of them has all the snippets
// of routes, and one that answers everything else.
func withSnippets(t *testing.T, bootstrap string, blocks []readme.Block) string {
	t.Helper()
	var whole mapping
	unmarshalYAML(t, bootstrap, &whole)
	routes := []any{}
	for _, b := range ofKind(blocks, routeSnippet) {
		routes = append(routes, snippet(t, b))
	}
	routes = append(routes, mapping{"match": mapping{"prefix": "/"}, "direct_response": mapping{"status": 200}})
	static := whole["static_resources"].(mapping)
	listeners := static["listeners"].([]any)
	for _, b := range ofKind(blocks, managerSnippet) {
		listeners = append(listeners, snippetListener(listenerOf(b), snippet(t, b), routes))
	}
	static["listeners"] = listeners
	text, err := yaml.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func ofKind(blocks []readme.Block, kind string) []readme.Block {
	return slices.DeleteFunc(slices.Clone(blocks), func(b readme.Block) bool { return b.Kind != "yaml "+kind })
}

// listenerOf returns the name of the listener that runs a snippet.
func listenerOf(b readme.Block) string { return fmt.Sprintf("README.md:%d", b.Line) }

// snippet returns a snippet with the module under test, whose configuration lets routes carry rules.
func snippet(t *testing.T, b readme.Block) mapping {
	t.Helper()
	var m mapping
	text := strings.ReplaceAll(b.Text, "/etc/envoy/tollgate.wasm", envoytest.Module(t))
	text = strings.ReplaceAll(text, `"domain": "shop",`, `"domain": "shop", "per_route": true,`)
	unmarshalYAML(t, text, &m)
	return m
}

// snippetListener completes a part of a connection manager.
func snippetListener(name string, manager mapping, routes []any) mapping {
	manager["@type"] = "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"
	manager["stat_prefix"] = "readme"
	host := mapping{"name": "everyone", "domains": []any{"*"}, "routes": routes}
	manager["route_config"] = mapping{"virtual_hosts": []any{host}}
	filter := mapping{"name": "envoy.filters.network.http_connection_manager", "typed_config": manager}
	return mapping{
		"name":          name,
		"address":       mapping{"socket_address": mapping{"address": "127.0.0.1", "port_value": 0}},
		"filter_chains": []any{mapping{"filters": []any{filter}}},
	}
}

// limits holds that the listener of a connection manager counts.
func (p page) limits(t *testing.T, i int) {
	c := connect(t, http1, p.envoy.Addr(listenerOf(p.blocks[i])))
	if got := namesOf(c.get("/", "alice")); !slices.Equal(got, ourNames[:3]) {
		t.Errorf("the filter tells %q, want %q", got, ourNames[:3])
	}
}

// routeLike is what the test must know of a route's snippet.
type routeLike struct {
	Match struct {
		Path, Prefix string
	}
	Metadata struct {
		Filters struct {
			Tollgate struct {
				Rules string
			}
		} `yaml:"filter_metadata"`
	}
	PerFilter struct {
		Tollgate struct {
			Disabled bool
		}
	} `yaml:"typed_per_filter_config"`
}

// route asks for a route on a listener that has the filter: the route goes without it, or has its own rules.
func (p page) route(t *testing.T, i int) {
	var r routeLike
	unmarshalYAML(t, p.blocks[i].Text, &r)
	managers := ofKind(p.blocks, managerSnippet)
	if len(managers) == 0 {
		t.Fatal("no snippet has a listener")
	}
	var want []string
	if rules := r.Metadata.Filters.Tollgate.Rules; rules != "" {
		cfg := parseConfig(t, `{"rules": `+rules+`}`)
		want = []string{fmt.Sprint(cfg.Rules[0].Limits[0].Requests)}
	} else if !r.PerFilter.Tollgate.Disabled {
		t.Fatal("the route says nothing to the filter")
	}
	got := connect(t, http1, p.envoy.Addr(listenerOf(managers[0]))).get(r.Match.Path+r.Match.Prefix, "alice")
	if limit := got.Values("x-ratelimit-limit"); got.Status != 200 || !slices.Equal(limit, want) {
		t.Errorf("status %d with the limit %q, want 200 with %q", got.Status, limit, want)
	}
}

// namesOf returns the names of the gateway's header lines in their order.
func namesOf(a answer) []string {
	var names []string
	for _, f := range a.ours() {
		names = append(names, f.Name)
	}
	return names
}

// regexpGroup returns what the only group of an expression matches in a text.
func regexpGroup(t *testing.T, text, expression string) string {
	t.Helper()
	m := regexp.MustCompile(expression).FindStringSubmatch(text)
	if len(m) != 2 {
		t.Fatalf("nothing matches %s", expression)
	}
	return m[1]
}
