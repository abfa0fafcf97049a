package wasmhost

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// guestBytes builds testdata/guest once for the tests of this process.
var guestBytes = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "wasmhost")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "guest.wasm")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-o", out, "./testdata/guest")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, text)
	}
	return os.ReadFile(out)
})

// guestModule compiles the guest once.
var guestModule = sync.OnceValues(func() (*Module, error) {
	wasm, err := guestBytes()
	if err != nil {
		return nil, err
	}
	return Compile(wasm, cacheDir())
})

func guest(t *testing.T) *Module {
	t.Helper()
	m, err := guestModule()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func newHost(t *testing.T) *Host {
	t.Helper()
	h := NewHost()
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// start starts the guest in a new VM of the host, and forgets what it logged on the way.
func start(t *testing.T, h *Host) *Root {
	t.Helper()
	r, err := h.Start(guest(t), Plugin{Name: "guest", Config: []byte("config")})
	if err != nil {
		t.Fatal(err)
	}
	h.ResetLogs()
	return r
}

// command is a request that makes the guest do something.
func command(words string) Headers {
	return Headers{{":method", "GET"}, {":path", "/"}, {"do", words}}
}

// do runs a command in a whole exchange and returns the guest's log line about it.
func do(t *testing.T, r *Root, words string) string {
	t.Helper()
	r.Host().ResetLogs()
	if _, err := r.Do(command(words), nil); err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(words, " ")
	return logged(t, r.Host(), name)
}

// logged returns the first log line that begins with a word.
func logged(t *testing.T, h *Host, word string) string {
	t.Helper()
	for _, e := range h.Logs() {
		if e.Text == word || strings.HasPrefix(e.Text, word+" ") {
			return e.Text
		}
	}
	t.Fatalf("no log line begins with %q:\n%s", word, h.LogText())
	return ""
}

func wantEqual[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func wantLines(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\ngot  %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}
