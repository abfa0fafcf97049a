// Command mutants breaks the code on purpose, one rule at a time, and checks that a test notices.
//
//	go run ./internal/mutants            runs all of them, from the root of the repository
//	go run ./internal/mutants give back  runs those whose name contains "give" or "back"
//
// A mutant is a patch under testdata, which is applied to a copy of the file and compiled in its place; the working tree is
// not touched. A patch that does not apply any more is an error: the rule it takes out must then be found again.
package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run checks the mutants whose names contain one of the words, or all without words.
func run(words []string) error {
	survivors, checked := 0, 0
	for _, m := range mutants {
		if !m.named(words) {
			continue
		}
		checked++
		line, err := m.check(".")
		if err != nil {
			survivors++
			fmt.Printf("FAIL    %s: %v\n", m.name, err)
			continue
		}
		fmt.Printf("caught  %s: %s\n", m.name, line)
	}
	fmt.Printf("%d of %d mutants caught\n", checked-survivors, checked)
	if survivors > 0 || checked == 0 {
		return fmt.Errorf("%d mutants were not caught", survivors)
	}
	return nil
}

func (m *mutant) named(words []string) bool {
	for _, word := range words {
		if strings.Contains(m.name, word) {
			return true
		}
	}
	return len(words) == 0
}
