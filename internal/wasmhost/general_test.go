package wasmhost

import (
	"strings"
	"testing"
	"time"
)

func TestBothClocksAreTheHosts(t *testing.T) {
	h := newHost(t)
	r := start(t, h)
	h.SetTime(time.Unix(0, 123456789))
	wantEqual(t, "set clock", do(t, r, "clock"), "clock 123456789 123456789")
	h.Advance(time.Microsecond)
	wantEqual(t, "advanced", do(t, r, "clock"), "clock 123457789 123457789")
	calls := int64(0)
	h.SetClock(func() time.Time { calls++; return time.Unix(0, calls) })
	wantEqual(t, "function", do(t, r, "clock"), "clock 1 2")
	h.SetTime(time.Unix(1, 0))
	wantEqual(t, "set again", do(t, r, "clock"), "clock 1000000000 1000000000")
}

func TestProperties(t *testing.T) {
	h := newHost(t)
	r := start(t, h)
	h.SetProperty([]byte("main"), "xds", "route_name")
	wantEqual(t, "of the plugin", do(t, r, "property plugin_name"), "property 0 guest")
	wantEqual(t, "of the host", do(t, r, "property xds.route_name"), "property 0 main")
	wantEqual(t, "none", do(t, r, "property xds.nothing"), "property 1 ")

	s, err := r.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	s.SetProperty([]byte("mine"), "xds", "route_name")
	for _, step := range [][2]string{
		{"property xds.route_name", "property 0 mine"},
		{"setproperty own value", "setproperty 0"},
		{"property own", "property 0 value"},
	} {
		h.ResetLogs()
		if _, err := s.RequestHeaders(command(step[0]), true); err != nil {
			t.Fatal(err)
		}
		wantEqual(t, step[0], strings.TrimSpace(strings.TrimPrefix(h.LogText(), "info")), step[1])
	}
	wantEqual(t, "another stream", do(t, r, "property own"), "property 1 ")
	h.SetProperty(nil, "xds", "route_name")
	wantEqual(t, "removed", do(t, r, "property xds.route_name"), "property 1 ")
}

func TestMetrics(t *testing.T) {
	h := newHost(t)
	a, b := start(t, h), start(t, h)
	wantEqual(t, "results", do(t, a, "metric m"), "metric 0 2 0 0 2 1")
	wantEqual(t, "in another VM", do(t, b, "metric m"), "metric 0 2 0 0 4 1")
	wantEqual(t, "counter", h.Metrics()["m"], 4)
	wantEqual(t, "gauge", h.Metrics()["m_gauge"], 7)
	if _, defined := h.Metric("other"); defined {
		t.Error("a metric that nobody defined is there")
	}
}

func TestRandomNumbersFollowTheSeedAndDifferByVM(t *testing.T) {
	draw := func(seed uint64) (first, second string) {
		h := newHost(t)
		h.SetSeed(seed)
		return do(t, start(t, h), "random"), do(t, start(t, h), "random")
	}
	a1, a2 := draw(1)
	b1, b2 := draw(1)
	c1, _ := draw(2)
	wantEqual(t, "first VM, same seed", b1, a1)
	wantEqual(t, "second VM, same seed", b2, a2)
	wantEqual(t, "two VMs alike", a1 == a2, false)
	wantEqual(t, "two seeds alike", a1 == c1, false)
}

func TestLogsCarryTheVMAndTheLevel(t *testing.T) {
	h := newHost(t)
	start(t, h)
	r := start(t, h)
	do(t, r, "get k")
	entry := h.Logs()[1]
	wantEqual(t, "entry", entry, LogEntry{VM: 2, Level: LevelInfo, Text: "get 1  0"})
}

func TestWhatTheGuestPrintsIsLoggedAsAnError(t *testing.T) {
	h := newHost(t)
	r := start(t, h)
	if _, err := r.Do(command("print"), nil); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "standard error", r.VM().Stderr(), "printed\n")
	wantEqual(t, "log", strings.Contains(h.LogText(), "error printed\n"), true)
}

func TestEverythingIsLogged(t *testing.T) {
	wantEqual(t, "level", do(t, start(t, newHost(t)), "level"), "level 0 0")
}

func TestBuffersOutsideTheirCallbacks(t *testing.T) {
	h := newHost(t)
	r, err := h.Start(guest(t), Plugin{VMConfig: []byte("four"), Config: []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "buffers", do(t, r, "buffer"), "buffer 0 4 1")
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		CASMismatch.String(): "CasMismatch", Status(58).String(): "58",
		LevelWarn.String(): "warning", LogLevel(9).String(): "9",
	} {
		wantEqual(t, "name", got, want)
	}
}
