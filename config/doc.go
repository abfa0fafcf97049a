// Package config reads Tollgate's configuration and decides which rules a request meets.
//
// Parse is strict: an unknown or repeated field, a wrong type, a number out of range or a rule that can never be
// reached refuses the whole configuration, and the error lists every mistake with its path, its position in the
// text and what to write instead. What Parse returns is compiled: matching a request allocates nothing.
//
// The package is pure. It knows neither the proxy nor a clock; a request comes in as its header lines.
package config
