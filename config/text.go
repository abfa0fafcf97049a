package config

import (
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// maxDepth is how many objects and lists may stand in one another. The format needs far fewer.
const maxDepth = 32

// readText turns JSON text into a tree, the whole of which has the path root. What is not JSON adds a problem and
// returns nil; advice says what to write in place of nothing.
func readText(p *problems, text, root, advice string) *node {
	if strings.Trim(text, " \t\r\n") == "" {
		p.add(shownPath(root), 0, "is empty", advice)
		return nil
	}
	for _, check := range []func(p *problems, text, root string) bool{checkMark, checkUTF8, checkDepth, checkSyntax, checkSurrogates} {
		if !check(p, text, root) {
			return nil
		}
	}
	return buildTree(text, root)
}

// checkMark refuses a byte-order mark, which RFC 8259 section 8.1 forbids.
func checkMark(p *problems, text, root string) bool {
	if !strings.HasPrefix(text, "\uFEFF") {
		return true
	}
	p.add(shownPath(root), 0, "starts with a byte-order mark", "save the text as UTF-8 without one")
	return false
}

func checkUTF8(p *problems, text, root string) bool {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			p.add(shownPath(root), i, "has a byte that is not UTF-8", "save the text as UTF-8")
			return false
		}
		i += size
	}
	return true
}

// checkDepth counts brackets outside strings, so that no later step recurses deeper than maxDepth.
func checkDepth(p *problems, text, root string) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth > maxDepth {
			p.add(shownPath(root), i, "nests deeper than 32 levels", "write objects and lists only where the format has them")
			return false
		}
	}
	return true
}

// checkSyntax asks gjson, which only says whether the text is JSON; the scanner then finds out where it is not.
func checkSyntax(p *problems, text, root string) bool {
	if gjson.Valid(text) {
		return true
	}
	s := scanner{text: text}
	s.document(root)
	p.add(s.path, s.offset, s.reason, s.advice)
	return false
}

// checkSurrogates refuses half a surrogate pair: it is no character, and two different halves would read the same.
func checkSurrogates(p *problems, text, root string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		size, ok := escapeSize(text[i:])
		if !ok {
			p.add(shownPath(root), i, "has half of a surrogate pair", `write the character itself, or both halves such as \ud83d\ude00`)
			return false
		}
		i += size - 1
	}
	return true
}

// escapeSize returns how many bytes the escape at the start of valid JSON text takes, a surrogate pair counting as
// one escape. It is false for half a pair.
func escapeSize(text string) (size int, ok bool) {
	if text[1] != 'u' {
		return 2, true
	}
	isHalf := func(s string, from, to byte) bool {
		return len(s) >= 6 && s[0] == '\\' && s[1] == 'u' && s[2]|0x20 == 'd' && s[3]|0x20 >= from && s[3]|0x20 <= to
	}
	isHigh := isHalf(text, '8', '9') || isHalf(text, 'a', 'b')
	isLow := isHalf(text, 'c', 'f')
	switch {
	case isLow:
		return 0, false
	case !isHigh:
		return 6, true
	default:
		return 12, isHalf(text[6:], 'c', 'f')
	}
}
