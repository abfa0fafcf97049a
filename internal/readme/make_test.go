package readme_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	makeTarget   = regexp.MustCompile(`(?m)^([a-z0-9-]+):.*## `)
	makeMention  = regexp.MustCompile(`^make ([a-z0-9-]+)$`)
	makeVersions = regexp.MustCompile(`(?m)^VERSIONS \?= (.*)$`)
	versionSpan  = regexp.MustCompile(`\b1\.\d+\.\d+\b`)
)

// TestMakeTargets holds that the page explains every documented target of the Makefile and names no other.
func TestMakeTargets(t *testing.T) {
	var want, got []string
	for _, m := range makeTarget.FindAllStringSubmatch(read(t, "Makefile"), -1) {
		want = append(want, m[1])
	}
	for _, row := range table(t, "Building and testing", "command").Rows {
		got = append(got, strings.TrimPrefix(strings.Trim(row[0], "`"), "make "))
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("the page explains %q, the Makefile has %q", got, want)
	}
	for _, span := range page(t).Code() {
		if m := makeMention.FindStringSubmatch(span.Text); m != nil && !slices.Contains(want, m[1]) {
			t.Errorf("README.md:%d: no target %q", span.Number, m[1])
		}
	}
}

// TestVersions holds that the releases of Envoy on the page are those that the tests run in.
func TestVersions(t *testing.T) {
	m := makeVersions.FindStringSubmatch(read(t, "Makefile"))
	if m == nil {
		t.Fatal("the Makefile has no VERSIONS")
	}
	want := strings.Fields(m[1])
	lists := 0
	for _, l := range page(t).Prose {
		switch got := versionSpan.FindAllString(l.Text, -1); {
		case len(got) == 1 && slices.Contains(want, got[0]):
		case len(got) > 0:
			lists++
			if !slices.Equal(got, want) {
				t.Errorf("README.md:%d: Envoy %q, the tests run in %q", l.Number, got, want)
			}
		}
	}
	if lists == 0 {
		t.Error("the page does not list the releases")
	}
}
