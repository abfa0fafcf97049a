package filter

import (
	"errors"
	"slices"
	"strings"
	"unsafe"

	"tollgate/limiter"
	"tollgate/limiter/memstore"
)

// fakeHost is a proxy in a test's hand: a clock that is set, a store in memory, and every call recorded, failing or panicking on
// demand.
type fakeHost struct {
	store         memstore.Store
	now           int64 // Unix nanoseconds
	configuration string
	pluginName    string

	request  [][2]string // what RequestHeaders gives
	upstream [][2]string // the request as the upstream would get it, where the filter changes it
	status   int         // of the response
	response [][2]string // what ReplaceResponseHeader changes
	reply    *sentReply

	names    []string // of the counters, by their number
	counters map[string]uint64

	properties map[string]string // of the stream, by paths with dots

	logs []logLine
	tick uint32

	pairs [][2]string // reused
	lent  [][]byte    // memory of the callback
	value []byte      // memory of the last Get

	calls   []string // in order, such as "get" and "replace x-ratelimit-limit"
	trouble map[string]trouble
}

// trouble is what a call does instead of its work.
type trouble struct {
	err    error
	panics any
	after  int // how often the work is done before
	times  int // how often it is not; below 0: always
}

type logLine struct {
	level Level
	text  string
}

// sentReply is a copy of a Reply, which is valid during the call alone.
type sentReply struct {
	status  int
	details string
	headers [][2]string
	body    string
	grpc    int32
}

var errBroken = errors.New("the host is broken")

const always = -1

func newFakeHost() *fakeHost {
	return &fakeHost{
		now:      1_000 * second,
		counters: map[string]uint64{},
		trouble:  map[string]trouble{},
	}
}

// second is a second of the host's clock.
const second = 1_000_000_000

// failing lets a call fail so many times.
func (h *fakeHost) failing(call string, times int, err error) {
	h.trouble[call] = trouble{err: err, times: times}
}

// lend returns a text whose memory is the callback's, as a real proxy's is.
func (h *fakeHost) lend(text string) string {
	memory := []byte(text)
	h.lent = append(h.lent, memory)
	return unsafe.String(unsafe.SliceData(memory), len(memory))
}

// callbackEnds overwrites what was lent: who has kept it without copying it is found out.
func (h *fakeHost) callbackEnds() {
	for _, memory := range h.lent {
		spoil(memory)
	}
	h.lent = h.lent[:0]
	h.storeCalled()
}

// storeCalled ends the life of the value that the last Get returned.
func (h *fakeHost) storeCalled() { spoil(h.value) }

func spoil(memory []byte) {
	for i := range memory {
		memory[i] = '!'
	}
}

// called records a call and says how it fails.
func (h *fakeHost) called(name string, about ...string) error {
	h.calls = append(h.calls, strings.Join(append([]string{name}, about...), " "))
	w := h.trouble[name]
	if w.times == 0 {
		return nil
	}
	if w.after > 0 {
		w.after--
		h.trouble[name] = w
		return nil
	}
	w.times--
	h.trouble[name] = w
	if w.panics != nil {
		panic(w.panics)
	}
	return w.err
}

func (h *fakeHost) Get(key []byte) ([]byte, uint32, error) {
	h.storeCalled()
	if err := h.called("get"); err != nil {
		return nil, 0, err
	}
	value, version, err := h.store.Get(key)
	h.value = slices.Clone(value)
	return h.value, version, err
}

func (h *fakeHost) Create(key, value []byte) error {
	defer h.storeCalled() // the new value may be made of the old one
	if err := h.called("create"); err != nil {
		return err
	}
	return h.store.Create(key, value)
}

func (h *fakeHost) CompareAndSwap(key, value []byte, version uint32) error {
	defer h.storeCalled() // the new value may be made of the old one
	if err := h.called("swap"); err != nil {
		return err
	}
	return h.store.CompareAndSwap(key, value, version)
}

func (h *fakeHost) Now() (int64, error) { return h.now, h.called("now") }

func (h *fakeHost) Random(dst []byte) error {
	for i := range dst {
		dst[i] = byte(i)
	}
	return h.called("random")
}

func (h *fakeHost) PluginConfiguration() ([]byte, error) {
	memory := []byte(h.configuration)
	h.lent = append(h.lent, memory)
	return memory, h.called("configuration")
}

func (h *fakeHost) Property(path string) (string, bool) {
	switch {
	case h.called("property", path) != nil:
		return "", false
	case path == "plugin_name":
		return h.lend(h.pluginName), true
	}
	return h.property(path)
}

func (h *fakeHost) SetTickPeriod(milliseconds uint32) error {
	h.tick = milliseconds
	return h.called("tick period")
}

func (h *fakeHost) RequestHeaders() ([][2]string, error) {
	h.pairs = h.pairs[:0]
	for _, line := range h.request {
		h.pairs = append(h.pairs, [2]string{h.lend(line[0]), h.lend(line[1])})
	}
	return h.pairs, h.called("request headers")
}

func (h *fakeHost) ReplaceResponseHeader(name string, value []byte) error {
	if err := h.called("replace", name); err != nil {
		return err
	}
	var lines [][2]string
	for _, line := range h.response {
		if line[0] != name {
			lines = append(lines, line)
		}
	}
	h.response = append(lines, [2]string{name, string(value)})
	return nil
}

func (h *fakeHost) SendReply(r *Reply) error {
	if err := h.called("reply"); err != nil {
		return err
	}
	h.reply = &sentReply{status: int(r.Status), details: string(r.Details), body: string(r.Body), grpc: r.GRPC}
	for _, f := range r.Fields {
		h.reply.headers = append(h.reply.headers, [2]string{f.Name, string(f.Value)})
	}
	return nil
}

func (h *fakeHost) DefineCounter(name string) (Counter, error) {
	if err := h.called("define", name); err != nil {
		return 0, err
	}
	h.names = append(h.names, name)
	h.counters[name] += 0
	return Counter(len(h.names) - 1), nil
}

func (h *fakeHost) IncrementCounter(id Counter, by uint64) error {
	if err := h.called("increment", h.names[id]); err != nil {
		return err
	}
	h.counters[h.names[id]] += by
	return nil
}

func (h *fakeHost) Log(level Level, line string) {
	h.logs = append(h.logs, logLine{level, line})
	_ = h.called("log")
}

// errorLines are the log's lines of level error.
func (h *fakeHost) errorLines() []string {
	var lines []string
	for _, l := range h.logs {
		if l.level == LogError {
			lines = append(lines, l.text)
		}
	}
	return lines
}

var (
	_ Host          = (*fakeHost)(nil)
	_ limiter.Store = (*fakeHost)(nil)
)
