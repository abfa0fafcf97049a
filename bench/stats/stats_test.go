package stats

import (
	"slices"
	"testing"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		want   Summary
	}{
		{"one", []float64{7}, Summary{7, 7, 7}},
		{"odd", []float64{9, 1, 5}, Summary{5, 1, 9}},
		{"even", []float64{4, 1, 3, 2}, Summary{2.5, 1, 4}},
		{"one far off", []float64{10, 11, 12, 13, 900}, Summary{12, 10, 900}},
		{"negative", []float64{-3, -1, -2}, Summary{-2, -3, -1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := slices.Clone(c.values)
			if got := Of(c.values); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if !slices.Equal(before, c.values) {
				t.Errorf("the measurements became %v", c.values)
			}
		})
	}
}

func TestDifferencesCompareTheSameRound(t *testing.T) {
	got := Differences([]float64{30, 41, 52}, []float64{10, 20, 30})
	if want := []float64{20, 21, 22}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
