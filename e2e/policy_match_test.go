package e2e

// matchPlays show which rule a request falls under: each condition alone, several together, alternatives, and what is exempt. Each
// rule has a limit of its own, by which an answer shows whose it is.
func matchPlays() []play {
	return []play{
		{name: "methods", config: `"rules": [
			{"name": "write", "match": [{"methods": ["POST", "PUT"]}], "limits": [{"requests": 1, "window": "hour"}]},
			{"name": "purge", "match": [{"methods": ["PURGE"]}], "limits": [{"requests": 2, "window": "hour"}]},
			{"name": "read", "match": [{"methods": ["GET"]}], "limits": [{"requests": 3, "window": "hour"}]},
			{"name": "rest", "limits": [{"requests": 9, "window": "hour"}]}]`, steps: []step{
			{"POST /", "200 1/0 hour"},
			{"PUT /", "429 1/0 hour"},
			{"PURGE /", "200 2/1 hour"},
			{"GET /", "200 3/2 hour"},
			{"HEAD /", "200 9/8 hour"},
			{"GET /\nx-http-method-override: POST", "200 3/1 hour"},
		}},
		{name: "path", config: `"$schema": "./tollgate.schema.json", "rules": [
			{"name": "login", "description": "guessed passwords", "match": [{"methods": ["POST"], "path": "/login"}], "limits": [{"requests": 3, "window": "hour"}]},
			{"name": "rest", "limits": [{"requests": 9, "window": "hour"}]}]`, steps: []step{
			{"POST /login", "200 3/2 hour"},
			{"POST /login?next=%2Fhome", "200 3/1 hour"},
			{"POST /login?a?b", "200 3/0 hour"},
			{"POST /login?", "429 3/0 hour"},
			{"POST //login", "429 3/0 hour"},
			{"POST ///login", "429 3/0 hour"},
			{"POST /x/../login", "429 3/0 hour"},
			{"POST /%6cogin", "429 3/0 hour"},
			{"POST /login/", "200 9/8 hour"},
			{"POST /loginx", "200 9/7 hour"},
			{"POST /Login", "200 9/6 hour"},
			{"POST /x?/login", "200 9/5 hour"},
			{"POST /%2Flogin", "200 9/4 hour"},
			{"GET /login", "200 9/3 hour"},
		}},
		{name: "path-prefix", config: `"rules": [
			{"name": "admin", "match": [{"path_prefix": "/admin"}], "limits": [{"requests": 9, "window": "hour"}]},
			{"name": "below", "match": [{"path_prefix": "/below/"}], "limits": [{"requests": 7, "window": "hour"}]}]`, steps: []step{
			{"GET /admin", "200 9/8 hour"},
			{"GET /admin/", "200 9/7 hour"},
			{"GET /admin/x?y", "200 9/6 hour"},
			{"GET /public/../admin/x", "200 9/5 hour"},
			{"GET /public/%2e%2e/admin/x", "200 9/4 hour"},
			{"GET /public/%2E./admin", "200 9/3 hour"},
			{"GET /administrator", "200"},
			{"GET /admin/../public", "200"},
			{"GET /x/admin", "200"},
			{"GET /below", "200"},
			{"GET /below/", "200 7/6 hour"},
		}},
		{name: "path-template", config: `"rules": [
			{"name": "verify", "match": [{"path_template": "/verify/{code}"}, {"path_template": "/users/{id}/orders/{order}"}],
			 "limits": [{"requests": 5, "window": "hour"}]}]`, steps: []step{
			{"GET /verify/1", "200 5/4 hour"},
			{"GET /verify/2", "200 5/3 hour"},
			{"GET /verify/%2F3?x", "200 5/2 hour"},
			{"GET /users/7/orders/9", "200 5/1 hour"},
			{"GET /verify/5", "200 5/0 hour"},
			{"GET /verify/6", "429 5/0 hour"},
			{"GET /verify/", "200"},
			{"GET /verify", "200"},
			{"GET /verify/1/", "200"},
			{"GET /verify/1/2", "200"},
			{"GET /users//orders/9", "200"},
		}},
		{name: "path-regex", config: `"rules": [
			{"name": "versions", "match": [{"path_regex": "/v[0-9]+/(users|orders)"}, {"path_regex": "/a|/b"}], "limits": [{"requests": 9, "window": "hour"}]}]`, steps: []step{
			{"GET /v1/users", "200 9/8 hour"},
			{"GET /v22/orders?q=1", "200 9/7 hour"},
			{"GET /a", "200 9/6 hour"},
			{"GET /b", "200 9/5 hour"},
			{"GET /v1/users/", "200"},
			{"GET /x/v1/users", "200"},
			{"GET /x?/v1/users", "200"},
			{"GET /ab", "200"},
		}},
		{name: "hosts", config: `"rules": [
			{"name": "exact", "match": [{"hosts": ["api.example.com", "[2001:db8::1]"]}], "limits": [{"requests": 5, "window": "hour"}]},
			{"name": "wildcard", "match": [{"hosts": ["*.Example.com"]}], "limits": [{"requests": 4, "window": "hour"}]}]`, steps: []step{
			{"GET http://api.example.com/", "200 5/4 hour"},
			{"GET http://API.Example.com:8443/", "200 5/3 hour"},
			{"GET http://api.example.com./", "200 5/2 hour"},
			{"GET http://[2001:db8::1]:80/", "200 5/1 hour"},
			{"GET http://www.example.com/", "200 4/3 hour"},
			{"GET http://a.b.example.com/", "200 4/2 hour"},
			{"GET http://example.com/", "200"},
			{"GET http://notexample.com/", "200"},
			{"GET /", "200"},
		}},
		{name: "headers", config: `"rules": [
			{"name": "exact", "match": [{"headers": [{"name": "X-Kind", "exact": "Bot"}]}], "limits": [{"requests": 3, "window": "hour"}]},
			{"name": "prefix", "match": [{"headers": [{"name": "user-agent", "prefix": "curl/"}]}], "limits": [{"requests": 4, "window": "hour"}]},
			{"name": "regex", "match": [{"headers": [{"name": "x-version", "regex": "v[0-9]+"}]}], "limits": [{"requests": 5, "window": "hour"}]},
			{"name": "both", "match": [{"headers": [{"name": "x-a"}, {"name": "x-b", "invert": true}]}], "limits": [{"requests": 6, "window": "hour"}]},
			{"name": "not-json", "match": [{"headers": [{"name": "accept", "exact": "application/json", "invert": true}]}], "limits": [{"requests": 9, "window": "hour"}]}]`, steps: []step{
			{"GET /\nx-kind: \t Bot", "200 3/2 hour"},
			{"GET /\nx-kind: other\nX-KIND: Bot", "200 3/1 hour"}, // any line will do
			{"GET /\nx-kind: bot", "200 9/8 hour"},
			{"GET /\nuser-agent: curl/8.5", "200 4/3 hour"},
			{"GET /\nuser-agent: libcurl/8.5", "200 9/7 hour"},
			{"GET /\nx-version: v12", "200 5/4 hour"},
			{"GET /\nx-version: xv12", "200 9/6 hour"},
			{"GET /\nx-version: v1\nx-a: 1", "200 5/3 hour"},
			{"GET /\nx-a: ", "200 6/5 hour"},
			{"GET /\nx-a: 1\nx-b: 1", "200 9/5 hour"},
			{"GET /\naccept: application/json", "200"},
			{"GET /\naccept: text/html\naccept: application/json", "200 9/4 hour"}, // Envoy makes one line of these
			{"GET /\naccept: \xff", "200 9/3 hour"},
		}},
		{name: "together", config: `"rules": [
			{"name": "all", "match": [
				{"methods": ["POST"], "path_prefix": "/v1", "hosts": ["api.test"], "headers": [{"name": "x-beta"}]},
				{"methods": ["DELETE"]}], "limits": [{"requests": 9, "window": "hour"}]}]`, steps: []step{
			{"POST http://api.test/v1/x\nx-beta: 1", "200 9/8 hour"},
			{"GET http://api.test/v1/x\nx-beta: 1", "200"},
			{"POST http://api.test/v2/x\nx-beta: 1", "200"},
			{"POST http://www.test/v1/x\nx-beta: 1", "200"},
			{"POST http://api.test/v1/x", "200"},
			{"DELETE /", "200 9/7 hour"},
		}},
		{name: "first-match", config: `"rules": [
			{"name": "login", "match": [{"path": "/login"}], "limits": [{"requests": 3, "window": "hour"}]},
			{"name": "rest", "match": [{"path_prefix": "/"}], "limits": [{"requests": 9, "window": "hour"}]}]`, steps: []step{
			{"GET /login", "200 3/2 hour"},
			{"GET /other", "200 9/8 hour"},
			{"OPTIONS *", "404"}, // by Envoy: no filter sees it
		}},
		{name: "unlimited", config: `"rules": [
			{"name": "health", "match": [{"path": "/healthz"}], "limits": "unlimited"},
			{"name": "never", "match": [{"path": "/closed"}], "limits": [{"requests": 0, "window": "hour"}]},
			{"name": "most", "match": [{"path": "/most"}], "limits": [{"requests": 4294967295, "window": "hour"}]},
			{"name": "signed", "match": [{"path": "/signed"}], "limits": [{"requests": 2147483647, "window": "hour"}]},
			{"name": "rest", "limits": [{"requests": 9, "window": "hour"}]}]`, steps: []step{
			{"GET /healthz", "200"},
			{"GET /closed", "429 0/0 hour"},
			{"GET /closed", "429 0/0 hour"},
			{"GET /most", "200 4294967295/4294967294 hour"},
			{"GET /signed", "200 2147483647/2147483646 hour"},
			{"GET /", "200 9/8 hour"},
		}},
		{name: "values", values: true, config: `"max_counters": 1e+3, "rules": [
			{"name": "most", "match": [{"path": "/most"}], "limits": [{"requests": 4294967295, "window": "hour"}]},
			{"name": "rest", "limits": [{"requests": 10.0, "window": "hour"}], "cost": 2e0}]`, steps: []step{
			{"GET /most", "200 4294967295/4294967294 hour"},
			{"GET /", "200 10/8 hour"},
		}},
		{name: "exempt", config: `"exempt": [
				{"methods": ["OPTIONS"], "headers": [{"name": "origin"}, {"name": "access-control-request-method"}]},
				{"methods": ["GET", "HEAD"], "path": "/healthz"}],
			"on_unidentified": "refuse", ` + threeAnHour, steps: []step{
			{"OPTIONS /x\norigin: http://a.test\naccess-control-request-method: PUT", "200"},
			{"GET /healthz", "200"},
			{"GET /healthz?x\nx-api-key: alice", "200"},
			{"HEAD /healthz", "200"},
			{"OPTIONS /x\norigin: http://a.test\nx-api-key: alice", "200 3/2 hour"},
			{"POST /healthz\nx-api-key: alice", "200 3/1 hour"},
			{"OPTIONS /x", `401 ApiKey realm="exempt"`},
		}},
	}
}
