package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// machine is where and of what the measurements are.
type machine struct {
	processor string
	cores     int
	kernel    string
	envoy     string
	commit    string // abbreviated, with -changed if the tree differs from it
	date      time.Time
	load      string // load average of the last minute before the measurements
}

// describe looks at this machine and the repository around it.
func describe(binary string) (machine, error) {
	r := reader{}
	m := machine{
		processor: processorName(r.file("/proc/cpuinfo")),
		cores:     runtime.NumCPU(),
		kernel:    r.file("/proc/sys/kernel/osrelease"),
		envoy:     envoyVersion(r.output(binary, "--version")),
		commit:    r.output("git", "rev-parse", "--short", "HEAD"),
		date:      time.Now().UTC(),
	}
	m.load, _, _ = strings.Cut(r.file("/proc/loadavg"), " ")
	if r.output("git", "status", "--porcelain", "--", "..", ":!results") != "" {
		m.commit += "-changed"
	}
	return m, r.err
}

// reader reads short texts and keeps the first error.
type reader struct{ err error }

func (r *reader) file(name string) string { return r.text(os.ReadFile(name)) }

func (r *reader) output(name string, args ...string) string {
	return r.text(exec.Command(name, args...).Output())
}

func (r *reader) text(text []byte, err error) string {
	if r.err == nil {
		r.err = err
	}
	return strings.TrimSpace(string(text))
}

// processorName returns the first "model name" of /proc/cpuinfo; not every architecture has one.
func processorName(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown " + runtime.GOARCH
}

// envoyVersion returns the number in "envoy  version: <commit>/1.40.0/Clean/RELEASE/BoringSSL", or the whole of another text.
func envoyVersion(output string) string {
	if parts := strings.Split(output, "/"); len(parts) >= 4 {
		return parts[len(parts)-4]
	}
	return output
}

// lines returns the head of a report.
func (m *machine) lines() []string {
	return []string{
		fmt.Sprintf("- machine: %s, %d cores, Linux %s; load average before: %s", m.processor, m.cores, m.kernel, m.load),
		fmt.Sprintf("- versions: Envoy %s, %s", m.envoy, runtime.Version()),
		fmt.Sprintf("- commit: %s, %s", m.commit, m.date.Format("2006-01-02 15:04 MST")),
	}
}
