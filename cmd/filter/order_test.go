package main

import (
	"fmt"
	"strings"
	"testing"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
)

// step is one callback of a stream in an odd order.
type step func(t *testing.T, s *wasmhost.Stream)

func request(t *testing.T, s *wasmhost.Stream) {
	if action, err := s.RequestHeaders(get("/", "alice"), true); err != nil || action != wasmhost.Continue {
		t.Errorf("request: action %d, %v", action, err)
	}
}

// response expects the number of rate-limit headers that the stream has told.
func response(headers int) step {
	return func(t *testing.T, s *wasmhost.Stream) {
		action, err := s.ResponseHeaders(wasmhost.Headers{{":status", "200"}}, true)
		if err != nil || action != wasmhost.Continue {
			t.Errorf("response: action %d, %v", action, err)
		}
		if n := len(s.Response()) - 1; n != headers {
			t.Errorf("response: %d headers, want %d: %q", n, headers, s.Response())
		}
	}
}

func remove(t *testing.T, s *wasmhost.Stream) {
	if err := s.Delete(); err != nil {
		t.Errorf("delete: %v", err)
	}
}

// unplug removes the plugin of the stream.
func unplug(t *testing.T, s *wasmhost.Stream) {
	if _, err := s.Root().Shutdown(); err != nil {
		t.Errorf("shutdown: %v", err)
	}
}

func tickRoot(t *testing.T, s *wasmhost.Stream) { tick(t, s.Root()) }

// TestOddOrders plays callbacks in orders and for numbers that a proxy should never use, or uses when a client goes away or
// another filter answers first. None traps, and the stream after them is served as ever.
func TestOddOrders(t *testing.T) {
	for _, c := range []struct {
		name      string
		steps     []step
		remaining string // told to the next request, "" if the plugin is gone
	}{
		{"response without request", []step{response(0), remove}, "2"},
		{"request after response", []step{response(0), request, response(3), remove}, "1"},
		{"request twice", []step{request, request, response(3), remove}, "1"},
		{"response twice", []step{request, response(3), response(3), remove}, "1"},
		{"gone before the response", []step{request, remove}, "1"},
		{"gone before the request", []step{remove}, "2"},
		{"deleted twice", []step{request, remove, remove}, "1"},
		{"request after the end", []step{remove, request, remove}, "2"},
		{"response after the end", []step{request, remove, response(0)}, "1"},
		{"tick amid a stream", []step{request, tickRoot, response(3), remove}, "1"},
		{"plugin gone first", []step{request, unplug, response(3), remove}, ""},
		{"plugin gone before the request", []step{unplug, request, response(3), remove}, ""},
		{"plugin gone twice", []step{unplug, unplug, request, remove}, ""},
		{"tick after the plugin", []step{unplug, tickRoot, remove}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := start(t, hosttest.New(t), threeInTen)
			s, err := root.NewStream()
			if err != nil {
				t.Fatal(err)
			}
			for _, run := range c.steps {
				run(t, s)
			}
			headers := ""
			if c.remaining != "" {
				headers = "limit=3 remaining=" + c.remaining + " reset=1700000010"
			}
			want(t, "next request", do(t, root, get("/", "alice"), nil), 200, headers)
			if err := root.VM().Failed(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestActions holds that a request is held exactly when the filter has answered it: held without an answer it would hang.
func TestActions(t *testing.T) {
	root := start(t, hosttest.New(t), limited(1, "10s", ""))
	for i, action := range []wasmhost.Action{wasmhost.Continue, wasmhost.Pause, wasmhost.Pause} {
		s, err := root.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.RequestHeaders(get("/", "alice"), true)
		if err != nil || got != action || (s.LocalReply() != nil) != (action == wasmhost.Pause) {
			t.Errorf("request %d: action %d, %v, reply %v; want action %d", i, got, err, s.LocalReply(), action)
		}
		if got, err := s.ResponseHeaders(wasmhost.Headers{{":status", "200"}}, true); err != nil || got != wasmhost.Continue {
			t.Errorf("response %d: action %d, %v", i, got, err)
		}
		remove(t, s)
	}
}

// TestInterleavedStreams holds that a stream keeps its own numbers while others run in the same memory.
func TestInterleavedStreams(t *testing.T) {
	root := start(t, hosttest.New(t), threeInTen)
	names := []string{"alice", "bob", "alice", "alice"}
	var streams []*wasmhost.Stream
	for _, name := range names {
		s, err := root.Begin(get("/", name))
		if err != nil {
			t.Fatal(err)
		}
		streams = append(streams, s)
	}
	for i, headers := range map[int]string{
		2: "limit=3 remaining=1 reset=1700000010", 0: "limit=3 remaining=2 reset=1700000010",
		3: "limit=3 remaining=0 reset=1700000010", 1: "limit=3 remaining=2 reset=1700000010",
	} {
		response, err := streams[i].Finish(nil)
		if err != nil {
			t.Fatal(err)
		}
		want(t, names[i], response, 200, headers)
	}
}

// TestNothingOfACallbackIsKept holds that the plugin's name, which the proxy returned at the start and whose memory later
// callbacks use again, is still right where it serves as the domain.
func TestNothingOfACallbackIsKept(t *testing.T) {
	host := hosttest.New(t)
	configuration := strings.Replace(threeInTen, `"domain": "shop"`, `"on_unidentified": "refuse"`, 1)
	root := start(t, host, configuration)
	host.ResetLogs()
	for i := range 100 {
		do(t, root, append(get("/", fmt.Sprint("client-", i)), [2]string{"x-long", strings.Repeat("l", 1_000)}), nil)
	}
	response := do(t, root, bare("GET", "/"), nil)
	if got := response.Headers.Value("www-authenticate"); response.Status != 401 || got != `ApiKey realm="plugin"` {
		t.Errorf("%d with challenge %q", response.Status, got)
	}
	root.VM().SetHooks(wasmhost.Hooks{Inject: wasmhost.Fail("get_shared_data", 1, wasmhost.InternalFailure)})
	do(t, root, get("/", "alice"), nil)
	if !strings.HasPrefix(host.LogText(), "error tollgate plugin: ") {
		t.Errorf("log %q", host.LogText())
	}
	for _, key := range host.Shared("").Keys() {
		if !strings.HasPrefix(key, "tollgate/1/plugin/") {
			t.Errorf("key %q", key)
		}
	}
}
