// Package config reads Tollgate's configuration and decides which rules a request meets.
//
// Parse is strict: an unknown or repeated field, a wrong type, a number out of range, a combination without meaning or a
// rule that can never be reached refuses the whole configuration, and the error lists every mistake with its path, its
// position in the text and what to write instead. What Parse returns is compiled: matching a request and finding its
// identity allocate nothing, and the cost hardly depends on the number of rules.
//
// The package is pure. It knows neither the proxy nor a clock; a request comes in as its header lines, and whatever else
// the proxy knows through the interface Properties, which is asked only for what a configuration needs.
//
// It is written for a module that every proxy loads: it avoids packages of the standard library that would bring much
// more than is used here (fmt, encoding/json, net/netip, crypto/sha256).
package config
