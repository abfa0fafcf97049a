package prove

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tollgate/prove/forms"
)

// TestFailuresTable holds that testdata/failures.md shows the tables of faults. What they say is what the other tests of this
// package play.
func TestFailuresTable(t *testing.T) {
	var text strings.Builder
	text.WriteString(faultsTable())
	text.WriteString("\n" + startFaultsTable())
	text.WriteString("\n" + clockStepsTable())
	checkGolden(t, "failures.md", text.String())
}

// checkGolden compares a text with a file under testdata, or writes it there.
func checkGolden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(kept) != text {
		t.Errorf("%s does not show what the tests hold; go test ./prove -update writes it. It should be\n%s", path, text)
	}
}

func faultsTable() string {
	rows := [][]string{{"While a request is decided", "`on_error: allow`", "`on_error: refuse`", "Counted", "Logged, once for each worker", "Metrics, each time"}}
	for _, f := range faults() {
		w := f.want
		rows = append(rows, []string{f.what, w.allow, w.refuse, w.counted, w.log, w.metrics})
	}
	return markdown(rows)
}

func startFaultsTable() string {
	rows := [][]string{{"While a configuration starts", "It is", "Logged"}}
	for _, f := range startFaults() {
		result := "refused; the running one goes on"
		switch {
		case f.starts:
			result = "started"
		case f.first:
			result = "refused"
		}
		rows = append(rows, []string{f.what, result, f.log})
	}
	return markdown(rows)
}

func clockStepsTable() string {
	rows := [][]string{{"The clock, after a client has spent its 3 in 10 s", "The client gets", "After waiting that long"}}
	for _, s := range clockSteps() {
		rows = append(rows, []string{s.what, s.gets, s.waits})
	}
	return markdown(rows)
}

// markdown writes a table; the first row is its head.
func markdown(rows [][]string) string {
	var text strings.Builder
	for i, row := range rows {
		for _, cell := range row {
			text.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
		}
		text.WriteString("|\n")
		if i == 0 {
			text.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return text.String()
}

// runtimeCalls are the imports that belong to the Go runtime. Their failure ends the VM before or outside of the filter's
// code, and what a proxy does without a VM is for its failure_policy to say.
var runtimeCalls = []string{
	"args_get", "args_sizes_get", "clock_time_get", "environ_get", "environ_sizes_get", "fd_close", "fd_fdstat_get", "fd_fdstat_set_flags",
	"fd_prestat_dir_name", "fd_prestat_get", "fd_write", "poll_oneoff", "proc_exit", "sched_yield",
}

// TestEveryHostCallFails holds that no host call of the module is missing from the tables.
func TestEveryHostCallFails(t *testing.T) {
	var failing []string
	for _, f := range faults() {
		failing = append(failing, f.call)
	}
	for _, f := range startFaults() {
		failing = append(failing, f.call)
	}
	ours := 0
	for _, name := range built(t).Imports() {
		_, call, _ := strings.Cut(name, ".")
		call = strings.TrimPrefix(call, "proxy_")
		if slices.Contains(runtimeCalls, call) {
			continue
		}
		ours++
		if !slices.Contains(failing, call) {
			t.Errorf("the tables do not say what happens if %s fails", name)
		}
	}
	forms.Proved(t, "host calls", "each of the %d that the filter makes fails in the tables", ours)
}
