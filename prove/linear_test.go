package prove

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
	"tollgate/prove/forms"
	"tollgate/prove/history"
)

// checkTime bounds the search for an order. A search that does not end in it fails the test.
const checkTime = time.Minute

// TestLinearizable holds that several workers answer their clients as one worker would, however their steps interleave:
// from the first request on, across boundaries between windows, while the clock goes on between any two of their steps.
func TestLinearizable(t *testing.T) {
	for _, vms := range []int{4, 6, 8} {
		t.Run(fmt.Sprint(vms, " VMs"), func(t *testing.T) {
			seed := seed(t)
			total, histories, conflicts := history.Figures{}, 0, uint64(0)
			for run := range forms.Pick(2, 40) {
				load := newLoad(t, vms, seed+uint64(run))
				for _, h := range load.run() {
					checkHistory(t, h, load.limit)
					total = total.Add(h.Figures())
					histories++
				}
				conflicts += load.conflicts()
				if err := load.host.Close(); err != nil {
					t.Error(err)
				}
			}
			forms.Proved(t, "linearizable", "%d VMs, %d histories with %v, %d conflicts (seed %d)", vms, histories, total, conflicts, seed)
			if conflicts == 0 {
				t.Error("no swap ever failed: nothing was concurrent")
			}
		})
	}
}

// checkHistory holds that a history is hard enough to show something, and right.
func checkHistory(t *testing.T, h history.History, limit history.Limit) {
	t.Helper()
	if err := h.Figures().Demanding(); err != nil {
		t.Error(err)
	}
	if err := h.Check(limit, checkTime); err != nil {
		t.Error(err)
	}
}

// TestCheckerCatchesBrokenStores is the test of the test: on a store that breaks its rules, the same load must give a history
// that the checker refuses.
func TestCheckerCatchesBrokenStores(t *testing.T) {
	tests := []struct {
		name     string
		sabotage func(*load)
	}{
		// The host issues the very version that create-if-absent writes with because no host issues it.
		{"creating a key overwrites the one that another worker created meanwhile", func(l *load) {
			l.created = func() { l.host.SetNextVersion(neverIssued) }
		}},
		{"every fifth write is lost", func(l *load) {
			l.inject = func(c wasmhost.Call, n int) (wasmhost.Status, bool) {
				return wasmhost.OK, isCounting(c) && n%5 == 0
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			seed := seed(t)
			load := newLoad(t, 4, seed)
			tt.sabotage(load)
			caught := 0
			for _, h := range load.run() {
				if err := h.Check(load.limit, checkTime); errors.Is(err, history.ErrIllegal) {
					caught++
					t.Log(err)
				}
			}
			forms.Proved(t, "test of the test", "a store on which %s was caught in %d histories (seed %d)", tt.name, caught, seed)
			if caught == 0 {
				t.Error("passed as linearizable")
			}
		})
	}
}

const neverIssued = 0xFFFFFFFF

// load is several VMs that are asked at once by a few clients, on a clock that their steps push on.
type load struct {
	t        *testing.T
	seed     uint64
	limit    history.Limit
	host     *wasmhost.Host
	roots    []*wasmhost.Root
	recorder *history.Recorder

	// start holds every VM back at its first write until all have read, so that all of them create the same bucket.
	start sync.WaitGroup
	// created runs in each VM after that, before it writes; nil does nothing.
	created func()
	inject  func(wasmhost.Call, int) (wasmhost.Status, bool)
}

const (
	loadClients    = 2
	loadOperations = 600 // in all, shared by the VMs
	// The clock's mean step at a host call. With 5 calls or more a request this makes some 10 windows of a run, with 30 requests
	// of each client in a window.
	loadStep = 30 * time.Millisecond
)

func newLoad(t *testing.T, vms int, seed uint64) *load {
	l := &load{t: t, seed: seed, limit: history.Limit{Requests: 8, Window: 10}, host: hosttest.New(t)}
	l.host.SetSeed(seed)
	l.recorder = history.NewRecorder(l.host.Now)
	l.roots = fleet(t, l.host, vms, fmt.Sprintf(
		`{"max_counters": 16, "rules": [{"name": "api", "limits": [{"requests": %d, "window": "%ds"}]}]}`, l.limit.Requests, l.limit.Window))
	return l
}

// run sends the requests of all VMs and returns a history for each client.
func (l *load) run() []history.History {
	l.start.Add(len(l.roots))
	var workers sync.WaitGroup
	for worker, root := range l.roots {
		arrive := sync.OnceFunc(l.start.Done)
		root.VM().SetHooks(wasmhost.Hooks{Before: l.hook(random(l.seed, worker), arrive), Inject: l.inject})
		workers.Go(func() {
			defer arrive() // or the others would wait for a VM that failed
			l.work(worker, root)
		})
	}
	workers.Wait()
	return l.recorder.Histories()
}

// work sends the share of one VM. The first request of every VM is the same client's.
func (l *load) work(worker int, root *wasmhost.Root) {
	numbers := random(l.seed, len(l.roots)+worker)
	for i := range loadOperations / len(l.roots) {
		client := "client 0"
		if i > 0 {
			client = fmt.Sprint("client ", numbers.IntN(loadClients))
		}
		err := l.recorder.Record(worker, client, func() (history.Answer, error) {
			response, err := root.Do(get(client), nil)
			if err != nil {
				return history.Answer{}, err
			}
			return history.ReadAnswer(response.Status, response.Headers)
		})
		if err != nil {
			l.t.Error(err)
			return
		}
	}
}

// hook lets the time pass and other VMs take their turn between the steps of a VM.
func (l *load) hook(numbers *rand.Rand, arrive func()) func(*wasmhost.VM, wasmhost.Call) {
	first := true
	return func(_ *wasmhost.VM, c wasmhost.Call) {
		l.host.Advance(time.Duration(numbers.Int64N(int64(2 * loadStep))))
		if numbers.IntN(2) == 0 {
			runtime.Gosched()
		}
		if first && isCounting(c) {
			first = false
			arrive()
			l.start.Wait()
			if l.created != nil {
				l.created()
			}
		}
	}
}

// isCounting says whether a call writes a bucket of counters.
func isCounting(c wasmhost.Call) bool {
	return c.Name == "set_shared_data" && strings.HasPrefix(c.Key, bucketPrefix(16))
}

// conflicts returns how many swaps failed.
func (l *load) conflicts() uint64 {
	tick(l.t, l.roots...)
	conflicts, _ := l.host.Metric("tollgate.shop.cas_conflicts")
	return conflicts
}
