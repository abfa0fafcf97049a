package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
)

// TestRefusals holds status, header lines in order and body of each kind of refusal, and what a gRPC client gets of it.
//
// Fields: refusal, rules.refusal, refusal.status, refusal.body, refusal.content_type, refusal.headers, refusal.problem_details
func TestRefusals(t *testing.T) {
	const limits = "x-ratelimit-limit: 0\nx-ratelimit-remaining: 0\nx-ratelimit-reset: 1700000010\n"
	const problem = `{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Request cannot be satisfied as assigned quota has been exceeded",` +
		`"status":429,"violated-policies":["never.10s"]}`
	for _, c := range []struct {
		refusal       string
		status        int
		headers, body string
	}{
		{`{}`, 429, "", ""},
		{`{"status": 503}`, 503, "", ""},
		{`{"body": "Slow down."}`, 429, "content-type: text/plain; charset=utf-8\ncontent-length: 10\n", "Slow down."},
		{`{"body": "{}", "content_type": "application/json"}`, 429, "content-type: application/json\ncontent-length: 2\n", "{}"},
		{`{"headers": {"Cache-Control": "no-store", "x-a": "é"}}`, 429, "cache-control: no-store\nx-a: é\n", ""},
		{`{"problem_details": true}`, 429, fmt.Sprintf("content-type: application/problem+json\ncontent-length: %d\n", len(problem)), problem},
	} {
		for _, place := range []string{"top", "rule"} {
			rule := `{"name": "never", %s "limits": [{"requests": 0, "window": "10s"}]}`
			configuration := shop(fmt.Sprintf(rule, ""), `"refusal": `+c.refusal)
			if place == "rule" {
				configuration = shop(fmt.Sprintf(rule, `"refusal": `+c.refusal+`,`))
			}
			root := start(t, hosttest.New(t), configuration)
			r := do(t, root, get("/", "alice"), nil)
			if r.Status != c.status || headersOf(r)+"\n" != limits+c.headers || r.Body != c.body || r.Details != "tollgate.never.10s" {
				t.Errorf("%s at the %s: %d, %s\n%s\n%s\nwant %d\n%s%s%s", c.refusal, place, r.Status, r.Details, headersOf(r), r.Body, c.status, limits, c.headers, c.body)
			}
			grpc := do(t, root, with(get("/", "alice"), "content-type", "application/grpc"), nil)
			if grpc.Status != 200 || grpc.Headers.Value("grpc-status") != "8" || grpc.Headers.Value("x-ratelimit-limit") != "0" || (grpc.Headers.Value("grpc-message") != "") != (c.body != "") {
				t.Errorf("%s, gRPC: %d with\n%s", c.refusal, grpc.Status, headersOf(grpc))
			}
		}
	}
}

// TestRefusalsMerge holds that a rule's refusal is laid over the top level's key by key.
//
// Fields: refusal, rules.refusal
func TestRefusalsMerge(t *testing.T) {
	root := start(t, hosttest.New(t), shop(`
		{"name": "own", "match": [{"path": "/own"}], "limits": [{"requests": 0, "window": "10s"}], "refusal": {"status": 503, "headers": {"x-b": "2"}}},
		{"name": "never", "limits": [{"requests": 0, "window": "10s"}]}`, `"refusal": {"body": "No.", "headers": {"x-a": "1"}}`, `"ratelimit_headers": {"style": "none"}`))
	for target, want := range map[string]string{
		"/own": "503 x-a: 1\nx-b: 2\ncontent-type: text/plain; charset=utf-8\ncontent-length: 3",
		"/":    "429 x-a: 1\ncontent-type: text/plain; charset=utf-8\ncontent-length: 3",
	} {
		if r := do(t, root, get(target, "alice"), nil); fmt.Sprint(r.Status, " ", headersOf(r)) != want {
			t.Errorf("%s: %d\n%s\nwant %s", target, r.Status, headersOf(r), want)
		}
	}
}

// TestHeaderStyles holds the lines of each style in order, on a response that had lines of these names, and on a refusal.
//
// Fields: ratelimit_headers, rules.ratelimit_headers, ratelimit_headers.style, ratelimit_headers.reset, ratelimit_headers.expose
func TestHeaderStyles(t *testing.T) {
	const x = "x-ratelimit-limit: 1\nx-ratelimit-remaining: 0\nx-ratelimit-reset: 1700000010"
	const delta = "x-ratelimit-limit: 1\nx-ratelimit-remaining: 0\nx-ratelimit-reset: 10"
	const ietf = `ratelimit-policy: "api.10s";q=1;w=10` + "\n" + `ratelimit: "api.10s";r=0;t=10`
	const xNames, ietfNames = "x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset", "ratelimit-policy, ratelimit"
	for _, c := range []struct{ style, lines, exposed string }{
		{`{}`, x, ""},
		{`{"style": "x-ratelimit", "reset": "epoch", "expose": false}`, x, ""},
		{`{"reset": "delta"}`, delta, ""},
		{`{"style": "ietf"}`, ietf, ""},
		{`{"style": "both"}`, x + "\n" + ietf, ""},
		{`{"style": "none"}`, "", ""},
		{`{"expose": true}`, x, xNames},
		{`{"style": "both", "reset": "delta", "expose": true}`, delta + "\n" + ietf, xNames + ", " + ietfNames},
	} {
		for _, place := range []string{"top", "rule"} {
			rule := `{"name": "api", %s "limits": [{"requests": 1, "window": "10s"}]}`
			configuration := shop(fmt.Sprintf(rule, ""), `"ratelimit_headers": `+c.style)
			if place == "rule" {
				configuration = shop(fmt.Sprintf(rule, `"ratelimit_headers": `+c.style+`,`), `"ratelimit_headers": {"style": "ietf"}`)
			}
			if place == "rule" && !strings.Contains(c.style, "style") {
				continue // it would inherit the other style
			}
			root := start(t, hosttest.New(t), configuration)
			allowed, refused := c.lines, c.lines+"\nretry-after: 10"
			if c.exposed != "" {
				allowed += "\naccess-control-expose-headers: " + c.exposed
				refused += "\naccess-control-expose-headers: " + c.exposed + ", retry-after"
			}
			if r := do(t, root, get("/", "alice"), ownLines(c.lines)); r.Status != 200 || headersOf(r) != allowed {
				t.Errorf("%s at the %s: %d with\n%s\nwant\n%s", c.style, place, r.Status, headersOf(r), allowed)
			}
			if r := do(t, root, get("/", "alice"), nil); r.Status != 429 || headersOf(r) != strings.TrimPrefix(refused, "\n") {
				t.Errorf("%s at the %s, refused: %d with\n%s\nwant\n%s", c.style, place, r.Status, headersOf(r), refused)
			}
		}
	}
}

// ownLines is an upstream that sends lines of these names itself, twice.
func ownLines(lines string) wasmhost.Upstream {
	var own [][2]string
	for line := range strings.SplitSeq(lines, "\n") {
		if name, _, ok := strings.Cut(line, ": "); ok {
			own = append(own, [2]string{name, "of the upstream"}, [2]string{name, "again"})
		}
	}
	return wasmhost.Respond(200, own...)
}

// TestEveryStatusTellsTheStanding holds that the headers stand on whatever the upstream answers, counting down, and that its own
// Retry-After passes.
//
// Fields: ratelimit_headers
func TestEveryStatusTellsTheStanding(t *testing.T) {
	root := start(t, hosttest.New(t), limited(7, "10s", ""))
	for i, status := range []int{200, 204, 304, 404, 500, 503, 429} {
		r := do(t, root, get("/", "alice"), wasmhost.Respond(status, [2]string{"retry-after", "77"}))
		wanted := []string{"retry-after: 77", "x-ratelimit-limit: 7", fmt.Sprint("x-ratelimit-remaining: ", 6-i), "x-ratelimit-reset: 1700000010"}
		if r.Status != status || !slices.Equal(strings.Split(headersOf(r), "\n"), wanted) {
			t.Errorf("%d with\n%s", r.Status, headersOf(r))
		}
	}
}

// TestTheLimitThatRefusesIsTold holds that a refusal describes a limit that had no room, also where another one waits longer in hiding.
//
// Fields: rules.continue, ratelimit_headers.style
func TestTheLimitThatRefusesIsTold(t *testing.T) {
	const hidden = `"ratelimit_headers": {"style": "none"},`
	for _, c := range []struct {
		first, second string // more fields of the rules
		requests      [2]int
		told, details string
	}{
		{``, ``, [2]int{1, 9}, "limit=1 remaining=0 reset=1700000010 retry-after=10", "tollgate.first.10s"},
		{``, ``, [2]int{9, 1}, "limit=1 remaining=0 reset=1700002800 retry-after=2800", "tollgate.second.3600s"},
		{``, ``, [2]int{1, 1}, "limit=1 remaining=0 reset=1700002800 retry-after=2800", "tollgate.second.3600s"},
		{``, hidden, [2]int{1, 1}, "limit=1 remaining=0 reset=1700000010 retry-after=2800", "tollgate.second.3600s"},
		{``, hidden, [2]int{9, 1}, "retry-after=2800", "tollgate.second.3600s"},
		{hidden, ``, [2]int{1, 9}, "retry-after=10", "tollgate.first.10s"},
	} {
		root := start(t, hosttest.New(t), shop(fmt.Sprintf(`
			{"name": "first", "continue": true, %s "limits": [{"requests": %d, "window": "10s"}]},
			{"name": "second", %s "limits": [{"requests": %d, "window": "1h"}]}`, c.first, c.requests[0], c.second, c.requests[1])))
		do(t, root, get("/", "alice"), nil)
		r := do(t, root, get("/", "alice"), nil)
		want(t, fmt.Sprint(c), r, 429, c.told)
		if r.Details != c.details {
			t.Errorf("%v: details %s, want %s", c, r.Details, c.details)
		}
	}
}
