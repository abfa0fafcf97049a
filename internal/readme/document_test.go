package readme

import (
	"reflect"
	"strings"
	"testing"
)

const sample = `# Title

Some ` + "`code`" + ` and a [link](to/file.go), another [` + "`TestIt`" + `](it_test.go#L3).

` + "```json refused" + `
{"a": 1}

# no heading
` + "```" + `

## A ` + "`part`" + `, first
inside
### Deeper
| a | b |
|---|:-:|
| ` + "`x\\|y`" + ` | 2 |
| | 3 |

| c |
|---|
## Next
outside
` + "```" + `
` + "```" + `
`

func parse(t *testing.T, text string) *Document {
	t.Helper()
	d, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestBlocks(t *testing.T) {
	want := []Block{
		{Kind: "json refused", Line: 5, Text: "{\"a\": 1}\n\n# no heading\n"},
		{Kind: "", Line: 23, Text: ""},
	}
	if got := parse(t, sample).Blocks; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestBlocksThatCannotBeSeen(t *testing.T) {
	for text, want := range map[string]string{
		"a\n```json\n{}\n":          "line 2: the block is never closed",
		"a\n  ```json\n{}\n  ```\n": "line 2: a fence that does not begin",
		"~~~\n~~~\n":                "line 1: a fence that does not begin",
		"> ```\n":                   "line 1: a fence that does not begin",
	} {
		if _, err := Parse(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestHeadings(t *testing.T) {
	want := []Heading{
		{1, "Title", "title"}, {2, "A `part`, first", "a-part-first"}, {3, "Deeper", "deeper"}, {2, "Next", "next"},
	}
	if got := parse(t, sample).Headings(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestSection(t *testing.T) {
	d := parse(t, sample)
	for title, want := range map[string][2]string{
		"A `part`, first": {"inside", "|---|"},
		"Deeper":          {"| a | b |", "|---|"},
		"Next":            {"outside", "outside"},
	} {
		lines := d.Section(title).Prose
		if len(lines) == 0 || lines[0].Text != want[0] || lines[len(lines)-1].Text != want[1] {
			t.Errorf("%s: got %+v, want from %q to %q", title, lines, want[0], want[1])
		}
	}
	if lines := d.Section("None").Prose; len(lines) > 0 {
		t.Errorf("a section that is not there has %+v", lines)
	}
}

func TestLinksAndCode(t *testing.T) {
	d := parse(t, sample)
	links := []Link{{"link", "to/file.go", 3}, {"`TestIt`", "it_test.go#L3", 3}}
	if got := d.Links(); !reflect.DeepEqual(got, links) {
		t.Errorf("links %+v, want %+v", got, links)
	}
	code := []Line{{3, "code"}, {3, "TestIt"}, {11, "part"}, {16, "x|y"}}
	if got := d.Code(); !reflect.DeepEqual(got, code) {
		t.Errorf("code %+v, want %+v", got, code)
	}
}

func TestTables(t *testing.T) {
	want := []Table{
		{Line: 14, Head: []string{"a", "b"}, Rows: [][]string{{"`x\\|y`", "2"}, {"", "3"}}},
		{Line: 19, Head: []string{"c"}},
	}
	if got := parse(t, sample).Tables(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
