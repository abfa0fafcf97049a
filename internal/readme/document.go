package readme

import (
	"fmt"
	"regexp"
	"strings"
)

// Document is a Markdown text in parts.
type Document struct {
	// Blocks are the fenced blocks, in order.
	Blocks []Block
	// Prose are the lines outside of them, in order; a fenced block leaves none.
	Prose []Line
}

// Line is one line of the text.
type Line struct {
	Number int // from 1
	Text   string
}

// Block is a fenced block.
type Block struct {
	Kind string // what stands behind the opening fence, such as "json" or "json refused"
	Line int    // of the opening fence, from 1
	Text string // what stands between the fences, each line with its end
}

const fence = "```"

// Parse takes a text apart. A block must be closed by three backquotes alone and begin in the first column; tildes and
// longer fences are no fences here.
func Parse(text string) (*Document, error) {
	d := &Document{}
	open := false
	number := 0
	for line := range strings.Lines(text) {
		number++
		content := strings.TrimRight(line, "\r\n")
		switch kind, fenced := strings.CutPrefix(content, fence); {
		case open && content == fence:
			open = false
		case open:
			d.Blocks[len(d.Blocks)-1].Text += content + "\n"
		case fenced:
			open = true
			d.Blocks = append(d.Blocks, Block{Kind: strings.TrimSpace(kind), Line: number})
		case strings.Contains(content, fence) || strings.HasPrefix(strings.TrimSpace(content), "~~~"):
			return nil, fmt.Errorf("line %d: a fence that does not begin in the first column with three backquotes", number)
		default:
			d.Prose = append(d.Prose, Line{number, content})
		}
	}
	if open {
		return nil, fmt.Errorf("line %d: the block is never closed", d.Blocks[len(d.Blocks)-1].Line)
	}
	return d, nil
}

// Heading is a heading with the name that links give it.
type Heading struct {
	Level  int
	Title  string
	Anchor string
}

var headingLine = regexp.MustCompile(`^(#{1,6}) +(.*)$`)

func heading(line string) (h Heading, ok bool) {
	m := headingLine.FindStringSubmatch(line)
	if m == nil {
		return h, false
	}
	return Heading{Level: len(m[1]), Title: m[2], Anchor: anchor(m[2])}, true
}

// anchor follows GitHub: lower case, blanks become hyphens, and only letters, digits, hyphens and underscores are kept.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		}
		return -1
	}, strings.ToLower(title))
}

// Headings returns all headings in order.
func (d *Document) Headings() []Heading {
	var all []Heading
	for _, l := range d.Prose {
		if h, ok := heading(l.Text); ok {
			all = append(all, h)
		}
	}
	return all
}

// Section returns the prose under the heading of that title, down to the next heading of its level or above. It is empty
// if there is no such heading.
func (d *Document) Section(title string) *Document {
	section := &Document{}
	level := 0
	for _, l := range d.Prose {
		h, ok := heading(l.Text)
		switch {
		case ok && level == 0 && h.Title == title:
			level = h.Level
		case level == 0:
		case ok && h.Level <= level:
			return section
		default:
			section.Prose = append(section.Prose, l)
		}
	}
	return section
}
