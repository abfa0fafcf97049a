package readme_test

import (
	"strings"
	"testing"
)

// copies are files whose tables the page shows, by the section that shows them.
var copies = map[string]string{
	"When something fails": "prove/testdata/failures.md",
	"Sizing max_counters":  "prove/testdata/capacity.md",
}

// TestCopies holds that the page shows the tables that tests have made as they are.
func TestCopies(t *testing.T) {
	for section, file := range copies {
		var shown strings.Builder
		for _, l := range page(t).Section(section).Prose {
			shown.WriteString(l.Text + "\n")
		}
		tables := strings.Split(strings.TrimSpace(read(t, file)), "\n\n")
		for _, table := range tables {
			if !strings.Contains(shown.String(), "\n"+table+"\n") {
				t.Errorf("the section %q does not show this table of %s:\n%s", section, file, table)
			}
		}
		if len(tables[0]) == 0 {
			t.Errorf("%s is empty", file)
		}
	}
}
