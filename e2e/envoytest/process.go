package envoytest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	startTimeout = 120 * time.Second // compiling the module on a busy machine takes long
	stopTimeout  = 10 * time.Second
	pollInterval = 10 * time.Millisecond
)

// process is a running Envoy and what it writes.
type process struct {
	cmd     *exec.Cmd
	logPath string
	exited  chan struct{} // closed when the process has ended
	err     error         // how it ended, valid once exited is closed
}

// launch starts Envoy with args, its standard error in a file of dir.
//
// Some builds of Envoy ask the kernel for SIGTERM when the thread that started them ends, and Go ends threads at will:
// the goroutine that starts Envoy therefore keeps its thread until Envoy is gone.
func launch(dir, binary string, args []string) (*process, error) {
	p := &process{logPath: filepath.Join(dir, "envoy.log"), exited: make(chan struct{})}
	log, err := os.Create(p.logPath)
	if err != nil {
		return nil, err
	}
	p.cmd = exec.Command(binary, args...)
	p.cmd.Dir = Root()
	p.cmd.Stdout, p.cmd.Stderr = log, log
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer log.Close()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.err = p.cmd.Wait()
		}
		close(p.exited)
	}()
	return p, <-started
}

// stop asks the process to end and kills it if it does not.
func (p *process) stop() error {
	select {
	case <-p.exited:
		return fmt.Errorf("envoy had ended before it was stopped: %v", p.err)
	default:
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-p.exited:
		return nil
	case <-time.After(stopTimeout):
	}
	if err := p.cmd.Process.Kill(); err != nil {
		return err
	}
	<-p.exited
	return fmt.Errorf("envoy did not end within %v of SIGTERM", stopTimeout)
}

// await polls until done reports true or an error, the process ends, or the time is up.
func (p *process) await(what string, timeout time.Duration, done func() (bool, error)) error {
	deadline := time.After(timeout)
	var last error
	for {
		ok, err := done()
		if ok && err == nil {
			return nil
		}
		last = err
		select {
		case <-p.exited:
			return fmt.Errorf("envoy ended while the test waited for %s: %v", what, p.err)
		case <-deadline:
			return fmt.Errorf("no %s within %v (%v)", what, timeout, last)
		case <-time.After(pollInterval):
		}
	}
}

func (p *process) log() string {
	text, err := os.ReadFile(p.logPath)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// logOnFailure shows the last lines of the process's log if the test has failed.
func logOnFailure(t testing.TB, p *process) {
	const tail = 60
	if !t.Failed() {
		return
	}
	lines := strings.Split(strings.TrimSpace(p.log()), "\n")
	t.Logf("the last lines of Envoy's log:\n%s", strings.Join(lines[max(0, len(lines)-tail):], "\n"))
}
