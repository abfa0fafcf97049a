package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// foreign are the packages from elsewhere that the filter links. Every proxy loads them.
var foreign = []string{
	"github.com/dchest/siphash",
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types",
	"github.com/tidwall/gjson",
	"github.com/tidwall/match",
	"github.com/tidwall/pretty", // the stub of internal/pretty
}

// TestModuleDependencies holds what the module links: no files, no network, and of other people's code no more than is listed.
func TestModuleDependencies(t *testing.T) {
	var others []string
	for _, p := range goList(t, "{{.ImportPath}}") {
		if unfit(p) {
			t.Errorf("the module links %s: it imports what proxies lack", p)
		}
		if !isStandard(p) && !strings.HasPrefix(p, "tollgate/") {
			others = append(others, p)
		}
	}
	slices.Sort(others)
	if !slices.Equal(others, foreign) {
		t.Errorf("the module links\n\t%s\nwant\n\t%s", strings.Join(others, "\n\t"), strings.Join(foreign, "\n\t"))
	}
}

// unfit says whether a package of the standard library reads files or speaks to the network.
func unfit(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return isStandard(importPath) && (first == "os" || first == "net")
}

// isStandard says whether an import path is the standard library's.
func isStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".") && first != "tollgate"
}

// TestModuleCode holds that nothing of ours waits: the runtime would start its poller, which proxies before Envoy 1.39 lack.
func TestModuleCode(t *testing.T) {
	for _, name := range moduleSources(t) {
		set := token.NewFileSet()
		syntax, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range codeFaults(syntax) {
			t.Errorf("%s:%d: %s does not work in a proxy", filepath.Base(name), set.Position(f.at).Line, f.what)
		}
	}
}

// codeFault is a piece of code that does not work in a proxy.
type codeFault struct {
	what string
	at   token.Pos
}

// waiting are what the standard library offers to wait with, by package.
var waiting = map[string][]string{
	"time":    {"Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"},
	"context": {"WithTimeout", "WithDeadline", "WithTimeoutCause", "WithDeadlineCause"},
}

// codeFaults finds goroutines, timers, sleeping, files and the network in a file.
func codeFaults(file *ast.File) []codeFault {
	var faults []codeFault
	names := map[string]string{} // packages by the names that the file gives them
	for _, spec := range file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		switch {
		case err != nil:
		case unfit(p):
			faults = append(faults, codeFault{"package " + p, spec.Pos()})
		case spec.Name != nil && spec.Name.Name == "." && waiting[p] != nil:
			faults = append(faults, codeFault{"package " + p + " without its name", spec.Pos()})
		case spec.Name != nil:
			names[spec.Name.Name] = p
		default:
			names[p] = p
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			faults = append(faults, codeFault{"a goroutine", n.Pos()})
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && slices.Contains(waiting[names[x.Name]], n.Sel.Name) {
				faults = append(faults, codeFault{names[x.Name] + "." + n.Sel.Name, n.Pos()})
			}
		}
		return true
	})
	return faults
}

// TestCodeFaults holds that the search finds what it is there for, under any name.
func TestCodeFaults(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`import "time"; var _ = time.Second; func f(d time.Duration) { d.String() }`, ""},
		{`import "time"; func f() { time.Sleep(1) }`, "time.Sleep"},
		{`import "time"; var f = time.Sleep`, "time.Sleep"},
		{`import clock "time"; var f = clock.NewTicker`, "time.NewTicker"},
		{`import . "time"; func f() { Sleep(1) }`, "package time without its name"},
		{`import "context"; var f = context.WithTimeout`, "context.WithTimeout"},
		{`type t struct{}; func (t) Sleep() {}; func f(time t) { time.Sleep() }`, ""},
		{`import "os"`, "package os"},
		{`import "os/exec"`, "package os/exec"},
		{`import _ "net/http"`, "package net/http"},
		{`func f() { go f() }`, "a goroutine"},
		{`func f() { defer f() }`, ""},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p; "+c.source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range codeFaults(file) {
			got = append(got, f.what)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, want %q", c.source, got, c.want)
		}
	}
}

// TestModuleFilesAreInStep holds that the module is built with go.mod and one replacement, nothing else: what is tested
// natively is what runs in the proxy.
func TestModuleFilesAreInStep(t *testing.T) {
	const replacement = "replace github.com/tidwall/pretty => ./internal/pretty"
	native, wasm := fileLines(t, "../../go.mod"), fileLines(t, "../../build/wasm.mod")
	at := slices.Index(wasm, replacement)
	if at < 0 || !slices.Equal(slices.Delete(slices.Clone(wasm), at, at+1), native) {
		t.Errorf("build/wasm.mod is not go.mod with %q: run make build\n%s", replacement, strings.Join(wasm, "\n"))
	}
	if !slices.Equal(fileLines(t, "../../go.sum"), fileLines(t, "../../build/wasm.sum")) {
		t.Error("build/wasm.sum is not go.sum: run make build")
	}
}

func fileLines(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v\nwhat is under build/ comes from make build", err)
	}
	return lines(string(text))
}
