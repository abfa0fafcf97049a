// Package memstore is a limiter.Store in memory, with the rules of Envoy's shared data (proxy-wasm-cpp-host,
// src/shared_data.cc), for tests and for programs that run the limiter without a proxy.
package memstore

import (
	"sync"

	"tollgate/limiter"
)

// NeverIssued is a version that the store does not hand out: a write with it creates a missing key and fails on any
// other.
const NeverIssued = 0xFFFFFFFF

type record struct {
	value   []byte
	version uint32
}

// Store is a map with compare-and-swap, safe for concurrent use. The zero value is empty and ready.
type Store struct {
	mu      sync.Mutex
	records map[string]record
	last    uint32 // version issued last
}

var _ limiter.Store = (*Store)(nil)

// Set writes as the host does: version 0 overwrites whatever is there, any other must be the stored one, and a missing
// key takes any. It reports whether it wrote.
func (s *Store) Set(key, value []byte, version uint32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, exists := s.records[string(key)]
	if exists && version != 0 && version != old.version {
		return false
	}
	if s.records == nil {
		s.records = make(map[string]record)
	}
	s.records[string(key)] = record{append([]byte(nil), value...), s.issue()}
	return true
}

// issue returns the next version: never 0, and never the one that Create relies on.
func (s *Store) issue() uint32 {
	s.last++
	if s.last == NeverIssued {
		s.last = 1
	}
	return s.last
}

// Get implements limiter.Store. The value is never written to again, so it stays valid.
func (s *Store) Get(key []byte) ([]byte, uint32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.records[string(key)]
	if !ok {
		return nil, 0, limiter.ErrNotFound
	}
	return r.value, r.version, nil
}

// Create implements limiter.Store.
func (s *Store) Create(key, value []byte) error {
	if !s.Set(key, value, NeverIssued) {
		return limiter.ErrExists
	}
	return nil
}

// CompareAndSwap implements limiter.Store.
func (s *Store) CompareAndSwap(key, value []byte, version uint32) error {
	if version == 0 || !s.Set(key, value, version) {
		return limiter.ErrConflict
	}
	return nil
}

// Keys returns how many keys there are.
func (s *Store) Keys() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.records)
}

// Each calls f with every key and value, in no order. f must not call the store.
func (s *Store) Each(f func(key string, value []byte)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, r := range s.records {
		f(k, r.value)
	}
}
