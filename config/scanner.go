package config

import "strings"

// scanner finds the first place where a text is not JSON (RFC 8259) and says what is wrong there. It runs only
// after a validator without positions has said no, and its recursion is bounded by checkDepth.
type scanner struct {
	text string
	next int // offset of the next byte

	// The finding.
	path           string
	offset         int
	reason, advice string
}

// document scans the whole text, whose path is root, and reports whether it is one JSON value.
func (s *scanner) document(root string) bool {
	s.space()
	if !s.value(root) {
		return false
	}
	s.space()
	if s.next < len(s.text) {
		return s.unexpected(root, "goes on after its end", "remove what follows the last bracket")
	}
	return true
}

// fail records the finding and returns false.
func (s *scanner) fail(path string, offset int, reason, advice string) bool {
	s.path, s.offset, s.reason, s.advice = shownPath(path), offset, reason, advice
	return false
}

// unexpected fails at the next byte: as the mistake that the byte shows by itself, or else with reason and advice.
func (s *scanner) unexpected(path, reason, advice string) bool {
	switch c := s.peek(); {
	case c == '#' || c == '/':
		reason, advice = "has a comment, which JSON does not know", `remove it, or put it into "description"`
	case c == '\'':
		reason, advice = "has a single quote", `write strings and keys in double quotes, such as "api"`
	case s.next == len(s.text):
		reason = "ends too early"
	}
	return s.fail(path, s.next, reason, advice)
}

// peek returns the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	if s.next < len(s.text) {
		return s.text[s.next]
	}
	return 0
}

// take skips the byte c if it is next.
func (s *scanner) take(c byte) bool {
	if s.next < len(s.text) && s.text[s.next] == c {
		s.next++
		return true
	}
	return false
}

func (s *scanner) space() {
	for s.next < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.next]) >= 0 {
		s.next++
	}
}

func (s *scanner) value(path string) bool {
	switch c := s.peek(); {
	case c == '{':
		return s.object(path)
	case c == '[':
		return s.list(path)
	case c == '"':
		return s.quoted(path)
	case isWordByte(c):
		return s.word(path)
	default:
		return s.unexpected(path, "has no value here", `write a value: a string in double quotes, a number, true, false, {...} or [...]`)
	}
}

func (s *scanner) object(path string) bool {
	s.next++
	s.space()
	if s.take('}') {
		return true
	}
	for {
		value, ok := s.key(path)
		if !ok || !s.value(value) {
			return false
		}
		if more, ok := s.separator(path, '}'); !more {
			return ok
		}
	}
}

// key scans a key and its colon and returns the path of the value that follows.
func (s *scanner) key(path string) (value string, ok bool) {
	if isWordByte(s.peek()) {
		return "", s.fail(path, s.next, "has a key without quotes", `write keys in double quotes, such as "name"`)
	}
	if s.peek() != '"' {
		return "", s.unexpected(path, "has no key here", `write a key in double quotes, or close the object with "}"`)
	}
	start := s.next
	if !s.quoted(path) {
		return "", false
	}
	value = memberPath(path, s.text[start+1:s.next-1])
	s.space()
	if !s.take(':') {
		return "", s.unexpected(value, "has no colon after the key", `write ":" between key and value`)
	}
	s.space()
	return value, true
}

func (s *scanner) list(path string) bool {
	s.next++
	s.space()
	if s.take(']') {
		return true
	}
	for i := 0; ; i++ {
		if !s.value(elementPath(path, i)) {
			return false
		}
		if more, ok := s.separator(path, ']'); !more {
			return ok
		}
	}
}

// separator scans what follows a member or an element: a comma and the start of another one (more), or the end.
func (s *scanner) separator(path string, end byte) (more, ok bool) {
	s.space()
	comma := s.next
	switch {
	case s.take(end):
		return false, true
	case !s.take(','):
		bracket := string(end)
		return false, s.unexpected(path, "has no comma or closing bracket here", `write "," before the next entry, or close with "`+bracket+`"`)
	}
	s.space()
	if c := s.peek(); c == '}' || c == ']' {
		return false, s.fail(path, comma, "has a comma after the last entry", "remove the comma")
	}
	return true, true
}

// quoted scans a text with its quotes.
func (s *scanner) quoted(path string) bool {
	start := s.next
	s.next++
	for s.next < len(s.text) {
		switch c := s.text[s.next]; {
		case c == '"':
			s.next++
			return true
		case c == '\\':
			if !s.escape(path) {
				return false
			}
		case c < ' ':
			return s.fail(path, s.next, "has a line break or control character in a string", `write it as an escape such as \n, or close the string with a double quote`)
		default:
			s.next++
		}
	}
	return s.fail(path, start, "has a string that does not end", "close it with a double quote")
}

// escape scans a backslash and what it escapes.
func (s *scanner) escape(path string) bool {
	start := s.next
	s.next++
	c := s.peek()
	s.next++
	switch {
	case c == 'u':
		for range 4 {
			if !isHex(s.peek()) {
				return s.fail(path, start, "has a bad escape", `write four hexadecimal digits after \u, such as \u00e9`)
			}
			s.next++
		}
	case c == 0 || strings.IndexByte(`"\/bfnrt`, c) < 0:
		return s.fail(path, start, "has a bad escape", `write \\ for a backslash; JSON knows \" \\ \/ \b \f \n \r \t and \u`)
	}
	return true
}

// word scans true, false, null or a number; anything else that looks like a word is a mistake.
func (s *scanner) word(path string) bool {
	start := s.next
	for isWordByte(s.peek()) {
		s.next++
	}
	word := s.text[start:s.next]
	lower := strings.ToLower(word)
	switch {
	case word == "true" || word == "false" || word == "null" || isJSONNumber(word):
		return true
	case path == "":
		return s.fail(path, start, "begins with "+quote(word), `write a JSON object, which begins with "{"`)
	case lower == "true" || lower == "false":
		return s.fail(path, start, "is "+word, "write "+lower)
	case isDigit(word[0]) || strings.IndexByte("+-.", word[0]) >= 0:
		return s.fail(path, start, quote(word)+" is not a number of JSON", "write digits without a leading zero or plus, such as 10, or a string in double quotes")
	default:
		return s.fail(path, start, quote(word)+" has no quotes", "write "+quote(word)+" in double quotes")
	}
}
