package filter

import (
	"fmt"
	"strings"
	"testing"
)

// TestKeysStaySecret looks for an API key in everything that the filter hands to the proxy: the log, metrics, keys and values of
// shared data, replies, response headers.
func TestKeysStaySecret(t *testing.T) {
	const key = "s3cr3t-0f-al1ce"
	h := newFakeHost()
	p := startPlugin(t, h, `{"domain": "shop", "on_error": "refuse", "on_unidentified": "refuse", "rules": [
		{"name": "api", "limits": [{"requests": 1, "window": "10s"}]}]}`)
	var seen strings.Builder
	serve := func(request [][2]string) {
		r := h.play(p, request)
		fmt.Fprintln(&seen, r.status, r.headers)
		if r.local != nil {
			fmt.Fprintln(&seen, *r.local)
		}
	}
	serve(get("/", key))                           // allowed
	serve(get("/", key))                           // refused
	serve(get("/", key))                           // refused from memory
	serve(with(get("/", key), "x-api-key", "bob")) // unidentified
	for _, call := range []string{"request headers", "get", "now", "swap", "reply", "replace"} {
		h.now += 10 * second
		h.failing(call, 1, errBroken)
		serve(get("/", key))
		h.trouble[call] = trouble{panics: key, times: 1}
		serve(get("/", key))
	}
	p.OnTick()
	h.store.Each(func(name string, value []byte) { fmt.Fprintf(&seen, "%s=%s\n", name, value) })
	fmt.Fprintln(&seen, h.logs, h.counters, h.calls)
	for _, what := range []string{"tollgate/1/shop/", "tollgate.error.", "remaining", "panic in a callback", "401", "429", "503"} {
		if !strings.Contains(seen.String(), what) {
			t.Errorf("the test did not come across %q", what)
		}
	}
	for _, part := range []string{key, key[:8], strings.ToUpper(key)} {
		if strings.Contains(seen.String(), part) {
			t.Errorf("%q went out: %s", part, seen.String())
		}
	}
}
