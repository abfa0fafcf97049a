// Package envoytest runs real Envoy processes for tests: it writes their configuration, starts them on free ports of
// 127.0.0.1, tells where they listen, changes the configuration of a running one, and reads statistics, memory and
// processor time.
//
// A test that needs a process or a module that is not there fails; it never skips.
package envoytest
