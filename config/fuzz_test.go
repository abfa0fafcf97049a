package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, err := Parse(data, "plugin")
		if err != nil {
			_, isStruct := readStruct(string(data))
			checkErrors(t, data, cfg, err, isStruct)
			return
		}
		if _, isStruct := readStruct(string(data)); !isStruct {
			checkStable(t, data, cfg)
		}
	})
}

// checkErrors holds what every refusal promises.
func checkErrors(t *testing.T, data []byte, cfg *Config, err error, isStruct bool) {
	var errs Errors
	if cfg != nil || !errors.As(err, &errs) || len(errs) == 0 {
		t.Fatalf("got %+v with %T %v", cfg, err, err)
	}
	lines := bytes.Split(data, []byte("\n"))
	for i, e := range errs {
		if e.Path == "" || e.Reason == "" || e.Advice == "" || (e.Line < 1 || e.Column < 1) != isStruct {
			t.Errorf("incomplete: %+v", e)
		}
		if isStruct {
			continue
		}
		if e.Line > len(lines) || e.Column > len(lines[e.Line-1])+1 {
			t.Errorf("outside the text: %+v", e)
		}
		if i > 0 && (errs[i-1].Line > e.Line || errs[i-1].Line == e.Line && errs[i-1].Column > e.Column) {
			t.Errorf("out of order: %+v after %+v", e, errs[i-1])
		}
	}
}

// checkStable holds that a configuration is JSON by another parser's judgement, and that white space means nothing.
func checkStable(t *testing.T, data []byte, cfg *Config) {
	var compact, indented bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		t.Fatalf("accepted, but encoding/json says: %v", err)
	}
	if err := json.Indent(&indented, data, "\r", "\t"); err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{data, compact.Bytes(), indented.Bytes()} {
		again, err := Parse(text, "plugin")
		if err != nil || !sameConfig(again, cfg) {
			t.Fatalf("%s\nreads differently: %+v, %v\nbefore: %+v", text, again, err, cfg)
		}
	}
}

// sameConfig compares everything but the positions in warnings.
func sameConfig(a, b *Config) bool {
	one, other := *a, *b
	one.Warnings, other.Warnings = nil, nil
	return len(a.Warnings) == len(b.Warnings) && reflect.DeepEqual(one, other)
}
