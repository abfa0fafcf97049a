package wasmhost

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// builtModule is where `make build` puts the filter, from the repository's root.
const builtModule = "build/tollgate.wasm"

// Module is a compiled filter. It may be shared between hosts and goroutines.
type Module struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	cache    wazero.CompilationCache
	imports  []importFunc // what the host serves, in the order of the VMs' counters
}

// LoadBuilt loads build/tollgate.wasm of the repository that the working directory belongs to (a test runs in the
// directory of its package). A module that has not been built is an error that says how to build it.
func LoadBuilt() (*Module, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return Load(filepath.Join(dir, builtModule))
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, errors.New("wasmhost: no go.mod in the working directory or above it")
		}
		dir = parent
	}
}

// Load compiles the module in a file. The machine code is kept in the user's cache directory, so that the next process
// that loads the same bytes starts in a fraction of the time.
func Load(path string) (*Module, error) {
	wasm, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("wasmhost: %s does not exist; run `make build` first: %w", path, err)
	}
	if err != nil {
		return nil, err
	}
	return Compile(wasm, cacheDir())
}

// cacheDir returns where compiled code is kept, or "" on a machine without a cache directory.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "tollgate", "wasmhost")
}

// Compile compiles the bytes of a module. The machine code is looked up and kept in the directory cache; "" keeps nothing.
func Compile(wasm []byte, cache string) (*Module, error) {
	ctx := context.Background()
	config := wazero.NewRuntimeConfig()
	m := &Module{imports: importTable()}
	if cache != "" {
		kept, err := wazero.NewCompilationCacheWithDir(cache)
		if err != nil {
			return nil, err
		}
		m.cache = kept
		config = config.WithCompilationCache(kept)
	}
	m.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	compiled, err := m.runtime.CompileModule(ctx, wasm)
	if err == nil {
		m.compiled = compiled
		err = m.serveImports(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("wasmhost: %w", err), m.Close())
	}
	return m, nil
}

// serveImports makes the host's functions known to the runtime, under the two names that guests import from.
func (m *Module) serveImports(ctx context.Context) error {
	builders := map[string]wazero.HostModuleBuilder{}
	for i := range m.imports {
		f := &m.imports[i]
		if builders[f.module] == nil {
			builders[f.module] = m.runtime.NewHostModuleBuilder(f.module)
		}
		builders[f.module].NewFunctionBuilder().
			WithGoFunction(api.GoFunc(f.serve), f.params(), f.results()).Export(f.name)
	}
	for _, builder := range builders {
		if _, err := builder.Instantiate(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Imports lists the functions the module imports as "module.name", sorted.
func (m *Module) Imports() []string {
	var names []string
	for _, f := range m.compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		names = append(names, module+"."+name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Exports lists the functions the module exports, sorted.
func (m *Module) Exports() []string {
	var names []string
	for name := range m.compiled.ExportedFunctions() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Close frees the module's code. Its VMs must be closed before.
func (m *Module) Close() error {
	ctx := context.Background()
	err := m.runtime.Close(ctx)
	if m.cache != nil {
		err = errors.Join(err, m.cache.Close(ctx))
	}
	return err
}

// check says what keeps the module from running in this host.
func (m *Module) check() error {
	if unknown := m.unserved(); len(unknown) > 0 {
		return fmt.Errorf("wasmhost: the module imports functions that Envoy 1.33 does not serve: %s",
			strings.Join(unknown, ", "))
	}
	exports := m.compiled.ExportedFunctions()
	if exports["proxy_abi_version_0_2_1"] == nil && exports["proxy_abi_version_0_2_0"] == nil {
		return errors.New("wasmhost: the module exports neither proxy_abi_version_0_2_1 nor proxy_abi_version_0_2_0")
	}
	if exports[allocateExport] == nil && exports[mallocExport] == nil {
		return fmt.Errorf("wasmhost: the module exports neither %s nor %s", allocateExport, mallocExport)
	}
	return nil
}

// unserved lists the imports that the host does not know.
func (m *Module) unserved() []string {
	return slices.DeleteFunc(m.Imports(), func(name string) bool {
		return slices.ContainsFunc(m.imports, func(f importFunc) bool { return f.module+"."+f.name == name })
	})
}
