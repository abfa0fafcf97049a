package filter

import (
	"fmt"
	"slices"
	"testing"
)

// TestHeadersOfAResponse holds order and number of the headers, whatever the upstream sent under these names.
func TestHeadersOfAResponse(t *testing.T) {
	ours := [][2]string{{"x-ratelimit-limit", "3"}, {"x-ratelimit-remaining", "2"}, {"x-ratelimit-reset", "1010"}}
	for name, upstream := range map[string][][2]string{
		"none":         {},
		"others":       {{"server", "x"}, {"retry-after", "9"}},
		"one of ours":  {{"x-ratelimit-limit", "1"}, {"server", "x"}},
		"ours, twice":  {{"x-ratelimit-reset", "1"}, {"x-ratelimit-remaining", "1"}, {"x-ratelimit-reset", "2"}, {"server", "x"}},
		"a kind of it": {{"x-ratelimit-limit-day", "1"}},
	} {
		h := newFakeHost()
		p := startPlugin(t, h, threeInTen)
		r := h.play(p, get("/", "alice"), upstream...)
		rest := slices.DeleteFunc(slices.Clone(upstream), func(line [2]string) bool {
			return slices.ContainsFunc(ours, func(our [2]string) bool { return our[0] == line[0] })
		})
		if want := append(rest, ours...); !slices.Equal(r.headers, want) {
			t.Errorf("%s: %v, want %v", name, r.headers, want)
		}
	}
}

// TestRefusal holds the whole of the reply, and that the response callback that it runs adds nothing.
func TestRefusal(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, `{"domain": "shop", "rules": [
		{"name": "never", "match": [{"path": "/never"}], "limits": [{"requests": 0, "window": "60s"}]},
		{"name": "once", "limits": [{"requests": 1, "window": "10s"}, {"requests": 100, "window": "1h"}]}]}`)
	if r := h.play(p, get("/", "alice")); r.status != 200 {
		t.Fatalf("the first request got %d", r.status)
	}
	for _, c := range []struct {
		name, target string
		now          float64
		want         sentReply
	}{
		{"spent", "/", 1000, sentReply{429, "tollgate.once.10s", lines("1", "0", "1010", "10"), "", NoGRPC}},
		{"from memory", "/", 1000.000000001, sentReply{429, "tollgate.once.10s", lines("1", "0", "1010", "10"), "", NoGRPC}},
		{"later", "/", 1001.5, sentReply{429, "tollgate.once.10s", lines("1", "0", "1010", "9"), "", NoGRPC}},
		{"at the last moment", "/", 1009.999, sentReply{429, "tollgate.once.10s", lines("1", "0", "1010", "1"), "", NoGRPC}},
		{"nothing to wait for", "/never", 1000, sentReply{429, "tollgate.never.60s", lines("0", "0", "1020"), "", NoGRPC}},
	} {
		h.now = int64(c.now * second)
		r := h.play(p, get(c.target, "alice"))
		if r.local == nil {
			t.Errorf("%s: passed", c.name)
			continue
		}
		if got := fmt.Sprintf("%+v", *r.local); got != fmt.Sprintf("%+v", c.want) {
			t.Errorf("%s: %s, want %+v", c.name, got, c.want)
		}
		if !slices.Equal(r.headers, c.want.headers) {
			t.Errorf("%s: after the response callback %v, want %v", c.name, r.headers, c.want.headers)
		}
	}
}

// lines are the header lines of a refusal.
func lines(limit, remaining, reset string, retryAfter ...string) [][2]string {
	all := [][2]string{{"x-ratelimit-limit", limit}, {"x-ratelimit-remaining", remaining}, {"x-ratelimit-reset", reset}}
	for _, seconds := range retryAfter {
		all = append(all, [2]string{"retry-after", seconds})
	}
	return all
}

// TestTheLimitThatIsTold holds which of several limits the headers show.
func TestTheLimitThatIsTold(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, `{"domain": "shop", "rules": [{"name": "api", "limits": [
		{"requests": 2, "window": "10s"}, {"requests": 3, "window": "1h"}]}]}`)
	for _, c := range []struct {
		now     int64
		status  int
		told    string
		details string
	}{
		{1000, 200, "limit=2 remaining=1 reset=1010", ""},
		{1001, 200, "limit=2 remaining=0 reset=1010", ""},
		{1002, 429, "limit=2 remaining=0 reset=1010 retry-after=8", "tollgate.api.10s"},
		{1010, 200, "limit=3 remaining=0 reset=3600", ""},
		{1011, 429, "limit=3 remaining=0 reset=3600 retry-after=2589", "tollgate.api.3600s"},
	} {
		h.now = c.now * second
		r := h.play(p, get("/", "alice"))
		details := ""
		if r.local != nil {
			details = r.local.details
		}
		if r.status != c.status || r.told() != c.told || details != c.details {
			t.Errorf("at %d: %d %q %q, want %d %q %q", c.now, r.status, r.told(), details, c.status, c.told, c.details)
		}
	}
}

// TestGRPCStatus holds that a gRPC client is never told "OK" by a reply of the filter, and that no other client gets one.
func TestGRPCStatus(t *testing.T) {
	const spent, refuse, strict = "/spent", "/refuse", "/strict"
	for contentType, grpc := range map[string]bool{
		"application/grpc": true, "application/grpc+proto": true, "application/json": false, "": false, "text/plain; application/grpc": false,
	} {
		h := newFakeHost()
		p := startPlugin(t, h, `{"domain": "shop", "rules": [
			{"name": "spent", "match": [{"path": "/spent"}], "limits": [{"requests": 0, "window": "10s"}]},
			{"name": "refuse", "match": [{"path": "/refuse"}], "on_unidentified": "refuse", "limits": [{"requests": 1, "window": "10s"}]},
			{"name": "strict", "on_error": "refuse", "limits": [{"requests": 1, "window": "10s"}]}]}`)
		for _, c := range []struct {
			target string
			status int
			grpc   int32
		}{{spent, 429, 8}, {refuse, 401, 16}, {strict, 503, 14}} {
			h.failing("get", 0, nil)
			if c.target == strict {
				h.failing("get", always, errBroken)
			}
			r := h.play(p, with(bare("POST", c.target), "content-type", contentType))
			if want := map[bool]int32{true: c.grpc, false: NoGRPC}[grpc]; r.local == nil || r.status != c.status || r.local.grpc != want {
				t.Errorf("%q %s: %d %+v, want %d with grpc-status %d", contentType, c.target, r.status, r.local, c.status, want)
			}
		}
	}
}
