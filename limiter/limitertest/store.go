// Package limitertest holds what every limiter.Store is tested with.
package limitertest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"tollgate/limiter"
)

// TestStore checks a store against the contract of limiter.Store. Each call of open returns the store of another worker;
// all of them work on one shared map, so what one writes the others read. A store that is safe for concurrent use may be
// returned every time. The map need not be empty: the suite uses keys that begin with "limitertest/" and the domain "limitertest".
func TestStore(t *testing.T, open func() limiter.Store) {
	tests := []struct {
		name string
		run  func(*testing.T, worker)
	}{
		{"MissingKey", testMissingKey},
		{"CreateIfAbsent", testCreateIfAbsent},
		{"CreateOfExistingKeyChangesNothing", testCreateExisting},
		{"SwapReplaces", testSwap},
		{"StaleSwapConflicts", testStaleSwap},
		{"VersionsNeverRepeat", testVersions},
		{"KeysAreApart", testKeysApart},
		{"ValuesOfEverySize", testSizes},
		{"AnyBytes", testAnyBytes},
		{"ArgumentsAreCopied", testCopies},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.run(t, worker{t, open(), []byte("limitertest/" + test.name)})
		})
	}
	t.Run("WorkersShareOneMap", func(t *testing.T) { testShared(t, open) })
	t.Run("OneOfConcurrentCreatorsWins", func(t *testing.T) { testCreators(t, open) })
	t.Run("ValueIsValidUntilTheNextCall", func(t *testing.T) { testValidity(t, open) })
	t.Run("NoConcurrentSwapIsLost", func(t *testing.T) { testSwappers(t, open) })
	t.Run("SelfTest", func(t *testing.T) { testSelfTest(t, open) })
}

// worker is one worker's store and the key of one test, with the checks that nearly every test makes.
type worker struct {
	t     *testing.T
	store limiter.Store
	key   []byte
}

func (w worker) create(value string) {
	w.t.Helper()
	if err := w.store.Create(w.key, []byte(value)); err != nil {
		w.t.Fatalf("Create(%q, %q) = %v", w.key, value, err)
	}
}

// expect reads the key and returns its version.
func (w worker) expect(value string) uint32 {
	w.t.Helper()
	got, version, err := w.store.Get(w.key)
	if err != nil || string(got) != value {
		w.t.Fatalf("Get(%q) = %q, %v; want %q", w.key, got, err, value)
	}
	return version
}

func (w worker) swap(value string, version uint32) {
	w.t.Helper()
	if err := w.store.CompareAndSwap(w.key, []byte(value), version); err != nil {
		w.t.Fatalf("CompareAndSwap(%q, %q, %d) = %v", w.key, value, version, err)
	}
}

func (w worker) conflict(value string, version uint32) {
	w.t.Helper()
	if err := w.store.CompareAndSwap(w.key, []byte(value), version); !errors.Is(err, limiter.ErrConflict) {
		w.t.Fatalf("CompareAndSwap(%q, %q, %d) = %v; want ErrConflict", w.key, value, version, err)
	}
}

func (w worker) missing() {
	w.t.Helper()
	if value, _, err := w.store.Get(w.key); !errors.Is(err, limiter.ErrNotFound) {
		w.t.Fatalf("Get(%q) = %q, %v; want ErrNotFound", w.key, value, err)
	}
}

func testMissingKey(_ *testing.T, w worker) {
	w.missing()
	w.missing() // reading creates nothing
}

func testCreateIfAbsent(_ *testing.T, w worker) {
	w.create("one")
	w.expect("one")
}

func testCreateExisting(t *testing.T, w worker) {
	w.create("one")
	before := w.expect("one")
	if err := w.store.Create(w.key, []byte("two")); !errors.Is(err, limiter.ErrExists) {
		t.Fatalf("Create of an existing key = %v; want ErrExists", err)
	}
	w.expect("one")
	w.swap("three", before) // nor did the version change
}

func testSwap(_ *testing.T, w worker) {
	w.create("one")
	w.swap("two", w.expect("one"))
	w.swap("two", w.expect("two")) // an equal value is a value too
	w.expect("two")
}

func testStaleSwap(_ *testing.T, w worker) {
	w.create("one")
	stale := w.expect("one")
	w.swap("two", stale)
	w.conflict("three", stale)
	w.expect("two")
	w.swap("one", w.expect("two"))
	w.conflict("three", stale) // the value of old is back, its version is not
	w.expect("one")
}

func testVersions(t *testing.T, w worker) {
	w.create("value")
	seen := make(map[uint32]bool)
	for range 1000 {
		version := w.expect("value")
		if seen[version] {
			t.Fatalf("version %d was issued twice", version)
		}
		seen[version] = true
		w.swap("value", version)
	}
}

func testKeysApart(_ *testing.T, w worker) {
	other, longer := w, w
	other.key = append([]byte("limitertest/"), "other"...)
	longer.key = append(bytes.Clone(w.key), 0)
	w.create("one")
	other.missing()
	longer.missing()
	other.create("two")
	version := w.expect("one")
	other.swap("three", other.expect("two"))
	w.swap("four", version)
	other.expect("three")
}

// testSizes writes values of the sizes that buckets have, growing and shrinking.
func testSizes(_ *testing.T, w worker) {
	sizes := []int{1, 17, 513, 16, 0, 4096}
	value := func(n int) string { return string(bytes.Repeat([]byte{byte(n)}, n)) }
	w.create(value(sizes[0]))
	for i := 1; i < len(sizes); i++ {
		w.swap(value(sizes[i]), w.expect(value(sizes[i-1])))
	}
	w.expect(value(sizes[len(sizes)-1]))
}

func testAnyBytes(_ *testing.T, w worker) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	w.key = append(w.key, all...)
	w.create(string(all))
	w.expect(string(all))
}

func testCopies(t *testing.T, w worker) {
	value := []byte("one")
	if err := w.store.Create(w.key, value); err != nil {
		t.Fatal(err)
	}
	copy(value, "xxx")
	version := w.expect("one")
	copy(value, "two")
	if err := w.store.CompareAndSwap(w.key, value, version); err != nil {
		t.Fatal(err)
	}
	copy(value, "xxx")
	w.expect("two")

	moved := worker{t, w.store, append(bytes.Clone(w.key), "/moved"...)}
	key := bytes.Clone(moved.key)
	if err := w.store.Create(key, []byte("three")); err != nil {
		t.Fatal(err)
	}
	clear(key)
	moved.expect("three")
}

func testShared(t *testing.T, open func() limiter.Store) {
	key := []byte("limitertest/shared")
	first, second := worker{t, open(), key}, worker{t, open(), key}
	first.missing()
	second.create("one")
	version := first.expect("one")
	second.swap("two", second.expect("one"))
	first.conflict("three", version)
	first.expect("two")
}

const workers = 8

// together runs f for every worker at the same time, each with a store of its own.
func together(open func() limiter.Store, f func(id int, store limiter.Store)) {
	var wait sync.WaitGroup
	start := make(chan struct{})
	for id := range workers {
		store := open()
		wait.Go(func() {
			<-start
			f(id, store)
		})
	}
	close(start)
	wait.Wait()
}

func testCreators(t *testing.T, open func() limiter.Store) {
	for round := range 100 {
		key := fmt.Appendf(nil, "limitertest/creators/%d", round)
		var errs [workers]error
		together(open, func(id int, store limiter.Store) {
			errs[id] = store.Create(key, []byte{byte(id)})
		})
		winner := -1
		for id, err := range errs {
			switch {
			case err == nil && winner < 0:
				winner = id
			case err == nil:
				t.Fatalf("round %d: workers %d and %d both created the key", round, winner, id)
			case !errors.Is(err, limiter.ErrExists):
				t.Fatalf("round %d: worker %d: %v; want ErrExists", round, id, err)
			}
		}
		if winner < 0 {
			t.Fatalf("round %d: no worker created the key", round)
		}
		worker{t, open(), key}.expect(string([]byte{byte(winner)}))
	}
}

// testValidity reads every value to its end while other workers replace it.
func testValidity(t *testing.T, open func() limiter.Store) {
	const each, size = 200, 513
	key := []byte("limitertest/validity")
	worker{t, open(), key}.create(strings.Repeat("x", size))
	together(open, func(id int, store limiter.Store) {
		for range each {
			value, version, err := store.Get(key)
			if err != nil || len(value) != size || bytes.Count(value, value[:1]) != size {
				t.Errorf("worker %d: read a value of %d bytes that nobody wrote: %v", id, len(value), err)
				return
			}
			err = store.CompareAndSwap(key, bytes.Repeat([]byte{byte(id)}, size), version)
			if err != nil && !errors.Is(err, limiter.ErrConflict) {
				t.Errorf("worker %d: %v", id, err)
			}
		}
	})
}

// testSwappers lets all workers count to a number together.
func testSwappers(t *testing.T, open func() limiter.Store) {
	const each = 200
	key := []byte("limitertest/swappers")
	var failures [workers]error
	together(open, func(id int, store limiter.Store) {
		for range each {
			if failures[id] = increment(store, key); failures[id] != nil {
				return
			}
		}
	})
	if err := errors.Join(failures[:]...); err != nil {
		t.Fatal(err)
	}
	value, _, err := open().Get(key)
	if err != nil || len(value) != 2 {
		t.Fatalf("Get = %x, %v", value, err)
	}
	if got := int(value[0])<<8 | int(value[1]); got != workers*each {
		t.Fatalf("%d of %d increments were counted", got, workers*each)
	}
}

// increment adds one to a two-byte number.
func increment(store limiter.Store, key []byte) error {
	for {
		value, version, err := store.Get(key)
		switch {
		case errors.Is(err, limiter.ErrNotFound):
			err = store.Create(key, []byte{0, 1})
		case err == nil && len(value) == 2:
			n := int(value[0])<<8 | int(value[1]) + 1
			err = store.CompareAndSwap(key, []byte{byte(n >> 8), byte(n)}, version)
		case err == nil:
			err = fmt.Errorf("value %x is not a counter", value)
		}
		if !errors.Is(err, limiter.ErrConflict) && !errors.Is(err, limiter.ErrExists) {
			return err
		}
	}
}

// testSelfTest runs the limiter's own check from all workers at once, and again on the key that it left.
func testSelfTest(t *testing.T, open func() limiter.Store) {
	for range 2 {
		together(open, func(id int, store limiter.Store) {
			if err := limiter.SelfTest(store, "limitertest"); err != nil {
				t.Errorf("worker %d: SelfTest = %v", id, err)
			}
		})
	}
}
