package main

import (
	"errors"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// TestPatchesFit applies every patch to the code as it is. One that does not fit any more takes out nothing.
func TestPatchesFit(t *testing.T) {
	for _, m := range mutants {
		files, err := m.patched(root)
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
		for name, text := range files {
			if _, err := parser.ParseFile(token.NewFileSet(), name, text, 0); err != nil {
				t.Errorf("%s: %v", m.name, err)
			}
		}
	}
}

// TestEveryPatchIsListed looks for patches that no test is named for.
func TestEveryPatchIsListed(t *testing.T) {
	patches, err := filepath.Glob("testdata/*.patch")
	if err != nil || len(patches) != len(mutants) {
		t.Errorf("%d patches for %d mutants, %v", len(patches), len(mutants), err)
	}
	for _, patch := range patches {
		name := strings.TrimSuffix(filepath.Base(patch), ".patch")
		if !slices.ContainsFunc(mutants, func(m mutant) bool { return m.name == name }) {
			t.Errorf("%s is not listed", patch)
		}
	}
}

// TestCheck catches one mutant, and shows that what is not caught is told.
func TestCheck(t *testing.T) {
	const name = "not_decided_again"
	tests := []struct {
		test, finds, fails string
	}{
		{"./limiter/limitertest TestInterleavings/^cold_start$", "was charged 3 of 2", ""},
		{"./limiter/limitertest TestInterleavings/^cold_start$", "something else", "did not print"},
		{"./limiter TestTimelines", "", "survived"},
		{"./limiter TestThatDoesNotExist", "", "survived"},
		{"./nowhere TestTimelines", "", "did not run"},
	}
	for _, test := range tests {
		m := mutant{name, test.test, test.finds}
		line, err := m.check(root)
		switch {
		case test.fails == "" && (err != nil || !strings.Contains(line, test.finds)):
			t.Errorf("%+v: %q, %v", m, line, err)
		case test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)):
			t.Errorf("%+v: %q, %v; want an error: %s", m, line, err, test.fails)
		}
	}
}

func TestApply(t *testing.T) {
	const text = "one\ntwo\n\nthree\ntwo\n"
	tests := []struct {
		name, patch, want, fails string
	}{
		{"replaced", "about\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n", "one\n2\n\nthree\ntwo\n", ""},
		{"two hunks", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+1\n@@ -4 +4 @@ func\n-three\n+3\n", "1\ntwo\n\n3\ntwo\n", ""},
		{"moved", "--- a/f\n+++ b/f\n@@ -400 +400 @@\n-three\n", "one\ntwo\n\ntwo\n", ""},
		{"blank context", "--- a/f\n+++ b/f\n@@ -2 +2 @@\n two\n\n-three\n", "one\ntwo\n\ntwo\n", ""},
		{"not there", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-four\n+4\n", "", "fits 0 places"},
		{"twice", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-two\n+2\n", "", "fits 2 places"},
		{"nothing changed", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n one\n", "", "not one"},
		{"no file", "about\n", "", "names no file"},
		{"no name", "--- a/f\n@@ -1 +1 @@\n-one\n", "", "without a line"},
		{"unreadable", "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-one\n", "", "no such file"},
	}
	for _, test := range tests {
		files, err := apply(test.patch, func(name string) (string, error) {
			if name != "f" {
				return "", errors.New("no such file")
			}
			return text, nil
		})
		switch {
		case test.fails == "" && (err != nil || files["f"] != test.want):
			t.Errorf("%s: %q, %v; want %q", test.name, files["f"], err, test.want)
		case test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)):
			t.Errorf("%s: %v; want %q", test.name, err, test.fails)
		}
	}
}
