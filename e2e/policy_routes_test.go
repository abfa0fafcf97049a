package e2e

import (
	"slices"
	"strings"
	"testing"

	"tollgate/e2e/envoytest"
)

// What the proxy knows of a request: the route's name, its virtual host, the policy that it asks for, and rules of its own; and
// where the client comes from, behind one trusted proxy, at the edge, and over IPv6.
//
// Fields: rules.match.route, rules.match.virtual_host, rules.match.policy, identity.route, per_route, on_error
// Fields: identity.address, identity.address.ipv4_prefix, identity.address.ipv6_prefix, rules.match.addresses, rules.continue
func TestPolicyRoutes(t *testing.T) {
	t.Parallel()
	w := newTimes()
	upstream := envoytest.NewUpstream(t)
	var sites []envoytest.Site
	var plays []play
	for _, p := range slices.Concat(routePlays(w), addressPlays()) {
		p.upstream = upstream.Addr
		p.Listener = p.play.listener(t, w)
		sites, plays = append(sites, p.Site), append(plays, p.play)
	}
	w.performIn(t, envoytest.Start(t, envoytest.Config{Concurrency: 1, Bootstrap: envoytest.Sites(t, sites...)}), plays)
}

// sitePlay is a play that needs more than a plain listener.
type sitePlay struct {
	play
	envoytest.Site
}

// routePlays show what routes say. Rules of a route count apart for each route, and faulty ones are logged once and leave what
// on_error says.
func routePlays(w times) []sitePlay {
	own := w.in(`[{"name": "api", "limits": [{"requests": 2, "window": "hour"}]}]`)
	more := w.in(`[{"name": "org", "identity": [{"header": "x-org"}], "on_unidentified": "next", "continue": true, "limits": [{"requests": 1, "window": "hour"}]},
		{"name": "watched", "mode": "shadow", "limits": [{"requests": 1, "window": "hour"}]},
		{"name": "api", "match": [{"path_prefix": "/more/a"}], "limits": [{"requests": 4, "window": "day"}]}]`)
	site := envoytest.Site{Hosts: []envoytest.VirtualHost{{Name: "rules", Domains: []string{"*"}, Routes: []envoytest.Route{
		{Name: "a", Prefix: "/a", Metadata: ownRules(own)},
		{Name: "b", Prefix: "/b", Metadata: ownRules(own)},
		{Name: "more", Prefix: "/more", Metadata: ownRules(more)},
		{Name: "faulty", Prefix: "/faulty", Metadata: ownRules(`[{"name": "api", "limts": [], "limits": [{"requests": 2, "window": "0s"}]}]`)},
		{Name: "list", Prefix: "/list", Metadata: ownRules([]any{map[string]any{"name": "api"}})},
		{Name: "empty", Prefix: "/empty", Metadata: ownRules("")},
		{Prefix: "/nameless", Metadata: ownRules(own)},
		{Name: "plain", Prefix: "/"},
	}}}}
	return []sitePlay{
		{Site: envoytest.Site{Hosts: hostsOfRoutes}, play: play{name: "matches", config: matchesOfRoutes, steps: stepsOfRoutes}},
		{Site: site, play: play{name: "route-rules", config: `"per_route": true, "exempt": [{"path": "/a/healthz"}], ` + threeAnHour, check: checkFaults, steps: []step{
			get("/a", "alice", "200 2/1 hour"), get("/a", "alice", "200 2/0 hour"), get("/a", "alice", "429 2/0 hour"),
			get("/b", "alice", "200 2/1 hour"), // the same text on another route
			get("/", "alice", "200 3/2 hour"),
			get("/nameless", "alice", "200 2/1 hour"), // apart from the plugin's rule of the same name
			get("/a/healthz", "alice", "200"),
			get("/more/a", "alice", "200 4/3 day"),
			{"GET /more/b\nx-org: acme", "200 1/0 hour"},
			{"GET /more/a\nx-org: acme\nx-api-key: alice", "429 1/0 hour"},
			get("/more/a", "alice", "200 4/2 day"),
			get("/more/b", "alice", "200"),
			get("/faulty", "alice", "200"), get("/faulty", "bob", "200"), get("/list", "alice", "200"),
			get("/empty", "alice", "200 3/1 hour"),
			get("/a", "bob", "200 2/1 hour"),
		}}},
		{Site: site, play: play{name: "strict", config: `"per_route": true, "on_error": "refuse", ` + threeAnHour, steps: []step{
			get("/faulty", "alice", "503"), get("/list", "alice", "503"), get("/a", "alice", "200 2/1 hour"), get("/", "alice", "200 3/2 hour"),
		}}},
		{Site: site, play: play{name: "deaf", config: threeAnHour, steps: []step{
			get("/a", "alice", "200 3/2 hour"), get("/faulty", "alice", "200 3/1 hour"), get("/", "alice", "200 3/0 hour"),
		}}},
	}
}

// checkFaults holds that each fault in a route's rules stands in the log once. There is one worker, and its VM alone has seen them.
func checkFaults(t *testing.T, envoy *envoytest.Envoy, _ times) {
	for _, text := range []string{
		`"faulty" refused: rules[0].limts 1:18 is not a known field; did you mean "limits"?`,
		`"faulty" refused: rules[0].limits[0].window 1:68 "0s" is not from one second to 366 days; write a window from "1s" to "366d"`,
		`"list" refused: rules 1:1 `,
	} {
		if n := strings.Count(envoy.Log(), "tollgate route-rules: rules of the route "+text); n != 1 {
			t.Errorf("the log has %q %d times, want once", text, n)
		}
	}
}

// ownRules is the metadata of a route with rules of its own.
func ownRules(rules any) map[string]map[string]any {
	return map[string]map[string]any{"tollgate": {"rules": rules}}
}

func policy(name string) map[string]map[string]any {
	return map[string]map[string]any{"tollgate": {"policy": name}}
}

const matchesOfRoutes = `"rules": [
	{"name": "partners", "match": [{"policy": "partners"}], "identity": [{"combine": [{"route": {}}, {"header": "x-partner"}]}], "limits": [{"requests": 2, "window": "hour"}]},
	{"name": "checkout", "match": [{"route": "checkout"}], "limits": [{"requests": 4, "window": "hour"}]},
	{"name": "by-route", "match": [{"path_prefix": "/by-route"}], "identity": [{"route": {}}], "limits": [{"requests": 5, "window": "hour"}]},
	{"name": "admin", "match": [{"virtual_host": "admin", "methods": ["GET"]}], "limits": [{"requests": 6, "window": "hour"}]},
	{"name": "rest", "limits": [{"requests": 9, "window": "hour"}]}]`

var hostsOfRoutes = []envoytest.VirtualHost{
	{Name: "admin", Domains: []string{"admin.test"}, Routes: []envoytest.Route{{Name: "checkout", Prefix: "/checkout"}, {Prefix: "/"}}},
	{Name: "shop", Domains: []string{"*"}, Routes: []envoytest.Route{
		{Name: "hooks-a", Prefix: "/hooks/a", Metadata: policy("partners")},
		{Name: "hooks-b", Prefix: "/hooks/b", Metadata: policy("partners")},
		{Name: "other", Prefix: "/other", Metadata: policy("Partners")},
		{Name: "checkout", Prefix: "/checkout"},
		{Name: "by-1", Prefix: "/by-route/1"},
		{Name: "by-2", Prefix: "/by-route/2"},
		{Prefix: "/"},
	}},
}

var stepsOfRoutes = []step{
	{"GET /hooks/a\nx-partner: p", "200 2/1 hour"},
	{"GET /hooks/b\nx-partner: p", "200 2/1 hour"}, // a partner has a budget for each route
	{"GET /hooks/a?x\nx-partner: p", "200 2/0 hour"},
	{"GET /hooks/a\nx-partner: p", "429 2/0 hour"},
	{"GET /hooks/a\nx-partner: q", "200 2/1 hour"},
	{"GET /other\nx-partner: p", "200 9/8 hour"},
	{"GET /checkout", "200 4/3 hour"},
	{"GET http://admin.test/checkout", "200 4/2 hour"},
	{"GET /by-route/1", "200 5/4 hour"},
	{"GET /by-route/1/x", "200 5/3 hour"},
	{"GET /by-route/2", "200 5/4 hour"},
	{"GET /by-route/3", "200 5/4 hour"}, // a route without a name
	{"GET http://admin.test/", "200 6/5 hour"},
	{"POST http://admin.test/", "200 9/7 hour"},
	{"GET /", "200 9/6 hour"},
}
