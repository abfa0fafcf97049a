package memstore_test

import (
	"maps"
	"testing"

	"tollgate/limiter"
	"tollgate/limiter/limitertest"
	"tollgate/limiter/memstore"
)

func TestStore(t *testing.T) {
	var store memstore.Store
	limitertest.TestStore(t, func() limiter.Store { return &store })
}

// TestSet holds the rules of Envoy's shared data that the three methods are made of.
func TestSet(t *testing.T) {
	var store memstore.Store
	key := []byte("key")
	version := func() uint32 {
		_, v, err := store.Get(key)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if !store.Set(key, []byte("one"), 7) {
		t.Error("a missing key must take any version")
	}
	first := version()
	if store.Set(key, []byte("two"), memstore.NeverIssued) {
		t.Error("an existing key must refuse the version that is never issued")
	}
	if store.Set(key, []byte("two"), first+1) {
		t.Error("an existing key must refuse another version")
	}
	if !store.Set(key, []byte("two"), first) {
		t.Error("an existing key must take its own version")
	}
	if store.Set(key, []byte("three"), first) {
		t.Error("an existing key must refuse a stale version")
	}
	if !store.Set(key, []byte("three"), 0) || version() == first {
		t.Error("version 0 must overwrite")
	}
	if err := store.CompareAndSwap(key, []byte("four"), 0); err != limiter.ErrConflict {
		t.Errorf("CompareAndSwap with version 0 = %v; it must never overwrite", err)
	}
}

func TestKeysAndEach(t *testing.T) {
	var store memstore.Store
	want := map[string]string{"a": "1", "b": "2"}
	for k, v := range want {
		store.Set([]byte(k), []byte(v), 0)
	}
	got := make(map[string]string)
	store.Each(func(k string, v []byte) { got[k] = string(v) })
	if store.Keys() != len(want) || !maps.Equal(got, want) {
		t.Errorf("%d keys: %v; want %v", store.Keys(), got, want)
	}
}
