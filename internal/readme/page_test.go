package readme_test

import (
	"os"
	"path/filepath"
	"testing"

	"tollgate/internal/readme"
)

// root is the repository's root, where the README stands.
const root = "../.."

// page returns the README in parts.
func page(t *testing.T) *readme.Document {
	t.Helper()
	d, err := readme.Parse(read(t, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// read returns a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// table returns the table of a section whose first column has that head.
func table(t *testing.T, section, head string) readme.Table {
	t.Helper()
	for _, table := range page(t).Section(section).Tables() {
		if table.Head[0] == head && len(table.Rows) > 0 {
			return table
		}
	}
	t.Fatalf("README.md: no table with %q in the section %q", head, section)
	return readme.Table{}
}
