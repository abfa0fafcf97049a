package prove

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tollgate/internal/wasmhost"
)

// nonsense plays scripts against one VM: whatever a client could send, in whatever order a host could run the callbacks.
type nonsense struct {
	host *wasmhost.Host
	vm   *wasmhost.VM
	good []string
	// tame scripts start good configurations only. A refused one leaves its root context in the VM: Envoy tries configurations in
	// a VM that it throws away.
	tame  bool
	roots []*wasmhost.Root
	// streams live, and ended are deleted: the VM does not know their numbers any more.
	streams, ended []*wasmhost.Stream
	figures        *nonsenseFigures
}

// nonsenseFigures say that scripts get somewhere.
type nonsenseFigures struct{ scripts, bytes, exchanges, replies, started, refused int }

// newNonsense returns a player that begins with these configurations. Its host is to be closed.
func newNonsense(t testing.TB, good []string) *nonsense {
	t.Helper()
	n := &nonsense{host: wasmhost.NewHost(), good: good, figures: &nonsenseFigures{}}
	vm, err := n.host.NewVM(built(t), "")
	if err != nil {
		t.Fatal(err)
	}
	n.vm = vm
	return n
}

// playNonsense plays a script in a VM of its own, and adds to the figures.
func playNonsense(t testing.TB, good []string, script []byte, figures *nonsenseFigures) error {
	t.Helper()
	n := newNonsense(t, good)
	n.figures = figures
	return errors.Join(n.play(script), n.host.Close())
}

// mostActions bounds a script: it ends with its bytes, but a byte can begin a lot of work.
const mostActions = 400

// play plays a script and returns what went wrong, or nil.
func (n *nonsense) play(script []byte) error {
	n.figures.scripts++
	n.figures.bytes += len(script)
	c := &choices{script}
	for range mostActions {
		if c.done() {
			break
		}
		if err := n.act(c); err != nil {
			return err
		}
	}
	return errors.Join(n.end(), n.check())
}

// act plays one action of a script.
func (n *nonsense) act(c *choices) error {
	actions := []func(*choices) error{
		n.exchange, n.exchange, n.exchange, n.exchange, n.exchange, n.exchange, n.begin, n.begin, n.request, n.request, n.request, n.respond, n.respond,
		n.log, n.delete, n.close, n.tick, n.configure, n.configure, n.shutdown, n.turnClock, n.corrupt, n.fail, n.property, n.property,
	}
	err := of(c, actions)(c)
	refused := errors.Is(err, wasmhost.ErrConfigureRefused) && !n.tame
	if refused || errors.Is(err, wasmhost.ErrPaused) {
		return nil // an answer; everything else is a trap, or a fault of the test
	}
	return err
}

// mostStreams bounds how many streams are open at once.
const mostStreams = 100

func (n *nonsense) begin(c *choices) error {
	if len(n.roots) == 0 || len(n.streams) >= mostStreams {
		return n.configure(c)
	}
	s, err := of(c, n.roots).NewStream()
	if err == nil {
		n.streams = append(n.streams, s)
	}
	return err
}

func (n *nonsense) exchange(c *choices) error {
	if len(n.roots) == 0 {
		return n.configure(c)
	}
	upstream := c.headers()
	r, err := of(c, n.roots).Do(c.headers(), func(wasmhost.Headers) wasmhost.Headers { return upstream })
	if err != nil {
		return err
	}
	n.figures.exchanges++
	if r.Local {
		n.figures.replies++
	}
	return plausible(r)
}

// plausible returns what no client may be told.
func plausible(r wasmhost.Response) error {
	if !r.Local {
		return nil
	}
	grpc := r.Headers.Value("grpc-status") // a gRPC client is answered with HTTP 200
	if (r.Status < 400 || r.Status > 599) && (r.Status != 200 || grpc == "" || grpc == "0") {
		return fmt.Errorf("the filter answered %d with grpc-status %q", r.Status, grpc)
	}
	numbers := map[string]uint64{}
	for _, name := range []string{"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"} {
		for _, text := range r.Headers.Values(name) {
			v, err := strconv.ParseUint(text, 10, 64)
			if _, twice := numbers[name]; err != nil || twice {
				return fmt.Errorf("the filter answered %v", r.Headers)
			}
			numbers[name] = v
		}
	}
	if numbers["x-ratelimit-remaining"] > numbers["x-ratelimit-limit"] {
		return fmt.Errorf("the filter answered %v", r.Headers)
	}
	return nil
}

// stream returns any stream, a live one more often than one that has ended; nil if there is none.
func (n *nonsense) stream(c *choices) *wasmhost.Stream {
	if len(n.ended) > 0 && (len(n.streams) == 0 || c.yes(6)) {
		return of(c, n.ended)
	}
	if len(n.streams) == 0 {
		return nil
	}
	return of(c, n.streams)
}

func (n *nonsense) request(c *choices) error {
	s := n.stream(c)
	if s == nil {
		return n.begin(c)
	}
	_, err := s.RequestHeaders(c.headers(), c.yes(2))
	return err
}

func (n *nonsense) respond(c *choices) error {
	s := n.stream(c)
	if s == nil {
		return n.begin(c)
	}
	_, err := s.ResponseHeaders(c.headers(), c.yes(2))
	return err
}

func (n *nonsense) log(c *choices) error {
	s := n.stream(c)
	if s == nil {
		return nil
	}
	_, err := s.Done()
	return errors.Join(err, s.Log())
}

func (n *nonsense) delete(c *choices) error {
	s := n.stream(c)
	if s == nil {
		return nil
	}
	n.forget(s)
	return s.Delete()
}

func (n *nonsense) close(c *choices) error {
	s := n.stream(c)
	if s == nil {
		return nil
	}
	n.forget(s)
	return s.Close()
}

func (n *nonsense) forget(s *wasmhost.Stream) {
	n.streams = slices.DeleteFunc(n.streams, func(other *wasmhost.Stream) bool { return other == s })
	if len(n.ended) < mostStreams {
		n.ended = append(n.ended, s)
	}
}

func (n *nonsense) tick(c *choices) error {
	if len(n.roots) == 0 {
		return nil
	}
	return of(c, n.roots).Tick()
}

// mostRoots bounds how many configurations live at once.
const mostRoots = 8

func (n *nonsense) configure(c *choices) error {
	if len(n.roots) >= mostRoots {
		return n.shutdown(c)
	}
	p := plugin(of(c, n.good))
	if !n.tame {
		p = wasmhost.Plugin{Name: of(c, []string{"shop", "", "a b", "\xff"}), Config: []byte(c.configuration(n.good))}
	}
	root, err := n.vm.Start(p)
	if err != nil {
		n.figures.refused++
		return err
	}
	n.figures.started++
	n.roots = append(n.roots, root)
	return nil
}

// shutdown ends a configuration; its streams may be open.
func (n *nonsense) shutdown(c *choices) error {
	if len(n.roots) == 0 {
		return nil
	}
	i := c.below(len(n.roots))
	root := n.roots[i]
	n.roots = slices.Delete(n.roots, i, i+1)
	_, err := root.Shutdown()
	return err
}

// turnClock steps the clock or sets it somewhere.
func (n *nonsense) turnClock(c *choices) error {
	if c.yes(4) {
		n.host.SetTime(time.Unix(of(c, []int64{0, -1, 1, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1 << 33, 1_700_000_000}), 0))
		return nil
	}
	n.host.Advance(of(c, []time.Duration{1, time.Second, 10 * time.Second, day, -time.Second, -500 * time.Second, -day, year}))
	return nil
}

// corrupt overwrites a stored value, in tame scripts a bucket of counters.
func (n *nonsense) corrupt(c *choices) error {
	shared := n.host.Shared("")
	keys := slices.DeleteFunc(shared.Keys(), func(key string) bool {
		return n.tame && (strings.HasSuffix(key, "/key") || strings.HasSuffix(key, "/selftest"))
	})
	if len(keys) > 0 {
		shared.Set(of(c, keys), []byte(of(c, []string{"", "\x01", "\x02"})+c.bytes(c.below(600))), 0)
	}
	return nil
}

// property sets what the proxy knows about requests: an address, a route, its metadata, a claim.
func (n *nonsense) property(c *choices) error {
	value := []byte(of(c, propertyValues))
	if !n.tame && c.yes(2) {
		value = []byte(c.bytes(c.below(100)))
	}
	if c.yes(8) {
		value = nil
	}
	n.host.SetProperty(value, of(c, properties)...)
	return nil
}

// fail lets some of the host calls to come fail, or stops that.
func (n *nonsense) fail(c *choices) error {
	calls := []string{
		"get_header_map_pairs", "get_shared_data", "set_shared_data", "get_current_time_nanoseconds", "replace_header_map_value", "send_local_response",
		"increment_metric", "define_metric", "get_property", "get_buffer_bytes", "set_tick_period_milliseconds", "random_get", "log",
		"get_header_map_value", "add_header_map_value", "remove_header_map_value",
	}
	n.vm.SetHooks(wasmhost.Hooks{})
	if c.yes(3) {
		return nil
	}
	inject := wasmhost.Fail(of(c, calls), 1+c.below(100), of(c, every()))
	n.vm.SetHooks(wasmhost.Hooks{Inject: func(call wasmhost.Call, times int) (wasmhost.Status, bool) {
		if n.tame && call.Callback == "proxy_on_configure" {
			return wasmhost.OK, false
		}
		return inject(call, times)
	}})
	return nil
}

// end closes what is open.
func (n *nonsense) end() error {
	n.vm.SetHooks(wasmhost.Hooks{})
	var errs []error
	for _, s := range n.streams {
		errs = append(errs, s.Close())
	}
	for _, r := range n.roots {
		_, err := r.Shutdown()
		errs = append(errs, err)
	}
	n.streams, n.ended, n.roots = nil, nil, nil
	return errors.Join(errs...)
}

// check returns what must never have happened.
func (n *nonsense) check() error {
	var errs []error
	if text := n.vm.Stderr(); text != "" {
		errs = append(errs, fmt.Errorf("the guest wrote to standard error: %s", text))
	}
	if text := n.host.LogText(); strings.Contains(text, "panic") {
		errs = append(errs, fmt.Errorf("the log tells of a panic:\n%s", text))
	}
	metrics := n.host.Metrics()
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		if strings.HasSuffix(name, ".errors_panic") && metrics[name] > 0 {
			errs = append(errs, fmt.Errorf("%s is %d", name, metrics[name]))
		}
	}
	return errors.Join(append(errs, n.checkStore())...)
}

// mostValue is the size of a full bucket: a version, 16 counters and 16 overflow counters.
const mostValue = 1 + 32*16

// checkStore returns what must not stand in shared data.
func (n *nonsense) checkStore() error {
	for key, value := range n.host.Shared("").Dump() {
		if !strings.HasPrefix(key, "tollgate/1/") {
			return fmt.Errorf("shared data has the key %q", key)
		}
		if len(value) > max(mostValue, 601) {
			return fmt.Errorf("shared data has %d bytes under %q", len(value), key)
		}
	}
	return nil
}
