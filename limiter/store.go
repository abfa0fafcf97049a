package limiter

import "errors"

// Store is the shared map that several workers count in. Its contract is what the counting is proven against, so an
// implementation must keep it to the letter; package limitertest holds the conformance suite.
//
// Keys and values are copied by the store: the caller may reuse what it passed in. Every method reports any other
// failure as an error of its own, having changed nothing. A store never retries and never blocks on another worker.
type Store interface {
	// Get returns the value under key and the version to swap it with, or ErrNotFound. The value may be read until
	// the next call of any method of the store; who needs it longer copies it.
	Get(key []byte) (value []byte, version uint32, err error)

	// Create stores value under key if there is none. If the key exists it returns ErrExists and changes nothing:
	// of several workers that saw ErrNotFound exactly one succeeds.
	Create(key, value []byte) error

	// CompareAndSwap replaces the value under key if its version is still the one that Get returned, else it returns
	// ErrConflict and changes nothing. A value that was replaced never gets an earlier version again (until the host's 32-bit
	// version counter wraps around).
	CompareAndSwap(key, value []byte, version uint32) error
}

// What a Store reports of the state of a key.
var (
	ErrNotFound = errors.New("limiter: key not found")
	ErrExists   = errors.New("limiter: key exists already")
	ErrConflict = errors.New("limiter: value changed since it was read")
)

// Clock returns the Unix time in nanoseconds. It is read after the bucket it is compared with, never before.
type Clock func() (int64, error)
