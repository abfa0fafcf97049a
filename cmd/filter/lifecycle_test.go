package main

import (
	"io"
	"log"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/proxytest"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"tollgate/filter"
	"tollgate/internal/abi"
	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
)

// proxy is one proxy with one plugin, whatever runs it.
type proxy interface {
	start(configuration string) bool
	// exchange plays a whole stream. Without request headers only the response is seen.
	exchange(request, upstream wasmhost.Headers) wasmhost.Response
	tick()
	done()
	metric(name string) uint64
	errorLines() []string
	tickPeriod() time.Duration
}

// move is one step of a life cycle.
type move func(t *testing.T, p proxy)

func starts(configuration string) move {
	return func(t *testing.T, p proxy) {
		if !p.start(configuration) || p.tickPeriod() != time.Second || len(p.errorLines()) != 0 {
			t.Fatalf("started with a tick of %s and errors %q", p.tickPeriod(), p.errorLines())
		}
	}
}

// refuses expects one line in the log for each of the errors.
func refuses(configuration string, errors ...string) move {
	return func(t *testing.T, p proxy) {
		started, lines := p.start(configuration), p.errorLines()
		if started || len(lines) != len(errors) {
			t.Fatalf("started: %t, errors %q, want %q", started, lines, errors)
		}
		for i, text := range errors {
			if want := "tollgate: configuration refused: " + text; !strings.HasPrefix(lines[i], want) {
				t.Errorf("error %q, want %q", lines[i], want)
			}
		}
	}
}

func gets(request wasmhost.Headers, status int, headers string) move {
	return func(t *testing.T, p proxy) {
		r := p.exchange(request, wasmhost.Headers{{":status", "200"}, {"x-ratelimit-limit", "7"}})
		want(t, request.Value(":path"), undated(t, r), status, headers)
	}
}

// failsGRPC expects a refusal that a gRPC client understands.
func failsGRPC(request wasmhost.Headers, grpcStatus string) move {
	return func(t *testing.T, p proxy) {
		r := p.exchange(append(request, [2]string{"content-type", "application/grpc"}), nil)
		if got := r.Headers.Value("grpc-status"); !r.Local || got != grpcStatus {
			t.Errorf("gRPC: %+v, want grpc-status %s", r, grpcStatus)
		}
	}
}

func ticks(_ *testing.T, p proxy) { p.tick() }
func ends(_ *testing.T, p proxy)  { p.done() }

func counts(metric string, value uint64) move {
	return func(t *testing.T, p proxy) {
		if got := p.metric("tollgate.shop." + metric); got != value {
			t.Errorf("metric %s = %d, want %d", metric, got, value)
		}
	}
}

const (
	longest       = 366 * 24 * time.Hour
	longestWindow = `{"domain": "shop", "rules": [
		{"name": "login", "match": [{"methods": ["POST"], "path": "/login"}], "limits": [{"requests": 1, "window": "366d"}]},
		{"name": "api", "match": [{"path_prefix": "/api"}], "limits": [{"requests": 2, "window": "366d"}]}]}`
)

// TestLifeCycle plays each life cycle natively, over the SDK's emulator, and through the module. The emulator knows no
// clock but the real one, so the window is the longest there is.
func TestLifeCycle(t *testing.T) {
	login := append(bare("POST", "/login"), [2]string{"x-api-key", "alice"})
	for name, moves := range map[string][]move{
		"serves": {
			starts(longestWindow), counts("api.allowed", 0), counts("login.limited", 0),
			gets(get("/api", "alice"), 200, "limit=2 remaining=1 reset=END"),
			gets(get("/api?q", "alice"), 200, "limit=2 remaining=0 reset=END"),
			gets(get("/api", "alice"), 429, "limit=2 remaining=0 reset=END retry-after=LEFT"),
			gets(get("/api", "alice"), 429, "limit=2 remaining=0 reset=END retry-after=LEFT"),
			gets(get("/api", "bob"), 200, "limit=2 remaining=1 reset=END"),
			gets(login, 200, "limit=1 remaining=0 reset=END"),
			gets(login, 429, "limit=1 remaining=0 reset=END retry-after=LEFT"),
			gets(get("/", "alice"), 200, "limit=7"),
			counts("api.allowed", 0), ticks, counts("api.allowed", 3), counts("api.limited", 2), counts("login.allowed", 1),
			gets(get("/api", "carol"), 200, "limit=2 remaining=1 reset=END"),
			counts("api.allowed", 3), ends, counts("api.allowed", 4), counts("cas_conflicts", 0),
		},
		"anonymous": {
			starts(longestWindow),
			gets(bare("GET", "/api"), 200, "limit=2 remaining=1 reset=END"),
			gets(get("/api", " "), 200, "limit=2 remaining=0 reset=END"),
			gets(get("/api", "anonymous"), 200, "limit=2 remaining=1 reset=END"),
		},
		"only a response": {starts(longestWindow), gets(nil, 200, "limit=7"), ticks, counts("api.allowed", 0)},
		"gRPC": {
			starts(longestWindow),
			gets(get("/api", "alice"), 200, "limit=2 remaining=1 reset=END"), gets(get("/api", "alice"), 200, "limit=2 remaining=0 reset=END"),
			failsGRPC(get("/api", "alice"), "8"),
		},
		"gRPC without a client": {
			starts(strings.Replace(longestWindow, `"domain"`, `"on_unidentified": "refuse", "domain"`, 1)),
			failsGRPC(bare("GET", "/api"), "16"),
		},
		"no configuration":    {refuses("", "configuration 1:1 is empty; ")},
		"blank configuration": {refuses(" \n", "configuration 1:1 is empty; ")},
		"broken configuration": {refuses(`{"domain": "shop", "rules": [{"name": "api", "limits": [{"requests": "many", "window": "1"}]}], "limt": 1}`,
			"rules[0].limits[0].requests 1:70 ", "rules[0].limits[0].window 1:88 ", "limt 1:97 ")},
	} {
		t.Run(name, func(t *testing.T) {
			for runner, newProxy := range map[string]func(*testing.T) proxy{"native": emulated, "module": inModule} {
				t.Run(runner, func(t *testing.T) {
					p := newProxy(t)
					for _, move := range moves {
						move(t, p)
					}
				})
			}
		})
	}
}

// undated replaces the times in a response by words, if they are those of the longest window.
func undated(t *testing.T, r wasmhost.Response) wasmhost.Response {
	t.Helper()
	window := int64(longest / time.Second)
	now := time.Now().Unix()
	end := now - now%window + window
	r.Headers = slices.Clone(r.Headers)
	for i, line := range r.Headers {
		switch line[0] {
		case "x-ratelimit-reset":
			if line[1] == strconv.FormatInt(end, 10) {
				r.Headers[i][1] = "END"
			}
		case "retry-after":
			// The reply was made a moment ago.
			if left, err := strconv.ParseInt(line[1], 10, 64); err == nil && left >= end-now && left <= end-now+60 {
				r.Headers[i][1] = "LEFT"
			}
		}
	}
	return r
}

// module runs the built module.
type module struct {
	t    *testing.T
	host *wasmhost.Host
	root *wasmhost.Root
}

func inModule(t *testing.T) proxy {
	host := hosttest.New(t)
	host.SetClock(time.Now)
	return &module{t: t, host: host}
}

func (m *module) check(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *module) start(configuration string) bool {
	root, err := m.host.Start(built(m.t), wasmhost.Plugin{Name: "shop", Config: []byte(configuration)})
	m.root = root
	return err == nil
}

func (m *module) exchange(request, upstream wasmhost.Headers) wasmhost.Response {
	m.t.Helper()
	s, err := m.root.NewStream()
	m.check(err)
	if request != nil {
		_, err = s.RequestHeaders(request, true)
		m.check(err)
	}
	response, err := s.Finish(func(wasmhost.Headers) wasmhost.Headers { return upstream })
	m.check(err)
	return response
}

func (m *module) tick() { m.check(m.root.Tick()) }

func (m *module) done() {
	_, err := m.root.Shutdown()
	m.check(err)
}

func (m *module) metric(name string) uint64 {
	value, _ := m.host.Metric(name)
	return value
}

func (m *module) errorLines() (lines []string) {
	for _, entry := range m.host.Logs() {
		if entry.Level >= wasmhost.LevelError {
			lines = append(lines, entry.Text)
		}
	}
	return lines
}

func (m *module) tickPeriod() time.Duration { return m.root.TickPeriod() }

// emulator runs the filter natively.
type emulator struct {
	t    *testing.T
	host proxytest.HostEmulator
}

func emulated(t *testing.T) proxy {
	before := log.Writer()
	t.Cleanup(func() { log.SetOutput(before) })
	log.SetOutput(io.Discard) // the emulator prints whatever is logged
	return &emulator{t: t}
}

func (e *emulator) start(configuration string) bool {
	option := proxytest.NewEmulatorOption().WithVMContext(filter.NewVM(abi.Host{})).
		WithPluginConfiguration([]byte(configuration)).WithProperty([]string{"plugin_name"}, []byte("shop"))
	host, reset := proxytest.NewHostEmulator(option)
	e.host = host
	e.t.Cleanup(reset)
	return host.StartVM() == types.OnVMStartStatusOK && host.StartPlugin() == types.OnPluginStartStatusOK
}

func (e *emulator) exchange(request, upstream wasmhost.Headers) wasmhost.Response {
	id := e.host.InitializeHttpContext()
	defer e.host.CompleteHttpContext(id)
	if request != nil {
		e.host.CallOnRequestHeaders(id, request, true)
	}
	response := wasmhost.Response{Status: 200}
	if reply := e.host.GetSentLocalResponse(id); reply != nil {
		response.Local, response.Status, upstream = true, int(reply.StatusCode), reply.Headers
		if reply.GRPCStatus >= 0 {
			upstream = append(upstream, [2]string{"grpc-status", strconv.Itoa(int(reply.GRPCStatus))})
		}
	}
	e.host.CallOnResponseHeaders(id, upstream, true)
	response.Headers = e.host.GetCurrentResponseHeaders(id)
	return response
}

func (e *emulator) tick() { e.host.Tick() }
func (e *emulator) done() { e.host.FinishVM() }

func (e *emulator) metric(name string) uint64 {
	value, err := e.host.GetCounterMetric(name)
	if err != nil {
		e.t.Error(err)
	}
	return value
}

func (e *emulator) errorLines() []string { return e.host.GetErrorLogs() }

func (e *emulator) tickPeriod() time.Duration {
	return time.Duration(e.host.GetTickPeriod()) * time.Millisecond
}
