package filter

import (
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"tollgate/limiter"
)

// quietHost is a host that allocates nothing, so that whatever is allocated is the filter's.
type quietHost struct {
	fakeHost
	values  map[string]*quietValue
	replies int
	written int
}

type quietValue struct {
	data    []byte
	version uint32
}

func newQuietHost() *quietHost {
	return &quietHost{fakeHost: *newFakeHost(), values: map[string]*quietValue{}}
}

func (h *quietHost) Get(key []byte) ([]byte, uint32, error) {
	v := h.values[string(key)]
	if v == nil {
		return nil, 0, limiter.ErrNotFound
	}
	return v.data, v.version, nil
}

func (h *quietHost) Create(key, value []byte) error {
	if h.values[string(key)] != nil {
		return limiter.ErrExists
	}
	h.values[string(key)] = &quietValue{append(make([]byte, 0, 1<<10), value...), 1}
	return nil
}

func (h *quietHost) CompareAndSwap(key, value []byte, version uint32) error {
	v := h.values[string(key)]
	if v == nil || v.version != version {
		return limiter.ErrConflict
	}
	v.data = append(v.data[:0], value...)
	v.version++
	return nil
}

func (h *quietHost) Now() (int64, error)                  { return h.now, nil }
func (h *quietHost) RequestHeaders() ([][2]string, error) { return h.request, nil }
func (h *quietHost) SendReply(*Reply) error               { h.replies++; return nil }

func (h *quietHost) ReplaceResponseHeader(string, []byte) error {
	h.written++
	return nil
}

// exchange plays the request that is set.
func (h *quietHost) exchange(p types.PluginContext) {
	s := p.NewHttpContext(2)
	s.OnHttpRequestHeaders(len(h.request), true)
	s.OnHttpResponseHeaders(0, true)
	s.OnHttpStreamDone()
}

// TestAnExchangeAllocatesNothing holds that the steady state leaves nothing to collect, whatever becomes of the request.
func TestAnExchangeAllocatesNothing(t *testing.T) {
	const configuration = `{"domain": "shop", "rules": [
		{"name": "unmatched", "match": [{"path": "/unmatched"}], "on_unidentified": "next", "identity": [{"header": "x-none"}], "limits": [{"requests": 1, "window": "1s"}]},
		{"name": "never", "match": [{"path": "/never"}], "limits": [{"requests": 0, "window": "10s"}]},
		{"name": "several", "match": [{"path": "/several"}], "limits": [{"requests": 4000000000, "window": "1s"}, {"requests": 4000000000, "window": "1h"}]},
		{"name": "api", "match": [{"path_prefix": "/api"}], "limits": [{"requests": 4000000000, "window": "10s"}]},
		{"name": "once", "match": [{"path": "/once"}], "limits": [{"requests": 1, "window": "10s"}]}]}`
	for _, c := range []struct {
		name             string
		request          [][2]string
		tick             int64 // what the clock moves by between requests
		replies, written int   // of each exchange
	}{
		{"allowed", get("/api/items?q=1", "alice"), 1, 0, 3},
		{"allowed in a new window", get("/api", "alice"), 10 * second, 0, 3},
		{"allowed by several limits", get("/several", "alice"), second, 0, 3},
		{"anonymous", bare("GET", "/api"), 1, 0, 3},
		{"refused from memory", get("/once", "alice"), 0, 1, 0},
		{"refused for ever", get("/never", "alice"), 10 * second, 1, 0},
		{"refused gRPC", with(get("/once", "alice"), "content-type", "application/grpc"), 0, 1, 0},
		{"unmatched", get("/", "alice"), 1, 0, 0},
		{"unmatched for want of a client", get("/unmatched", "alice"), 1, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newQuietHost()
			h.configuration = configuration
			p := NewVM(h).NewPluginContext(1)
			if p.OnPluginStart(len(configuration)) != types.OnPluginStartStatusOK {
				t.Fatalf("the plugin did not start: %v", h.logs)
			}
			h.request = c.request
			exchange := func() {
				h.now += c.tick
				h.exchange(p)
			}
			exchange()
			h.replies, h.written = 0, 0
			const runs = 100
			allocations := testing.AllocsPerRun(runs, exchange) // runs once more to warm up
			if allocations != 0 {
				t.Errorf("%v allocations", allocations)
			}
			if h.replies != (runs+1)*c.replies || h.written != (runs+1)*c.written {
				t.Errorf("%d replies and %d headers in %d exchanges, want %d and %d of each", h.replies, h.written, runs+1, c.replies, c.written)
			}
		})
	}
}

// TestARefusalByTheStoreAllocatesNothing is apart from those from memory: each request is of another client.
func TestARefusalByTheStoreAllocatesNothing(t *testing.T) {
	h := newQuietHost()
	h.configuration = `{"domain": "shop", "max_counters": 16, "rules": [{"name": "once", "limits": [{"requests": 1, "window": "10s"}]}]}`
	first, other := NewVM(h).NewPluginContext(1), NewVM(h).NewPluginContext(1)
	for _, p := range []types.PluginContext{first, other} {
		if p.OnPluginStart(len(h.configuration)) != types.OnPluginStartStatusOK {
			t.Fatalf("the plugin did not start: %v", h.logs)
		}
	}
	h.request = get("/", "alice")
	h.exchange(other)
	allocations := testing.AllocsPerRun(100, func() {
		h.now += 10 * second
		h.exchange(first) // takes the budget of the window
		h.exchange(other) // is refused by the store, which its own memory knows nothing of
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
	if h.replies != 101 {
		t.Errorf("%d refusals, want 101", h.replies)
	}
}
