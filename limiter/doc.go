// Package limiter counts requests in fixed, aligned windows, exactly, across workers that share nothing but a map with
// compare-and-swap.
//
// A request is described by Charges, one for each rule that holds it, and decided by Limiter.Take. The counters live in a
// table of fixed size: a number of buckets, each one value of the Store, each with a few entries that carry the end of
// their window and so expire by themselves. Nothing a client sends becomes part of a key.
//
// A decision reads the bucket, then the clock, decides, and swaps the bucket; on a conflict it starts again with the
// reading. The swap proves that the bucket did not change since before the clock was read, so the decision is atomic at
// that instant. Reading the clock first would let a worker that stalls write a finished window over an entry that another
// one has reused since.
//
// The package is pure: it knows no HTTP, no host and no clock of its own.
package limiter
