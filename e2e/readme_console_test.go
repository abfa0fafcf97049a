package e2e

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tollgate/e2e/envoytest"
	"tollgate/e2e/wire"
	"tollgate/internal/readme"
)

// transcript runs the commands of a shell transcript. They are played here, not by a shell, so that the test needs no other
// program; a command or an option that this does not know is an error.
func (p page) transcript(t *testing.T, i int) {
	commands, err := p.blocks[i].Commands()
	if err != nil {
		t.Fatal(err)
	}
	needRoom(10*time.Second, 4*time.Second) // the demo's windows
	for _, c := range commands {
		if err := p.play(&c); err != nil {
			t.Errorf("README.md:%d: %s: %v", c.Line, c.Text, err)
		}
	}
}

func (p page) play(c *readme.Command) error {
	pipe, err := c.Words()
	if err != nil {
		return err
	}
	switch words := pipe[0]; {
	case len(words) == 2 && words[0] == "make" && len(pipe) == 1:
		return checkTarget(words[1], c.Output)
	case len(words) > 1 && words[0] == "curl":
		return p.curl(pipe, c.Output)
	}
	return errors.New("not a command that the test can play")
}

// checkTarget holds that make has a documented target of that name. What it prints is not for the page.
func checkTarget(name string, output []string) error {
	text, err := os.ReadFile(filepath.Join(envoytest.Root(), "Makefile"))
	if err != nil {
		return err
	}
	if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + `:.*## `).Match(text) {
		return errors.New("make has no such target")
	}
	if len(output) > 0 {
		return errors.New("the page shows output")
	}
	return nil
}

// download is what a curl command asks for, and prints.
type download struct {
	wire.Request
	addr    string
	head    bool           // option -i: print the head of the response, too
	pattern *regexp.Regexp // of the grep behind it; nil for none
	admin   bool
}

// parseCurl reads a curl command, perhaps with a grep behind it. The demo's ports are replaced by those of the Envoy under test.
func (p page) parseCurl(pipe [][]string) (r download, err error) {
	r.Method = "GET"
	words := pipe[0][1:]
	for ; len(words) > 1; words = words[1:] {
		switch words[0] {
		case "-s":
		case "-i", "-si":
			r.head = true
		case "-X":
			r.Method, words = words[1], words[1:]
		case "-H":
			name, value, _ := strings.Cut(words[1], ": ")
			r.Header, words = append(r.Header, wire.Field{Name: name, Value: value}), words[1:]
		default:
			return r, fmt.Errorf("unknown option %s", words[0])
		}
	}
	if len(words) == 0 {
		return r, errors.New("no URL at the end")
	}
	if r.pattern, err = parseGrep(pipe[1:]); err != nil {
		return r, err
	}
	return r, p.aim(&r, words[0])
}

func parseGrep(pipe [][]string) (*regexp.Regexp, error) {
	switch {
	case len(pipe) == 0:
		return nil, nil
	case len(pipe) == 1 && len(pipe[0]) == 2 && pipe[0][0] == "grep":
		return regexp.Compile(pipe[0][1])
	}
	return nil, fmt.Errorf("unknown pipe %q", pipe)
}

// aim sets where a request goes.
func (p page) aim(r *download, target string) error {
	u, err := url.Parse(target)
	if err != nil {
		return err
	}
	r.Target = u.RequestURI()
	switch u.Host {
	case "127.0.0.1:10000":
		r.addr = p.envoy.Addr("demo")
	case "127.0.0.1:9901":
		r.addr, r.admin = p.envoy.AdminAddr(), true
	default:
		return fmt.Errorf("the demo does not listen on %s", u.Host)
	}
	return nil
}

// curl holds that a command prints what the page shows. The administration interface shows metrics within two seconds,
// so it may be asked again.
func (p page) curl(pipe [][]string, shown []string) error {
	r, err := p.parseCurl(pipe)
	if err != nil {
		return err
	}
	deadline := time.Now().Add(10 * time.Second)
	for {
		printed, err := r.print()
		if err != nil {
			return err
		}
		if slices.EqualFunc(printed, shown, sameLine) {
			return nil
		}
		if !r.admin || time.Now().After(deadline) {
			return fmt.Errorf("prints\n%s", strings.Join(printed, "\n"))
		}
		waitUntil(time.Now().Add(50 * time.Millisecond))
	}
}

// print returns the lines that the command prints.
func (r *download) print() (lines []string, err error) {
	c, err := wire.DialHTTP1(r.addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	resp, err := c.Do(r.Request)
	if err != nil {
		return nil, err
	}
	if r.head {
		lines = append(lines, resp.StatusLine)
		for _, f := range resp.Header {
			lines = append(lines, f.Name+": "+f.Value)
		}
		lines = append(lines, "")
	}
	for line := range strings.Lines(string(resp.Body)) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	if r.pattern != nil {
		lines = slices.DeleteFunc(lines, func(line string) bool { return !r.pattern.MatchString(line) })
	}
	return lines, nil
}

// variable are the lines of a response that differ from one time to another, in the form that the demo gives them: its
// windows have ten seconds.
var variable = regexp.MustCompile(`^(date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT|x-ratelimit-reset: \d+0|retry-after: ([1-9]|10))$`)

// sameLine compares a line with the one on the page.
func sameLine(printed, shown string) bool {
	if variable.MatchString(printed) && variable.MatchString(shown) {
		name, _, _ := strings.Cut(printed, ":")
		return strings.HasPrefix(shown, name+":")
	}
	return printed == shown
}
