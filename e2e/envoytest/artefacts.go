package envoytest

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Binary returns the path of the Envoy to run: $TOLLGATE_ENVOY, else build/envoy. It fails the test if there is none.
func Binary(t testing.TB) string {
	t.Helper()
	return artefact(t, "TOLLGATE_ENVOY", "build/envoy")
}

// Module returns the path of the filter's module: $TOLLGATE_WASM, else build/tollgate.wasm. It fails the test if
// there is none.
func Module(t testing.TB) string {
	t.Helper()
	return artefact(t, "TOLLGATE_WASM", "build/tollgate.wasm")
}

func artefact(t testing.TB, variable, built string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		path = filepath.Join(Root(), built)
	}
	path, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("%v: run `make build envoy` first", err)
	}
	return path
}

// Root returns the repository's root directory.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}
