package config

import (
	"sort"
	"strconv"
	"strings"
)

// rootPath is the path of the whole configuration in errors.
const rootPath = "configuration"

// Error is one mistake in a configuration.
type Error struct {
	Path   string // where, such as rules[0].limits[1].window; "configuration" is the whole
	Line   int    // from 1; 0 when the configuration is no text and has no positions
	Column int    // from 1, in bytes; 0 with Line
	Reason string // what is wrong
	Advice string // what to write instead, never empty
}

// Error returns the mistake as one line: path, line:column, reason; advice.
func (e Error) Error() string {
	at := ""
	if e.Line > 0 {
		at = " " + strconv.Itoa(e.Line) + ":" + strconv.Itoa(e.Column)
	}
	return e.Path + at + " " + e.Reason + "; " + e.Advice
}

// Errors are all mistakes of one configuration, in the order of their positions.
type Errors []Error

// Error returns one line for each mistake.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i := range e {
		lines[i] = e[i].Error()
	}
	return strings.Join(lines, "\n")
}

// problem is an Error whose place is still an offset.
type problem struct {
	path           string
	offset         int
	reason, advice string
}

// problems collects the mistakes of one configuration.
type problems struct {
	found []problem
}

func (p *problems) add(path string, offset int, reason, advice string) {
	p.found = append(p.found, problem{path, offset, reason, advice})
}

// byOffset sorts problems. (The generic sort would be compiled for their type alone, and costs the module more.)
type byOffset []problem

func (b byOffset) Len() int           { return len(b) }
func (b byOffset) Less(i, j int) bool { return b[i].offset < b[j].offset }
func (b byOffset) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

func (p *problems) count() int { return len(p.found) }

// in returns the mistakes in the order of their offsets, with positions in text.
func (p *problems) in(text string) Errors {
	sort.Stable(byOffset(p.found))
	at := cursor{text: text, line: 1}
	errs := make(Errors, len(p.found))
	for i, f := range p.found {
		line, column := at.advance(f.offset)
		errs[i] = Error{Path: f.path, Line: line, Column: column, Reason: f.reason, Advice: f.advice}
	}
	return errs
}

// cursor turns ascending offsets into lines and columns in one pass over the text.
type cursor struct {
	text      string
	done      int // the offset up to which lines are counted
	line      int
	lineStart int
}

func (c *cursor) advance(offset int) (line, column int) {
	for ; c.done < offset && c.done < len(c.text); c.done++ {
		if c.text[c.done] == '\n' {
			c.line++
			c.lineStart = c.done + 1
		}
	}
	return c.line, offset - c.lineStart + 1
}

// quote returns s in double quotes for a message; a long text is cut.
func quote(s string) string {
	const most = 60
	if len(s) <= most {
		return strconv.Quote(s)
	}
	return strconv.Quote(s[:most]) + "..."
}

// quoteAll returns the words quoted, with commas between them and last before the last one.
func quoteAll(words []string, last string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return join(quoted, last)
}

// join returns the words with commas between them and last before the last one.
func join(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}
