package config

import (
	"bytes"
	"testing"
)

var apiKey = []Source{{Kind: SourceHeader, Name: "x-api-key"}}

// identityOf returns the identity of a request with these header lines, or nil.
func identityOf(sources []Source, lines ...[2]string) []byte {
	id, ok := request("GET", "/", lines...).Identify(nil, sources)
	if !ok {
		return nil
	}
	return id
}

func TestOneClient(t *testing.T) {
	alice := identityOf(apiKey, [2]string{"x-api-key", "alice"})
	for _, lines := range [][][2]string{
		{{"x-api-key", " alice"}},
		{{"x-api-key", "\talice \t "}},
		{{"x-api-key", "alice"}, {"x-api-key", "alice"}},
		{{"x-api-key", "alice "}, {"x-other", "bob"}, {"x-api-key", " alice"}},
	} {
		if id := identityOf(apiKey, lines...); !bytes.Equal(id, alice) {
			t.Errorf("%q: identity %q, want %q", lines, id, alice)
		}
	}
}

func TestNoClient(t *testing.T) {
	for _, lines := range [][][2]string{
		{},
		{{"x-api-key", ""}},
		{{"x-api-key", " \t "}},
		{{"x-api-keys", "alice"}},
		{{"x-api-key", "alice"}, {"x-api-key", "bob"}},
		{{"x-api-key", "alice"}, {"x-api-key", ""}},
		{{"x-api-key", ""}, {"x-api-key", "alice"}},
		{{"x-api-key", "alice"}, {"x-api-key", "Alice"}},
		{{"x-api-key", "alice"}, {"x-api-key", "alice"}, {"x-api-key", "bob"}},
	} {
		dst := []byte("kept")
		if id, ok := request("GET", "/", lines...).Identify(dst, apiKey); ok || string(id) != "kept" {
			t.Errorf("%q: identity %q, %v; want none", lines, id, ok)
		}
	}
}

func TestDifferentClientsDiffer(t *testing.T) {
	values := []string{"anonymous", "alice", "Alice", "alice,bob", "a b", "a  b", "a\u00a0b", "\xff", "\xfe", "\xff\xfe", "\x00", "*", "e\u0301", "\u00e9"}
	seen := map[string]string{}
	for _, v := range values {
		id := string(identityOf(apiKey, [2]string{"x-api-key", v}))
		if other, taken := seen[id]; taken || id == "" {
			t.Errorf("%q has the identity of %q: %q", v, other, id)
		}
		seen[id] = v
	}
}

func TestLongKeysDifferInTheLastByte(t *testing.T) {
	key := bytes.Repeat([]byte("k"), 8192)
	a := identityOf(apiKey, [2]string{"x-api-key", string(key)})
	key[len(key)-1] = 'l'
	if b := identityOf(apiKey, [2]string{"x-api-key", string(key)}); bytes.Equal(a, b) {
		t.Error("two keys have one identity")
	}
}

func TestSourcesInOrder(t *testing.T) {
	one, two := Source{Kind: SourceHeader, Name: "one"}, Source{Kind: SourceHeader, Name: "two"}
	only := func(s Source, value string) []byte { return identityOf([]Source{s}, [2]string{s.Name, value}) }
	for _, c := range []struct {
		lines [][2]string
		want  []byte
	}{
		{[][2]string{{"two", "b"}, {"one", "a"}}, only(one, "a")},
		{[][2]string{{"two", "b"}}, only(two, "b")},
		{[][2]string{{"two", "b"}, {"one", " "}}, only(two, "b")},
		{[][2]string{{"two", "b"}, {"one", "a"}, {"one", "c"}}, only(two, "b")},
	} {
		if id := identityOf([]Source{one, two}, c.lines...); !bytes.Equal(id, c.want) {
			t.Errorf("%q: identity %q, want %q", c.lines, id, c.want)
		}
	}
	if bytes.Equal(only(one, "x"), only(two, "x")) {
		t.Error("one value in two headers is one identity")
	}
}

// A name and a value must not be able to trade bytes.
func TestIdentitiesAreInjective(t *testing.T) {
	short, long := Source{Kind: SourceHeader, Name: "x"}, Source{Kind: SourceHeader, Name: "xa"}
	if bytes.Equal(identityOf([]Source{short}, [2]string{"x", "ab"}), identityOf([]Source{long}, [2]string{"xa", "b"})) {
		t.Error("x: ab and xa: b are one identity")
	}
}
