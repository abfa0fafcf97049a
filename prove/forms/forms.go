// Package forms tells tests that show a property how long they may take, and prints what they found. The short form runs with all
// tests, the long one with TOLLGATE_PROVE=full.
package forms

import (
	"fmt"
	"os"
	"testing"
)

// Long reports whether the long form is asked for.
func Long() bool { return os.Getenv("TOLLGATE_PROVE") == "full" }

// Pick returns what the short form needs, or what the long form does.
func Pick[T any](short, long T) T {
	if Long() {
		return long
	}
	return short
}

// Proved prints the line of a property.
func Proved(t testing.TB, property, format string, args ...any) {
	t.Helper()
	t.Logf("prove: %s: %s", property, fmt.Sprintf(format, args...))
}
