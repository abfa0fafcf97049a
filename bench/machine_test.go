package main

import (
	"strings"
	"testing"
)

func TestProcessorName(t *testing.T) {
	if got := processorName("processor\t: 0\nmodel name\t: A: B\nprocessor\t: 1\nmodel name\t: C\n"); got != "A: B" {
		t.Errorf("got %q", got)
	}
	if got := processorName("processor\t: 0\n"); !strings.HasPrefix(got, "unknown ") {
		t.Errorf("got %q for a machine that does not say", got)
	}
}

func TestEnvoyVersion(t *testing.T) {
	for output, want := range map[string]string{
		"/x/envoy  version: 9e55/1.40.0/Clean/RELEASE/BoringSSL": "1.40.0",
		"envoy of my own": "envoy of my own",
	} {
		if got := envoyVersion(output); got != want {
			t.Errorf("%q: got %q, want %q", output, got, want)
		}
	}
}
