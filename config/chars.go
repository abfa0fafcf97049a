package config

import "strings"

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isAlphanumeric(c byte) bool { return isDigit(c) || isLower(c) || isUpper(c) }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

// isWordByte reports whether c may stand in a bare word or a number.
func isWordByte(c byte) bool {
	return isAlphanumeric(c) || c == '_' || c == '+' || c == '-' || c == '.' || c >= 0x80
}

// isTokenByte reports whether c may stand in a token (RFC 9110 section 5.6.2), such as a method or a header name.
func isTokenByte(c byte) bool {
	return isAlphanumeric(c) || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

// isMadeOf reports whether s has 1 to most bytes, all of which are allowed.
func isMadeOf(s string, most int, allowed func(byte) bool) bool {
	for i := range len(s) {
		if !allowed(s[i]) {
			return false
		}
	}
	return s != "" && len(s) <= most
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// equalFold reports whether s is lower but for the case of ASCII letters.
func equalFold(s, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if isUpper(c) {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// trimBlanks removes spaces and tabs, the blanks of RFC 9110 section 5.6.3, from both ends.
func trimBlanks(s string) string {
	for s != "" && isBlank(s[0]) {
		s = s[1:]
	}
	for s != "" && isBlank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}
