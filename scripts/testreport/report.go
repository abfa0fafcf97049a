package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// event is one line of "go test -json"; go doc test2json describes the fields.
type event struct {
	Action      string
	Package     string
	ImportPath  string // of a package that is being built, in place of Package
	Test        string
	Elapsed     float64 // seconds
	Output      string
	FailedBuild string // import path of what did not build
}

// testID names a test within its package; the empty name stands for the package itself.
type testID struct{ pkg, test string }

// report gathers the events of a run.
type report struct {
	out      io.Writer
	output   map[testID]*strings.Builder
	passed   map[string]int // tests with their subtests, by package
	packages int
	tests    int
	failed   []string
	skipped  []string
}

func newReport(out io.Writer) *report {
	return &report{out: out, output: map[testID]*strings.Builder{}, passed: map[string]int{}}
}

// readAll takes events until the input ends. A line that is no event is printed as it stands.
func (r *report) readAll(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			r.line(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) line(line []byte) {
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		fmt.Fprintf(r.out, "%s", line)
		return
	}
	r.add(e)
}

func (r *report) add(e event) {
	id := testID{e.Package, e.Test}
	switch e.Action {
	case "output", "build-output":
		if e.Action == "build-output" {
			id.pkg = e.ImportPath
		}
		r.keep(id, e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			r.packageEnds(e)
		} else {
			r.testEnds(id, e.Action)
		}
	}
}

func (r *report) keep(id testID, text string) {
	if r.output[id] == nil {
		r.output[id] = &strings.Builder{}
	}
	r.output[id].WriteString(text)
}

// take returns what was written under id, and forgets it.
func (r *report) take(id testID) string {
	kept := r.output[id]
	delete(r.output, id)
	if kept == nil {
		return ""
	}
	return kept.String()
}

func (r *report) testEnds(id testID, action string) {
	r.tests++
	text := r.take(id)
	switch action {
	case "pass":
		r.passed[id.pkg]++
		fmt.Fprint(r.out, logLines(text))
	case "fail":
		r.failed = append(r.failed, id.pkg+" "+id.test)
		fmt.Fprint(r.out, text)
	case "skip":
		r.skipped = append(r.skipped, id.pkg+" "+id.test)
		fmt.Fprint(r.out, text)
	}
}

// packageEnds prints the package's line. A package without tests "skips", which is no fault of a test.
func (r *report) packageEnds(e event) {
	text := r.take(testID{e.Package, ""})
	switch e.Action {
	case "pass":
		r.packages++
		fmt.Fprintf(r.out, "ok    %-28s %4d tests  %6.2fs\n", e.Package, r.passed[e.Package], e.Elapsed)
	case "fail":
		r.failed = append(r.failed, e.Package)
		fmt.Fprintf(r.out, "%s%sFAIL  %s\n", r.take(testID{e.FailedBuild, ""}), text, e.Package)
	case "skip":
		fmt.Fprintf(r.out, "--    %-28s no tests\n", e.Package)
	}
}

// logLines keeps the lines that t.Log wrote: they are indented, the lines of the test runner are not.
func logLines(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "    ") && !strings.HasPrefix(strings.TrimSpace(line), "--- ") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// conclude prints the summary and reports whether the run is a success.
func (r *report) conclude() bool {
	for _, name := range r.failed {
		fmt.Fprintln(r.out, "failed: ", name)
	}
	for _, name := range r.skipped {
		fmt.Fprintln(r.out, "skipped:", name, "(a skipped test counts as a failure)")
	}
	good := len(r.failed) == 0 && len(r.skipped) == 0 && r.tests > 0
	verdict := "FAIL"
	if good {
		verdict = "PASS"
	}
	fmt.Fprintf(r.out, "%s  %d tests in %d packages, %d failures, %d skipped\n",
		verdict, r.tests, r.packages, len(r.failed), len(r.skipped))
	return good
}
