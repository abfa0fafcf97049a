package examples

import "time"

// claim is what jwt_authn has found in a token.
func claim(name, value string) facts {
	return facts{"metadata/filter_metadata/envoy.filters.http.jwt_authn/payload/" + name: value}
}

// organisation is what the authorisation filter says of a key.
func organisation(name string) facts {
	return facts{"metadata/filter_metadata/envoy.filters.http.ext_authz/organisation": name}
}

// partners is a route whose metadata ask for the policy of webhooks.
func partners(route string) facts {
	return facts{"xds/route_name": route, "xds/route_metadata/filter_metadata/tollgate/policy": "webhooks"}
}

// timelines show what each example does, its edges above all.
var timelines = map[string][]moment{
	"anonymous-networks.json": {
		{request: "GET /\nx-api-key: alice", from: "2001:db8:1:1::1", want: "200 600/599 until 1m0s"},
		{times: 20, request: "GET /", from: "2001:db8:1:1::1", want: "200 20/0 until 1m0s"},
		{request: "GET /", from: "2001:db8:1:1:ffff::9", want: "429 20/0 until 1m0s retry 60"}, // another address of the network
		{times: 20, request: "GET /", from: "2001:db8:1:2::1", want: "200 20/0 until 1m0s"},
		{times: 20, request: "GET /", from: "2001:db8:1:3::1", want: "200 20/0 until 1m0s"},
		{times: 20, request: "GET /", from: "2001:db8:1:4::1", want: "200 20/0 until 1m0s"},
		{times: 20, request: "GET /", from: "2001:db8:1:5::1", want: "200 20/0 until 1m0s"},
		{at: 30 * time.Second, request: "GET /", from: "2001:db8:1:6::1", want: "429 retry 30"}, // the ceiling of the /48, of which nobody is told
		{at: 30 * time.Second, request: "GET /", from: "2001:db8:2:1::1", want: "200 20/19 until 1m0s"},
		{at: 30 * time.Second, request: "GET /", from: "203.0.113.7", want: "200 20/19 until 1m0s"},
		{at: 30 * time.Second, request: "GET /", from: "::ffff:203.0.113.7", want: "200 20/18 until 1m0s"},
		{at: 30 * time.Second, request: "GET /", from: "203.0.113.8", want: "200 20/19 until 1m0s"},
		{at: time.Minute, request: "GET /", from: "2001:db8:1:6::1", want: "200 20/19 until 2m0s"},
	},
	"burst-and-sustained.json": {
		{times: 20, request: "GET /\nx-api-key: alice",
			want: `200 20/0 until 1s, ratelimit-policy: "api.1s";q=20;w=1, ratelimit: "api.1s";r=0;t=1`},
		{at: 900 * time.Millisecond, request: "GET /\nx-api-key: alice",
			want: `429 20/0 until 1s retry 1, ratelimit-policy: "api.1s";q=20;w=1, ratelimit: "api.1s";r=0;t=1`},
		{at: time.Second, times: 20, request: "GET /\nx-api-key: alice", // a second burst, at once
			want: `200 20/0 until 2s, ratelimit-policy: "api.1s";q=20;w=1, ratelimit: "api.1s";r=0;t=1`},
		{at: 2 * time.Second, times: 20, request: "GET /\nx-api-key: bob",
			want: `200 20/0 until 3s, ratelimit-policy: "api.1s";q=20;w=1, ratelimit: "api.1s";r=0;t=1`},
	},
	"failed-logins.json": {
		{times: 50, request: "POST /login", from: "203.0.113.7", want: "200 5/5 until 1m0s"}, // who succeeds is not counted
		{times: 2, request: "POST /login", from: "203.0.113.7", upstream: 401, want: "401 5/3 until 1m0s"},
		{request: "POST /login", from: "203.0.113.7", upstream: 500, want: "500 5/3 until 1m0s"},
		{times: 3, request: "POST /login?next=/", from: "203.0.113.7", upstream: 403, want: "403 5/0 until 1m0s"},
		{at: 20 * time.Second, request: "POST /login", from: "203.0.113.7", want: "429 5/0 until 1m0s retry 40"}, // the right password, too
		{at: 20 * time.Second, request: "POST /login", from: "203.0.113.8", want: "200 5/5 until 1m0s"},
		{at: 20 * time.Second, request: "GET /login", from: "203.0.113.7", want: "200"},
		{at: 1 * time.Minute, times: 5, request: "POST /login", from: "203.0.113.7", upstream: 401, want: "401 5/0 until 2m0s"},
		{at: 2 * time.Minute, times: 5, request: "POST /login", from: "203.0.113.7", upstream: 401, want: "401 5/0 until 3m0s"},
		{at: 3 * time.Minute, times: 5, request: "POST /login", from: "203.0.113.7", upstream: 401, want: "401 5/0 until 4m0s"},
		{at: 4 * time.Minute, times: 5, request: "POST /login", from: "203.0.113.7", upstream: 401, want: "401 5/0 until 5m0s"},
		{at: 5 * time.Minute, times: 5, request: "POST /login", from: "203.0.113.7", upstream: 401, want: "401 30/0 until 1h0m0s"},
		{at: 6 * time.Minute, request: "POST /login", from: "203.0.113.7", want: "429 30/0 until 1h0m0s retry 3240"},
		{at: time.Hour, request: "POST /login", from: "203.0.113.7", want: "200 5/5 until 1h1m0s"},
	},
	"grpc-method.json": {
		{times: 10, request: create, want: "200 10/0 until 1m0s"},
		{request: create, want: "200 10/0 until 1m0s retry 60, grpc-status: 8, content-type: application/grpc"},
		{request: "POST /shop.v1.Orders/Get\nauthorization: Bearer alice\ncontent-type: application/grpc", want: "200 300/299 until 1m0s"},
		{times: 4, request: export, want: "200 200/0 until 1h0m0s"},
		{at: time.Minute, request: export, want: "200 200/0 until 1h0m0s retry 3540, grpc-status: 8, content-type: application/grpc"},
		{at: time.Minute, request: create, want: "200 10/9 until 2m0s"},
		{at: time.Minute, request: "POST /shop.v1.Orders/Create\ncontent-type: application/grpc", from: "203.0.113.7", want: "200 10/9 until 2m0s"},
		{at: time.Minute, request: "POST /shop.v1.Carts/Get\ncontent-type: application/grpc", want: "200"},
	},
	"hourly-quota.json": { // each client's windows begin at a second of its own: the table cannot say when
		{times: 30, request: "GET /search?q=x\nauthorization: Bearer alice", want: "200 30/0"},
		{request: "GET /search?q=x\nauthorization: Bearer alice", want: "403 30/0, content-type: application/json"},
		{times: 5000, request: "GET /repos\nauthorization: Bearer alice", want: "200 5000/0"}, // searching costs nothing else
		{request: "GET /repos\nauthorization: bearer alice", want: "403 5000/0, content-type: application/json"},
		{times: 60, request: "GET /repos", from: "203.0.113.7", want: "200 60/0"},
		{request: "GET /repos\nauthorization: Basic YWxpY2U6", from: "203.0.113.7", want: "403 60/0, content-type: application/json"},
		{request: "GET /repos\nauthorization: Bearer bob", from: "203.0.113.7", want: "200 5000/4999"},
		{at: time.Hour, request: "GET /repos\nauthorization: Bearer alice", want: "200 5000/4999"}, // whenever it began, it is over
		{at: time.Hour, request: "GET /repos", from: "203.0.113.7", want: "200 60/59"},
	},
	"jwt-subject.json": {
		{times: 300, request: "GET /", facts: claim("sub", "alice"), want: "200 300/0 until 1m0s"},
		{at: 15 * time.Second, request: "GET /", facts: claim("sub", "alice"), from: "203.0.113.7", want: "429 300/0 until 1m0s retry 45"}, // from anywhere
		{at: 15 * time.Second, request: "GET /", facts: claim("sub", "bob"), want: "200 300/299 until 1m0s"},
		{at: 15 * time.Second, times: 10, request: "GET /\nsub: alice", from: "203.0.113.7", want: "200 10/0 until 1m0s"},
		{at: 15 * time.Second, request: "GET /", facts: claim("sub", ""), from: "203.0.113.7", want: "429 10/0 until 1m0s retry 45"},
		{at: time.Minute, request: "GET /", facts: claim("sub", "alice"), want: "200 300/299 until 2m0s"},
	},
	"key-plans.json": {
		{request: "GET /", want: `401, www-authenticate: ApiKey realm="key-plans"`},
		{request: "OPTIONS /\norigin: https://shop.example\naccess-control-request-method: PUT", want: "200"},
		{times: 60, request: "GET /\nx-api-key: alice", want: "200 60/0 until 1m0s" + exposed},
		{request: "GET /\nx-api-key: alice", want: "429 60/0 until 1m0s retry 60" + exposed + ", retry-after"},
		{times: 600, request: "GET /\nx-api-key: test", want: "200 600/0 until 1m0s" + exposed},
		{request: "GET /\nx-api-key: test", want: "429 600/0 until 1m0s retry 60" + exposed + ", retry-after"},
		{times: 700, request: "GET /\nx-api-key: foo", want: "200"}, // staff
		{at: time.Minute, request: "GET /\nx-api-key: alice", want: "200 60/59 until 2m0s" + exposed},
	},
	"organisation-ceiling.json": {
		{times: 600, request: "GET /\nx-api-key: a1", facts: organisation("acme"), want: "200 600/0 until 1m0s"},
		{times: 50, request: "GET /\nx-api-key: a1", facts: organisation("acme"), want: "429 600/0 until 1m0s retry 60, content-type: application/problem+json"},
		{times: 400, request: "GET /\nx-api-key: a2", facts: organisation("acme"), want: "200 1000/0 until 1m0s"}, // what a1 was refused is not missing here
		{request: "GET /\nx-api-key: a3", facts: organisation("acme"), want: "429 1000/0 until 1m0s retry 60, content-type: application/problem+json"},
		{request: "GET /\nx-api-key: b1", facts: organisation("bolt"), want: "200 600/599 until 1m0s"},
		{request: "GET /\nx-api-key: stray", want: "200 600/599 until 1m0s"},
		{at: time.Minute, request: "GET /\nx-api-key: a1", facts: organisation("acme"), want: "200 600/599 until 2m0s"},
	},
	"shadow-rollout.json": {
		{times: 60, request: "GET /\nx-api-key: alice", want: "200 100/40 until 1m0s, upstream: api-candidate=allowed"},
		{request: "GET /\nx-api-key: alice", want: "200 100/39 until 1m0s, upstream: api-candidate=limited"},
		{times: 39, request: "GET /\nx-api-key: alice\nx-ratelimit-shadow: api-candidate=allowed", want: "200 100/0 until 1m0s, upstream: api-candidate=limited"},
		{request: "GET /\nx-api-key: alice", want: "429 100/0 until 1m0s retry 60"},
		{at: time.Minute, request: "GET /\nx-api-key: alice", want: "200 100/99 until 2m0s, upstream: api-candidate=allowed"},
	},
	"webhook-partners.json": {
		{times: 120, request: "POST /hooks/orders\nx-partner-id: p1", facts: partners("orders"), want: "200 120/0 until 1m0s"},
		{at: 59 * time.Second, request: "POST /hooks/orders\nx-partner-id: p1", facts: partners("orders"), want: "503 120/0 until 1m0s retry 1"},
		{at: 59 * time.Second, request: "POST /hooks/stock\nx-partner-id: p1", facts: partners("stock"), want: "200 120/119 until 1m0s"},
		{at: 59 * time.Second, request: "POST /hooks/orders\nx-partner-id: p2", facts: partners("orders"), want: "200 120/119 until 1m0s"},
		{at: 59 * time.Second, request: "POST /hooks/orders", facts: partners("orders"), want: `401, www-authenticate: ApiKey realm="webhook-partners"`},
		{at: 59 * time.Second, request: "POST /other", want: "200"},
		{at: time.Minute, request: "POST /hooks/orders\nx-partner-id: p1", facts: partners("orders"), want: "200 120/119 until 2m0s"},
	},
}

const (
	create  = "POST /shop.v1.Orders/Create\nauthorization: Bearer alice\ncontent-type: application/grpc"
	export  = "POST /shop.v1.Orders/Export\nauthorization: Bearer alice\ncontent-type: application/grpc"
	exposed = ", access-control-expose-headers: x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset"
)
