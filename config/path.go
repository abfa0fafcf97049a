package config

import "strings"

// NormalizePath returns the path of a request target in the form in which rules match it, without query and
// fragment. It is false for a target that has no path: "*", an empty one, or one that does not start with a slash.
//
// The steps are those of RFC 3986 section 6.2.2 and of Envoy, in Envoy's order: unreserved octets are decoded once
// and the hex digits of all other escapes put into upper case, then dot segments removed, then repeated slashes
// merged. An encoded slash stays data, and so does a percent sign that begins no escape. Normalising twice changes
// nothing.
func NormalizePath(target string) (path string, ok bool) {
	path, ok = cutPath(target)
	if !ok || isPlainlyNormal(path) {
		return path, ok
	}
	return string(appendNormalPath(nil, path)), true
}

// cutPath returns the part of a target before the query or fragment.
func cutPath(target string) (path string, ok bool) {
	if i := strings.IndexAny(target, "?#"); i >= 0 {
		target = target[:i]
	}
	return target, strings.HasPrefix(target, "/")
}

// isPlainlyNormal reports whether nothing in the path could need a change. It may be false for a normal path.
func isPlainlyNormal(path string) bool {
	for i := range len(path) {
		switch path[i] {
		case '%':
			return false
		case '/':
			if i+1 < len(path) && (path[i+1] == '/' || path[i+1] == '.') {
				return false
			}
		}
	}
	return true
}

// appendNormalPath appends the normal form of a path that starts with a slash to the empty dst.
func appendNormalPath(dst []byte, path string) []byte {
	dst = appendDecoded(dst, path)
	return mergeSlashes(removeDotSegments(dst))
}

// appendDecoded appends path with its unreserved octets decoded and its remaining escapes in upper case.
func appendDecoded(dst []byte, path string) []byte {
	for i := 0; i < len(path); i++ {
		value, ok := escapedByte(path[i:])
		switch {
		case !ok:
			dst = append(dst, path[i])
		case isUnreserved(value) && !completesEscape(dst, value):
			dst = append(dst, value)
			i += 2
		default:
			dst = append(dst, '%', upperHex(path[i+1]), upperHex(path[i+2]))
			i += 2
		}
	}
	return dst
}

// escapedByte returns the octet that an escape at the start of s stands for.
func escapedByte(s string) (value byte, ok bool) {
	if len(s) < 3 || s[0] != '%' || !isHex(s[1]) || !isHex(s[2]) {
		return 0, false
	}
	return hexValue(s[1])<<4 | hexValue(s[2]), true
}

// completesEscape reports whether a decoded hex digit would turn a stray percent sign before it into an escape, which
// nobody wrote and a second pass would decode.
func completesEscape(done []byte, digit byte) bool {
	n := len(done)
	return isHex(digit) && (n >= 1 && done[n-1] == '%' || n >= 2 && done[n-2] == '%' && isHex(done[n-1]))
}

// isUnreserved follows RFC 3986 section 2.3.
func isUnreserved(c byte) bool {
	return isAlphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~'
}

func hexValue(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

func upperHex(c byte) byte {
	if isDigit(c) {
		return c
	}
	return c &^ 0x20
}

// removeDotSegments removes "." and ".." segments in place as in RFC 3986 section 5.2.4. An empty segment counts as
// one, so "/a//.." is "/a/".
func removeDotSegments(path []byte) []byte {
	kept := 0 // path[:kept] is the result so far: whole segments, each with the slash before it
	for at := 0; at < len(path); {
		end := at + 1
		for end < len(path) && path[end] != '/' {
			end++
		}
		segment, last := path[at+1:end], end == len(path)
		switch {
		case string(segment) == "." || string(segment) == "..":
			if len(segment) == 2 {
				kept = parentOf(path[:kept])
			}
			if last {
				path[kept] = '/'
				kept++
			}
		default:
			kept += copy(path[kept:], path[at:end])
		}
		at = end
	}
	return path[:kept]
}

// parentOf returns the length of path without its last segment and the slash before it.
func parentOf(path []byte) int {
	n := len(path)
	for n > 0 && path[n-1] != '/' {
		n--
	}
	return max(n-1, 0)
}

// mergeSlashes reduces each run of slashes to one, in place.
func mergeSlashes(path []byte) []byte {
	kept := path[:0]
	for i, c := range path {
		if c != '/' || i == 0 || path[i-1] != '/' {
			kept = append(kept, c)
		}
	}
	return kept
}
