package envoy

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestParseSchedstat(t *testing.T) {
	for _, c := range []struct {
		text string
		want time.Duration
		ok   bool
	}{
		{"1234567 89 10\n", 1234567, true},
		{"0 0 0\n", 0, true},
		{"", 0, false},
		{"1 2\n", 0, false},
		{"x 2 3\n", 0, false},
	} {
		if got, err := parseSchedstat(c.text); got != c.want || (err == nil) != c.ok {
			t.Errorf("%q: got %v, %v", c.text, got, err)
		}
	}
}

func TestParseResident(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		ok   bool
	}{
		{"Name:\tenvoy\nVmRSS:\t   2048 kB\nRssAnon:\t 1 kB\n", 2 << 20, true},
		{"Name:\tenvoy\n", 0, false},
		{"VmRSS:\t many kB\n", 0, false},
	} {
		if got, err := parseResident(c.text); got != c.want || (err == nil) != c.ok {
			t.Errorf("%q: got %d, %v", c.text, got, err)
		}
	}
}

// The process that is measured here is the test itself.
func TestUsageOfARunningProcess(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	p := &Process{cmd: &exec.Cmd{Process: self}}
	before, err := p.cpu()
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; {
		now, err := p.cpu()
		if err != nil {
			t.Fatal(err)
		}
		if now > before {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the processor time stands still while the test runs")
		}
	}
	if rss, err := p.Resident(); err != nil || rss < 1<<20 {
		t.Errorf("resident %d, %v; want at least a megabyte", rss, err)
	}
}
