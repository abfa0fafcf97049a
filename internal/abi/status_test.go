package abi

import (
	"errors"
	"testing"

	"tollgate/limiter"
)

// TestStatuses holds which results of a host call the limiter can act on; all others are failures.
func TestStatuses(t *testing.T) {
	for s := range status(20) {
		err, createErr := ErrHost, ErrHost
		switch s {
		case 0:
			err, createErr = nil, nil
		case 1:
			err, createErr = limiter.ErrNotFound, limiter.ErrNotFound
		case 8:
			err, createErr = limiter.ErrConflict, limiter.ErrExists
		}
		if got := s.err(); !errors.Is(got, err) || got == nil != (err == nil) {
			t.Errorf("status %d: %v, want %v", s, got, err)
		}
		if got := s.createErr(); !errors.Is(got, createErr) || got == nil != (createErr == nil) {
			t.Errorf("status %d of a creation: %v, want %v", s, got, createErr)
		}
	}
}
