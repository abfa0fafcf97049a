package wasmhost

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestStartRunsTheCallbacksInEnvoysOrder(t *testing.T) {
	h := newHost(t)
	p := Plugin{Name: "shop", VMID: "vm", VMConfig: []byte("for the vm"), Config: []byte("tick")}
	r, err := h.Start(guest(t), p)
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "log", h.LogText(), "info create 1 0\ninfo vm_start 1 0 for the vm\ninfo configure 1 0 tick\n")
	wantEqual(t, "tick period", r.TickPeriod(), time.Second)
}

func TestUpdateMakesANewRootInTheSameVM(t *testing.T) {
	h := newHost(t)
	r := start(t, h)
	s, err := r.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	h.ResetLogs()
	updated, err := r.Update([]byte("new"))
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "log", h.LogText(), "info create 3 0\ninfo vm_start 3 0 \ninfo configure 3 0 new\n")
	wantEqual(t, "same VM", updated.VM(), r.VM())
	wantEqual(t, "an old stream's root", s.Root(), r)
	if _, err := s.RequestHeaders(command("property plugin_name"), true); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "old stream's answer", logged(t, h, "property"), "property 0 guest")
}

func TestRefusals(t *testing.T) {
	h := newHost(t)
	r := start(t, h)
	if _, err := r.Update([]byte("refuse")); !errors.Is(err, ErrConfigureRefused) {
		t.Errorf("got %v, want ErrConfigureRefused", err)
	}
	wantEqual(t, "the old root's answer", do(t, r, "property plugin_name"), "property 0 guest")
	if _, err := h.Start(guest(t), Plugin{VMConfig: []byte("refuse")}); !errors.Is(err, ErrVMStartRefused) {
		t.Errorf("got %v, want ErrVMStartRefused", err)
	}
}

func TestAnEmptyConfigurationIsZeroBytes(t *testing.T) {
	h := newHost(t)
	if _, err := h.Start(guest(t), Plugin{}); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "log", logged(t, h, "configure"), "configure 1 0 ")
}

func TestTicksGoToRootsThatAskedForThem(t *testing.T) {
	h := newHost(t)
	r := start(t, h)
	ticking, err := r.Update([]byte("tick"))
	if err != nil {
		t.Fatal(err)
	}
	h.ResetLogs()
	if err := r.VM().Tick(); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "log", h.LogText(), "info tick 2\n")
	h.ResetLogs()
	if err := r.Tick(); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "log of a direct tick", h.LogText(), "info tick 1\n")
	wantEqual(t, "id of the ticking root", ticking.ID(), 2)
}

// The guest asks for time when its first root is done, and says so from its next tick.
func TestShutdown(t *testing.T) {
	h := newHost(t)
	first := start(t, h)
	second, err := first.Update([]byte("second"))
	if err != nil {
		t.Fatal(err)
	}
	h.ResetLogs()
	for _, step := range []struct {
		root    *Root
		deleted bool
	}{{first, false}, {second, true}} {
		deleted, err := step.root.Shutdown()
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, step.root.String()+" deleted", deleted, step.deleted)
	}
	if err := first.Tick(); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "log", h.LogText(),
		"info done 1 request=2\ninfo done 2 request=2\ninfo delete 2\ninfo tick 1\ninfo delete 1\n")
}

func TestSeveralVMsShareTheHost(t *testing.T) {
	h := newHost(t)
	a, b := start(t, h), start(t, h)
	wantEqual(t, "a creates", do(t, a, "set k one 4294967295"), "set 0")
	wantEqual(t, "b is too late", do(t, b, "set k two 4294967295"), "set 8")
	wantEqual(t, "b reads", do(t, b, "get k"), "get 0 one 1")
	wantEqual(t, "b swaps", do(t, b, "set k two 1"), "set 0")
	wantEqual(t, "a is too late", do(t, a, "set k three 1"), "set 8")
	wantEqual(t, "a overwrites", do(t, a, "set k three 0"), "set 0")
	wantEqual(t, "b reads", do(t, b, "get k"), "get 0 three 3")
	wantEqual(t, "a missing key", do(t, b, "get other"), "get 1  0")
	wantEqual(t, "keys", strings.Join(h.Shared("").Keys(), " "), "k")
	wantEqual(t, "numbers", a.VM().Number()*10+b.VM().Number(), 12)
}

func TestVMsOfOneHostRunInParallel(t *testing.T) {
	h := newHost(t)
	const workers, each = 3, 50
	roots := make([]*Root, workers)
	for i := range roots {
		roots[i] = start(t, h)
	}
	results := make(chan error, workers)
	for _, r := range roots {
		go func() {
			for range each {
				if _, err := r.Do(command("metric hits"), nil); err != nil {
					results <- err
					return
				}
			}
			results <- nil
		}()
	}
	for range roots {
		if err := <-results; err != nil {
			t.Fatal(err)
		}
	}
	hits, _ := h.Metric("hits")
	wantEqual(t, "hits", hits, uint64(2*workers*each))
}
