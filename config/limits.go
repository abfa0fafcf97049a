package config

import (
	"math"
	"strconv"

	"tollgate/limiter"
)

const (
	limitAdvice  = `write a limit such as {"requests": 10, "window": "10s"}`
	limitsAdvice = `write a list of limits such as [{"requests": 10, "window": "10s"}], or "unlimited"`
)

// limits reads a list of limits, or "unlimited".
func (d *decoder) limits(n *node) limitsSpec {
	if n.kind != kindString {
		return limitsSpec{limits: d.limitList(n)}
	}
	if n.text != "unlimited" {
		d.fail(n, quote(n.text)+" is not a list of limits", limitsAdvice)
	}
	return limitsSpec{unlimited: n.text == "unlimited"}
}

func (d *decoder) limitList(n *node) []limiter.Limit {
	elements := d.list(n, limitsAdvice)
	if len(elements) > limiter.MaxLimits {
		d.fail(n, "has "+strconv.Itoa(len(elements))+" limits", "write at most "+strconv.Itoa(limiter.MaxLimits))
	}
	limits := make([]limiter.Limit, 0, len(elements))
	for _, e := range elements {
		limits = append(limits, d.limit(e, limits))
	}
	return limits
}

func limitFields() []field[limiter.Limit] {
	return []field[limiter.Limit]{
		{"requests", limitAdvice, func(d *decoder, n *node, l *limiter.Limit) {
			v, _ := d.whole(n, 0, math.MaxUint32)
			l.Requests = uint32(v)
		}},
		{"window", limitAdvice, func(d *decoder, n *node, l *limiter.Limit) { l.Window = d.window(n) }},
	}
}

// limit reads one limit and holds its window against those before it: two limits of one window would share a counter.
func (d *decoder) limit(n *node, before []limiter.Limit) (l limiter.Limit) {
	readObject(d, n, limitAdvice, limitFields(), &l)
	for i := range before {
		if l.Window != 0 && before[i].Window == l.Window {
			d.fail(n, "has the window of an earlier limit", "keep the smaller of the two")
			break
		}
	}
	return l
}

// window reads the length of a window and returns its seconds, or 0 after a mistake.
func (d *decoder) window(n *node) uint32 {
	advice := `write a whole number and s, m, h or d, such as "10s"`
	if n.kind == kindNumber {
		if v, reason := wholeNumber(n.text); reason == "" && inWindowRange(v) {
			advice = `write "` + strconv.FormatUint(v, 10) + `s" for seconds`
		}
	}
	text, ok := d.text(n, advice)
	if !ok {
		return 0
	}
	seconds, ok := parseWindow(text)
	switch {
	case !ok:
		d.fail(n, quote(text)+" is not a window", advice)
	case !inWindowRange(seconds):
		d.fail(n, quote(text)+" is not from one second to 366 days", `write a window from "1s" to "366d"`)
	default:
		return uint32(seconds)
	}
	return 0
}

func inWindowRange(seconds uint64) bool {
	return limiter.MinWindow <= seconds && seconds <= limiter.MaxWindow
}

// parseWindow returns the seconds of a text such as 10s. A number too large for any window stays too large.
func parseWindow(text string) (seconds uint64, ok bool) {
	digits, unit := cutDigits(text)
	if len(unit) != 1 || digits == "" || len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	scale := unitSeconds(unit[0])
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n > limiter.MaxWindow {
		n = limiter.MaxWindow + 1
	}
	return n * scale, scale != 0
}

// unitSeconds returns the seconds of the letter that ends a window, or 0 for any other.
func unitSeconds(letter byte) uint64 {
	switch letter {
	case 's':
		return 1
	case 'm':
		return 60
	case 'h':
		return 60 * 60
	case 'd':
		return 24 * 60 * 60
	}
	return 0
}
