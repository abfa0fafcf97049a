// Package abi is the proxy-wasm ABI 0.2.x for the standard Go compiler (https://github.com/proxy-wasm/spec): the callbacks
// that the host calls and the host calls that the filter needs, no more. It is the only place that knows about pointers.
//
// Built for wasip1, Host speaks to the real proxy and Register receives its callbacks. Built natively, Host runs over the
// proxy-wasm Go SDK, so that its emulator (proxytest) can drive life cycle and headers.
package abi

import "errors"

// ErrHost is a host call that failed with a status that the caller cannot act on.
var ErrHost = errors.New("proxy-wasm: host call failed")

// neverIssued is a version of shared data with which a write creates a missing key and fails on any other. The host issues it
// once in 2^32 writes.
const neverIssued = 0xFFFFFFFF
