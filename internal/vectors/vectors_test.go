package vectors

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestInstantsAreExact(t *testing.T) {
	for text, want := range map[string]Instant{
		"0":                    0,
		"1080":                 1_080_000_000_000,
		"1022.5":               1_022_500_000_000,
		"9.999999999":          9_999_999_999,
		"1700000000.000000001": 1_700_000_000_000_000_001,
		"1.7e9":                1_700_000_000_000_000_000,
		"4294967295.999999999": 4_294_967_295_999_999_999,
	} {
		var got Instant
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s s: %d ns, %v; want %d ns", text, got, err, want)
		}
	}
	for _, text := range []string{`0.0000000001`, `1e300`, `"1"`, `true`} {
		var got Instant
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s was taken as %d ns", text, got)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"unknown field": `{"scenarios": [{"name": "a", "steps": [{"at": 0, "sleep": 1}]}]}`,
		"no scenarios":  `{"scenarios": []}`,
		"no steps":      `{"scenarios": [{"name": "a", "steps": []}]}`,
		"no JSON":       `x`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "vectors.json")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(path); err == nil {
				t.Errorf("%s was read", text)
			}
		})
	}
	if _, err := Read(filepath.Join(t.TempDir(), "missing.json")); err == nil {
		t.Error("a missing file was read")
	}
}

func TestCheck(t *testing.T) {
	step := Step{Expect: Expect{Status: 200, Headers: []Header{{"x-ratelimit-limit", "5"}, {"x-ratelimit-remaining", "4"}}}}
	for name, c := range map[string]struct {
		status  int
		headers []Header
		ok      bool
	}{
		"as expected":     {200, []Header{{"x-ratelimit-limit", "5"}, {"date", "x"}, {"x-ratelimit-remaining", "4"}}, true},
		"another status":  {204, []Header{{"x-ratelimit-limit", "5"}, {"x-ratelimit-remaining", "4"}}, false},
		"another order":   {200, []Header{{"x-ratelimit-remaining", "4"}, {"x-ratelimit-limit", "5"}}, false},
		"a line twice":    {200, []Header{{"x-ratelimit-limit", "5"}, {"x-ratelimit-limit", "5"}, {"x-ratelimit-remaining", "4"}}, false},
		"one missing":     {200, []Header{{"x-ratelimit-limit", "5"}}, false},
		"one too many":    {200, []Header{{"x-ratelimit-limit", "5"}, {"x-ratelimit-remaining", "4"}, {"retry-after", "1"}}, false},
		"another value":   {200, []Header{{"x-ratelimit-limit", "5"}, {"x-ratelimit-remaining", "3"}}, false},
		"spelling counts": {200, []Header{{"X-RateLimit-Limit", "5"}, {"x-ratelimit-remaining", "4"}}, false},
	} {
		if err := step.Check(c.status, c.headers); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTheTracesAreWhole keeps a shortened file from passing for the whole.
func TestTheTracesAreWhole(t *testing.T) {
	file, err := Read("../../testdata/vectors/fixed-window.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Scenarios) < 15 || file.Steps() < 134 {
		t.Errorf("%d scenarios with %d steps, want at least 15 with 134", len(file.Scenarios), file.Steps())
	}
}
