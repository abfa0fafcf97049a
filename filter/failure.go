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

// failureNames are the kinds in the metrics tollgate.<domain>.errors_<kind>.
var failureNames = [numFailures]string{"store", "contended", "corrupt", "clock", "table", "refund", "headers", "reply", "route", "panic"}

func (f failure) String() string { return failureNames[f] }

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

// explanation is the log's line for a kind. It stands there once for each VM; how often is for the metric to say.
func (f failure) explanation() string {
	switch f {
	case failStore:
		return "the proxy's shared data could not be read or written"
	case failContended:
		return "a bucket of counters changed under every attempt to swap it"
	case failCorrupt:
		return "a bucket of counters was not of this layout and was replaced by an empty one"
	case failClock:
		return "the clock failed or stands outside the years 1970 to 2106"
	case failTable:
		return "a bucket had no free counter and no free overflow counter: raise max_counters"
	case failRefund:
		return "a charge could not be given back and stays until its window ends"
	case failHeaders:
		return "headers could not be read or written"
	case failReply:
		return "a reply could not be sent, the request went on"
	case failRoute:
		return "a route's own rules are faulty"
	default:
		return "panic in a callback"
	}
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
