package config

import (
	"strings"
	"testing"
)

// With hundreds of rules, hardly more than one is tried for a request.
func TestManyRulesLeaveFewCandidates(t *testing.T) {
	cfg := mustParse(t, manyRules(500))
	for target, want := range map[string]int{
		"/exact/300": 2, "/prefix/301": 2, "/prefix/301/x/y": 2, "/template/302/7": 2, "/template/302": 1, "/v1/items": 1, "/": 1, "*": 1,
		"/prefix/301" + strings.Repeat("/x", 10_000): 2,
	} {
		candidates := 0
		for _, list := range cfg.match.candidates(request("GET", target)) {
			candidates += len(list)
		}
		if candidates != want {
			t.Errorf("%.40s: %d candidates, want %d", target, candidates, want)
		}
	}
}

// One request may be asked of several indexes in turn.
func TestCandidatesBelongToOneIndex(t *testing.T) {
	one, other := mustParse(t, rulesOf(`{"path": "/a"}`)), mustParse(t, rulesOf(`{"path": "/b"}`, `{"path": "/a"}`))
	r := request("GET", "/a")
	for range 2 {
		if a, b := one.Next(r, 0), other.Next(r, 0); a != 0 || b != 1 {
			t.Errorf("got rules %d and %d", a, b)
		}
	}
}
