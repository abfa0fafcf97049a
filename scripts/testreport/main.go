// Command testreport turns the events of "go test -json" on its standard input into a short report.
//
//	go test -json ./... | go run ./scripts/testreport
//
// It prints one line per package, the log lines of passing tests, everything that a failing test wrote, and a closing summary.
// Its exit status is 1 if anything failed, if a test was skipped, or if no test ran at all.
package main

import (
	"fmt"
	"os"
)

func main() {
	r := newReport(os.Stdout)
	if err := r.readAll(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(1)
	}
	if !r.conclude() {
		os.Exit(1)
	}
}
