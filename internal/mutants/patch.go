package main

import (
	"fmt"
	"strings"
)

// apply applies a patch in the unified format to the files it names and returns the new texts by name. Text before the first
// "--- " describes the patch. Each hunk must fit exactly one place of its file; line numbers are not looked at, so that code may
// move.
func apply(patch string, read func(name string) (string, error)) (map[string]string, error) {
	files := make(map[string]string)
	for _, part := range strings.Split("\n"+patch, "\n--- ")[1:] {
		header, body, _ := strings.Cut(part, "\n@@")
		name, err := patchedName(header)
		if err != nil {
			return nil, err
		}
		text, err := read(name)
		if err != nil {
			return nil, err
		}
		for hunk := range strings.SplitSeq(body, "\n@@") {
			if text, err = applyHunk(text, hunk); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		files[name] = text
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("patch names no file")
	}
	return files, nil
}

// patchedName reads the name from "a/name\n+++ b/name".
func patchedName(header string) (string, error) {
	_, after, ok := strings.Cut(header, "\n+++ b/")
	if !ok {
		return "", fmt.Errorf("patch without a line \"+++ b/\" after %q", header)
	}
	name, _, _ := strings.Cut(strings.TrimSpace(after), "\t")
	return name, nil
}

// applyHunk replaces the lines of a hunk: those with a blank or "-" are found, those with a blank or "+" put in their place.
func applyHunk(text, hunk string) (string, error) {
	_, lines, _ := strings.Cut(hunk, "\n")
	var before, after strings.Builder
	for line := range strings.Lines(strings.TrimSuffix(lines, "\n") + "\n") {
		kind, rest := line[0], line[1:]
		if kind == '\n' { // a blank line of the context, without the blank
			kind, rest = ' ', line
		}
		if kind != '+' {
			before.WriteString(rest)
		}
		if kind != '-' {
			after.WriteString(rest)
		}
	}
	if n := strings.Count(text, before.String()); n != 1 || before.String() == after.String() {
		return "", fmt.Errorf("hunk fits %d places, not one:\n%s", n, before.String())
	}
	return strings.Replace(text, before.String(), after.String(), 1), nil
}
