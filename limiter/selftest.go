package limiter

import "errors"

// SelfTest checks on a scratch key of the domain that the store creates only what is absent and swaps only what is unchanged. On a
// host with other rules the counting would be wrong without a sign, so it fails with ErrStore there, and with the store's own
// error if it cannot tell. Several workers may run it at once.
func SelfTest(store Store, domain string) error {
	key := append(domainKey(domain), "selftest"...)
	if err := store.Create(key, []byte{0}); err != nil && !errors.Is(err, ErrExists) {
		return err
	}
	if err := store.Create(key, []byte{0}); !errors.Is(err, ErrExists) {
		return broken(err)
	}
	stale, err := bump(store, key)
	if err != nil {
		return err
	}
	if err := store.CompareAndSwap(key, []byte{0}, stale); !errors.Is(err, ErrConflict) {
		return broken(err)
	}
	return nil
}

// bump swaps the value for one that differs and returns the version that is stale then.
func bump(store Store, key []byte) (stale uint32, err error) {
	for range maxAttempts {
		value, version, err := store.Get(key)
		if err != nil {
			return 0, broken(err)
		}
		if len(value) != 1 {
			return 0, ErrCorrupt
		}
		next := [1]byte{value[0] + 1}
		if err = store.CompareAndSwap(key, next[:], version); err == nil {
			return version, verify(store, key, version)
		}
		if !errors.Is(err, ErrConflict) {
			return 0, err
		}
	}
	return 0, ErrStore
}

// verify checks that the swap gave the value another version.
func verify(store Store, key []byte, stale uint32) error {
	_, version, err := store.Get(key)
	if err != nil || version == stale {
		return broken(err)
	}
	return nil
}

// broken reports an answer that the contract forbids; a failure of the store itself speaks for itself.
func broken(err error) error {
	if err == nil || errors.Is(err, ErrNotFound) || errors.Is(err, ErrConflict) || errors.Is(err, ErrExists) {
		return ErrStore
	}
	return err
}
