package readme

import (
	"fmt"
	"strings"
)

// Command is one command of a shell transcript with what it printed.
type Command struct {
	Text   string
	Line   int      // in the document, from 1
	Output []string // lines; none if the transcript shows none
}

// Commands takes a transcript apart. Every command stands on a line of its own after "$ ".
func (b *Block) Commands() ([]Command, error) {
	var commands []Command
	number := b.Line
	for line := range strings.Lines(b.Text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		switch text, ok := strings.CutPrefix(line, "$ "); {
		case ok:
			commands = append(commands, Command{Text: text, Line: number})
		case len(commands) == 0:
			return nil, fmt.Errorf("line %d: %q stands before the first command", number, line)
		default:
			c := &commands[len(commands)-1]
			c.Output = append(c.Output, line)
		}
	}
	if len(commands) == 0 {
		return nil, fmt.Errorf("line %d: the transcript has no command", b.Line)
	}
	return commands, nil
}

// Words splits a command as a shell would that knows words, single quotes and pipes. The result is a list of words for
// each part of the pipe. Anything else that a shell gives a meaning to is refused.
func (c *Command) Words() ([][]string, error) {
	pipe := [][]string{nil}
	word, inWord, quoted := "", false, false
	end := func() {
		if inWord {
			last := len(pipe) - 1
			pipe[last] = append(pipe[last], word)
		}
		word, inWord = "", false
	}
	for _, r := range c.Text {
		switch {
		case r == '\'':
			quoted, inWord = !quoted, true
		case quoted:
			word += string(r)
		case r == ' ':
			end()
		case r == '|':
			end()
			pipe = append(pipe, nil)
		case strings.ContainsRune("\"\\$`;&<>(){}*?[]#~", r):
			return nil, fmt.Errorf("line %d: %q means something to a shell: quote it", c.Line, r)
		default:
			word += string(r)
			inWord = true
		}
	}
	end()
	if quoted {
		return nil, fmt.Errorf("line %d: a quote is never closed", c.Line)
	}
	return pipe, nil
}
