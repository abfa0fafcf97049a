package wasmhost

import (
	"errors"
	"strings"
	"testing"
)

func TestTraps(t *testing.T) {
	for _, test := range []struct{ command, callback, text string }{
		{"panic", "proxy_on_request_headers", "panic: told to"},
		{"badallocate", "proxy_on_request_headers", "proxy_get_property must not be called while memory is allocated"},
		{"exit", "proxy_on_request_headers", "proc_exit(3)"},
	} {
		t.Run(test.command, func(t *testing.T) {
			r := start(t, newHost(t))
			_, err := r.Do(command(test.command), nil)
			var trap *TrapError
			if !errors.As(err, &trap) {
				t.Fatalf("got %v, want a TrapError", err)
			}
			wantEqual(t, "callback", trap.Callback, test.callback)
			if !strings.Contains(trap.Error(), test.text) {
				t.Errorf("the error lacks %q:\n%v", test.text, trap)
			}
			wantEqual(t, "failed", r.VM().Failed(), error(trap))
			if _, err := r.Do(command("get k"), nil); !errors.As(err, &trap) {
				t.Errorf("a callback on the dead VM: got %v, want the TrapError", err)
			}
		})
	}
}

func TestSleepIsFatalOnlyWherePollingFails(t *testing.T) {
	r := start(t, newHost(t))
	if _, err := r.Do(command("sleep"), nil); err != nil {
		t.Fatal(err)
	}
	r.VM().SetHooks(Hooks{Inject: Fail("poll_oneoff", -1, errnoUnsupported)})
	if _, err := r.Do(command("sleep"), nil); err == nil || !strings.Contains(err.Error(), "poll_oneoff") {
		t.Errorf("got %v, want a trap about poll_oneoff", err)
	}
}

func TestATrapLeavesOtherVMsAlone(t *testing.T) {
	h := newHost(t)
	a, b := start(t, h), start(t, h)
	if _, err := a.Do(command("panic"), nil); err == nil {
		t.Fatal("no error")
	}
	wantEqual(t, "the other VM", do(t, b, "get k"), "get 1  0")
	wantEqual(t, "the other VM's failure", b.VM().Failed(), nil)
	wantEqual(t, "the other VM's standard error", b.VM().Stderr(), "")
}

func TestMemorySizeGrows(t *testing.T) {
	r := start(t, newHost(t))
	before := r.VM().MemorySize()
	if _, err := r.Do(command("grow"), nil); err != nil {
		t.Fatal(err)
	}
	if after := r.VM().MemorySize(); after < before+8<<20 {
		t.Errorf("grew from %d to %d, want 8 MiB more", before, after)
	}
}

func TestCloseTwice(t *testing.T) {
	h := newHost(t)
	vm := start(t, h).VM()
	for range 2 {
		if err := vm.Close(); err != nil {
			t.Error(err)
		}
	}
}
