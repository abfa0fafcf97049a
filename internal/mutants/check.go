package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// mutant is one rule taken out of the code, and the test that must notice.
type mutant struct {
	name  string // of the patch, testdata/<name>.patch
	test  string // the package to test and, after a space, the pattern of the tests to run
	finds string // what the failing test prints
}

// patched returns the mutant's files by their path from root.
func (m *mutant) patched(root string) (map[string]string, error) {
	patch, err := os.ReadFile(filepath.Join(root, "internal/mutants/testdata", m.name+".patch"))
	if err != nil {
		return nil, err
	}
	return apply(string(patch), func(name string) (string, error) {
		text, err := os.ReadFile(filepath.Join(root, name))
		return string(text), err
	})
}

// check runs the test against the mutant, in the repository at root. It returns the line by which the test noticed, and an
// error if it did not.
func (m *mutant) check(root string) (string, error) {
	files, err := m.patched(root)
	if err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	overlay, err := writeOverlay(root, scratch, files)
	if err != nil {
		return "", err
	}
	pkg, tests, _ := strings.Cut(m.test, " ")
	cmd := exec.Command("go", "test", "-vet=off", "-overlay", overlay, "-run", tests, pkg)
	cmd.Dir = root
	output, err := cmd.CombinedOutput()
	return m.verdict(string(output), err)
}

// verdict judges the output of a test run. A mutant that does not compile is not caught: it shows nothing.
func (m *mutant) verdict(output string, err error) (string, error) {
	switch {
	case err == nil:
		return "", fmt.Errorf("survived %s", m.test)
	case !strings.Contains(output, "--- FAIL"):
		return "", fmt.Errorf("%s did not run: %w\n%s", m.test, err, output)
	}
	for line := range strings.Lines(output) {
		if strings.Contains(line, m.finds) {
			return strings.TrimSpace(line), nil
		}
	}
	return "", fmt.Errorf("%s failed, but did not print %q:\n%s", m.test, m.finds, output)
}

// writeOverlay writes the files into the scratch folder and returns the name of a file that puts them in the place of the
// originals (go help build, -overlay).
func writeOverlay(root, scratch string, files map[string]string) (string, error) {
	replace := make(map[string]string)
	for name, text := range files {
		original, err := filepath.Abs(filepath.Join(root, name))
		if err != nil {
			return "", err
		}
		copied := filepath.Join(scratch, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[original] = copied
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(scratch, "overlay.json")
	return name, os.WriteFile(name, text, 0o600)
}
