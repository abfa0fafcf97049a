package abi

import "tollgate/limiter"

// status is the result of a host call (proxy-wasm spec, proxy_status_t).
type status uint32

const (
	statusOK          status = 0
	statusNotFound    status = 1
	statusCasMismatch status = 8
)

// err is the error of a status that is not OK.
func (s status) err() error {
	switch s {
	case statusOK:
		return nil
	case statusNotFound:
		return limiter.ErrNotFound
	case statusCasMismatch:
		return limiter.ErrConflict
	}
	return ErrHost
}

// createErr is the error of a write that was to create.
func (s status) createErr() error {
	if s == statusCasMismatch {
		return limiter.ErrExists
	}
	return s.err()
}
