package readme

import (
	"regexp"
	"strings"
)

// Link is a link in the prose.
type Link struct {
	Text   string
	Target string
	Line   int
}

var (
	linkPattern = regexp.MustCompile(`\[((?:[^\[\]])+)\]\(([^()\s]+)\)`)
	codePattern = regexp.MustCompile("`([^`]+)`")
)

// Links returns all inline links in order.
func (d *Document) Links() []Link {
	var links []Link
	for _, l := range d.Prose {
		for _, m := range linkPattern.FindAllStringSubmatch(l.Text, -1) {
			links = append(links, Link{Text: m[1], Target: m[2], Line: l.Number})
		}
	}
	return links
}

// Code returns the code spans of the prose in order.
func (d *Document) Code() []Line {
	var spans []Line
	for _, l := range d.Prose {
		for _, span := range CodeSpans(l.Text) {
			spans = append(spans, Line{l.Number, span})
		}
	}
	return spans
}

// CodeSpans returns what stands between backquotes in a text. In a table's cell "\|" is a bar.
func CodeSpans(text string) []string {
	var spans []string
	for _, m := range codePattern.FindAllStringSubmatch(text, -1) {
		spans = append(spans, strings.ReplaceAll(m[1], `\|`, `|`))
	}
	return spans
}

// Table is a table: its head and its rows, each cell without the blanks around it.
type Table struct {
	Line int // of the head
	Head []string
	Rows [][]string
}

// Tables returns all tables in order.
func (d *Document) Tables() []Table {
	var tables []Table
	last := -1 // the line before, if it was of a table
	for _, l := range d.Prose {
		if !strings.HasPrefix(l.Text, "|") {
			continue
		}
		switch cells := cellsOf(l.Text); {
		case l.Number != last+1:
			tables = append(tables, Table{Line: l.Number, Head: cells})
		case !isRule(cells):
			t := &tables[len(tables)-1]
			t.Rows = append(t.Rows, cells)
		}
		last = l.Number
	}
	return tables
}

// isRule reports whether the cells are the line under a table's head.
func isRule(cells []string) bool {
	for _, c := range cells {
		if strings.Trim(c, ":-") != "" || !strings.Contains(c, "-") {
			return false
		}
	}
	return true
}

var barPattern = regexp.MustCompile(`\\\||\|`)

// cellsOf splits a line at its bars, but not at those after a backslash.
func cellsOf(line string) []string {
	var cells []string
	start := 1
	for _, at := range barPattern.FindAllStringIndex(line, -1) {
		if at[1]-at[0] == 1 && at[0] > 0 {
			cells = append(cells, strings.TrimSpace(line[start:at[0]]))
			start = at[1]
		}
	}
	return cells
}
