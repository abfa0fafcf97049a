package envoy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

const (
	startTimeout = 60 * time.Second // compiling a module on a busy machine takes seconds
	stopTimeout  = 10 * time.Second
	pollInterval = time.Millisecond
)

// Process is a running Envoy.
type Process struct {
	Address string        // host:port of its listener
	Started time.Duration // from the start of the process to the first answer of its listener

	cmd    *exec.Cmd
	dir    string
	exited chan struct{} // closed when the process has ended
}

// Start runs an Envoy with that filter and number of workers, and returns when its listener answers. The process ends with Stop,
// or with this one.
func Start(ctx context.Context, binary string, f Filter, workers int) (*Process, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	p := &Process{dir: dir, exited: make(chan struct{})}
	begin, err := p.launch(binary, f, workers)
	if err == nil {
		err = p.await(ctx, begin.Add(startTimeout))
		p.Started = time.Since(begin)
	}
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, p.log())
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

func (p *Process) path(name string) string { return filepath.Join(p.dir, name) }

// launch starts the process and returns when it did.
func (p *Process) launch(binary string, f Filter, workers int) (begin time.Time, err error) {
	text, err := f.bootstrap()
	if err == nil {
		err = os.WriteFile(p.path("bootstrap.yaml"), []byte(text), 0o600)
	}
	if err != nil {
		return begin, err
	}
	p.cmd = exec.Command(binary, "--config-path", p.path("bootstrap.yaml"), "--admin-address-path", p.path("admin"),
		"--concurrency", strconv.Itoa(workers), "--disable-hot-restart", "--log-level", "error")
	log, err := os.Create(p.path("log"))
	if err != nil {
		return begin, err
	}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error, 1)
	begin = time.Now()
	go p.own(log, started)
	return begin, <-started
}

// own starts the process and waits for its end. The kernel ends it with the thread that started it, and Go ends threads at will: so
// this goroutine keeps its thread.
func (p *Process) own(log *os.File, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.exited)
	defer log.Close()
	err := p.cmd.Start()
	started <- err
	if err == nil {
		_ = p.cmd.Wait() // its log says why, where that matters
	}
}

// await polls until the listener answers.
func (p *Process) await(ctx context.Context, deadline time.Time) error {
	for {
		err := p.probe()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.exited:
			return fmt.Errorf("envoy ended before it was ready: %w", err)
		case <-time.After(pollInterval):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("envoy is not ready after %v: %w", startTimeout, err)
		}
	}
}

// log returns what the process wrote.
func (p *Process) log() string {
	text, err := os.ReadFile(p.path("log"))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Stop ends the process, by force if it must, and removes its files.
func (p *Process) Stop() error {
	defer os.RemoveAll(p.dir)
	if p.cmd == nil || p.cmd.Process == nil {
		return nil
	}
	// It may have ended already: then neither signal reaches anything.
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.exited:
		return nil
	case <-time.After(stopTimeout):
	}
	_ = p.cmd.Process.Kill()
	<-p.exited
	return fmt.Errorf("envoy did not end within %v of SIGTERM", stopTimeout)
}
