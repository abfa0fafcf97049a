package readme_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tollgate/internal/readme"
)

var errorMetric = regexp.MustCompile("`errors_([a-z]+)`")

// TestFailures holds that the tables of failures have every kind that the metrics have, with the line that the filter logs.
func TestFailures(t *testing.T) {
	source := filterSource(t)
	seen := map[string]bool{}
	for _, table := range page(t).Section("When something fails").Tables() {
		if len(table.Head) != 6 {
			continue
		}
		for _, row := range table.Rows {
			line, metrics := row[4], errorMetric.FindAllStringSubmatch(row[5], -1)
			for _, m := range metrics {
				seen[m[1]] = true
			}
			if (line != "") != (len(metrics) > 0) || line != "" && !strings.Contains(source, `"`+line+`"`) {
				t.Errorf("%s: the log has %q, the metrics have %s", row[0], line, row[5])
			}
		}
	}
	if kinds := metricKinds(t); !maps.Equal(seen, kinds) {
		t.Errorf("situations lead to %v, the metrics have %v", seen, kinds)
	}
}

// metricKinds returns the kinds of errors in the table of metrics.
func metricKinds(t *testing.T) map[string]bool {
	t.Helper()
	kinds := map[string]bool{}
	for _, row := range table(t, "Metrics and logs", "name").Rows {
		if !strings.Contains(row[0], "<kind>") {
			continue
		}
		for _, kind := range readme.CodeSpans(row[1]) {
			kinds[kind] = true
		}
	}
	return kinds
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
