package envoytest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Build builds a package, named from the repository's root, as `make build` builds the filter, and returns the module's file.
func Build(t testing.TB, pkg string) string {
	t.Helper()
	module := filepath.Join(t.TempDir(), "module.wasm")
	build := exec.Command("go", "build", "-modfile=build/wasm.mod", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w",
		"-o", module, pkg)
	build.Dir = Root()
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\nthe module file comes from `make build`", err, text)
	}
	return module
}
