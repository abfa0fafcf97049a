package readme_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tollgate/internal/readme"
)

// TestFailures holds that the table of failures has every kind that the metrics have, and quotes the log as it is.
func TestFailures(t *testing.T) {
	source := filterSource(t)
	seen := map[string]bool{}
	for _, row := range table(t, "When something fails", "situation").Rows {
		for _, metric := range readme.CodeSpans(row[4]) {
			seen[metric] = true
		}
		for _, line := range readme.CodeSpans(row[3]) {
			if !strings.Contains(source, `"`+line+`"`) {
				t.Errorf("the filter never logs %q", line)
			}
		}
	}
	for _, row := range table(t, "Metrics and logs", "name").Rows {
		if !strings.Contains(row[0], "<kind>") {
			continue
		}
		for _, kind := range readme.CodeSpans(row[1]) {
			if metric := "errors_" + kind; !seen[metric] {
				t.Errorf("no situation leads to %s", metric)
			}
			delete(seen, "errors_"+kind)
		}
	}
	delete(seen, "table_full")
	for metric := range seen {
		t.Errorf("%s is no metric", metric)
	}
}

// filterSource returns the filter's sources but for its tests.
func filterSource(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "filter", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	var all strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
