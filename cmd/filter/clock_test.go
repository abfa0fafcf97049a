package main

import (
	"testing"
	"time"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
)

// TestInstants decides requests at the ends of the time that a clock can show.
func TestInstants(t *testing.T) {
	for _, c := range []struct {
		name    string
		now     time.Time
		headers string
		errors  uint64
	}{
		{"1970", time.Unix(0, 0), "limit=3 remaining=2 reset=10", 0},
		{"the last nanosecond of a window", time.Unix(9, 999_999_999), "limit=3 remaining=2 reset=10", 0},
		{"after 2038", time.Unix(1<<31+5, 0), "limit=3 remaining=2 reset=2147483660", 0},
		{"the last window", time.Unix(1<<32-17, 0), "limit=3 remaining=2 reset=4294967280", 0},
		{"after 2106", time.Unix(1<<32, 0), "", 1},
		{"the last instant there is", time.Unix(0, 1<<63-1), "", 1},
		{"before 1970", time.Unix(-1, 0), "", 1},
	} {
		host := hosttest.New(t)
		root := start(t, host, threeInTen)
		host.SetTime(c.now)
		want(t, c.name, do(t, root, get("/", "alice"), nil), 200, c.headers)
		tick(t, root)
		wantMetrics(t, host, map[string]uint64{"errors_clock": c.errors})
	}
}

// TestTheClockIsSetBack holds that a client whose budget is spent is told a wait within its window, and is served after it.
func TestTheClockIsSetBack(t *testing.T) {
	host := hosttest.New(t)
	first, second := start(t, host, limited(1, "10s", "")), start(t, host, limited(1, "10s", ""))
	want(t, "before", do(t, first, get("/", "alice"), nil), 200, "limit=1 remaining=0 reset=1700000010")
	want(t, "before", do(t, first, get("/", "alice"), nil), 429, "limit=1 remaining=0 reset=1700000010 retry-after=10")
	host.Advance(-500 * time.Second)
	for _, root := range []*wasmhost.Root{first, second} {
		want(t, "set back", do(t, root, get("/", "alice"), nil), 429, "limit=1 remaining=0 reset=1699999510 retry-after=10")
	}
	host.Advance(10 * time.Second)
	want(t, "after the wait", do(t, second, get("/", "alice"), nil), 200, "limit=1 remaining=0 reset=1699999520")
}

// TestVersionsWrapAround lets the proxy's 32-bit version counter start again while a client is counted.
func TestVersionsWrapAround(t *testing.T) {
	host := hosttest.New(t)
	roots := []*wasmhost.Root{start(t, host, limited(40, "1h", "")), start(t, host, limited(40, "1h", ""))}
	host.SetNextVersion(1<<32 - 20)
	var told []string
	for i := range 42 {
		told = append(told, ask(t, roots[i%2], 1)...)
	}
	wantEachOnce(t, told, 40)
}
