// Package envoy starts Envoy processes for measurements, each with one filter, and reads what they use of the machine. Routes answer
// by themselves, so that nothing but Envoy is measured.
package envoy
