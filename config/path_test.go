package config

import (
	"strings"
	"testing"
)

// pathCases are targets and their paths in normal form; an empty one means that the target has no path.
var pathCases = []struct{ target, path string }{
	{"/", "/"},
	{"/login", "/login"},
	{"/login/", "/login/"},
	{"/Login", "/Login"},
	{"", ""},
	{"*", ""},
	{"login", ""},
	{"example.com:443", ""},
	{"?a=/b", ""},
	{"#/a", ""},

	{"/login?next=%2Fhome", "/login"},
	{"/login?", "/login"},
	{"/login?a?b", "/login"},
	{"/login#top", "/login"},
	{"/login#a?b", "/login"},
	{"/login?a#b", "/login"},
	{"/login%3Fa", "/login%3Fa"},
	{"/login%23", "/login%23"},
	{"/?/../x", "/"},

	{"//login", "/login"},
	{"///login", "/login"},
	{"/a//b///", "/a/b/"},
	{"//", "/"},

	{"/public/../admin/x", "/admin/x"},
	{"/public/%2e%2e/admin/x", "/admin/x"},
	{"/public/%2E./admin/x", "/admin/x"},
	{"/a/./b", "/a/b"},
	{"/a/.", "/a/"},
	{"/a/..", "/"},
	{"/a/b/..", "/a/"},
	{"/..", "/"},
	{"/../../a", "/a"},
	{"/.", "/"},
	{"/./", "/"},
	{"/a/../", "/"},
	{"/...", "/..."},
	{"/.a/..b", "/.a/..b"},
	{"/a//..", "/a/"},
	{"/a//../b", "/a/b"},
	{"/a/..//b", "/b"},
	{"/a/%2e%2e%2fb", "/a/..%2Fb"},

	{"/%6c%6F%67in", "/login"},
	{"/%7euser", "/~user"},
	{"/a%2fb", "/a%2Fb"},
	{"/a%20b", "/a%20b"},
	{"/%c3%a9", "/%C3%A9"},
	{"/\xc3\xa9", "/\xc3\xa9"},
	{"/\xff", "/\xff"},
	{"/%252e%252e/a", "/%252e%252e/a"},
	{"/%zz", "/%zz"},
	{"/a%", "/a%"},
	{"/a%4", "/a%4"},
	{"/a%%41", "/a%%41"},
	{"/%%32e", "/%%32e"},
	{"/%2%65", "/%2%65"},
	{"/%%7a", "/%z"},
	{"/a\\..\\b", "/a\\..\\b"},
	{"/a;v=1/../b", "/b"},
}

func TestNormalizePath(t *testing.T) {
	for _, c := range pathCases {
		path, ok := NormalizePath(c.target)
		if want := c.path != ""; ok != want || ok && path != c.path {
			t.Errorf("NormalizePath(%q) = %q, %v; want %q, %v", c.target, path, ok, c.path, want)
		}
	}
}

func TestRequestPathEqualsNormalizePath(t *testing.T) {
	r := &Request{}
	for _, c := range pathCases {
		r.Reset([][2]string{{":path", c.target}})
		for range 2 {
			if path, ok := r.Path(); path != c.path || ok != (c.path != "") {
				t.Errorf("target %q: Path() = %q, %v; want %q", c.target, path, ok, c.path)
			}
		}
	}
}

func FuzzNormalizePath(f *testing.F) {
	for _, c := range pathCases {
		f.Add(c.target)
	}
	f.Fuzz(func(t *testing.T, target string) {
		path, ok := NormalizePath(target)
		want, wantOK := modelPath(target)
		if ok != wantOK || ok && path != want {
			t.Fatalf("NormalizePath(%q) = %q, %v; the model says %q, %v", target, path, ok, want, wantOK)
		}
		if again, ok := NormalizePath(path); ok && again != path {
			t.Fatalf("NormalizePath(%q) = %q, and once more %q", target, path, again)
		}
	})
}

// modelPath is the obvious way to normalise: split, rewrite, join.
func modelPath(target string) (string, bool) {
	target, _, _ = strings.Cut(target, "?")
	target, _, _ = strings.Cut(target, "#")
	if !strings.HasPrefix(target, "/") {
		return "", false
	}
	var stack []string
	segments := strings.Split(modelDecode(target)[1:], "/")
	for i, s := range segments {
		last := i == len(segments)-1
		switch s {
		case "..":
			stack = stack[:max(len(stack)-1, 0)]
		case ".":
		default:
			stack = append(stack, s)
			continue
		}
		if last {
			stack = append(stack, "")
		}
	}
	path := "/" + strings.Join(stack, "/")
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return path, true
}

// modelDecode decodes piece by piece: what lies between percent signs is looked at as a whole.
func modelDecode(path string) string {
	const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	const hex = "0123456789abcdef"
	pieces := strings.Split(path, "%")
	out := pieces[0]
	for _, p := range pieces[1:] {
		high, low := -1, -1
		if len(p) >= 2 {
			lower := strings.ToLower(p[:2])
			high, low = strings.IndexByte(hex, lower[0]), strings.IndexByte(hex, lower[1])
		}
		if high < 0 || low < 0 {
			out += "%" + p
			continue
		}
		char := string([]byte{byte(high<<4 | low)})
		completes := strings.Contains(hex, strings.ToLower(char)) && modelEndsInStray(out)
		if strings.Contains(unreserved, char) && !completes {
			out += char + p[2:]
		} else {
			out += "%" + strings.ToUpper(p[:2]) + p[2:]
		}
	}
	return out
}

// modelEndsInStray reports whether one more hex digit would make an escape of the end of s.
func modelEndsInStray(s string) bool {
	if strings.HasSuffix(s, "%") {
		return true
	}
	i := strings.LastIndexByte(s, '%')
	return i >= 0 && i == len(s)-2 && strings.Contains("0123456789abcdef", strings.ToLower(s[i+1:]))
}
