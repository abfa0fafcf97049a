package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tollgate/e2e/envoytest"
	"tollgate/e2e/wire"
)

// What a client is told, and how: the header lines of each style; a refusal as the operator wants it, and what a rule changes of
// it; problem details; and a gRPC client's status, which is never "OK".
//
// Fields: ratelimit_headers, ratelimit_headers.style, ratelimit_headers.reset, ratelimit_headers.expose, rules.ratelimit_headers
// Fields: refusal, refusal.status, refusal.body, refusal.content_type, refusal.headers, refusal.problem_details, rules.refusal
func TestPolicyAnswers(t *testing.T) {
	t.Parallel()
	perform(t, slices.Concat(stylePlays(), refusalPlays(), grpcPlays(), logPlays()))
}

// stylePlays show the lines of two allowed requests and a refused one, in the order of the wire.
func stylePlays() []play {
	const (
		x, ietf = "x-ratelimit-limit: 2\nx-ratelimit-remaining: <R>\nx-ratelimit-reset: ", `ratelimit-policy: "login.<W>s";q=2;w=<W>` + "\n" + `ratelimit: "login.<W>s";r=<R>;t=<T>`
	)
	var plays []play
	for _, c := range []struct{ name, style, lines string }{
		{"default", `{}`, x + "<END>"},
		{"delta", `{"reset": "delta"}`, x + "<T>"},
		{"ietf", `{"style": "ietf"}`, ietf},
		{"both", `{"style": "both"}`, x + "<END>\n" + ietf},
		{"none", `{"style": "none"}`, ""},
		{"expose", `{"style": "ietf", "expose": true}`, ietf},
	} {
		plays = append(plays, play{
			name:   c.name,
			config: `"ratelimit_headers": ` + c.style + `, "rules": [{"name": "login", "limits": [{"requests": 2, "window": "hour"}]}]`,
			check: func(t *testing.T, envoy *envoytest.Envoy, w times) {
				conn := connect(t, http1, envoy.Addr(c.name))
				checkStyle(t, conn.get("/", "alice"), 200, w["hour"], 1, c.lines)
				checkStyle(t, conn.get("/", "alice"), 200, w["hour"], 0, c.lines)
				checkStyle(t, conn.get("/", "alice"), 429, w["hour"], 0, strings.TrimPrefix(c.lines+"\nretry-after: <T>", "\n"))
			},
		})
	}
	return append(plays, play{name: "exposed", check: checkExposed,
		config: `"rules": [{"name": "login", "ratelimit_headers": {"style": "ietf", "expose": true}, "limits": [{"requests": 1, "window": "hour"}]}]`})
}

// checkStyle compares the status and all header lines about limits. In want <END> stands for the window's end as a Unix time, <T> for
// the seconds to it, <W> for the window and <R> for what remains.
func checkStyle(t *testing.T, a answer, status int, window time.Duration, remaining int, want string) {
	t.Helper()
	var lines []string
	for _, f := range a.Header {
		if slices.Contains(ourNames, f.Name) || strings.HasPrefix(f.Name, "ratelimit") {
			lines = append(lines, f.Name+": "+f.Value)
		}
	}
	end := windowEnd(a.sent, window)
	filled := func(at time.Time) string {
		return strings.NewReplacer("<END>", fmt.Sprint(end), "<T>", secondsUntil(end, at),
			"<W>", strings.TrimSuffix(inSeconds(window), "s"), "<R>", fmt.Sprint(remaining)).Replace(want)
	}
	got := strings.Join(lines, "\n")
	if a.Status != status || got != filled(a.sent) && got != filled(a.received) {
		t.Errorf("status %d with\n%s\nwant %d with\n%s", a.Status, got, status, filled(a.sent))
	}
}

// checkExposed holds that a script in a browser may read our lines besides the upstream's.
func checkExposed(t *testing.T, envoy *envoytest.Envoy, _ times) {
	c := connect(t, http1, envoy.Addr("exposed"))
	for _, want := range []string{"x-mine,ratelimit-policy, ratelimit" /* Envoy joins two lines */, "ratelimit-policy, ratelimit, retry-after"} {
		got := c.get("/?set=access-control-expose-headers:x-mine", "alice")
		checkLine(t, got, "access-control-expose-headers", want)
	}
}

func refusalPlays() []play {
	const limits = `"limits": [{"requests": 0, "window": "hour"}]`
	return []play{
		{name: "plain", check: checkPlainRefusals, config: `"refusal": {"status": 503, "body": "later", "headers": {"Cache-Control": "no-store", "x-reason": "limit"}}, "rules": [
			{"name": "json", "match": [{"path": "/json"}], ` + limits + `, "refusal": {"status": 403, "body": "{\"no\":1}", "content_type": "application/json", "headers": {"x-reason": "json"}}},
			{"name": "empty", "match": [{"path": "/empty"}], ` + limits + `, "refusal": {"body": ""}},
			{"name": "rest", ` + limits + `}]`},
		{name: "problem", check: checkProblems, config: `"refusal": {"problem_details": true}, "rules": [
			{"name": "hidden", "match": [{"path": "/hidden"}], "ratelimit_headers": {"style": "none"}, ` + limits + `},
			{"name": "org", "match": [{"path": "/both"}], "continue": true, ` + limits + `},
			{"name": "watch", "mode": "shadow", ` + limits + `},
			{"name": "api", "limits": [{"requests": 1, "window": "hour"}, {"requests": 1, "window": "day"}, {"requests": 2, "window": "366d"}]}]`,
			steps: []step{get("/", "alice", "200 1/0 day")}},
	}
}

func checkPlainRefusals(t *testing.T, envoy *envoytest.Envoy, _ times) {
	c := connect(t, http1, envoy.Addr("plain"))
	for _, s := range []struct {
		method, target string
		status         int
		body           string
		lines          map[string]string
	}{
		{"GET", "/", 503, "later", map[string]string{"content-type": "text/plain; charset=utf-8", "x-reason": "limit", "content-length": "5"}},
		{"HEAD", "/", 503, "", map[string]string{"content-type": "text/plain; charset=utf-8", "x-reason": "limit"}},
		{"GET", "/json", 403, `{"no":1}`, map[string]string{"content-type": "application/json", "x-reason": "json", "content-length": "8"}},
		{"GET", "/empty", 503, "", map[string]string{"content-type": "", "x-reason": "limit", "content-length": "0"}},
	} {
		got := c.ask(wire.Request{Method: s.method, Target: s.target, Header: key("alice")})
		if got.Status != s.status || string(got.Body) != s.body {
			t.Errorf("%s: status %d with the body %q, want %d with %q", s.target, got.Status, got.Body, s.status, s.body)
		}
		checkLine(t, got, "cache-control", "no-store")
		for name, value := range s.lines {
			checkLine(t, got, name, value)
		}
	}
}

// checkLine compares the value of a header; "" stands for none.
func checkLine(t *testing.T, a answer, name, value string) {
	t.Helper()
	if got := strings.Join(a.Values(name), " and "); got != value {
		t.Errorf("status %d: %s is %q, want %q", a.Status, name, got, value)
	}
}

func checkProblems(t *testing.T, envoy *envoytest.Envoy, w times) {
	c := connect(t, http1, envoy.Addr("problem"))
	hour, day := inSeconds(w["hour"]), inSeconds(w["day"])
	checkProblem(t, c.get("/", "alice"), "api."+hour, "api."+day)
	checkProblem(t, c.get("/both", "alice"), "org."+hour, "api."+hour, "api."+day)
	checkProblem(t, c.get("/hidden", "alice"))
}

// checkProblem holds that a refusal has the problem details of a quota that is exceeded, with these policies.
func checkProblem(t *testing.T, a answer, policies ...string) {
	t.Helper()
	var got struct {
		Type, Title string
		Status      int
		Violated    []string `json:"violated-policies"`
	}
	if err := json.Unmarshal(a.Body, &got); err != nil {
		t.Errorf("status %d: %v: %q", a.Status, err, a.Body)
	}
	if got.Type != "https://iana.org/assignments/http-problem-types#quota-exceeded" || got.Title == "" || got.Status != 429 || a.Status != 429 {
		t.Errorf("status %d: the problem is %+v", a.Status, got)
	}
	if got.Violated == nil || !slices.Equal(got.Violated, policies) {
		t.Errorf("violated policies %q, want %q", got.Violated, policies)
	}
	checkLine(t, a, "content-type", "application/problem+json")
}

func grpcPlays() []play {
	return []play{{name: "grpc", check: checkGRPC, config: `"refusal": {"problem_details": true}, "rules": [
		{"name": "named", "match": [{"path": "/pkg.Service/Named"}], "on_unidentified": "refuse", "limits": [{"requests": 1, "window": "hour"}]},
		{"name": "call", "match": [{"path_prefix": "/pkg.Service"}], "limits": [{"requests": 1, "window": "hour"}]}]`}}
}

func checkGRPC(t *testing.T, envoy *envoytest.Envoy, w times) {
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			c := connect(t, p, envoy.Addr("grpc"))
			call := func(method, contentType string, who ...wire.Field) answer {
				header := append([]wire.Field{{Name: "content-type", Value: contentType}, {Name: "te", Value: "trailers"}}, who...)
				return c.ask(wire.Request{Method: "POST", Target: "/pkg.Service/" + method, Header: header})
			}
			standing := standing{1, 0, w["hour"]}
			passed := call("Call", "application/grpc", key(p.name)...)
			passed.checkLines(t, 200, passed.linesOf(200, standing))
			for _, contentType := range []string{"application/grpc", "application/grpc+proto"} {
				refused := call("Call", contentType, key(p.name)...)
				refused.checkLines(t, 200, refused.linesOf(429, standing))
				checkLine(t, refused, "grpc-status", "8")
				checkLine(t, refused, "content-type", "application/grpc")
			}
			other := call("Call", "application/json", key(p.name)...)
			other.checkLines(t, 429, other.linesOf(429, standing))
			checkLine(t, other, "grpc-status", "")
			stranger := call("Named", "application/grpc")
			stranger.checkLines(t, 200, nil)
			checkLine(t, stranger, "grpc-status", "16")
			checkLine(t, stranger, "www-authenticate", `ApiKey realm="grpc"`)
		})
	}
}

// logPlays show that an access log says why a request was answered here: which limit refused it, or that it named no client.
func logPlays() []play {
	return []play{{name: "log", check: checkDetails, config: `"rules": [
		{"name": "named", "match": [{"path": "/named"}], "on_unidentified": "refuse", "limits": [{"requests": 1, "window": "hour"}]},
		{"name": "hidden", "match": [{"path": "/hidden"}], "ratelimit_headers": {"style": "none"}, "refusal": {"status": 503}, "limits": [{"requests": 0, "window": "hour"}]},
		{"name": "api", "limits": [{"requests": 1, "window": "hour"}, {"requests": 1, "window": "day"}]}]`, steps: []step{
		{"GET /named", `401 ApiKey realm="log"`}, {"GET /hidden", "503"}, {"GET /first", "200 1/0 day"}, {"GET /second", "429 1/0 day"},
	}}}
}

// checkDetails waits for the lines: Envoy writes them with a delay.
func checkDetails(t *testing.T, envoy *envoytest.Envoy, w times) {
	want := []string{
		"401 tollgate.unidentified GET /named", "503 tollgate.hidden." + inSeconds(w["hour"]) + " GET /hidden",
		"200 via_upstream GET /first", "429 tollgate.api." + inSeconds(w["day"]) + " GET /second",
	}
	deadline := time.Now().Add(time.Minute)
	for {
		log := strings.Split(envoy.AccessLog(), "\n")
		missing := slices.DeleteFunc(slices.Clone(want), func(line string) bool { return slices.Contains(log, line) })
		if len(missing) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the access log lacks %q:\n%s", missing, strings.Join(log, "\n"))
		}
		waitUntil(time.Now().Add(50 * time.Millisecond))
	}
}
