package prove

import (
	"fmt"
	"math"
	"testing"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
	"tollgate/limiter"
	"tollgate/limiter/memstore"
	"tollgate/prove/forms"
)

// fillings are how many clients are counted at once, in percent of max_counters.
var fillings = []int{25, 50, 100, 200, 1000}

// window is a length of windows, and how many of a bucket's slots its counters may use.
type window struct {
	seconds uint32
	slots   int
}

var (
	minute = window{60, 16}
	hour   = window{3600, 12}
)

// TestCapacityTable holds that testdata/capacity.md shows how many clients share overflow counters in a table of the default
// size: as calculated, and as measured with a certain key of the hash.
func TestCapacityTable(t *testing.T) {
	t.Parallel()
	const maxCounters = 65_536
	rows := [][]string{{"Clients at once, of `max_counters`", "Windows up to 60 s: share a counter", "measured", "clients in one",
		"Longer windows: share a counter", "measured", "clients in one"}}
	short, long := fillNatively(t, maxCounters, minute), fillNatively(t, maxCounters, hour)
	for i, percent := range fillings {
		row := []string{fmt.Sprint(percent, " %")}
		for w, measured := range map[window]int{minute: short[i], hour: long[i]} {
			checkShared(t, maxCounters, percent, w, measured)
		}
		row = append(row, cells(maxCounters, percent, minute, short[i])...)
		row = append(row, cells(maxCounters, percent, hour, long[i])...)
		rows = append(rows, row)
	}
	checkGolden(t, "capacity.md", markdown(rows))
	forms.Proved(t, "capacity", "the table of %d counters holds what is calculated, at 25 to 1000 %%", maxCounters)
}

// cells are the calculated and the measured share of clients that share a counter, and how many clients such a counter has.
func cells(maxCounters, percent int, w window, measured int) []string {
	clients := maxCounters * percent / 100
	share := func(n float64) string { return significant(100*n/float64(clients)) + " %" }
	want := expected(maxCounters, percent, w)
	return []string{share(want.clients), share(float64(measured)), fmt.Sprintf("%.1f", want.clients/want.buckets)}
}

// significant writes a number with two significant digits, and what is smaller than a millionth as zero.
func significant(n float64) string {
	switch {
	case n < 1e-6:
		return "0"
	case n >= 10:
		return fmt.Sprintf("%.0f", n)
	}
	digits := 1 - int(math.Floor(math.Log10(n)))
	return fmt.Sprintf("%.*f", digits, n)
}

func expected(maxCounters, percent int, w window) beyond {
	return beyondSlots(maxCounters*percent/100, int(limiter.Buckets(uint32(maxCounters))), w.slots)
}

// checkShared compares a measured number of clients with the calculated one.
func checkShared(t *testing.T, maxCounters, percent int, w window, measured int) {
	t.Helper()
	want := expected(maxCounters, percent, w)
	if math.Abs(float64(measured)-want.clients) > 5*want.sigma+3 {
		t.Errorf("%d counters, windows of %d s, filled to %d %%: %d clients share a counter, calculated are %.1f (standard deviation %.1f)",
			maxCounters, w.seconds, percent, measured, want.clients, want.sigma)
	}
}

// tableKey is the key of the hash with which the table is measured.
var tableKey = limiter.HashKey([]byte("0123456789abcdef"))

// fillNatively lets clients come, each once, and returns how many of them shared a counter at each filling.
func fillNatively(t *testing.T, maxCounters int, w window) []int {
	t.Helper()
	now := func() (int64, error) { return 1_700_000_000 * 1e9, nil }
	l := limiter.New(&memstore.Store{}, now, tableKey, limiter.Options{Domain: "shop", MaxCounters: uint32(maxCounters)})
	charge := []limiter.Charge{{Rule: "api", Limits: []limiter.Limit{{Requests: 1000, Window: w.seconds}}, Cost: 1}}
	return fill(maxCounters, func(client int) bool {
		charge[0].Identity = fmt.Append(charge[0].Identity[:0], "client ", client)
		return l.Take(charge).Overflows > 0
	})
}

// fill asks as many new clients as each filling needs, and returns how many of them shared a counter by then.
func fill(maxCounters int, ask func(client int) bool) []int {
	var shared []int
	client, sharing := 0, 0
	for _, percent := range fillings {
		for ; client < maxCounters*percent/100; client++ {
			if ask(client) {
				sharing++
			}
		}
		shared = append(shared, sharing)
	}
	return shared
}

// TestCapacity measures the same with the module, whose hash has a random key.
func TestCapacity(t *testing.T) {
	maxCounters := forms.Pick(1024, 65_536)
	for name, w := range map[string]window{"windows up to 60 s": minute, "longer windows": hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seed := seed(t)
			host := hosttest.New(t)
			host.SetSeed(seed)
			root := start(t, host, fmt.Sprintf(`{"max_counters": %d, "rules": [{"name": "api", "limits": [{"requests": 1000, "window": "%ds"}]}]}`,
				maxCounters, w.seconds))
			shared := fill(maxCounters, func(client int) bool { return shares(t, root, fmt.Sprint("client ", client)) })
			for i, percent := range fillings {
				checkShared(t, maxCounters, percent, w, shared[i])
			}
			keys, buckets := host.Shared("").Len(), int(limiter.Buckets(uint32(maxCounters)))
			forms.Proved(t, "capacity of the module", "%s, %d counters filled to %v %%: %v clients share a counter; %d keys (seed %d)",
				name, maxCounters, fillings, shared, keys, seed)
			if want := buckets + 2; keys != want {
				t.Errorf("shared data has %d keys, want %d: the buckets, the hash key and the self-test's", keys, want)
			}
		})
	}
}

// shares sends the first request of a client and returns whether it was counted in an overflow counter.
func shares(t *testing.T, root *wasmhost.Root, client string) bool {
	t.Helper()
	const metric = "tollgate.shop.table_full"
	before, _ := root.Host().Metric(metric)
	do(t, root, get(client))
	tick(t, root)
	after, _ := root.Host().Metric(metric)
	return after > before
}
