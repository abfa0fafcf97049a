package wasmhost

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestMissingModuleSaysHowToBuildIt(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "tollgate.wasm"))
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "make build") {
		t.Errorf("got %v, want fs.ErrNotExist with a hint at make build", err)
	}
}

func TestLoadBuiltLooksInTheRepositorysRoot(t *testing.T) {
	root := t.TempDir()
	inner := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(inner)
	_, err := LoadBuilt()
	if err == nil || !strings.Contains(err.Error(), filepath.Join("build", "tollgate.wasm")+" does not exist") {
		t.Errorf("got %v, want an error about build/tollgate.wasm", err)
	}
}

func TestCompileRefusesWhatIsNoModule(t *testing.T) {
	if _, err := Compile([]byte("text"), ""); err == nil {
		t.Error("text was compiled")
	}
}

// oneFunction is a module of one function that does nothing.
var oneFunction = []byte("\x00asm\x01\x00\x00\x00" + "\x01\x04\x01\x60\x00\x00" + "\x03\x02\x01\x00" + "\x0a\x04\x01\x02\x00\x0b")

func TestCompileKeepsMachineCode(t *testing.T) {
	dir := t.TempDir()
	for range 2 { // the second time from the cache
		m, err := Compile(oneFunction, dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		t.Errorf("the cache directory has %d entries (%v), want some", len(entries), err)
	}
}

func TestImportsAndExports(t *testing.T) {
	m := guest(t)
	for _, name := range []string{"env.proxy_get_shared_data", "wasi_snapshot_preview1.clock_time_get"} {
		if !slices.Contains(m.Imports(), name) {
			t.Errorf("imports lack %s: %v", name, m.Imports())
		}
	}
	for _, name := range []string{"_initialize", "proxy_on_configure"} {
		if !slices.Contains(m.Exports(), name) {
			t.Errorf("exports lack %s: %v", name, m.Exports())
		}
	}
}

// A module of one type () -> () that imports env.unheard of that type.
var importsUnheard = []byte("\x00asm\x01\x00\x00\x00" + "\x01\x04\x01\x60\x00\x00" + "\x02\x0f\x01\x03env\x07unheard\x00\x00")

func TestUnknownImportsAreRefusedByName(t *testing.T) {
	m, err := Compile(importsUnheard, "")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	wantLines(t, "imports", m.Imports(), "env.unheard")
	_, err = newHost(t).NewVM(m, "")
	if err == nil || !strings.Contains(err.Error(), "env.unheard") {
		t.Errorf("got %v, want an error that names env.unheard", err)
	}
}

func TestModuleThatIsNoProxyWasmIsRefused(t *testing.T) {
	m, err := Compile(oneFunction, "")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	_, err = newHost(t).NewVM(m, "")
	if err == nil || !strings.Contains(err.Error(), "proxy_abi_version_0_2_1") {
		t.Errorf("got %v, want an error about the ABI version", err)
	}
}
