package e2e

import (
	"strings"
	"testing"

	"tollgate/e2e/envoytest"
)

// shadowPlays show that rules which only watch tell the upstream what they would have done, under the header's name that the operator
// chose. A client cannot speak for them, and what enforced rules refuse they do not count.
func shadowPlays() []play {
	return []play{{name: "shadow", check: checkShadow, config: `"shadow_header": "X-Would-Be", "rules": [
		{"name": "strict", "mode": "shadow", "match": [{"path_prefix": "/search"}], "limits": [{"requests": 1, "window": "hour"}]},
		{"name": "lax", "mode": "shadow", "match": [{"path_prefix": "/search"}], "limits": [{"requests": 2, "window": "hour"}]},
		{"name": "api", "limits": [{"requests": 4, "window": "hour"}]}]`}}
}

func checkShadow(t *testing.T, envoy *envoytest.Envoy, w times) {
	c := connect(t, http1, envoy.Addr("shadow"))
	for _, s := range []struct{ request, told, would string }{
		{"GET /search\nx-api-key: alice", "200 4/3 hour", "strict=allowed, lax=allowed"},
		{"GET /search\nx-api-key: alice\nx-would-be: strict=allowed\nX-Would-Be: lax=allowed", "200 4/2 hour", "strict=limited, lax=allowed"},
		{"GET /search\nx-api-key: alice", "200 4/1 hour", "strict=limited, lax=limited"},
		{"GET /\nx-api-key: alice\nX-Would-Be: strict=allowed", "200 4/0 hour", ""},
		{"GET /search\nx-api-key: alice", "429 4/0 hour", ""},
		{"GET /search\nx-api-key: bob", "200 4/3 hour", "strict=allowed, lax=allowed"},
	} {
		got := c.ask(parseRequest(s.request))
		if told, would := w.told(got), sentTo(got, "X-Would-Be"); told != s.told || would != s.would {
			t.Errorf("%q: %q, the upstream was told %q, want %q and %q", s.request, told, would, s.told, s.would)
		}
	}
	for name, n := range map[string]uint64{
		"api.allowed": 5, "api.limited": 1, "strict.allowed": 2, "strict.shadow_limited": 2, "lax.allowed": 3, "lax.shadow_limited": 1,
	} {
		envoy.AwaitStat("wasmcustom.tollgate.shadow."+name, func(got uint64) bool { return got == n })
	}
}

// sentTo returns what the upstream was sent under a name, by what it answered.
func sentTo(a answer, name string) string {
	var values []string
	for line := range strings.Lines(string(a.Body)) {
		if value, ok := strings.CutPrefix(line, name+": "); ok {
			values = append(values, strings.TrimSpace(value))
		}
	}
	return strings.Join(values, " and ")
}
