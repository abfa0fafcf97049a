package readme_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinks holds that each link leads to a file of the repository or a heading of the page.
func TestLinks(t *testing.T) {
	d := page(t)
	anchors := map[string]bool{}
	for _, h := range d.Headings() {
		if anchors[h.Anchor] {
			t.Errorf("two headings have the anchor %q", h.Anchor)
		}
		anchors[h.Anchor] = true
	}
	links := d.Links()
	for _, l := range links {
		if name, ok := strings.CutPrefix(l.Target, "#"); ok {
			if !anchors[name] {
				t.Errorf("README.md:%d: no heading for %q", l.Line, l.Target)
			}
			continue
		}
		if _, err := os.Stat(filepath.Join(root, l.Target)); err != nil {
			t.Errorf("README.md:%d: %v", l.Line, err)
		}
	}
	seen := 0
	for _, l := range d.Prose {
		seen += strings.Count(l.Text, "](")
	}
	if len(links) == 0 || len(links) != seen {
		t.Errorf("%d links were followed of %d", len(links), seen)
	}
}

var testName = regexp.MustCompile(`\bTest[A-Z]\w*`)

// TestNamedTests holds that each test the page names is linked to the file that it is in.
func TestNamedTests(t *testing.T) {
	d := page(t)
	linked := map[string]bool{}
	for _, l := range d.Links() {
		name := strings.Trim(l.Text, "`")
		if !testName.MatchString(name) {
			continue
		}
		linked[name] = true
		if !strings.HasSuffix(l.Target, "_test.go") || !strings.Contains(read(t, l.Target), "\nfunc "+name+"(") {
			t.Errorf("README.md:%d: there is no %s in %s", l.Line, name, l.Target)
		}
	}
	for _, l := range d.Prose {
		for _, name := range testName.FindAllString(l.Text, -1) {
			if !linked[name] {
				t.Errorf("README.md:%d: %s is not linked to its file", l.Number, name)
			}
		}
	}
	if len(linked) == 0 {
		t.Error("the page names no test")
	}
}
