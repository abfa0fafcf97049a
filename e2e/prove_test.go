package e2e

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

var rewrite = flag.Bool("update", false, "write the tables under testdata anew")

// pick returns what the short form of a test needs, or what the long form does: package prove says what they are.
func pick[T any](short, long T) T {
	if os.Getenv("TOLLGATE_PROVE") == "full" {
		return long
	}
	return short
}

// proved prints the line of a property.
func proved(t testing.TB, property, format string, args ...any) {
	t.Helper()
	t.Logf("prove: %s: %s", property, fmt.Sprintf(format, args...))
}
