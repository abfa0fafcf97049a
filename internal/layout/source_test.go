package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "tollgate"
)

// sourceFile is a parsed Go file of this module.
type sourceFile struct {
	path   string // from the root
	pkg    string // directory from the root, "." for the root itself
	test   bool
	syntax *ast.File
}

// imports are the import paths of the file.
func (f *sourceFile) imports() []string {
	var paths []string
	for _, spec := range f.syntax.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

// sources parses every Go file of this module, whatever platform it is for. Directories with a go.mod of their own are other
// modules.
func sources(t *testing.T) []*sourceFile {
	t.Helper()
	var files []*sourceFile
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == root {
			return err
		}
		if entry.IsDir() {
			return skipped(name, entry.Name())
		}
		if strings.HasSuffix(name, ".go") {
			files = append(files, parse(t, name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 50 {
		t.Fatalf("found %d Go files only", len(files))
	}
	return files
}

func skipped(name, base string) error {
	if base == "testdata" || strings.HasPrefix(base, ".") || name == filepath.Join(root, "build") {
		return fs.SkipDir
	}
	if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func parse(t *testing.T, name string) *sourceFile {
	t.Helper()
	syntax, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(root, name)
	if err != nil {
		t.Fatal(err)
	}
	relative = filepath.ToSlash(relative)
	return &sourceFile{relative, path.Dir(relative), strings.HasSuffix(name, "_test.go"), syntax}
}

// isStandard says whether an import path is the standard library's.
func isStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".") && first != module
}
