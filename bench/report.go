package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"tollgate/bench/stats"
)

// report is all that was measured, with what is needed to measure it again.
type report struct {
	machine machine
	command string
	options options
	costs   []cost
	starts  []start
}

// publish writes the report, and into a file too if a directory is given.
func (r *report) publish(w io.Writer) error {
	text := r.markdown()
	if _, err := io.WriteString(w, text); err != nil || r.options.results == "" {
		return err
	}
	name := filepath.Join(r.options.results, r.machine.date.Format("2006-01-02")+"-"+r.machine.commit+".md")
	if err := os.MkdirAll(r.options.results, 0o755); err != nil {
		return err
	}
	progress("writing %s", name)
	return os.WriteFile(name, []byte(text), 0o644)
}

func (r *report) markdown() string {
	lines := []string{"# What Tollgate costs", ""}
	lines = append(lines, r.machine.lines()...)
	lines = append(lines, "- command: `"+strings.TrimSpace(r.command)+"`", "")
	lines = append(lines, r.costTable()...)
	if len(r.starts) > 0 {
		lines = append(lines, "")
		lines = append(lines, r.startTable()...)
	}
	return strings.Join(lines, "\n") + "\n"
}

// costTable compares the scenarios with no filter and with the native one.
func (r *report) costTable() []string {
	base := r.find(noFilter)
	nativeAdded := stats.Of(stats.Differences(r.find(native), base)).Median
	lines := []string{
		fmt.Sprintf("Processor time of Envoy, one worker, %d requests a round over %d connections, the median (and range) of %d alternating rounds; "+
			"\"added\" compares with no filter in the same round.", r.options.requests, r.options.connections, r.options.rounds), "",
		"| | µs a request | added µs | × native |",
		"|---|---|---|---|",
	}
	for _, c := range r.costs {
		added := stats.Of(stats.Differences(c.rounds, base))
		line := fmt.Sprintf("| %s | %s | %s | %.1f |", c.name, span(stats.Of(c.rounds), 1), span(added, 1), added.Median/nativeAdded)
		if c.name == noFilter {
			line = fmt.Sprintf("| %s | %s | | |", c.name, span(stats.Of(c.rounds), 1))
		}
		lines = append(lines, line)
	}
	return lines
}

func (r *report) find(name string) []float64 {
	for _, c := range r.costs {
		if c.name == name {
			return c.rounds
		}
	}
	return nil
}

// startTable shows memory and first start.
func (r *report) startTable() []string {
	lines := []string{
		fmt.Sprintf("New processes, the median (and range) of %d: from the start to the first answer, and resident memory after %d requests.",
			r.options.starts, max(r.options.requests, manyClients)), "",
		"| | workers | first answer, ms | resident, MB |",
		"|---|---|---|---|",
	}
	for _, s := range r.starts {
		lines = append(lines, fmt.Sprintf("| %s | %d | %s | %s |", s.name, s.workers, span(stats.Of(s.ready), 0), span(stats.Of(s.resident), 0)))
	}
	return lines
}

// span writes a median and its range.
func span(s stats.Summary, decimals int) string {
	return fmt.Sprintf("%.*f (%.*f to %.*f)", decimals, s.Median, decimals, s.Min, decimals, s.Max)
}
