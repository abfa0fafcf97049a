// Package load is a small closed-loop HTTP/1.1 load generator: a fixed number of requests over a fixed number of keep-alive
// connections, each of which sends its next request when it has read the last answer. Nothing is pipelined.
//
// It fails as soon as an answer is not the expected one, so that nobody measures how fast a proxy says 503.
package load
