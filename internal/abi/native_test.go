package abi

import (
	"sync"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/proxytest"

	"tollgate/limiter"
	"tollgate/limiter/limitertest"
)

// oneAtATime is the native Host for several goroutines: the SDK's emulator serves one.
type oneAtATime struct {
	mu   *sync.Mutex
	host Host
}

func (s oneAtATime) Get(key []byte) ([]byte, uint32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.host.Get(key)
}

func (s oneAtATime) Create(key, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.host.Create(key, value)
}

func (s oneAtATime) CompareAndSwap(key, value []byte, version uint32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.host.CompareAndSwap(key, value, version)
}

// TestStore runs the stores' conformance suite over the emulator.
func TestStore(t *testing.T) {
	_, reset := proxytest.NewHostEmulator(proxytest.NewEmulatorOption())
	defer reset()
	var mu sync.Mutex
	limitertest.TestStore(t, func() limiter.Store { return oneAtATime{mu: &mu} })
}
