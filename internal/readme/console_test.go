package readme

import (
	"reflect"
	"strings"
	"testing"
)

func TestCommands(t *testing.T) {
	b := Block{Kind: "console", Line: 7, Text: "$ make run\n$ curl -i http://x\nHTTP/1.1 200 OK\n\nbody\n"}
	want := []Command{
		{Text: "make run", Line: 8},
		{Text: "curl -i http://x", Line: 9, Output: []string{"HTTP/1.1 200 OK", "", "body"}},
	}
	got, err := b.Commands()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestTranscriptsWithoutACommand(t *testing.T) {
	for text, want := range map[string]string{
		"":               "line 7: the transcript has no command",
		"HTTP\n$ make\n": `line 8: "HTTP" stands before the first command`,
	} {
		b := Block{Kind: "console", Line: 7, Text: text}
		if _, err := b.Commands(); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string][][]string{
		"make  run":                 {{"make", "run"}},
		"curl -H 'a: b' u'|'x":      {{"curl", "-H", "a: b", "u|x"}},
		"curl -s u | grep '^a_' ":   {{"curl", "-s", "u"}, {"grep", "^a_"}},
		"curl ''":                   {{"curl", ""}},
		"curl -s u|grep -E 'a|b' x": {{"curl", "-s", "u"}, {"grep", "-E", "a|b", "x"}},
	} {
		got, err := (&Command{Text: text}).Words()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestWordsThatNeedAShell(t *testing.T) {
	for _, text := range []string{"curl $URL", `curl "u"`, "curl u > file", "a; b", "a & b", "curl u?x", "echo `x`"} {
		if _, err := (&Command{Text: text, Line: 4}).Words(); err == nil || !strings.HasPrefix(err.Error(), "line 4: ") {
			t.Errorf("%q: %v, want it refused", text, err)
		}
	}
	if _, err := (&Command{Text: "curl 'u", Line: 4}).Words(); err == nil || err.Error() != "line 4: a quote is never closed" {
		t.Errorf("an open quote: %v", err)
	}
}
