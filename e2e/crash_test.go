package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"tollgate/e2e/envoytest"
	"tollgate/e2e/wire"
	"tollgate/prove/forms"
)

// restartPause is how long after its last start Envoy starts a crashed module again under FAIL_RELOAD: a second, and up to
// half of it more, by chance.
const restartPause, restartPauseAtMost = time.Second, 1500 * time.Millisecond

// What becomes of requests when the module crashes beyond recovery: its stack has no room left. The test holds
// the table of testdata/crash.md; -update writes it anew.
func TestCrash(t *testing.T) {
	t.Parallel()
	plays := []*crashPlay{
		newCrashPlay(t, "FAIL_CLOSED"), newCrashPlay(t, "FAIL_OPEN"), newCrashPlay(t, "FAIL_RELOAD"),
	}
	module := envoytest.Build(t, "./e2e/crashfilter")
	envoy := envoytest.Start(t, envoytest.Config{Listeners: crashListeners(module, plays, "")})
	waitUntil(time.Now().Add(restartPauseAtMost))
	t.Run("crash", func(t *testing.T) {
		for _, p := range plays {
			t.Run(p.policy, func(t *testing.T) {
				t.Parallel()
				p.crash(t, envoy)
			})
		}
	})
	if t.Failed() {
		return
	}
	update(t, envoy, crashListeners(module, plays, "updated")...)
	for _, p := range plays {
		t.Run("updated "+p.policy, func(t *testing.T) { p.updated(t, envoy) })
	}
	checkTable(t, "testdata/crash.md", crashTable(plays))
	checkSecret(t, envoy.Log(), crashClient)
}

// crashClient is the API key of the client whose requests are counted.
const crashClient = "key-4f9c1d7e2b6a8035"

// crashPlay is a listener whose module crashes, and what became of the requests.
type crashPlay struct {
	policy   string
	window   time.Duration
	upstream *heldUpstream
	rows     [][2]string // what a row is about, and what happens
	watch    client      // tells on a worker that does not crash what was counted
}

func newCrashPlay(t testing.TB, policy string) *crashPlay {
	t.Helper()
	return &crashPlay{policy: policy, window: farWindow(), upstream: newHeldUpstream(t)}
}

// crashListeners returns, for each play, its listener and that of another plugin that runs in the same VMs.
func crashListeners(module string, plays []*crashPlay, note string) []envoytest.Listener {
	var all []envoytest.Listener
	for _, p := range plays {
		for _, name := range []string{p.policy, p.neighbour()} {
			config := oneRule(name, 1000, inSeconds(p.window))
			plugin := envoytest.Plugin{Module: module, Config: &config, VMID: p.policy, FailurePolicy: p.policy}
			all = append(all, envoytest.Listener{
				Name:     name,
				Upstream: p.upstream.addr,
				Filters:  []envoytest.Filter{plugin.Filter()},
				Metadata: map[string]map[string]any{"test": {"note": note}},
			})
		}
	}
	return all
}

// neighbour is the name of the other listener.
func (p *crashPlay) neighbour() string { return p.policy + "_neighbour" }

func (p *crashPlay) row(what, happens string) { p.rows = append(p.rows, [2]string{what, happens}) }

// crash lets the module crash on the first worker.
func (p *crashPlay) crash(t *testing.T, envoy *envoytest.Envoy) {
	c := connectOn(t, envoy, p.policy, 0)
	neighbour, other := connectOn(t, envoy, p.neighbour(), 0), connectOn(t, envoy, p.policy, 1)
	p.watch = connectOn(t, envoy, p.policy, 1)
	held := p.hold(t, connectOn(t, envoy, p.policy, 0))

	p.row("the request that it was deciding", p.counted(t, func() answer { return c.ask(crashing("request")) }))
	started := time.Now()
	p.row("the next requests on this worker", p.counted(t, func() answer { return c.get("/", crashClient) }))
	p.row("the next requests on this worker to another plugin with the same `vm_id` and module", outcome(neighbour.get("/", crashClient)))
	p.upstream.release()
	p.row("requests of this worker that were at the upstream", outcome(<-held))
	p.row("requests on other workers", p.counted(t, func() answer { return other.get("/", crashClient) }))
	p.row("the next requests on this worker if it crashes again soon", p.again(t, c, started))
}

// hold sends a request that stays at the upstream, and returns where its response will be.
func (p *crashPlay) hold(t *testing.T, c client) <-chan answer {
	response := make(chan answer, 1)
	go func() {
		r, err := c.Do(wire.Request{Method: "GET", Target: "/held", Header: key("somebody else")})
		if err != nil {
			t.Error(err)
			r = &wire.Response{}
		}
		response <- answer{Response: r}
	}()
	p.upstream.awaitHeld(t, 1)
	return response
}

// again lets the module crash once more, soon after it was asked for its start at that time, and tells what follows.
func (p *crashPlay) again(t *testing.T, c client, started time.Time) string {
	t.Helper()
	get := func() answer { return c.get("/", crashClient) }
	next := served
	for next == served { // if the pause is over already, this starts the module again
		c.ask(crashing("request"))
		now := time.Now()
		if next = p.counted(t, get); next == served {
			started = now
		}
	}
	later := p.change(t, next, get)
	if later == next {
		return next
	}
	pause := time.Since(started)
	if pause < restartPause {
		t.Errorf("the module was started again %v after its last start, want at least %v", pause, restartPause)
	}
	forms.Proved(t, "crash", "%s starts the module again %v after its last start", p.policy, pause.Round(time.Millisecond))
	return next + ", until a second or a little more has passed since its last start; then " + later
}

// change asks until the outcome is another one, longer than any pause takes, and returns the last outcome.
func (p *crashPlay) change(t *testing.T, before string, ask func() answer) string {
	t.Helper()
	end := time.Now().Add(2 * restartPauseAtMost)
	for {
		over := time.Now().After(end)
		if after := p.counted(t, ask); after != before || over {
			return after
		}
		waitUntil(time.Now().Add(20 * time.Millisecond))
	}
}

// updated asks what an update of the listener mends, and lets the module crash in a response.
func (p *crashPlay) updated(t *testing.T, envoy *envoytest.Envoy) {
	c := connectOn(t, envoy, p.policy, 0)
	p.watch = connectOn(t, envoy, p.policy, 1)
	p.row("the next requests on this worker after an update of the listener", p.counted(t, func() answer { return c.get("/", crashClient) }))
	p.row("a request whose response it was deciding", p.counted(t, func() answer { return c.ask(crashing("response")) }))
}

func crashing(callback string) wire.Request {
	header := append(key(crashClient), wire.Field{Name: "x-crash", Value: callback})
	return wire.Request{Method: "GET", Target: "/", Header: header}
}

// served is the outcome of a request that the filter allows.
const served = "200 with headers, counted"

// counted says what becomes of a request of crashClient.
func (p *crashPlay) counted(t *testing.T, ask func() answer) string {
	t.Helper()
	before := p.remaining(t)
	got := outcome(ask())
	switch n := before - p.remaining(t) - 1; n {
	case 0:
		return got + ", not counted"
	case 1:
		return got + ", counted"
	default:
		t.Errorf("%s, counted %d times", got, n)
		return ""
	}
}

// remaining asks what crashClient has left. It counts itself.
func (p *crashPlay) remaining(t *testing.T) int {
	t.Helper()
	got := p.watch.get("/", crashClient)
	n, err := theNumber(got.Response, "x-ratelimit-remaining")
	if err != nil || got.Status != 200 {
		t.Fatalf("status %d on the worker that did not crash (%v)", got.Status, err)
	}
	return n
}

func outcome(a answer) string {
	switch headers := len(a.ours()) > 0; {
	case headers:
		return fmt.Sprint(a.Status, " with headers")
	case a.Status == 200:
		return "200 without headers"
	}
	return fmt.Sprint(a.Status)
}

// connectOn opens connections to a listener until one is on that worker.
func connectOn(t testing.TB, envoy *envoytest.Envoy, listener string, worker int) client {
	t.Helper()
	for {
		before := envoy.AwaitAccepted(listener, 0)
		c := connect(t, http1, envoy.Addr(listener))
		after := envoy.AwaitAccepted(listener, sum(before)+1)
		if after[worker] > before[worker] {
			return c
		}
	}
}

func sum(numbers []uint64) (total uint64) {
	for _, n := range numbers {
		total += n
	}
	return total
}

// crashTable returns the rows of all plays beside each other.
func crashTable(plays []*crashPlay) string {
	var table strings.Builder
	table.WriteString("| When the module crashes |")
	for _, p := range plays {
		fmt.Fprintf(&table, " `%s` |", p.policy)
	}
	table.WriteString("\n|" + strings.Repeat("---|", len(plays)+1) + "\n")
	for i, row := range plays[0].rows {
		fmt.Fprintf(&table, "| %s |", row[0])
		for _, p := range plays {
			fmt.Fprintf(&table, " %s |", p.rows[i][1])
		}
		table.WriteString("\n")
	}
	return table.String()
}

// checkTable compares a table with the one in a file.
func checkTable(t *testing.T, file, table string) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(file, []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if table != string(want) {
		t.Errorf("%s has\n%s, but this is what happens:\n%s", file, want, table)
	}
}

// checkSecret holds that a log has no piece of eight bytes of a secret. The Go runtime shows pieces of memory when it
// crashes.
func checkSecret(t *testing.T, log, secret string) {
	t.Helper()
	const piece = 8
	for i := range len(secret) - piece + 1 {
		if strings.Contains(log, secret[i:i+piece]) {
			t.Errorf("the log has %q, a piece of an API key", secret[i:i+piece])
		}
	}
}
