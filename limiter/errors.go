package limiter

import "errors"

// Why a request could not be counted. Any other error of an Outcome is one that the Store returned.
var (
	// ErrContended says that a bucket changed under every attempt to swap it.
	ErrContended = errors.New("limiter: bucket changed under every attempt")
	// ErrCorrupt says that a stored bucket or hash key is none of this layout; a bucket has been replaced by an empty one.
	ErrCorrupt = errors.New("limiter: stored value is not of this layout")
	// ErrClock says that the clock failed or stands outside the years 1970 to 2106.
	ErrClock = errors.New("limiter: clock failed or is out of range")
	// ErrTableFull says that a bucket has neither a free entry nor a free overflow counter.
	ErrTableFull = errors.New("limiter: bucket has no free entry and no free overflow counter")
	// ErrStore says that a store breaks its contract, as found by SelfTest.
	ErrStore = errors.New("limiter: store does not compare and swap as required")
)
