package config

import (
	"crypto/sha256"
	"math/rand/v2"
	"testing"
)

func TestSHA256EqualsTheStandardLibrary(t *testing.T) {
	const seed = 3
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	for length := range 300 {
		value := make([]byte, length)
		for i := range value {
			value[i] = byte(random.Uint32())
		}
		if got, want := sha256Of(value), sha256.Sum256(value); got != want {
			t.Fatalf("%x: got %x, want %x", value, got, want)
		}
	}
	long := make([]byte, 100_001)
	if sha256Of(long) != sha256.Sum256(long) {
		t.Error("a long value has another hash")
	}
}
