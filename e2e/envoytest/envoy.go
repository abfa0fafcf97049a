package envoytest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Config says how an Envoy is to run.
type Config struct {
	// Listeners are what it listens on. They arrive through a file that Update rewrites, unless Static is set.
	Listeners []Listener
	// Static puts the listeners into the bootstrap: Envoy then refuses to start if one of them is bad.
	Static bool
	// Bootstrap, if not empty, is a whole bootstrap in YAML, used in place of Listeners. Its admin and listener ports should be 0.
	Bootstrap string
	// Concurrency is the number of worker threads; 0 stands for 2.
	Concurrency int
	// Binary is the Envoy to run; empty stands for the one of Binary.
	Binary string
	// DrainSeconds is how long a listener that was replaced goes on with its open connections; 0 stands for 600.
	DrainSeconds int
}

// Envoy is a running proxy. Its methods fail the test that started it when they cannot do their work.
type Envoy struct {
	t       testing.TB
	process *process
	dir     string
	admin   string            // host:port
	addrs   map[string]string // of the listeners, by name
}

// Start runs an Envoy until the test ends, and returns when it serves.
func Start(t testing.TB, c Config) *Envoy {
	t.Helper()
	e, err := start(t, c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// start returns an Envoy with the error if the process was started but does not serve.
func start(t testing.TB, c Config) (*Envoy, error) {
	t.Helper()
	e := &Envoy{t: t, dir: t.TempDir(), addrs: map[string]string{}}
	args, err := e.prepare(c)
	if err != nil {
		return nil, err
	}
	binary := c.Binary
	if binary == "" {
		binary = Binary(t)
	}
	if e.process, err = launch(e.dir, binary, args); err != nil {
		return nil, err
	}
	if err := e.awaitReady(c.Listeners); err != nil {
		err = fmt.Errorf("%w\n%s", err, e.Log())
		_ = e.process.stop() // it may have ended by itself
		return e, err
	}
	t.Cleanup(func() {
		if err := e.process.stop(); err != nil {
			t.Error(err)
		}
		logOnFailure(t, e.process)
	})
	return e, nil
}

// prepare writes the files that Envoy reads and returns its arguments.
func (e *Envoy) prepare(c Config) ([]string, error) {
	if err := e.writeListeners(c.Listeners); err != nil {
		return nil, err
	}
	bootstrap := []byte(c.Bootstrap)
	if c.Bootstrap == "" {
		var err error
		if bootstrap, err = e.bootstrap(c); err != nil {
			return nil, err
		}
	}
	path := e.path("envoy.yaml") // JSON is YAML, too
	if err := os.WriteFile(path, bootstrap, 0o600); err != nil {
		return nil, err
	}
	args := []string{
		"--config-path", path,
		"--use-dynamic-base-id",
		"--admin-address-path", e.path("admin"),
		"--concurrency", strconv.Itoa(orDefault(c.Concurrency, 2)),
		"--drain-time-s", strconv.Itoa(orDefault(c.DrainSeconds, 600)),
		"--log-level", "warning", "--component-log-level", "wasm:info",
	}
	return args, nil
}

func orDefault(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

func (e *Envoy) path(file string) string { return filepath.Join(e.dir, file) }

// Addr returns the address, host:port, of the listener name.
func (e *Envoy) Addr(name string) string {
	e.t.Helper()
	addr, ok := e.addrs[name]
	if !ok {
		e.t.Fatalf("no listener %q among %v", name, e.addrs)
	}
	return addr
}

// AdminAddr returns the address, host:port, of the administration interface.
func (e *Envoy) AdminAddr() string { return e.admin }

// Log returns what Envoy and its plugins logged so far.
func (e *Envoy) Log() string { return e.process.log() }

// AccessLog returns a line per finished request: status, response code details, method and path, separated by
// blanks. Envoy flushes it within a second, and when it ends.
func (e *Envoy) AccessLog() string {
	e.t.Helper()
	text, err := os.ReadFile(e.path("access.log"))
	if err != nil && !os.IsNotExist(err) {
		e.t.Fatal(err)
	}
	return string(text)
}
