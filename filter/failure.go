package filter

import (
	"errors"

	"tollgate/limiter"
)

// failure is a kind of error, as metrics and the log name it.
type failure uint8

const (
	failStore failure = iota
	failContended
	failCorrupt
	failClock
	failTable
	failRefund
	failHeaders
	failReply
	failRoute
	failPanic
	numFailures
)

// failures name the kinds in the metrics tollgate.<domain>.errors_<kind>, and explain them in the log. Its line stands there
// once for each VM; how often is for the metric to say.
var failures = [numFailures]struct{ name, explanation string }{
	failStore:     {"store", "the proxy's shared data could not be read or written"},
	failContended: {"contended", "a bucket of counters changed under every attempt to swap it"},
	failCorrupt:   {"corrupt", "a bucket of counters was not of this layout and was replaced by an empty one"},
	failClock:     {"clock", "the clock failed or stands outside the years 1970 to 2106"},
	failTable:     {"table", "a bucket had no free counter and no free overflow counter: raise max_counters"},
	failRefund:    {"refund", "a charge could not be given back and stays until its window ends"},
	failHeaders:   {"headers", "headers could not be read or written"},
	failReply:     {"reply", "a reply could not be sent, the request went on"},
	failRoute:     {"route", "a request came by a route whose own rules are faulty"},
	failPanic:     {"panic", "panic in a callback"},
}

func (f failure) String() string { return failures[f].name }

func (f failure) explanation() string { return failures[f].explanation }

// failureOf names why a charge could not be counted.
func failureOf(err error) failure {
	switch {
	case errors.Is(err, limiter.ErrContended):
		return failContended
	case errors.Is(err, limiter.ErrCorrupt):
		return failCorrupt
	case errors.Is(err, limiter.ErrClock):
		return failClock
	case errors.Is(err, limiter.ErrTableFull):
		return failTable
	}
	return failStore
}

// report counts a failure, and logs the first of its kind.
func (p *plugin) report(f failure) { p.reportAs(f, f.explanation()) }

// reportAs is report with a text of its own.
func (p *plugin) reportAs(f failure, text string) {
	p.metrics.failures[f]++
	if p.vm.said[f] {
		return
	}
	p.vm.said[f] = true
	p.log(LogError, text+" (further ones are counted in the metric errors_"+f.String()+" only)")
}
