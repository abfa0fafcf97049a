package config

import "strings"

// agreed appends the value on which all places that name it agree. Each place is added by writing its value at the end
// of dst; dst then keeps the first one, trimmed.
type agreed struct {
	dst     []byte
	start   int
	found   bool
	differs bool
}

func agreement(dst []byte) agreed { return agreed{dst: dst, start: len(dst)} }

// add adds one more place with this value.
func (a *agreed) add(value string) {
	mark := len(a.dst)
	a.dst = append(a.dst, trimBlanks(value)...)
	a.seal(mark)
}

// seal ends a value that was written from mark on.
func (a *agreed) seal(mark int) {
	if !a.found {
		a.found = true
		return
	}
	a.differs = a.differs || string(a.dst[a.start:mark]) != string(a.dst[mark:])
	a.dst = a.dst[:mark]
}

// result returns dst with the value, or as it was if there is none.
func (a *agreed) result() ([]byte, bool) {
	if a.differs || len(a.dst) == a.start {
		return a.dst[:a.start], false
	}
	return a.dst, true
}

func (r *Request) appendHeader(dst []byte, name string) ([]byte, bool) {
	a := agreement(dst)
	for i := range r.Headers {
		if r.Headers[i][0] == name {
			a.add(r.Headers[i][1])
		}
	}
	return a.result()
}

// appendBearer appends the token of the authorization header. A line of another scheme counts as one without a token.
func (r *Request) appendBearer(dst []byte) ([]byte, bool) {
	a := agreement(dst)
	for i := range r.Headers {
		if r.Headers[i][0] == "authorization" {
			a.add(bearerToken(r.Headers[i][1]))
		}
	}
	return a.result()
}

// bearerToken returns the token of a header value, or "" if the scheme, whose case does not matter, is another one, or if what
// follows is no token (RFC 6750 section 2.1). Envoy joins repeated lines of this header with commas: were any text a token, a
// client could name itself anew with every request by a second line.
func bearerToken(value string) string {
	const scheme = "bearer"
	value = trimBlanks(value)
	if len(value) <= len(scheme) || !equalFold(value[:len(scheme)], scheme) {
		return ""
	}
	token := value[len(scheme):]
	if token[0] != ' ' && token[0] != '\t' {
		return ""
	}
	token = trimBlanks(token)
	if !isBearerToken(token) {
		return ""
	}
	return token
}

// isBearerToken reports whether s has the syntax of a token: letters, digits and -._~+/ and then any number of "=".
func isBearerToken(s string) bool {
	s = strings.TrimRight(s, "=")
	return isMadeOf(s, len(s), func(c byte) bool { return isAlphanumeric(c) || strings.IndexByte("-._~+/", c) >= 0 })
}

// appendCookie appends the value of a cookie. HTTP/2 may send one header line for each cookie.
func (r *Request) appendCookie(dst []byte, name string) ([]byte, bool) {
	a := agreement(dst)
	for i := range r.Headers {
		if r.Headers[i][0] != "cookie" {
			continue
		}
		for rest, more := r.Headers[i][1], true; more; {
			var pair string
			pair, rest, more = strings.Cut(rest, ";")
			if key, value, ok := strings.Cut(pair, "="); ok && trimBlanks(key) == name {
				a.add(value)
			}
		}
	}
	return a.result()
}

// appendQuery appends the value of a query parameter, form-decoded: "+" is a space, and escapes are decoded once, in
// names too. A bad escape stays as it is.
func (r *Request) appendQuery(dst []byte, name string) ([]byte, bool) {
	a := agreement(dst)
	target, _, _ := strings.Cut(r.Target, "#")
	_, rest, more := strings.Cut(target, "?")
	for more {
		var pair string
		pair, rest, more = strings.Cut(rest, "&")
		if key, value, _ := strings.Cut(pair, "="); isFormEncoding(key, name) {
			mark := len(a.dst)
			a.dst = trimFrom(appendFormDecoded(a.dst, value), mark)
			a.seal(mark)
		}
	}
	return a.result()
}

// isFormEncoding reports whether encoded stands for plain.
func isFormEncoding(encoded, plain string) bool {
	for encoded != "" && plain != "" {
		c, size := formByte(encoded)
		if c != plain[0] {
			return false
		}
		encoded, plain = encoded[size:], plain[1:]
	}
	return encoded == "" && plain == ""
}

func appendFormDecoded(dst []byte, encoded string) []byte {
	for encoded != "" {
		c, size := formByte(encoded)
		dst = append(dst, c)
		encoded = encoded[size:]
	}
	return dst
}

// formByte returns the first byte that a non-empty form-encoded text stands for, and how many bytes stand for it.
func formByte(encoded string) (c byte, size int) {
	if value, ok := escapedByte(encoded); ok {
		return value, 3
	}
	if encoded[0] == '+' {
		return ' ', 1
	}
	return encoded[0], 1
}

// trimFrom removes the blanks around what dst has from mark on.
func trimFrom(dst []byte, mark int) []byte {
	for len(dst) > mark && isBlank(dst[len(dst)-1]) {
		dst = dst[:len(dst)-1]
	}
	first := mark
	for first < len(dst) && isBlank(dst[first]) {
		first++
	}
	return append(dst[:mark], dst[first:]...)
}
