package config

import "testing"

// deciding names the rule that decides a request, or "".
func deciding(cfg *Config, r *Request) string {
	if i := cfg.Next(r, 0); i >= 0 {
		return cfg.Rules[i].Name
	}
	return ""
}

func TestRouteClasses(t *testing.T) {
	cfg := mustParse(t, `{"rules": [
		{"name": "login", "match": [{"methods": ["POST"], "path": "/login"}, {"methods": ["POST"], "path": "/v2/login"}], "limits": [{"requests": 3, "window": "10s"}]},
		{"name": "closed", "match": [{"path_prefix": "/closed"}, {"path_prefix": "/shut/"}], "limits": [{"requests": 0, "window": "1h"}]},
		{"name": "reads", "match": [{"methods": ["GET", "HEAD"], "path_prefix": "/"}], "limits": [{"requests": 10, "window": "10s"}]},
		{"name": "deletes", "match": [{"methods": ["DELETE"]}], "limits": [{"requests": 1, "window": "10s"}]}]}`)
	for _, c := range []struct{ method, target, rule string }{
		{"POST", "/login", "login"},
		{"POST", "/v2/login", "login"},
		{"POST", "/login?next=%2Fhome", "login"},
		{"POST", "/login?", "login"},
		{"POST", "/login?a?b", "login"},
		{"POST", "/login#x", "login"},
		{"POST", "//login", "login"},
		{"POST", "/%6Cogin", "login"},
		{"POST", "/x/../login", "login"},
		{"POST", "/login/", ""},
		{"POST", "/loginx", ""},
		{"POST", "/Login", ""},
		{"post", "/login", ""},
		{"GET", "/login", "reads"},
		{"HEAD", "/login", "reads"},
		{"POST", "/closed", "closed"},
		{"GET", "/closed", "closed"},
		{"GET", "/closed/", "closed"},
		{"GET", "/closed/x", "closed"},
		{"GET", "/closed?x", "closed"},
		{"GET", "/closedx", "reads"},
		{"GET", "/open/%2e%2e/closed", "closed"},
		{"GET", "/closed%2Fx", "reads"},
		{"GET", "/shut/", "closed"},
		{"GET", "/shut/x", "closed"},
		{"GET", "/shut", "reads"},
		{"GET", "*", ""},
		{"GET", "", ""},
		{"DELETE", "/login", "deletes"},
		{"DELETE", "*", "deletes"},
		{"OPTIONS", "*", ""},
	} {
		if got := deciding(cfg, request(c.method, c.target)); got != c.rule {
			t.Errorf("%s %s: rule %q, want %q", c.method, c.target, got, c.rule)
		}
	}
}

func TestTheMethodOverrideHeaderIsNotTrusted(t *testing.T) {
	cfg := mustParse(t, `{"rules": [{"name": "login", "match": [{"methods": ["POST"]}], "limits": [{"requests": 3, "window": "10s"}]}]}`)
	if got := deciding(cfg, request("GET", "/", [2]string{"x-http-method-override", "POST"})); got != "" {
		t.Errorf("rule %q took a GET", got)
	}
}

func TestTheFirstMatchWinsInBothOrders(t *testing.T) {
	const narrow = `{"name": "narrow", "match": [{"path": "/a"}], "limits": [{"requests": 1, "window": "1s"}]}`
	const overlapping = `{"name": "overlapping", "match": [{"methods": ["GET"]}], "limits": [{"requests": 2, "window": "1s"}]}`
	for first, rules := range map[string]string{"narrow": narrow + "," + overlapping, "overlapping": overlapping + "," + narrow} {
		cfg := mustParse(t, `{"rules": [`+rules+`]}`)
		if got := deciding(cfg, request("GET", "/a")); got != first {
			t.Errorf("rule %q decided, want %q", got, first)
		}
	}
}

func TestNextGoesOnFromAnyRule(t *testing.T) {
	cfg := mustParse(t, `{"on_unidentified": "next", "rules": [
		{"name": "a", "limits": [{"requests": 1, "window": "1s"}]},
		{"name": "b", "match": [{"path": "/b"}], "limits": [{"requests": 1, "window": "1s"}]},
		{"name": "c", "limits": [{"requests": 1, "window": "1s"}]}]}`)
	for _, c := range []struct {
		target     string
		from, want int
	}{{"/b", -1, 0}, {"/b", 0, 0}, {"/b", 1, 1}, {"/b", 2, 2}, {"/b", 3, -1}, {"/b", 9, -1}, {"/x", 1, 2}} {
		if got := cfg.Next(request("GET", c.target), c.from); got != c.want {
			t.Errorf("Next(%s, %d) = %d, want %d", c.target, c.from, got, c.want)
		}
	}
}
