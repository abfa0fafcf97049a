package config

import (
	"strconv"
	"strings"
)

// wholeNumber returns the exact value of a JSON number, or why it is no whole number of 64 bits.
func wholeNumber(text string) (v uint64, reason string) {
	if !isJSONNumber(text) {
		return 0, "is not a number"
	}
	digits, exponent := decimal(strings.TrimPrefix(text, "-"))
	switch {
	case digits == "":
		return 0, ""
	case text[0] == '-':
		return 0, "is negative"
	case exponent < 0:
		return 0, "is not a whole number"
	case len(digits)+exponent > 20:
		return 0, "is too large"
	}
	v, err := strconv.ParseUint(digits+strings.Repeat("0", exponent), 10, 64)
	if err != nil {
		return 0, "is too large"
	}
	return v, ""
}

// decimal splits an unsigned JSON number into significant digits and the power of ten they are to be multiplied by.
// Zero has no digits.
func decimal(text string) (digits string, exponent int) {
	whole, rest := cutDigits(text)
	fraction := ""
	if after, ok := strings.CutPrefix(rest, "."); ok {
		fraction, rest = cutDigits(after)
	}
	if rest != "" {
		exponent = smallInt(rest[1:])
	}
	digits = strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	return trimmed, exponent - len(fraction) + len(digits) - len(trimmed)
}

// smallInt reads a signed integer and keeps it within a million: a text of a million digits is no whole number that
// anyone means, and sums of such exponents cannot overflow.
func smallInt(text string) int {
	const most = 1_000_000
	n, _ := strconv.Atoi(text) // on overflow Atoi returns the nearest bound
	return max(-most, min(n, most))
}

// isJSONNumber reports whether word is a number by the grammar of RFC 8259 section 6.
func isJSONNumber(word string) bool {
	word = strings.TrimPrefix(word, "-")
	whole, rest := cutDigits(word)
	if whole == "" || len(whole) > 1 && whole[0] == '0' {
		return false
	}
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		digits, after := cutDigits(fraction)
		if digits == "" {
			return false
		}
		rest = after
	}
	if rest == "" {
		return true
	}
	exponent := strings.TrimLeft(rest[:1], "eE") + rest[1:]
	if len(exponent) == len(rest) {
		return false
	}
	if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
		exponent = exponent[1:]
	}
	digits, after := cutDigits(exponent)
	return digits != "" && after == ""
}

// cutDigits splits s after its leading digits.
func cutDigits(s string) (digits, rest string) {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return s[:i], s[i:]
}
