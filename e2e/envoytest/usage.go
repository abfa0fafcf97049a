package envoytest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// RSS returns the resident memory of the process in bytes.
func (e *Envoy) RSS() int64 {
	e.t.Helper()
	for line := range strings.Lines(e.proc("status")) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return 1024 * e.number(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
		}
	}
	e.t.Fatal("no VmRSS in /proc/<pid>/status")
	return 0
}

// CPU returns the processor time that all threads of the process have used, in steps of 10 ms.
func (e *Envoy) CPU() time.Duration {
	e.t.Helper()
	const ticksPerSecond = 100 // USER_HZ, proc_pid_stat(5)
	stat := e.proc("stat")
	// The second field is the command in parentheses and may hold anything; utime and stime are fields 14 and 15.
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	ticks := e.number(fields[11]) + e.number(fields[12])
	return time.Duration(ticks) * time.Second / ticksPerSecond
}

func (e *Envoy) proc(file string) string {
	e.t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(e.process.cmd.Process.Pid), file))
	if err != nil {
		e.t.Fatal(err)
	}
	return string(text)
}

func (e *Envoy) number(text string) int64 {
	e.t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		e.t.Fatal(err)
	}
	return n
}
