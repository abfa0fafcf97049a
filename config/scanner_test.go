package config

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestJSONNumbers(t *testing.T) {
	for _, word := range []string{"0", "-0", "10", "10.0", "1e5", "1E+5", "1e-5", "0.5", "-1.25e10", "01", "+1", ".5", "5.", "1e", "1e+", "-", "", "0x10", "1_000", "1.2.3", "1ee5", "--1", "1-2", "NaN", "Infinity"} {
		if got, want := isJSONNumber(word), json.Valid([]byte(word)); got != want {
			t.Errorf("isJSONNumber(%q) = %v, encoding/json says %v", word, got, want)
		}
	}
}

// The scanner must find a place in exactly the texts that are not JSON, whatever is cut out of or put into them.
func TestScannerAgreesWithEncodingJSON(t *testing.T) {
	const text = `{"rules": [{"name": "a\n\u00e9", "limits": [{"requests": 1.5e+3, "window": "10s"}, -0, true, null]}], "x": [], "y": {}}`
	check := func(text string) {
		s := scanner{text: text}
		if got, want := s.document(""), json.Valid([]byte(text)); got != want {
			t.Errorf("%s\nscanner: %v (%s), encoding/json: %v", text, got, s.reason, want)
		} else if !got && (s.path == "" || s.reason == "" || s.advice == "" || s.offset > len(text)) {
			t.Errorf("%s\nincomplete finding: %+v", text, s)
		}
	}
	for i := range len(text) {
		check(text[:i])
		check(text[:i] + text[i+1:])
		for _, extra := range []string{",", "}", "]", "{", "[", `"`, "'", `\`, "\n", "\x01", "0", "-", "e", "x", ":", " ", "/", "#", "\u00e9"} {
			check(text[:i] + extra + text[i:])
		}
	}
}

func TestDepth(t *testing.T) {
	nested := func(depth int) string {
		return strings.Repeat("[", depth) + strings.Repeat("]", depth)
	}
	if p := (problems{}); !checkDepth(&p, nested(32), "") || p.count() != 0 {
		t.Error("32 levels are refused")
	}
	for _, text := range []string{nested(33), strings.Repeat("[", 5_000_000), strings.Repeat(`{"a":`, 1_000_000), strings.Repeat(`[{"a":`, 20) + "1"} {
		_, err := Parse([]byte(text), "plugin")
		if err == nil || !strings.Contains(err.Error(), "nests deeper than 32 levels; write objects and lists only where the format has them") {
			t.Errorf("%.40s...: %v", text, err)
		}
	}
	if p := (problems{}); !checkDepth(&p, `{"a": "`+strings.Repeat(`[{\"`, 100)+`"}`, "") {
		t.Errorf("brackets in a text are counted: %+v", p)
	}
}
