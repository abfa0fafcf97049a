// Package filter is the HTTP filter: it reads who is calling and which rule holds the request, lets package limiter decide,
// and tells the client. It implements the contexts of the proxy-wasm Go SDK and declares, as Host, what it needs of the proxy.
//
// Everything here runs in one worker's VM and on its thread alone; the workers meet in the Host's store.
package filter
