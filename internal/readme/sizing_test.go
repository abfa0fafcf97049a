package readme_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"tollgate/limiter"
	"tollgate/limiter/memstore"
)

// windows are the columns of the table of sizes: a window, and how many counters of it a bucket has room for.
var windows = []struct {
	seconds uint32
	room    int
}{{60, 16}, {3600, 12}}

// TestSizing computes the table of sizes, and fills tables of a limiter to see that it is true.
func TestSizing(t *testing.T) {
	const maxCounters = 65536
	for _, row := range table(t, "Sizing max_counters", "counters in use, of buckets × 8").Rows {
		percent, err := strconv.Atoi(strings.TrimSuffix(row[0], " %"))
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range windows {
			calculated := sharing(float64(percent)/100*8, w.room)
			if want := fmt.Sprintf("%.2f %%", 100*calculated); row[i+1] != want {
				t.Errorf("%s, windows of %d s: %s, want %s", row[0], w.seconds, row[i+1], want)
			}
			measured := fill(maxCounters, maxCounters*percent/100, w.seconds)
			// Eight standard deviations: these counts are nearly Poisson's. The hash key is fixed, so the result is, too.
			n := float64(maxCounters*percent) / 100
			if tolerance := 8 * math.Sqrt(max(1, calculated*n)) / n; math.Abs(measured-calculated) > tolerance {
				t.Errorf("%s, windows of %d s: measured %.4f, calculated %.4f ± %.4f", row[0], w.seconds, measured, calculated, tolerance)
			}
		}
	}
}

// sharing returns which share of all counters finds no room in its bucket, if a bucket has room for some and is chosen by
// load counters on average: the number of counters in a bucket then follows Poisson's distribution.
func sharing(load float64, room int) float64 {
	p, without := math.Exp(-load), 0.0
	for k := 1; k < 200; k++ {
		p *= load / float64(k)
		without += p * float64(max(0, k-room))
	}
	return without / load
}

// fill counts one request of each of so many clients and returns which share of them met a full bucket.
func fill(maxCounters uint32, clients int, window uint32) float64 {
	now := func() (int64, error) { return 1_700_000_000_000_000_000, nil }
	key := limiter.HashKey{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	l := limiter.New(new(memstore.Store), now, key, limiter.Options{Domain: "sizing", MaxCounters: maxCounters})
	limits := []limiter.Limit{{Requests: 1_000_000, Window: window}}
	full := 0
	for i := range clients {
		d := l.Take([]limiter.Charge{{Rule: "api", Identity: strconv.AppendInt(nil, int64(i), 10), Limits: limits, Cost: 1}})
		full += d.Overflows
	}
	return float64(full) / float64(clients)
}
