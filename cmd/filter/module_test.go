package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tollgate/internal/wasmhost"
)

const modulePath = "../../build/tollgate.wasm"

// sizeBudget bounds the module in bytes: every proxy loads all of it before its first request. It is raised only with a table of
// what is linked.
const sizeBudget = 4_000_000

var loadModule = sync.OnceValues(func() (*wasmhost.Module, error) { return wasmhost.Load(modulePath) })

// built returns the compiled module. A module that is not there fails the test: what runs in the proxy would be untested.
func built(t testing.TB) *wasmhost.Module {
	t.Helper()
	module, err := loadModule()
	if err != nil {
		t.Fatalf("%v\nthe tests of the module need it: run make build", err)
	}
	return module
}

// TestModuleIsFresh fails if a source is newer than the module: its tests would be about older code.
func TestModuleIsFresh(t *testing.T) {
	built(t)
	module, err := os.Stat(modulePath)
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range append(moduleSources(t), "../../go.mod", "../../go.sum") {
		info, err := os.Stat(source)
		if err != nil {
			t.Fatal(err)
		}
		if info.ModTime().After(module.ModTime()) {
			t.Errorf("%s (%s) is newer than the module (%s): run make build", source,
				info.ModTime().Format(time.TimeOnly), module.ModTime().Format(time.TimeOnly))
		}
	}
}

// moduleSources lists the files of this repository that the module is built from.
func moduleSources(t *testing.T) []string {
	t.Helper()
	const format = `{{with .Module}}{{if .Main}}{{range $.GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`
	sources := goList(t, format)
	if len(sources) < 30 {
		t.Fatalf("the module is made of %d files only: %q", len(sources), sources)
	}
	return sources
}

// goList lists the packages that the module is made of, built as make build does.
func goList(t *testing.T, format string) []string {
	t.Helper()
	list := exec.Command("go", "list", "-modfile=build/wasm.mod", "-deps", "-f", format, "./cmd/filter")
	list.Dir = "../.."
	list.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	var stderr strings.Builder
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s\nthe module file comes from make build", err, stderr.String())
	}
	return lines(string(out))
}

// lines are the lines of a text that are not empty.
func lines(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return line == "" })
}

func TestModuleSize(t *testing.T) {
	built(t)
	info, err := os.Stat(modulePath)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the module has %d bytes of %d", info.Size(), sizeBudget)
	if info.Size() > sizeBudget {
		t.Errorf("the module has %d bytes, more than %d", info.Size(), sizeBudget)
	}
}

// TestModuleInterface holds what the module asks of the proxy and offers to it. An import that Envoy 1.36 lacks would keep the
// filter from loading; files, sockets and timers would show here.
func TestModuleInterface(t *testing.T) {
	module := built(t)
	for golden, got := range map[string][]string{"imports.txt": module.Imports(), "exports.txt": module.Exports()} {
		text, err := os.ReadFile(filepath.Join("testdata", golden))
		if err != nil {
			t.Fatal(err)
		}
		if want := lines(string(text)); !slices.Equal(got, want) {
			t.Errorf("testdata/%s does not list what the module has:\nhave %s\nwant %s", golden,
				strings.Join(got, "\n     "), strings.Join(want, "\n     "))
		}
	}
}
