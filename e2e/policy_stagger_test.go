package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tollgate/e2e/envoytest"
)

// staggerPlays show that each client's windows begin at a second of its own, the same at every request.
func staggerPlays() []play {
	return []play{{name: "stagger", check: checkStagger, config: `"stagger": true, "rules": [
		{"name": "aligned", "match": [{"path": "/aligned"}], "stagger": false, "limits": [{"requests": 9, "window": "1h"}]},
		{"name": "api", "limits": [{"requests": 9, "window": "1h"}]}]`}}
}

func checkStagger(t *testing.T, envoy *envoytest.Envoy, _ times) {
	const clients = 20
	c := connect(t, http1, envoy.Addr("stagger"))
	var ends []int
	for i := range clients {
		who := fmt.Sprint("client ", i)
		first, second := resetOf(t, c.get("/", who)), resetOf(t, c.get("/", who))
		if first%3600 != second%3600 {
			t.Errorf("%s: windows end at %d and %d", who, first, second)
		}
		if left := int64(first) - time.Now().Unix(); left < -60 || left > 3600 { // a busy machine may take a while
			t.Errorf("%s: the window ends in %d s", who, left)
		}
		if aligned := resetOf(t, c.get("/aligned", who)); aligned%3600 != 0 {
			t.Errorf("%s: an aligned window ends at %d", who, aligned)
		}
		ends = append(ends, first%3600)
	}
	slices.Sort(ends)
	if different := len(slices.Compact(ends)); different < clients/2 {
		t.Errorf("the windows of %d clients end at %d different seconds of the hour", clients, different)
	}
}

func resetOf(t testing.TB, a answer) int {
	t.Helper()
	reset, err := theNumber(a.Response, "x-ratelimit-reset")
	if err != nil {
		t.Fatal(err)
	}
	return reset
}
