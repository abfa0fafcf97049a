package main

import (
	"fmt"
	"regexp"
	"strconv"
)

// versionLine finds major and minor in what "envoy --version" prints: "envoy  version: <commit>/1.40.0/Clean/RELEASE/BoringSSL".
var versionLine = regexp.MustCompile(`version: [^/]*/(\d+)\.(\d+)\.`)

// doubtAbout says why the Envoy that printed text may not run the module, or "" if it is expected to.
func doubtAbout(text string) string {
	found := versionLine.FindStringSubmatch(text)
	if found == nil {
		return "cannot tell its version; Tollgate is tested with 1.36 and later"
	}
	major, _ := strconv.Atoi(found[1]) // digits, by the expression; a number too large reads as a large number
	minor, _ := strconv.Atoi(found[2])
	switch {
	case major < 1 || major == 1 && minor < 36:
		return fmt.Sprintf("Envoy %d.%d is older than 1.36, the oldest that Tollgate is tested with", major, minor)
	case major == 1 && minor == 38:
		return "some builds of Envoy 1.38 run no WebAssembly"
	}
	return ""
}
