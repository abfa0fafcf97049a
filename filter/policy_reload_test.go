package filter

import (
	"strings"
	"testing"
)

// TestAReloadKeepsCounters changes everything about a rule but its name and window, and about what stands beside it. Its clients' counters
// go on; only what makes it another rule starts afresh.
func TestAReloadKeepsCounters(t *testing.T) {
	const old = `{"name": "api", "limits": [{"requests": 5, "window": "1h"}]}`
	change := func(from, to string) string { return strings.Replace(old, from, to, 1) }
	for _, c := range []struct {
		what, rules string
		fields      []string
		told        string
		refused     bool
	}{
		{"nothing", old, nil, "limit=5 remaining=2 reset=3600", false},
		{"a higher limit", change("5", "50"), nil, "limit=50 remaining=47 reset=3600", false},
		{"a lower limit", change("5", "1"), nil, "limit=1 remaining=0 reset=3600 retry-after=2600", true},
		{"a limit of nothing", change("5", "0"), nil, "limit=0 remaining=0 reset=3600", true},
		{"the window in other words", change("1h", "3600s"), nil, "limit=5 remaining=2 reset=3600", false},
		{"another limit beside it", change("]", `, {"requests": 9, "window": "10s"}]`), nil, "limit=5 remaining=2 reset=3600", false},
		{"a rule before it", `{"name": "login", "match": [{"path": "/login"}], "limits": [{"requests": 1, "window": "1h"}]}, ` + old, nil, "limit=5 remaining=2 reset=3600", false},
		{"a rule that goes on before it", `{"name": "all", "continue": true, "limits": [{"requests": 9, "window": "1h"}]}, ` + old, nil, "limit=5 remaining=2 reset=3600", false},
		{"a match", change(`"limits"`, `"match": [{"path_prefix": "/"}], "limits"`), nil, "limit=5 remaining=2 reset=3600", false},
		{"a plan", change(`]}`, `], "plans": {"gold": [{"requests": 7, "window": "1h"}]}}`), []string{`"plans": {"gold": {"members": [` + member("alice") + `]}}`}, "limit=7 remaining=4 reset=3600", false},
		{"a cost", change(`]}`, `], "cost": 3}`), nil, "limit=5 remaining=0 reset=3600", false},
		{"an identity in which the source stands elsewhere", old, []string{`"identity": [{"header": "x-org"}, {"header": "X-API-Key"}]`}, "limit=5 remaining=2 reset=3600", false},
		{"the answers", old, []string{`"refusal": {"status": 503}`, `"ratelimit_headers": {"style": "both"}`}, "limit=5 remaining=2 reset=3600", false},
		{"stagger", old, []string{`"stagger": true`}, "limit=5 remaining=2 reset=3600", false}, // in the window that is running
		{"the name", change(`"api"`, `"other"`), nil, "limit=5 remaining=4 reset=3600", false},
		{"the window", change("1h", "2h"), nil, "limit=5 remaining=4 reset=7200", false},
		{"the identity", old, []string{`"identity": [{"combine": [{"header": "x-api-key"}, {"constant": "a"}]}]`}, "limit=5 remaining=4 reset=3600", false},
	} {
		h := newFakeHost()
		vm := NewVM(h)
		p := startIn(t, vm, h, shop(old))
		for range 2 {
			h.play(p, get("/", "alice"))
		}
		status := map[bool]int{false: 200, true: 429}[c.refused]
		h.play(startIn(t, vm, h, shop(c.rules, c.fields...)), get("/", "alice")).want(t, c.what, status, c.told)
	}
}

// TestAHigherLimitLetsARefusedClientIn holds that no memory of a refusal outlives the limit that refused, in the same VM and in another.
func TestAHigherLimitLetsARefusedClientIn(t *testing.T) {
	h := newFakeHost()
	vm := NewVM(h)
	one, two := shop(`{"name": "api", "limits": [{"requests": 1, "window": "1h"}]}`), shop(`{"name": "api", "limits": [{"requests": 2, "window": "1h"}]}`)
	p := startIn(t, vm, h, one)
	for range 3 {
		h.play(p, get("/", "alice"))
	}
	h.play(startIn(t, vm, h, two), get("/", "alice")).want(t, "a higher limit", 200, "limit=2 remaining=0 reset=3600")
	h.play(startPlugin(t, h, one), get("/", "alice")).want(t, "the lower one again", 429, "limit=1 remaining=0 reset=3600 retry-after=2600")
}
