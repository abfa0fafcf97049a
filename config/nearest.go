package config

import "strings"

// nearest returns the word that a misspelt one most likely means, or "" if none is close: equal but for case and
// for - in place of _, or at most a third of it mistyped.
func nearest(misspelt string, words []string) string {
	if len(misspelt) > 40 {
		return ""
	}
	best, least := "", len(misspelt)
	for _, w := range words {
		d := distance(fold(misspelt), fold(w))
		if d < least && d <= max(len(misspelt), len(w))/3 {
			best, least = w, d
		}
	}
	return best
}

func fold(s string) string {
	return strings.ReplaceAll(strings.ToLower(s), "-", "_")
}

// distance counts the single-byte insertions, deletions, replacements and swaps of neighbours that turn a into b
// (optimal string alignment).
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			rows[i][j] = step(rows, a, b, i, j)
		}
	}
	return rows[len(a)][len(b)]
}

func step(rows [][]int, a, b string, i, j int) int {
	replace := rows[i-1][j-1]
	if a[i-1] != b[j-1] {
		replace++
	}
	best := min(replace, rows[i-1][j]+1, rows[i][j-1]+1)
	if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
		best = min(best, rows[i-2][j-2]+1)
	}
	return best
}
