package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// example is a report of two rounds in which the machine slowed down by 10 µs between them.
func example() report {
	return report{
		machine: machine{processor: "P", cores: 2, kernel: "K", envoy: "1.40.0", commit: "abc1234", load: "0.10", date: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		command: "go -C bench run . ",
		options: options{requests: 20000, connections: 8, rounds: 2, starts: 1},
		costs: []cost{
			{noFilter, []float64{30, 40}},
			{native, []float64{34, 44}},
			{"Tollgate", []float64{52, 58}},
		},
		starts: []start{{name: "Tollgate", workers: 2, ready: []float64{1500}, resident: []float64{120.4}}},
	}
}

func TestMarkdown(t *testing.T) {
	r := example()
	text := r.markdown()
	for _, want := range []string{
		"- machine: P, 2 cores, Linux K; load average before: 0.10\n",
		"- versions: Envoy 1.40.0, go",
		"- commit: abc1234, 2026-01-02 03:04 UTC\n",
		"- command: `go -C bench run .`\n",
		"| no filter | 35.0 (30.0 to 40.0) | | |\n",
		"| Tollgate | 55.0 (52.0 to 58.0) | 20.0 (18.0 to 22.0) | 5.0 |\n",
		"| Tollgate | 2 | 1500 (1500 to 1500) | 120 (120 to 120) |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestPublish(t *testing.T) {
	r := example()
	r.options.results = filepath.Join(t.TempDir(), "made")
	var shown strings.Builder
	if err := r.publish(&shown); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(r.options.results, "2026-01-02-abc1234.md"))
	if err != nil || string(written) != shown.String() {
		t.Errorf("the file holds %q, %v; shown was %q", written, err, shown.String())
	}
}
