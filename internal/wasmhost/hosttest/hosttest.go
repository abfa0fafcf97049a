// Package hosttest gives tests a host that ends with them.
package hosttest

import (
	"testing"

	"tollgate/internal/wasmhost"
)

// New returns a host without plugins, its clock stopped. A VM that cannot be closed fails the test.
func New(t testing.TB) *wasmhost.Host {
	t.Helper()
	host := wasmhost.NewHost()
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	return host
}
