// Package examples holds that each worked example does what its page says. It has tests only.
package examples

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tollgate/config"
	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
)

// moment is requests of one kind, what the proxy knows of them, and what the client of the last one is told. All get the same status.
type moment struct {
	at       time.Duration // since the start
	times    int           // 0 stands for 1
	request  string        // method and target, then header lines
	from     string        // the client's address; "" for one that does not matter
	facts    facts
	upstream int // status of its answer; 0 stands for 200
	want     string
}

// facts are properties of a request, their paths with slashes.
type facts map[string]string

// start is midnight: windows of all examples begin there.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestExamples(t *testing.T) {
	module, err := wasmhost.LoadBuilt()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) {
			timeline := timelines[name]
			if len(timeline) == 0 {
				t.Fatal("nothing shows what it does")
			}
			s := newStage(t, module, name)
			for i, m := range timeline {
				if got := s.play(m); got != m.want {
					t.Errorf("moment %d, at %v: %q: %q, want %q", i+1, m.at, m.request, got, m.want)
				}
			}
		})
	}
}

// names returns the examples' files.
func names(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.json")
	if err != nil || len(files) != len(timelines) {
		t.Fatalf("examples %q and timelines of %q (%v)", files, slices.Sorted(maps.Keys(timelines)), err)
	}
	return files
}

// stage is a proxy that runs an example.
type stage struct {
	t     *testing.T
	host  *wasmhost.Host
	root  *wasmhost.Root
	known []string // facts of the last moment
	// staggered says that windows begin at a second of each client's own, so that a table cannot say when.
	staggered bool
}

func newStage(t *testing.T, module *wasmhost.Module, name string) *stage {
	t.Helper()
	text := read(t, name)
	host := hosttest.New(t)
	host.SetTime(start)
	root, err := host.Start(module, wasmhost.Plugin{Name: "tollgate", Config: text})
	if err != nil {
		t.Fatalf("%v\n%s", err, host.LogText())
	}
	return &stage{t: t, host: host, root: root, staggered: strings.Contains(string(text), `"stagger": true`)}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// play sends the requests of a moment and says what the client of the last one is told.
func (s *stage) play(m moment) string {
	s.t.Helper()
	s.host.SetTime(start.Add(m.at))
	s.learn(m)
	var told string
	for i := range max(m.times, 1) {
		var sent wasmhost.Headers
		r, err := s.root.Do(headers(m.request), func(request wasmhost.Headers) wasmhost.Headers {
			sent = request
			return wasmhost.Headers{{":status", strconv.Itoa(max(m.upstream, 200))}}
		})
		if err != nil {
			s.t.Fatal(err)
		}
		if want := m.want[:3]; strconv.Itoa(r.Status) != want {
			s.t.Fatalf("at %v, %q, number %d: status %d, want %s", m.at, m.request, i+1, r.Status, want)
		}
		told = s.told(r, sent)
	}
	return told
}

// learn gives the proxy the facts of a moment instead of those before.
func (s *stage) learn(m moment) {
	for _, path := range s.known {
		s.host.SetProperty(nil, strings.Split(path, "/")...)
	}
	all := maps.Clone(m.facts)
	if all == nil {
		all = facts{}
	}
	all["source/address"] = addressOf(m.from)
	for path, value := range all {
		s.host.SetProperty([]byte(value), strings.Split(path, "/")...)
	}
	s.known = slices.Collect(maps.Keys(all))
}

// addressOf returns an address as the proxy has it, with a port.
func addressOf(from string) string {
	switch {
	case from == "":
		return "192.0.2.1:1234"
	case strings.Contains(from, ":"):
		return "[" + from + "]:1234"
	default:
		return from + ":1234"
	}
}

func headers(request string) wasmhost.Headers {
	head, lines, _ := strings.Cut(request, "\n")
	method, path, _ := strings.Cut(head, " ")
	h := wasmhost.Headers{{":method", method}, {":scheme", "https"}, {":authority", "shop.example"}, {":path", path}}
	for line := range strings.SplitSeq(lines, "\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			h = append(h, [2]string{name, value})
		}
	}
	return h
}

// told says what a client is told: the status; limit and remaining; when the window ends, in seconds after the start; when to come
// back. After these come lines of other kinds, and what the upstream is told.
func (s *stage) told(r wasmhost.Response, sent wasmhost.Headers) string {
	text := strconv.Itoa(r.Status)
	if limit, ok := r.Headers.Get("x-ratelimit-limit"); ok {
		text += " " + limit + "/" + r.Headers.Value("x-ratelimit-remaining")
	}
	if reset, ok := r.Headers.Get("x-ratelimit-reset"); ok && !s.staggered {
		end, _ := strconv.ParseInt(reset, 10, 64) // a wrong one shows
		text += fmt.Sprintf(" until %v", time.Unix(end, 0).Sub(start))
	}
	if wait, ok := r.Headers.Get("retry-after"); ok && !s.staggered {
		text += " retry " + wait
	}
	for _, name := range []string{"ratelimit-policy", "ratelimit", "www-authenticate", "grpc-status", "content-type", "access-control-expose-headers"} {
		if value, ok := r.Headers.Get(name); ok {
			text += ", " + name + ": " + value
		}
	}
	if shadow, ok := sent.Get("x-ratelimit-shadow"); ok && !r.Local {
		text += ", upstream: " + shadow
	}
	return text
}

// A configuration that people start from has no warnings, and counts in a domain of its own.
func TestExamplesHaveNoWarnings(t *testing.T) {
	for _, name := range names(t) {
		cfg, err := config.Parse(read(t, name), "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, warning := range cfg.Warnings {
			t.Errorf("%s: %s", name, warning)
		}
		if want := strings.TrimSuffix(name, ".json"); cfg.Domain != want {
			t.Errorf("%s has the domain %s, want %s", name, cfg.Domain, want)
		}
	}
}

var heading = regexp.MustCompile(`(?m)^## \[(\S+)\]\((\S+)\)$`)

// The page has an entry for each example, in the order of their names, and for nothing else.
func TestPageNamesExamples(t *testing.T) {
	var entries []string
	for _, m := range heading.FindAllStringSubmatch(string(read(t, "README.md")), -1) {
		if m[1] != m[2] {
			t.Errorf("the entry %s leads to %s", m[1], m[2])
		}
		entries = append(entries, m[1])
	}
	if want := names(t); !slices.Equal(entries, want) {
		t.Errorf("entries %q, want %q", entries, want)
	}
}
