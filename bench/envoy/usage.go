package envoy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// CPU returns the processor time that all threads of the process have used. It waits until that stands still: a moment after the last
// answer Envoy still clears away the stream, and threads that run have their time counted late.
func (p *Process) CPU() (time.Duration, error) {
	const pause, patience = 10 * time.Millisecond, 500
	before, err := p.cpu()
	for range patience {
		if err != nil {
			return 0, err
		}
		time.Sleep(pause)
		var now time.Duration
		if now, err = p.cpu(); now == before {
			return now, err
		}
		before = now
	}
	return 0, errors.New("envoy does not come to rest")
}

// cpu adds up the threads' time on a processor, which /proc/<pid>/task/<tid>/schedstat has in nanoseconds; /proc/<pid>/stat
// counts in steps of 10 ms.
func (p *Process) cpu() (time.Duration, error) {
	threads, err := filepath.Glob(p.proc("task/*/schedstat"))
	if err == nil && len(threads) == 0 {
		err = errors.New("no threads in " + p.proc("task") + ": the kernel needs CONFIG_SCHED_INFO")
	}
	var sum time.Duration
	for _, file := range threads {
		text, readErr := os.ReadFile(file)
		used, parseErr := parseSchedstat(string(text))
		if err = errors.Join(err, readErr, parseErr); err != nil {
			break
		}
		sum += used
	}
	return sum, err
}

// parseSchedstat returns the first of the three numbers: the time on a processor (Documentation/scheduler/sched-stats.rst
// in Linux).
func parseSchedstat(text string) (time.Duration, error) {
	fields := strings.Fields(text)
	if len(fields) != 3 {
		return 0, fmt.Errorf("schedstat %q", text)
	}
	n, err := strconv.ParseInt(fields[0], 10, 64)
	return time.Duration(n), err
}

// Resident returns the resident memory of the process in bytes.
func (p *Process) Resident() (int64, error) {
	text, err := os.ReadFile(p.proc("status"))
	if err != nil {
		return 0, err
	}
	return parseResident(string(text))
}

func parseResident(status string) (int64, error) {
	for line := range strings.Lines(status) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kib << 10, err
		}
	}
	return 0, errors.New("no VmRSS in /proc/<pid>/status")
}

func (p *Process) proc(file string) string {
	return filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), file)
}
