// Command noop is a proxy-wasm filter that does nothing: what it costs is what any filter in Go costs at least. It has the
// callbacks that Tollgate has for a stream. Build it as Tollgate is built.
package main

// The host never runs main.
func main() {}
