package main

import (
	"fmt"
	"strings"
	"testing"

	"tollgate/internal/wasmhost/hosttest"
)

// TestFloodOfClients sends 100,000 clients that come once each. The number of keys stays within the table, and who was
// counted before is counted still.
func TestFloodOfClients(t *testing.T) {
	const maxCounters, buckets, clients = 4096, 512, 100_000
	host := hosttest.New(t)
	root := start(t, host, limited(3, "1h", fmt.Sprintf(`"max_counters": %d,`, maxCounters)))
	for _, remaining := range []string{"2", "1"} {
		want(t, "before", do(t, root, get("/", "alice"), nil), 200, "limit=3 remaining="+remaining+" reset=1700002800")
	}
	request := get("/", "")
	key := &request[len(request)-1][1]
	for i := range clients {
		*key = fmt.Sprint("client-", i)
		if r := do(t, root, request, nil); r.Status != 200 && r.Status != 429 {
			t.Fatalf("%s: %d", *key, r.Status)
		}
	}
	want(t, "afterwards", do(t, root, get("/", "alice"), nil), 200, "limit=3 remaining=0 reset=1700002800")
	want(t, "spent", do(t, root, get("/", "alice"), nil), 429, "limit=3 remaining=0 reset=1700002800 retry-after=2800")

	keys, size := host.Shared("").Dump(), 0
	for name, value := range keys {
		size += len(name) + len(value)
	}
	t.Logf("%d keys with %d bytes", len(keys), size)
	const others = 2 // the hash key and the self-test's
	if len(keys) > buckets+others {
		t.Errorf("%d keys for %d buckets", len(keys), buckets)
	}
	tick(t, root)
	if full, _ := host.Metric("tollgate.shop.table_full"); full == 0 {
		t.Error("no metric says that buckets were full")
	}
	wantMetrics(t, host, map[string]uint64{"errors_table": 0, "errors_store": 0})
}

// TestMemoryIsFlat holds that a request leaves nothing behind in the VM, not even something to collect.
func TestMemoryIsFlat(t *testing.T) {
	const warmUp, requests = 10_000, 100_000
	root := start(t, hosttest.New(t), threeInTen)
	request := get("/", "")
	key := &request[len(request)-1][1]
	for i := len(request); i < 30; i++ {
		request = append(request, [2]string{fmt.Sprint("x-header-", i), strings.Repeat("v", 2*i)})
	}
	serve := func(from, to int) uint32 {
		for i := from; i < to; i++ {
			*key = fmt.Sprint("client-", i%5_000)
			do(t, root, request, nil)
		}
		return root.VM().MemorySize()
	}
	before := serve(0, warmUp)
	root.VM().ResetTrace()
	after := serve(warmUp, warmUp+requests)
	t.Logf("%d bytes after %d requests, %d after %d", before, warmUp, after, warmUp+requests)
	if after != before {
		t.Errorf("the memory grew from %d to %d bytes", before, after)
	}
	// A collection reads the clock of the runtime.
	if n := root.VM().Count("clock_time_get"); n != 0 {
		t.Errorf("garbage was collected: the runtime read its clock %d times", n)
	}
}

// TestMemoryOfUpdates holds that a plugin leaves nothing behind when it is replaced. It is garbage then, so the memory may
// still grow by what is collected late: far less than the plugins would take.
func TestMemoryOfUpdates(t *testing.T) {
	const warmUp, updates, slack = 1_000, 3_000, 2 << 20
	root := start(t, hosttest.New(t), threeInTen)
	update := func(times int) uint32 {
		for i := range times {
			next, err := root.Update([]byte(limited(i+1, "10s", "")))
			if err != nil {
				t.Fatal(err)
			}
			do(t, next, get("/", "alice"), nil)
			if _, err := root.Shutdown(); err != nil {
				t.Fatal(err)
			}
			root = next
		}
		return root.VM().MemorySize()
	}
	before := update(warmUp)
	after := update(updates)
	t.Logf("%d bytes after %d updates, %d after %d", before, warmUp, after, warmUp+updates)
	if after > before+slack {
		t.Errorf("the memory grew from %d to %d bytes in %d updates", before, after, updates)
	}
}
