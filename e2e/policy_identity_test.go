package e2e

import (
	"slices"
	"strings"
	"testing"
)

// Whose request it is, and under which rule it falls: every place in which a client can be named, what is no name, and what a
// request without one gets; the claims of a token that Envoy's own filter has checked; every condition of a rule.
//
// Fields: identity, identity.header, identity.query, identity.cookie, identity.bearer, identity.constant, identity.combine
// Fields: on_unidentified, rules.identity, rules.on_unidentified
// Fields: identity.metadata, plan_from, plan_from.metadata, plans, rules.plans
// Fields: $schema, domain, rules, rules.name, rules.description, rules.match, rules.limits, rules.limits.requests, rules.limits.window
// Fields: rules.match.methods, rules.match.path, rules.match.path_prefix, rules.match.path_template, rules.match.path_regex
// Fields: rules.match.hosts, rules.match.headers, rules.match.headers.name, rules.match.headers.exact
// Fields: rules.match.headers.prefix, rules.match.headers.regex, rules.match.headers.invert, exempt
func TestPolicyRequests(t *testing.T) {
	t.Parallel()
	perform(t, slices.Concat(identityPlays(), claimPlays(newTokenKeys(t)), matchPlays()))
}

// threeAnHour is the rules of plays that are about something else.
const threeAnHour = `"rules": [{"name": "api", "limits": [{"requests": 3, "window": "hour"}]}]`

// identityPlays show who is who.
func identityPlays() []play {
	long := strings.Repeat("k", 8<<10-1)
	return []play{
		{name: "header", config: `"identity": [{"header": "X-API-Key"}], ` + threeAnHour, steps: []step{
			get("/", "alice", "200 3/2 hour"),
			{"GET /\nX-Api-KEY: \t alice \t", "200 3/1 hour"},
			{"GET /\nx-api-key: alice\nx-api-key:  alice", "200 3/0 hour"},
			get("/", "alice", "429 3/0 hour"),
			get("/", "Alice", "200 3/2 hour"),
		}},
		{name: "anonymous", config: threeAnHour, steps: []step{
			{"GET /", "200 3/2 hour"},
			{"GET /\nx-api-key: \t ", "200 3/1 hour"},
			{"GET /\nx-api-key: alice\nx-api-key: bob", "200 3/0 hour"},
			{"GET /\nx-api-key: alice\nx-api-key: ", "429 3/0 hour"},
			get("/", "anonymous", "200 3/2 hour"),
			get("/", "\x00", "400"),
		}},
		{name: "odd-keys", config: threeAnHour, steps: []step{
			get("/", "\xff\xfe", "200 3/2 hour"),
			get("/", "\xff\xfd", "200 3/2 hour"),
			get("/", "\xff\xfe", "200 3/1 hour"),
			{"GET /\nx-api-key: eve\nx-other: \xc3\x28", "200 3/2 hour"},
			get("/", long+"1", "200 3/2 hour"),
			get("/", long+"2", "200 3/2 hour"),
			get("/", long+"1", "200 3/1 hour"),
		}},
		{name: "query", config: `"identity": [{"query": "api key"}], ` + threeAnHour, steps: []step{
			{"GET /?api+key=a%20b", "200 3/2 hour"},
			{"GET /x?other=1&api%20key=a+b", "200 3/1 hour"},
			{"GET /?api+key=a+b&api+key=%61%20b", "200 3/0 hour"},
			{"GET /?api+key=%zz", "200 3/2 hour"},
			{"GET /?api+key=a+b&api+key=c", "200 3/2 hour"},
			{"GET /?API+key=a+b", "200 3/1 hour"},
			{"GET /?api+key=", "200 3/0 hour"},
		}},
		{name: "cookie", config: `"identity": [{"cookie": "session"}], ` + threeAnHour, steps: []step{
			{"GET /\ncookie: a=1; session=alice; b=2", "200 3/2 hour"},
			{"GET /\ncookie: a=1\ncookie: session=alice", "200 3/1 hour"},
			{"GET /\ncookie: Session=alice; xsession=alice", "200 3/2 hour"},
			{"GET /\ncookie: session=alice; session=bob", "200 3/1 hour"},
			{"GET /\ncookie: session=bob", "200 3/2 hour"},
		}},
		{name: "bearer", config: `"identity": [{"bearer": {}}], ` + threeAnHour, steps: []step{
			{"GET /\nauthorization: Bearer T", "200 3/2 hour"},
			{"GET /\nAuthorization: bearer T", "200 3/1 hour"},
			{"GET /\nauthorization: BEARER   T ", "200 3/0 hour"},
			{"GET /\nauthorization: Bearer T", "429 3/0 hour"},
			{"GET /\nauthorization: xBearer T", "200 3/2 hour"},
			{"GET /\nauthorization: Basic T", "200 3/1 hour"},
			{"GET /\nauthorization: BearerT", "200 3/0 hour"},
			{"GET /\nauthorization: Bearer", "429 3/0 hour"},
		}},
		{name: "first-hit", config: `"identity": [{"header": "x-api-key"}, {"bearer": {}}, {"constant": "T"}], ` + threeAnHour, steps: []step{
			{"GET /\nx-api-key: T\nauthorization: Bearer S", "200 3/2 hour"},
			{"GET /\nauthorization: Bearer T", "200 3/2 hour"}, // the kind is part of who it is
			{"GET /", "200 3/2 hour"},
			{"GET /\nx-api-key: T", "200 3/1 hour"},
			{"GET /\nx-api-key: T\nx-api-key: S\nauthorization: Bearer T", "200 3/1 hour"},
			{"GET /\nx-api-key: T\nx-api-key: S", "200 3/1 hour"},
		}},
		{name: "constant", config: `"identity": [{"constant": "everyone"}], ` + threeAnHour, steps: []step{
			get("/", "alice", "200 3/2 hour"), get("/", "bob", "200 3/1 hour"), {"GET /", "200 3/0 hour"}, get("/", "carol", "429 3/0 hour"),
		}},
		{name: "combine", config: `"identity": [{"combine": [{"header": "x-org"}, {"header": "x-user"}]}], ` + threeAnHour, steps: []step{
			{"GET /\nx-org: a\nx-user: bc", "200 3/2 hour"},
			{"GET /\nx-org: ab\nx-user: c", "200 3/2 hour"},
			{"GET /\nx-org: bc\nx-user: a", "200 3/2 hour"},
			{"GET /\nx-user: bc\nx-org: a", "200 3/1 hour"},
			{"GET /\nx-org: a", "200 3/2 hour"}, // one part missing is all missing
			{"GET /\nx-user: bc", "200 3/1 hour"},
			{"GET /", "200 3/0 hour"},
		}},
		{name: "next", config: `"on_unidentified": "next", "rules": [
			{"name": "key", "limits": [{"requests": 3, "window": "hour"}]},
			{"name": "user", "identity": [{"header": "x-user"}], "limits": [{"requests": 2, "window": "hour"}]},
			{"name": "rest", "identity": [{"constant": "rest"}], "limits": [{"requests": 1, "window": "hour"}]}]`, steps: []step{
			get("/", "alice", "200 3/2 hour"),
			{"GET /\nx-user: alice", "200 2/1 hour"},
			{"GET /", "200 1/0 hour"},
			{"GET /", "429 1/0 hour"},
			{"GET /\nx-api-key:  \nx-user: alice", "200 2/0 hour"},
		}},
		{name: "next-to-nothing", config: `"on_unidentified": "next", ` + threeAnHour, steps: []step{
			{"GET /", "200"}, {"GET /", "200"}, {"GET /", "200"}, {"GET /", "200"}, get("/", "alice", "200 3/2 hour"),
		}},
		{name: "refuse", config: `"on_unidentified": "refuse", "rules": [
			{"name": "open", "match": [{"path": "/open"}], "on_unidentified": "share", "limits": [{"requests": 2, "window": "hour"}]},
			{"name": "token", "match": [{"path": "/token"}], "identity": [{"header": "x-api-key"}, {"bearer": {}}], "limits": [{"requests": 2, "window": "hour"}]},
			{"name": "api", "limits": [{"requests": 3, "window": "hour"}]}]`, steps: []step{
			{"GET /", `401 ApiKey realm="refuse"`},
			{"GET /\nx-api-key: \t", `401 ApiKey realm="refuse"`},
			{"GET /\nx-api-key: alice\nx-api-key: bob", `401 ApiKey realm="refuse"`},
			{"GET /token\nauthorization: Basic T", `401 Bearer realm="refuse"`},
			get("/", "alice", "200 3/2 hour"),
			{"GET /open", "200 2/1 hour"},
			{"GET /token\nauthorization: Bearer T", "200 2/1 hour"},
		}},
	}
}
