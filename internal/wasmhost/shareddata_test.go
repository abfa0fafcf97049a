package wasmhost

import (
	"math"
	"strconv"
	"sync"
	"testing"
)

func TestSharedDataRules(t *testing.T) {
	h := NewHost()
	d := h.Shared("")
	steps := []struct {
		what    string
		cas     uint32
		status  Status
		version uint32 // afterwards
	}{
		{"a missing key is inserted under any version", math.MaxUint32, OK, 1},
		{"the same on a key that exists is a mismatch", math.MaxUint32, CASMismatch, 1},
		{"the right version replaces", 1, OK, 2},
		{"an old version does not", 1, CASMismatch, 2},
		{"version 0 overwrites whatever is there", 0, OK, 3},
	}
	if _, version, status := d.Get("k"); status != NotFound || version != 0 {
		t.Errorf("a missing key: got %v, version %d", status, version)
	}
	for i, step := range steps {
		value := strconv.Itoa(i)
		wantEqual(t, step.what, d.Set("k", []byte(value), step.cas), step.status)
		got, version, _ := d.Get("k")
		wantEqual(t, step.what+": version", version, step.version)
		wantEqual(t, step.what+": value written", string(got) == value, step.status == OK)
	}
}

func TestSharedDataIsByVMIDWithOneVersionCounter(t *testing.T) {
	h := NewHost()
	h.Shared("a").Set("k", []byte("1"), 0)
	h.Shared("b").Set("k", nil, 0)
	value, version, status := h.Shared("b").Get("k")
	wantEqual(t, "value", string(value), "")
	wantEqual(t, "version", version, 2)
	wantEqual(t, "status", status, OK)
	wantEqual(t, "keys of a third", h.Shared("c").Len(), 0)
}

func TestVersionsSkipOnlyZero(t *testing.T) {
	h := NewHost()
	h.SetNextVersion(math.MaxUint32)
	for _, want := range []uint32{math.MaxUint32, 1, 2} {
		h.Shared("").Set("k", nil, 0)
		_, version, _ := h.Shared("").Get("k")
		wantEqual(t, "version", version, want)
	}
}

func TestSharedDataCopies(t *testing.T) {
	d := NewHost().Shared("")
	value := []byte("abc")
	d.Set("k", value, 0)
	value[0] = 'X'
	got, _, _ := d.Get("k")
	got[1] = 'X'
	d.Dump()["k"][2] = 'X'
	again, _, _ := d.Get("k")
	wantEqual(t, "value", string(again), "abc")
}

func TestInspection(t *testing.T) {
	d := NewHost().Shared("")
	d.Set("b", []byte("2"), 0)
	d.Set("a", []byte("1"), 0)
	wantEqual(t, "len", d.Len(), 2)
	wantLines(t, "keys", d.Keys(), "a", "b")
	wantEqual(t, "dump", string(d.Dump()["a"])+string(d.Dump()["b"]), "12")
}

func TestObserverSeesEveryAccessInOrder(t *testing.T) {
	h := NewHost()
	var seen []string
	h.ObserveShared(func(a Access) {
		what := "get "
		if a.Set {
			what = "set "
		}
		seen = append(seen, what+a.Key+" "+string(a.Value)+" "+a.Status.String()+" "+strconv.Itoa(int(a.Version)))
	})
	d := h.Shared("")
	d.Get("k")
	d.Set("k", []byte("v"), 5)
	d.Set("k", []byte("w"), 5)
	d.Get("k")
	h.ObserveShared(nil)
	d.Get("k")
	wantLines(t, "accesses", seen, "get k  NotFound 0", "set k v Ok 1", "set k w CasMismatch 1", "get k v Ok 1")
}

// Each goroutine counts with compare-and-swap; no increment may be lost.
func TestSharedDataLosesNothingUnderConcurrency(t *testing.T) {
	const workers, each = 4, 200
	d := NewHost().Shared("")
	d.Set("n", []byte("0"), 0)
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for done := 0; done < each; {
				value, version, _ := d.Get("n")
				n, _ := strconv.Atoi(string(value))
				if d.Set("n", []byte(strconv.Itoa(n+1)), version) == OK {
					done++
				}
			}
		})
	}
	wait.Wait()
	value, _, _ := d.Get("n")
	wantEqual(t, "count", string(value), strconv.Itoa(workers*each))
}
