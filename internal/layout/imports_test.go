// Package layout holds which package may import which. It has tests only.
package layout

import (
	"slices"
	"strings"
	"testing"
)

const sdk = "github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

// allowed are the imports of each package that the filter is made of, beside the standard library. The direction is limiter,
// config, filter, cmd/filter: each knows those before it only.
var allowed = map[string][]string{
	"limiter":             {"github.com/dchest/siphash"},
	"limiter/memstore":    {"tollgate/limiter"},
	"limiter/limitertest": {"tollgate/limiter", "tollgate/limiter/memstore"},
	"config":              {"tollgate/limiter", "github.com/tidwall/gjson"},
	"filter":              {"tollgate/config", "tollgate/limiter", sdk + "/types"},
	"internal/abi":        {"tollgate/filter", "tollgate/limiter", sdk, sdk + "/types"},
	"cmd/filter":          {"tollgate/filter", "tollgate/internal/abi"},
}

// testOnly are packages that only tests, and each other, may import.
var testOnly = []string{"tollgate/internal/wasmhost", "tollgate/internal/wasmhost/hosttest", "tollgate/internal/vectors", "tollgate/limiter/limitertest", "tollgate/prove/forms"}

func TestImportDirections(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range sources(t) {
		seen[f.pkg] = true
		for _, p := range f.imports() {
			if fault := importFault(f.pkg, f.test, p); fault != "" {
				t.Errorf("%s imports %s: %s", f.path, p, fault)
			}
		}
	}
	for pkg := range allowed {
		if !seen[pkg] {
			t.Errorf("there is no package %s", pkg)
		}
	}
}

// importFault says what is wrong with an import, "" if nothing is.
func importFault(pkg string, test bool, importPath string) string {
	if test {
		return ""
	}
	if importPath == "unsafe" && pkg != "internal/abi" {
		return "unsafe belongs to internal/abi"
	}
	if slices.Contains(testOnly, importPath) && !slices.Contains(testOnly, "tollgate/"+pkg) {
		return "it is for tests"
	}
	if list, ok := allowed[pkg]; ok && !isStandard(importPath) && !slices.Contains(list, importPath) {
		return "allowed are " + strings.Join(list, ", ")
	}
	return ""
}

// TestImportFaults holds that the rules refuse what they are there for.
func TestImportFaults(t *testing.T) {
	for _, c := range []struct {
		pkg, importPath string
		test, ok        bool
	}{
		{"limiter", "errors", false, true},
		{"limiter", "github.com/dchest/siphash", false, true},
		{"limiter", "github.com/tidwall/gjson", false, false},
		{"limiter", "tollgate/config", false, false},
		{"limiter", "tollgate/filter", false, false},
		{"limiter", "unsafe", false, false},
		{"config", "tollgate/limiter", false, true},
		{"config", "tollgate/filter", false, false},
		{"config", sdk + "/types", false, false},
		{"filter", "tollgate/config", false, true},
		{"filter", "tollgate/internal/abi", false, false},
		{"filter", sdk, false, false},
		{"filter", "tollgate/internal/wasmhost", false, false},
		{"filter", "tollgate/internal/wasmhost", true, true},
		{"filter", "unsafe", true, true},
		{"internal/abi", "unsafe", false, true},
		{"internal/abi", "tollgate/filter", false, true},
		{"internal/abi", "tollgate/config", false, false},
		{"cmd/filter", "tollgate/internal/abi", false, true},
		{"cmd/filter", "tollgate/limiter", false, false},
		{"cmd/tollgate", "tollgate/config", false, true},
		{"cmd/tollgate", "tollgate/internal/wasmhost", false, false},
		{"scripts/envoy", "os", false, true},
	} {
		if fault := importFault(c.pkg, c.test, c.importPath); (fault == "") != c.ok {
			t.Errorf("%s imports %s (in a test: %t): %q", c.pkg, c.importPath, c.test, fault)
		}
	}
}
