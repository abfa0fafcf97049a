package filter

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
)

const staggered = `{"domain": "shop", "stagger": true, "rules": [{"name": "api", "limits": [{"requests": 2, "window": "1h"}], "ratelimit_headers": {"style": "both"}}]}`

// number is the value of a header that must be a number.
func (r response) number(t *testing.T, name string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(r.value(name), 10, 64)
	if err != nil {
		t.Fatalf("%s: %v in %q", name, err, r.lines())
	}
	return n
}

// TestStaggeredWindows holds that each client's windows end at whole seconds of its own, one window after another, and that reset,
// Retry-After and the IETF's fields say the same.
func TestStaggeredWindows(t *testing.T) {
	h := newFakeHost()
	h.now = 1_700_000_000*second + second/2
	p := startPlugin(t, h, staggered)
	ends := map[int64]int{}
	for i := range 200 {
		key := fmt.Sprint("client-", i)
		h.now = 1_700_000_000*second + second/2
		reset := h.play(p, get("/", key)).number(t, "x-ratelimit-reset")
		ends[reset%3600]++
		for range 3 {
			left := reset - h.now/second // rounded up: half a second of it is gone
			if left < 1 || left > 3600 {
				t.Fatalf("%s: the window ends in %d s", key, left)
			}
			h.play(p, get("/", key))
			r := h.play(p, get("/", key))
			r.want(t, key, 429, fmt.Sprintf("limit=2 remaining=0 reset=%d retry-after=%d", reset, left))
			if got, want := r.value("ratelimit"), fmt.Sprintf(`"api.3600s";r=0;t=%d`, left); got != want {
				t.Errorf("%s: ratelimit %s, want %s", key, got, want)
			}
			h.now = reset*second - 1
			if r := h.play(p, get("/", key)); r.status != 429 || r.value("retry-after") != "1" {
				t.Errorf("%s: a moment before the end %d with %q", key, r.status, r.told())
			}
			h.now = reset*second + second/2
			r = h.play(p, get("/", key))
			r.want(t, key+", after the end", 200, fmt.Sprintf("limit=2 remaining=1 reset=%d", reset+3600))
			reset += 3600
		}
	}
	if len(ends) < 150 {
		t.Errorf("200 clients have %d ends of windows only", len(ends))
	}
}

// TestQuotasDoNotReturnAtOnce lets a thousand clients spend their budgets and come back exactly when they are told to. What they get
// then must be spread over the window: by a chi-squared test over sixty parts of it, of which the bound is passed by chance once in a
// million times. Without stagger all come at once.
func TestQuotasDoNotReturnAtOnce(t *testing.T) {
	const seed, clients, parts = 17, 1000, 60
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	keys := make([]string, clients)
	for i := range keys {
		keys[i] = strconv.FormatUint(random.Uint64(), 16)
	}
	for _, c := range []struct {
		configuration string
		spread        bool
	}{
		{staggered, true},
		{shop(`{"name": "api", "limits": [{"requests": 2, "window": "1h"}]}`), false},
	} {
		returned := returns(t, c.configuration, keys, parts)
		chi, most := 0.0, 0
		for _, n := range returned {
			const expected = float64(clients) / parts
			chi += (float64(n) - expected) * (float64(n) - expected) / expected
			most = max(most, n)
		}
		t.Logf("spread %t: chi-squared %.1f with %d degrees of freedom, at most %d of %d clients in one part of %d", c.spread, chi, parts-1, most, clients, parts)
		const bound = 126 // of chi-squared with 59 degrees of freedom
		if c.spread != (chi < bound) || c.spread != (most < 5*clients/parts) {
			t.Errorf("spread %t: %v clients return in the parts of the window", c.spread, returned)
		}
	}
}

// returns spends every client's budget, waits for each as long as it is told, and counts in which part of the hour they are let in.
func returns(t *testing.T, configuration string, keys []string, parts int) []int {
	t.Helper()
	h := newFakeHost()
	p := startPlugin(t, h, configuration)
	const start = 1_700_000_000 * int64(second)
	returned := make([]int, parts)
	for _, key := range keys {
		h.now = start
		h.play(p, get("/", key))
		h.play(p, get("/", key))
		refused := h.play(p, get("/", key))
		if refused.status != 429 {
			t.Fatalf("%s: %d", key, refused.status)
		}
		h.now += refused.number(t, "retry-after") * second
		if r := h.play(p, get("/", key)); r.status != 200 {
			t.Fatalf("%s came back as it was told and got %d", key, r.status)
		}
		returned[(h.now/second)%3600*int64(parts)/3600]++
	}
	return returned
}
