package filter

import (
	"strings"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"tollgate/limiter"
)

// failedLogins counts only the attempts that fail.
var failedLogins = shop(`{"name": "login", "limits": [{"requests": 2, "window": "10s"}, {"requests": 9, "window": "1h"}], "count_statuses": ["401", "5xx"]}`)

// TestOnlySomeStatusesCount holds that a charge stays with the statuses of the rule and goes back with all others, and that the client
// is told what is so then.
func TestOnlySomeStatusesCount(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, failedLogins)
	for _, c := range []struct {
		status       int
		told, counts string
	}{
		{200, "limit=2 remaining=2 reset=1010", ""},
		{302, "limit=2 remaining=2 reset=1010", ""},
		{401, "limit=2 remaining=1 reset=1010", "1 1"},
		{403, "limit=2 remaining=1 reset=1010", "1 1"},
		{404, "limit=2 remaining=1 reset=1010", "1 1"},
		{599, "limit=2 remaining=0 reset=1010", "2 2"},
	} {
		if got := h.answer(p, c.status, get("/", "alice")).told(); got != c.told {
			t.Errorf("%d: told %q, want %q", c.status, got, c.told)
		}
		h.wantCounts(t, "afterwards", c.counts)
	}
	h.answer(p, 200, get("/", "alice")).want(t, "spent", 429, "limit=2 remaining=0 reset=1010 retry-after=10")
	h.wantCounts(t, "a refusal", "2 2")
	h.wantMetrics(t, p, "login.allowed=6", "login.limited=1")
}

// TestARefusalIsNoStatusOfTheUpstream holds that the filter's own reply counts for nothing, even with a status of the list.
func TestARefusalIsNoStatusOfTheUpstream(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`{"name": "login", "limits": [{"requests": 1, "window": "10s"}], "count_statuses": ["5xx"], "refusal": {"status": 503}}`))
	h.answer(p, 500, get("/", "alice"))
	for range 3 {
		h.calls = nil
		h.answer(p, 503, get("/", "alice")).want(t, "refused", 503, "limit=1 remaining=0 reset=1010 retry-after=10")
		h.wantCalls(t, "refused", "request headers", "get", "now", "reply")
	}
	h.wantCounts(t, "afterwards", "1")
}

// TestNoResponseStaysCharged holds that a client which leaves does not get its attempt back.
func TestNoResponseStaysCharged(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, failedLogins)
	s := p.NewHttpContext(2)
	h.begin(s, get("/", "alice"))
	s.OnHttpStreamDone()
	h.wantCounts(t, "after a client that left", "1 1")
	// The context is used again for a stream of another rule's: nothing of the old one may be given back by it.
	if again := p.NewHttpContext(3); again != s {
		t.Fatal("the context is not used again")
	} else {
		h.status = 200
		h.finish(again, types.ActionContinue)
	}
	h.wantCounts(t, "after another stream of the context", "1 1")
}

// TestTheFirstResponseDecides holds that a second one takes nothing more away, whatever its status.
func TestTheFirstResponseDecides(t *testing.T) {
	for _, c := range []struct {
		first, second int
		told, counts  string
	}{
		{200, 200, "limit=2 remaining=1 reset=1010", "1 1"},
		{200, 401, "limit=2 remaining=1 reset=1010", "1 1"},
		{401, 200, "limit=2 remaining=0 reset=1010", "2 2"},
	} {
		h := newFakeHost()
		p := startPlugin(t, h, failedLogins)
		h.answer(p, 401, get("/", "alice"))
		s := p.NewHttpContext(2)
		action := h.begin(s, get("/", "alice"))
		for _, h.status = range []int{c.first, c.second} {
			if r := h.finish(s, action); r.told() != c.told {
				t.Errorf("%d after %d: told %q, want %q", h.status, c.first, r.told(), c.told)
			}
			h.wantCounts(t, "afterwards", c.counts)
		}
	}
}

// TestAChargeOfAnotherWindowIsNotGivenBack lets the response come after the window: nothing is taken from the next one.
func TestAChargeOfAnotherWindowIsNotGivenBack(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, failedLogins)
	s := p.NewHttpContext(2)
	h.status = 200
	h.begin(s, get("/", "alice"))
	h.now += 10 * second
	h.answer(p, 401, get("/", "alice"))
	h.wantCounts(t, "before the late response", "2 1")
	h.status = 200
	if r := h.finish(s, types.ActionContinue); r.told() != "limit=2 remaining=1 reset=1010" {
		t.Errorf("told %q", r.told()) // what was so when it was decided
	}
	h.wantCounts(t, "after the late response", "1 1")
}

// TestAChargeThatCannotGoBack stays: the client is told so, the failure is counted and logged once.
func TestAChargeThatCannotGoBack(t *testing.T) {
	for _, c := range []struct {
		what, call string
		err        error
		kind       failure
	}{
		{"status unreadable", "status", errBroken, failHeaders},
		{"no get", "get", errBroken, failRefund},
		{"no swap", "swap", errBroken, failRefund},
		{"endless conflicts", "swap", limiter.ErrConflict, failRefund},
	} {
		h := newFakeHost()
		p := startPlugin(t, h, failedLogins)
		h.logs = nil
		for _, remaining := range []string{"1", "0"} {
			s := p.NewHttpContext(2)
			action := h.begin(s, get("/", "alice"))
			h.failing(c.call, always, c.err)
			h.finish(s, action).want(t, c.what, 200, "limit=2 remaining="+remaining+" reset=1010")
			h.failing(c.call, 0, nil)
		}
		h.wantCounts(t, c.what, "2 2")
		h.wantMetrics(t, p, "errors_"+c.kind.String()+"=2", "login.allowed=2")
		if lines := h.errorLines(); len(lines) != 1 || !strings.Contains(lines[0], c.kind.explanation()) {
			t.Errorf("%s: log %q", c.what, lines)
		}
	}
}

// TestWhatGoesBackOfSeveralRules holds that each rule's own statuses decide about its charge, and which standing the client is told.
func TestWhatGoesBackOfSeveralRules(t *testing.T) {
	configuration := shop(`
		{"name": "all", "continue": true, "limits": [{"requests": 6, "window": "1h"}]},
		{"name": "failed", "continue": true, "limits": [{"requests": 5, "window": "1h"}], "count_statuses": ["4xx"]},
		{"name": "watched", "mode": "shadow", "limits": [{"requests": 1, "window": "1h"}], "count_statuses": ["404"]},
		{"name": "broken", "limits": [{"requests": 9, "window": "1h"}], "count_statuses": ["5xx", "404"]}`)
	for status, want := range map[int]struct{ told, counts string }{
		200: {"limit=5 remaining=5 reset=3600", "1"},
		401: {"limit=5 remaining=4 reset=3600", "1 1"},
		500: {"limit=5 remaining=5 reset=3600", "1 1"},
		404: {"limit=5 remaining=4 reset=3600", "1 1 1 1"},
	} {
		h := newFakeHost()
		p := startPlugin(t, h, configuration)
		if got := h.answer(p, status, get("/", "alice")).told(); got != want.told {
			t.Errorf("%d: told %q, want %q", status, got, want.told)
		}
		h.wantCounts(t, "afterwards", want.counts)
	}
}

// TestACounterThatGoesDownIsNeverRefusedFromMemory holds that a refusal asks the store while another request may still give back.
func TestACounterThatGoesDownIsNeverRefusedFromMemory(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`{"name": "login", "limits": [{"requests": 1, "window": "10s"}], "count_statuses": ["401"]}`))
	s := p.NewHttpContext(2)
	h.begin(s, get("/", "alice"))
	for range 2 {
		h.calls = nil
		h.play(p, get("/", "alice")).want(t, "while the first is in flight", 429, "limit=1 remaining=0 reset=1010 retry-after=10")
		h.wantCalls(t, "a refusal", "request headers", "get", "now", "reply")
	}
	h.status, h.reply = 200, nil // the replies were to others
	h.finish(s, types.ActionContinue)
	h.answer(p, 401, get("/", "alice")).want(t, "after it succeeded", 200, "limit=1 remaining=0 reset=1010")
}

// TestTheStatusIsReadOnlyWhereItDecides holds what the option costs, and that no other rule pays for it.
func TestTheStatusIsReadOnlyWhereItDecides(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`
		{"name": "login", "match": [{"path": "/login"}], "limits": [{"requests": 9, "window": "10s"}], "count_statuses": ["401"]},
		{"name": "api", "limits": [{"requests": 9, "window": "10s"}]}`))
	h.answer(p, 200, get("/login", "alice"))
	h.answer(p, 200, get("/", "alice"))
	taking := []string{"request headers", "get", "now", "swap"}
	telling := []string{"replace x-ratelimit-limit", "replace x-ratelimit-remaining", "replace x-ratelimit-reset"}
	h.calls = nil
	h.answer(p, 401, get("/login", "alice"))
	h.wantCalls(t, "a status that counts", append(append(append([]string(nil), taking...), "status"), telling...)...)
	h.answer(p, 200, get("/login", "alice"))
	h.wantCalls(t, "one that does not", append(append(append([]string(nil), taking...), "status", "get", "swap"), telling...)...)
	h.answer(p, 200, get("/", "alice"))
	h.wantCalls(t, "another rule", append(append([]string(nil), taking...), telling...)...)
}
