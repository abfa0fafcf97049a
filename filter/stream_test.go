package filter

import (
	"strings"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"
)

// TestAResponseWithoutARequest holds that another filter's answer gets no headers of ours.
func TestAResponseWithoutARequest(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, threeInTen)
	s := p.NewHttpContext(2)
	h.calls = nil
	if r := h.finish(s, types.ActionContinue, [2]string{"x-ratelimit-limit", "9"}); r.told() != "limit=9" || len(h.calls) != 0 {
		t.Errorf("told %q after %q", r.told(), h.calls)
	}
	s.OnHttpStreamDone()
}

// TestASecondRequestHeadersCallback holds that a request is counted once.
func TestASecondRequestHeadersCallback(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, threeInTen)
	s := p.NewHttpContext(2)
	h.begin(s, get("/", "alice"))
	h.calls = nil
	if action := h.begin(s, get("/", "bob")); action != types.ActionContinue || len(h.calls) != 0 {
		t.Errorf("action %d after %q", action, h.calls)
	}
	if r := h.finish(s, types.ActionContinue); r.told() != "limit=3 remaining=2 reset=1010" {
		t.Errorf("told %q", r.told())
	}
}

// TestInterleavedStreams holds that streams which are open at once keep their own numbers.
func TestInterleavedStreams(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, strings.Replace(threeInTen, "3", "2", 1))
	first, second, third := p.NewHttpContext(2), p.NewHttpContext(3), p.NewHttpContext(4)
	h.begin(first, get("/", "alice"))
	h.begin(second, get("/", "bob"))
	h.begin(third, get("/", "alice"))
	for _, c := range []struct {
		s    types.HttpContext
		told string
	}{{third, "limit=2 remaining=0 reset=1010"}, {first, "limit=2 remaining=1 reset=1010"}, {second, "limit=2 remaining=1 reset=1010"}} {
		if r := h.finish(c.s, types.ActionContinue); r.told() != c.told {
			t.Errorf("told %q, want %q", r.told(), c.told)
		}
	}
}

// TestAReusedStreamRemembersNothing holds that a context which is used again starts afresh, however its stream ended.
func TestAReusedStreamRemembersNothing(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, `{"domain": "shop", "rules": [{"name": "api", "match": [{"path": "/api"}], "limits": [{"requests": 1, "window": "10s"}]}]}`)
	endings := map[string]func(s types.HttpContext){
		"told":             func(s types.HttpContext) { h.finish(s, h.begin(s, get("/api", "alice"))) },
		"refused":          func(s types.HttpContext) { h.finish(s, h.begin(s, get("/api", "alice"))) },
		"without response": func(s types.HttpContext) { h.begin(s, get("/api", "bob")) },
		"without request":  func(types.HttpContext) {},
	}
	for _, name := range []string{"told", "refused", "without response", "without request"} {
		s := p.NewHttpContext(2)
		endings[name](s)
		s.OnHttpStreamDone()
		again := p.NewHttpContext(3)
		if again != s {
			t.Errorf("%s: the context is not used again", name)
		}
		if r := h.finish(again, h.begin(again, get("/", "alice"))); r.status != 200 || r.told() != "" {
			t.Errorf("%s: the next stream got %d with %q", name, r.status, r.told())
		}
		again.OnHttpStreamDone()
	}
}

// TestAPeakOfStreams holds that the contexts kept for reuse are bounded.
func TestAPeakOfStreams(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, threeInTen)
	var open []types.HttpContext
	for range 3 * maxIdle {
		open = append(open, p.NewHttpContext(2))
	}
	for _, s := range open {
		s.OnHttpStreamDone()
	}
	if kept := len(p.(*plugin).idle); kept != maxIdle {
		t.Errorf("%d contexts are kept after %d streams", kept, len(open))
	}
	seen := map[types.HttpContext]bool{}
	for range 2 * maxIdle {
		s := p.NewHttpContext(2)
		if seen[s] {
			t.Fatal("one context serves two streams")
		}
		seen[s] = true
	}
}

// TestStreamsEndUnderTheirConfiguration starts another plugin in the same VM while streams are open.
func TestStreamsEndUnderTheirConfiguration(t *testing.T) {
	h := newFakeHost()
	vm := NewVM(h)
	old := startIn(t, vm, h, threeInTen)
	decided, waiting := old.NewHttpContext(2), old.NewHttpContext(3)
	h.begin(decided, get("/", "alice"))
	updated := startIn(t, vm, h, strings.Replace(threeInTen, "3", "9", 1))
	if r := h.play(updated, get("/", "alice")); r.told() != "limit=9 remaining=7 reset=1010" {
		t.Errorf("under the new configuration: %q", r.told())
	}
	old.OnPluginDone()
	if r := h.finish(decided, types.ActionContinue); r.told() != "limit=3 remaining=2 reset=1010" {
		t.Errorf("a stream that was decided before: %q", r.told())
	}
	if r := h.finish(waiting, h.begin(waiting, get("/", "alice"))); r.told() != "limit=3 remaining=0 reset=1010" {
		t.Errorf("a stream that was open before: %q", r.told())
	}
	decided.OnHttpStreamDone()
	waiting.OnHttpStreamDone()
	if s := updated.NewHttpContext(4); s == decided || s == waiting {
		t.Error("a context of the old plugin serves the new one")
	}
}
