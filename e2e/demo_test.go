package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tollgate/e2e/envoytest"
	"tollgate/e2e/wire"
)

// The demo at the repository's root, as it is shipped but for its ports.
func TestDemo(t *testing.T) {
	t.Parallel()
	envoy := envoytest.Start(t, envoytest.Config{Bootstrap: demo(t)})
	c := connect(t, http1, envoy.Addr("demo"))
	login := func(key string) answer {
		return c.ask(wire.Request{Method: "POST", Target: "/login", Header: []wire.Field{{Name: "X-API-Key", Value: key}}})
	}
	const window = 10 * time.Second
	needRoom(window, 4*time.Second)
	for i := range int64(3) {
		login("alice").check(t, 200, standing{3, 2 - i, window})
	}
	login("alice").check(t, 429, standing{3, 0, window})
	for i := range int64(10) {
		c.get("/v1/items", "alice").check(t, 200, standing{10, 9 - i, window})
	}
	c.get("/login", "alice").check(t, 429, standing{10, 0, window})
	login("bob").check(t, 200, standing{3, 2, window})

	envoy.AwaitStat("wasmcustom.tollgate.demo.login.allowed", func(n uint64) bool { return n == 4 })
	metrics := envoy.Prometheus()
	for _, line := range []string{
		`tollgate_allowed{tollgate_domain="demo",tollgate_rule="login"} 4`,
		`tollgate_limited{tollgate_domain="demo",tollgate_rule="login"} 1`,
		`tollgate_allowed{tollgate_domain="demo",tollgate_rule="api"} 10`,
		`tollgate_limited{tollgate_domain="demo",tollgate_rule="api"} 1`,
		`tollgate_cas_conflicts{tollgate_domain="demo"} `,
	} {
		if !strings.Contains(metrics, "\n"+line) {
			t.Errorf("/stats/prometheus lacks %s", line)
		}
	}
}

// The demo's proxy leaves a client no second spelling of a path.
func TestDemoPaths(t *testing.T) {
	t.Parallel()
	envoy := envoytest.Start(t, envoytest.Config{Bootstrap: demo(t)})
	c := connect(t, http1, envoy.Addr("demo"))
	post := func(target string) answer {
		return c.ask(wire.Request{Method: "POST", Target: target, Header: key("alice")})
	}
	const window = 10 * time.Second
	needRoom(window, 3*time.Second)
	post("//login").check(t, 200, standing{3, 2, window})
	post("/x/../login").check(t, 200, standing{3, 1, window})
	post("/%6cogin").check(t, 200, standing{3, 0, window})
	redirect := post("/x%2F..%2Flogin")
	redirect.checkLines(t, 307, nil)
	if to := redirect.Values("location"); len(to) != 1 || to[0] != "/login" {
		t.Errorf("redirected to %q", to)
	}
}

// demo returns envoy.yaml with free ports. Its module must be the one under test, so the file name is put in full.
func demo(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(envoytest.Root(), "envoy.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	config := string(text)
	for _, change := range []struct{ old, fresh string }{
		{"port_value: 9901", "port_value: 0"},
		{"port_value: 10000", "port_value: 0"},
		{"filename: build/tollgate.wasm", "filename: " + envoytest.Module(t)},
	} {
		if n := strings.Count(config, change.old); n != 1 {
			t.Fatalf("envoy.yaml has %q %d times, want once", change.old, n)
		}
		config = strings.Replace(config, change.old, change.fresh, 1)
	}
	return config
}
