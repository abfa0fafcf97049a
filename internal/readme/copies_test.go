package readme_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "put the tables that tests and measurements have made into the README; read the difference")

const costs = "What it costs"

// TestCopies holds that the page shows tables as tests and measurements have made them.
func TestCopies(t *testing.T) {
	checkCopies(t, "When something fails", "prove/testdata/failures.md")
	checkCopies(t, "Sizing max_counters", "prove/testdata/capacity.md")
	results := newestResults(t)
	if results == "" {
		if len(page(t).Section(costs).Prose) > 0 {
			t.Errorf("the page has the section %q, but there is no file of results", costs)
		}
		return
	}
	checkCopies(t, costs, results)
	if !strings.Contains(sectionText(t, costs), "("+results+")") {
		t.Errorf("the section %q has no link to %s, the newest results", costs, results)
	}
}

// checkCopies holds that a section shows all tables of a file.
func checkCopies(t *testing.T, section, file string) {
	t.Helper()
	tables := tableTexts(read(t, file))
	if len(tables) == 0 {
		t.Errorf("%s has no table", file)
	}
	if *update {
		replaceTables(t, tables)
	}
	shown := sectionText(t, section)
	for _, table := range tables {
		if !strings.Contains(shown, "\n"+table) {
			t.Errorf("the section %q does not show a table of %s as it is; -update puts it there:\n%s", section, file, table)
		}
	}
}

var measuredAt = regexp.MustCompile(`(?m)^- commit: \S+, (\d{4}-\d\d-\d\d \d\d:\d\d)`)

// newestResults returns the file of the last measurement, by the date that stands in it, or "" if there is none.
func newestResults(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "bench", "results", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	newest, last := "", ""
	for _, file := range files {
		name := "bench/results/" + filepath.Base(file)
		m := measuredAt.FindStringSubmatch(read(t, name))
		if m == nil {
			t.Fatalf("%s does not say when it was measured", name)
		}
		if m[1] > last {
			newest, last = name, m[1]
		}
	}
	return newest
}

func sectionText(t *testing.T, title string) string {
	t.Helper()
	var text strings.Builder
	for _, l := range page(t).Section(title).Prose {
		text.WriteString(l.Text + "\n")
	}
	return text.String()
}

// tableTexts returns the tables of a text, each as its lines.
func tableTexts(text string) []string {
	var tables []string
	in := false
	for line := range strings.Lines(text) {
		row := strings.HasPrefix(line, "|")
		switch {
		case row && in:
			tables[len(tables)-1] += line
		case row:
			tables = append(tables, line)
		}
		in = row
	}
	return tables
}

// replaceTables replaces, in the README, the tables that have the same heads as these.
func replaceTables(t *testing.T, tables []string) {
	t.Helper()
	text := read(t, "README.md")
	for _, table := range tables {
		head, _, _ := strings.Cut(table, "\n")
		shown := tableTexts(text)
		i := slices.IndexFunc(shown, func(s string) bool { return strings.HasPrefix(s, head+"\n") })
		if i < 0 {
			t.Fatalf("README.md has no table with the head\n%s\nwrite that line where the table is to stand", head)
		}
		text = strings.Replace(text, shown[i], table, 1)
	}
	if err := os.WriteFile(filepath.Join(root, "README.md"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
