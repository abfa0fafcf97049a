package wasmhost

import (
	"slices"
	"strings"
	"sync"
)

// LogEntry is one line a guest logged. What it writes to standard output and error is logged too, as Envoy does: at
// level info and error.
type LogEntry struct {
	VM    int // the VM's number
	Level LogLevel
	Text  string
}

// logBook collects the log of a host.
type logBook struct {
	mu      sync.Mutex
	entries []LogEntry
}

func (l *logBook) add(e LogEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, e)
}

// Logs returns what was logged since the start or the last ResetLogs.
func (h *Host) Logs() []LogEntry {
	h.logs.mu.Lock()
	defer h.logs.mu.Unlock()
	return slices.Clone(h.logs.entries)
}

// LogText returns the same log as text, a line "level text" for each entry.
func (h *Host) LogText() string {
	var text strings.Builder
	for _, e := range h.Logs() {
		text.WriteString(e.Level.String() + " " + e.Text + "\n")
	}
	return text.String()
}

// ResetLogs forgets what was logged.
func (h *Host) ResetLogs() {
	h.logs.mu.Lock()
	defer h.logs.mu.Unlock()
	h.logs.entries = nil
}
