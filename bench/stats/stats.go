// Package stats sums up a few measurements of the same thing.
package stats

import "slices"

// Summary describes measurements whose distribution is not known: few, and now and then one that is far too large.
type Summary struct{ Median, Min, Max float64 }

// Of sums up measurements. There must be at least one.
func Of(values []float64) Summary {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return Summary{Median: (sorted[(n-1)/2] + sorted[n/2]) / 2, Min: sorted[0], Max: sorted[n-1]}
}

// Differences returns values[i]-base[i]. What was measured in the same round is compared, so that a machine that becomes slower
// does not count as a difference. Both have the same length.
func Differences(values, base []float64) []float64 {
	d := make([]float64, len(values))
	for i, v := range values {
		d[i] = v - base[i]
	}
	return d
}
