// Package e2e tests what a user touches: the built module in a real Envoy, seen from the wire.
//
// The tests need build/envoy and build/tollgate.wasm (`make build envoy`) and fail without them. Where a test counts, it
// uses a window that does not end while it runs, or waits for a fresh one.
package e2e
