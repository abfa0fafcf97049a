package prove

import "math"

// beyond is what chance says of n clients that fall into buckets with so many slots each.
type beyond struct {
	clients float64 // expected number of those that find no free slot
	sigma   float64 // bound of its standard deviation: what the buckets hold is negatively correlated
	buckets float64 // expected number of buckets with such clients
}

// beyondSlots sums over the binomial distribution of the load of a bucket.
func beyondSlots(n, buckets, slots int) beyond {
	var mean, square, full float64
	for k := slots + 1; k <= n; k++ {
		p := binomial(n, k, 1/float64(buckets))
		excess := float64(k - slots)
		mean += excess * p
		square += excess * excess * p
		full += p
		if excess > 20*float64(n)/float64(buckets) && p < 1e-18 {
			break // the rest adds nothing
		}
	}
	b := float64(buckets)
	return beyond{clients: b * mean, sigma: math.Sqrt(b * (square - mean*mean)), buckets: b * full}
}

// binomial is the probability that k of n clients fall into a bucket that each falls into with probability p.
func binomial(n, k int, p float64) float64 {
	if p == 1 {
		return 0
	}
	return math.Exp(logChoose(n, k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
