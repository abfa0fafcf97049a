package filter

import (
	"strings"
	"testing"
)

// lists of header lines by style, of a client that has 2 of 3 left in the window that ends at 1010, at 1003.5.
const (
	xLines    = "x-ratelimit-limit: 3\nx-ratelimit-remaining: 2\nx-ratelimit-reset: 1010"
	deltaLine = "x-ratelimit-limit: 3\nx-ratelimit-remaining: 2\nx-ratelimit-reset: 7"
	ietfLines = `ratelimit-policy: "api.10s";q=3;w=10` + "\n" + `ratelimit: "api.10s";r=2;t=7`
	xNames    = "x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset"
	ietfNames = "ratelimit-policy, ratelimit"
)

// TestStyles holds the header lines of each style in order, on a response and on a refusal.
func TestStyles(t *testing.T) {
	for _, c := range []struct{ headers, lines, exposed string }{
		{`{}`, xLines, ""},
		{`{"style": "x-ratelimit"}`, xLines, ""},
		{`{"reset": "epoch"}`, xLines, ""},
		{`{"reset": "delta"}`, deltaLine, ""},
		{`{"style": "ietf"}`, ietfLines, ""},
		{`{"style": "both"}`, xLines + "\n" + ietfLines, ""},
		{`{"style": "both", "reset": "delta"}`, deltaLine + "\n" + ietfLines, ""},
		{`{"style": "none"}`, "", ""},
		{`{"expose": true}`, xLines, xNames},
		{`{"style": "ietf", "expose": true}`, ietfLines, ietfNames},
		{`{"style": "both", "expose": true}`, xLines + "\n" + ietfLines, xNames + ", " + ietfNames},
	} {
		h := newFakeHost()
		p := startPlugin(t, h, shop(`{"name": "api", "limits": [{"requests": 3, "window": "10s"}]}`, `"ratelimit_headers": `+c.headers))
		h.now = 1003.5 * second
		want := c.lines
		if c.exposed != "" {
			want += "\naccess-control-expose-headers: " + c.exposed
		}
		if r := h.play(p, get("/", "alice")); r.status != 200 || r.lines() != want {
			t.Errorf("%s: %d with\n%s\nwant\n%s", c.headers, r.status, r.lines(), want)
		}
		for range 2 {
			h.play(p, get("/", "alice"))
		}
		want = strings.NewReplacer("remaining: 2", "remaining: 0", "r=2", "r=0").Replace(c.lines) + "\nretry-after: 7"
		if c.exposed != "" {
			want += "\naccess-control-expose-headers: " + c.exposed + ", retry-after"
		}
		if r := h.play(p, get("/", "alice")); r.status != 429 || r.lines() != strings.TrimPrefix(want, "\n") {
			t.Errorf("%s: %d with\n%s\nwant\n%s", c.headers, r.status, r.lines(), want)
		}
	}
}

// TestTheUpstreamsOwnLines holds that ours replace those of the same names, that others pass, and that the upstream's own exposed
// names stay beside ours.
func TestTheUpstreamsOwnLines(t *testing.T) {
	upstream := [][2]string{
		{"x-ratelimit-limit", "9"}, {"ratelimit", "theirs"}, {"ratelimit", "again"}, {"retry-after", "1"}, {"access-control-expose-headers", "x-total"},
	}
	for style, want := range map[string]string{
		"x-ratelimit": "ratelimit: theirs\nratelimit: again\nretry-after: 1\naccess-control-expose-headers: x-total\n" + xLines +
			"\naccess-control-expose-headers: " + xNames,
		"ietf": "x-ratelimit-limit: 9\nretry-after: 1\naccess-control-expose-headers: x-total\n" + strings.ReplaceAll(ietfLines, "t=7", "t=10") +
			"\naccess-control-expose-headers: " + ietfNames,
	} {
		h := newFakeHost()
		p := startPlugin(t, h, shop(`{"name": "api", "limits": [{"requests": 3, "window": "10s"}]}`, `"ratelimit_headers": {"style": "`+style+`", "expose": true}`))
		if r := h.play(p, get("/", "alice"), upstream...); r.lines() != want {
			t.Errorf("%s:\n%s\nwant\n%s", style, r.lines(), want)
		}
	}
}

// TestARuleHasAStyleOfItsOwn holds that the rule which is told decides how, and that hidden limits are never told.
func TestARuleHasAStyleOfItsOwn(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`
		{"name": "hidden", "continue": true, "limits": [{"requests": 2, "window": "10s"}], "ratelimit_headers": {"style": "none"}},
		{"name": "modern", "match": [{"path": "/modern"}], "limits": [{"requests": 9, "window": "10s"}], "ratelimit_headers": {"style": "ietf"}},
		{"name": "exposed", "match": [{"path": "/exposed"}], "limits": [{"requests": 9, "window": "10s"}], "ratelimit_headers": {"expose": true}},
		{"name": "plain", "match": [{"path": "/plain"}], "limits": [{"requests": 9, "window": "10s"}]}`, `"ratelimit_headers": {"reset": "delta"}`))
	for target, want := range map[string]string{
		"/modern":  `ratelimit-policy: "modern.10s";q=9;w=10` + "\n" + `ratelimit: "modern.10s";r=8;t=10`,
		"/exposed": "x-ratelimit-limit: 9\nx-ratelimit-remaining: 8\nx-ratelimit-reset: 10\naccess-control-expose-headers: " + xNames,
		"/plain":   "x-ratelimit-limit: 9\nx-ratelimit-remaining: 8\nx-ratelimit-reset: 10",
		"/":        "",
	} {
		if r := h.play(p, get(target, "client of "+target)); r.status != 200 || r.lines() != want {
			t.Errorf("%s: %d with\n%s\nwant\n%s", target, r.status, r.lines(), want)
		}
	}
	for range 2 {
		h.play(p, get("/exposed", "alice"))
	}
	if r := h.play(p, get("/exposed", "alice")); r.status != 429 || r.lines() != "retry-after: 10" {
		t.Errorf("a hidden limit refuses: %d with %q", r.status, r.lines())
	}
}

// TestNamesThatCannotBeExposed counts the failure; the lines themselves stay.
func TestNamesThatCannotBeExposed(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`{"name": "api", "limits": [{"requests": 3, "window": "10s"}]}`, `"ratelimit_headers": {"expose": true}`))
	h.failing("add", 1, errBroken)
	h.play(p, get("/", "alice")).want(t, "not exposed", 200, "limit=3 remaining=2 reset=1010")
	h.wantMetrics(t, p, "api.allowed=1", "errors_headers=1")
}

// TestResetAndRetryAfterOverAWindow holds that the reset as a time stays the same, that its delta and Retry-After count down to 1,
// whole and never below, and that they agree.
func TestResetAndRetryAfterOverAWindow(t *testing.T) {
	epoch, delta := newFakeHost(), newFakeHost()
	rule := `{"name": "api", "limits": [{"requests": 1, "window": "10s"}]}`
	p, q := startPlugin(t, epoch, shop(rule)), startPlugin(t, delta, shop(rule, `"ratelimit_headers": {"style": "both", "reset": "delta"}`))
	epoch.play(p, get("/", "alice"))
	delta.play(q, get("/", "alice"))
	for _, c := range []struct {
		at    float64
		after string
	}{{1000, "10"}, {1000.000000001, "10"}, {1001, "9"}, {1008.5, "2"}, {1009, "1"}, {1009.999999999, "1"}} {
		epoch.now, delta.now = int64(c.at*second), int64(c.at*second)
		epoch.play(p, get("/", "alice")).want(t, "epoch", 429, "limit=1 remaining=0 reset=1010 retry-after="+c.after)
		r := delta.play(q, get("/", "alice"))
		r.want(t, "delta", 429, "limit=1 remaining=0 reset="+c.after+" retry-after="+c.after)
		if got := r.value("ratelimit"); got != `"api.10s";r=0;t=`+c.after {
			t.Errorf("at %v: ratelimit %s", c.at, got)
		}
	}
}
