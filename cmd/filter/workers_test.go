package main

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
)

// TestWorkersShareOneBudget lets several workers decide the requests of one client at once, from a cold start. Exactly the
// budget passes, and each remaining value is told once.
func TestWorkersShareOneBudget(t *testing.T) {
	const budget, requests = 100, 400
	for _, workers := range []int{2, 3, 4} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			host := hosttest.New(t)
			roots := startWorkers(t, host, workers, limited(budget, "1h", ""))
			told := make([][]string, workers)
			var wait sync.WaitGroup
			for i, root := range roots {
				wait.Go(func() { told[i] = ask(t, root, requests/workers) })
			}
			wait.Wait()
			wantEachOnce(t, slices.Concat(told...), budget)
			for _, root := range roots {
				tick(t, root)
			}
			conflicts, _ := host.Metric("tollgate.shop.cas_conflicts")
			t.Logf("%d conflicts", conflicts)
			wantMetrics(t, host, map[string]uint64{"api.allowed": budget, "errors_contended": 0,
				"api.limited": uint64(requests/workers*workers - budget)})
		})
	}
}

// startWorkers starts a plugin in several VMs over one store. They give way to each other before some of their writes, so that
// they meet even on a machine with one processor; before all of them a worker could be overtaken for ever.
func startWorkers(t *testing.T, host *wasmhost.Host, n int, configuration string) []*wasmhost.Root {
	t.Helper()
	var roots []*wasmhost.Root
	for range n {
		root := start(t, host, configuration)
		writes := 0
		root.VM().SetHooks(wasmhost.Hooks{Before: func(_ *wasmhost.VM, c wasmhost.Call) {
			if c.Name != "set_shared_data" {
				return
			}
			if writes++; writes%3 == 0 {
				runtime.Gosched()
			}
		}})
		roots = append(roots, root)
	}
	return roots
}

// ask sends requests of one client and returns the remaining values of those that passed.
func ask(t *testing.T, root *wasmhost.Root, requests int) (remaining []string) {
	for range requests {
		response, err := root.Do(get("/", "alice"), nil)
		if err != nil {
			t.Error(err)
			return nil
		}
		if response.Status == 200 {
			remaining = append(remaining, response.Headers.Value("x-ratelimit-remaining"))
		}
	}
	return remaining
}

// wantEachOnce holds that a budget's remaining values are told once each.
func wantEachOnce(t *testing.T, told []string, budget int) {
	t.Helper()
	seen := map[string]int{}
	for _, value := range told {
		seen[value]++
	}
	for remaining := range budget {
		if n := seen[fmt.Sprint(remaining)]; n != 1 {
			t.Errorf("remaining %d was told %d times", remaining, n)
		}
	}
	if len(told) != budget {
		t.Errorf("%d passed, want %d", len(told), budget)
	}
}

// TestAWorkerIsOvertaken lets one worker stall between its reading and its writing while another one serves the same
// client, within a window and across its end. The first decides again, at the later instant.
func TestAWorkerIsOvertaken(t *testing.T) {
	for _, c := range []struct {
		name      string
		stall     time.Duration
		overtaken []string // what the other worker's clients are told meanwhile
		status    int
		headers   string
	}{
		{"in the window", time.Second, []string{"1"}, 200, "limit=2 remaining=0 reset=1700000010"},
		{"until the budget is spent", time.Second, []string{"1", "0"}, 429, "limit=2 remaining=0 reset=1700000010 retry-after=9"},
		{"into the next window", 10 * time.Second, []string{"1"}, 200, "limit=2 remaining=0 reset=1700000020"},
		{"into a window that is spent", 10 * time.Second, []string{"1", "0"}, 429, "limit=2 remaining=0 reset=1700000020 retry-after=10"},
	} {
		host := hosttest.New(t)
		slow, quick := start(t, host, limited(2, "10s", "")), start(t, host, limited(2, "10s", ""))
		stalled := false
		slow.VM().SetHooks(wasmhost.Hooks{Before: func(_ *wasmhost.VM, call wasmhost.Call) {
			if call.Name != "set_shared_data" || stalled {
				return
			}
			stalled = true
			host.Advance(c.stall)
			if told := ask(t, quick, len(c.overtaken)); !slices.Equal(told, c.overtaken) {
				t.Errorf("%s: the other worker told %q, want %q", c.name, told, c.overtaken)
			}
		}})
		want(t, c.name, do(t, slow, get("/", "alice"), nil), c.status, c.headers)
		if !stalled {
			t.Errorf("%s: the worker never wrote", c.name)
		}
	}
}

// TestTheClockIsReadAfterTheBucket lets a worker stall before it reads the clock, until the window it came in is over: the
// request belongs to the window in which it is decided.
func TestTheClockIsReadAfterTheBucket(t *testing.T) {
	host := hosttest.New(t)
	slow, quick := start(t, host, limited(1, "10s", "")), start(t, host, limited(1, "10s", ""))
	want(t, "before", do(t, quick, get("/", "alice"), nil), 200, "limit=1 remaining=0 reset=1700000010")
	stalled := false
	slow.VM().SetHooks(wasmhost.Hooks{Before: func(_ *wasmhost.VM, call wasmhost.Call) {
		if call.Name == "get_current_time_nanoseconds" && !stalled {
			stalled = true
			host.Advance(10 * time.Second)
			want(t, "meanwhile", do(t, quick, get("/", "alice"), nil), 200, "limit=1 remaining=0 reset=1700000020")
		}
	}})
	want(t, "the stalled one", do(t, slow, get("/", "alice"), nil), 429, "limit=1 remaining=0 reset=1700000020 retry-after=10")
}
