package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each file in testdata/bad is one mistake, and the text beside it the whole message.
func TestBadFiles(t *testing.T) {
	files := glob(t, "testdata/bad/*.json")
	if texts := glob(t, "testdata/bad/*.txt"); len(texts) != len(files) {
		t.Errorf("%d files and %d messages", len(files), len(texts))
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".json"), func(t *testing.T) {
			cfg, err := Parse(readFile(t, name), "plugin")
			want := strings.TrimSuffix(string(readFile(t, strings.TrimSuffix(name, "json")+"txt")), "\n")
			if cfg != nil || err == nil || err.Error() != want {
				t.Errorf("got\n%v\nwant\n%s", err, want)
			}
		})
	}
}

// Each file in testdata/good is a configuration that must stay valid.
func TestGoodFiles(t *testing.T) {
	for _, name := range glob(t, "testdata/good/*.json") {
		if _, err := Parse(readFile(t, name), "plugin"); err != nil {
			t.Errorf("%s:\n%v", name, err)
		}
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(files), err)
	}
	return files
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
