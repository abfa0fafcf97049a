package prove

import (
	"errors"
	"strings"
	"testing"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
	"tollgate/prove/forms"
)

// startFault is something that goes wrong while a configuration starts, and what must come of it.
type startFault struct {
	what string // for an operator
	// call is the host call that fails, on this key of shared data where it has one, from the n-th time on, statuses how.
	call, key string
	nth       int
	statuses  []wasmhost.Status
	// corrupt replaces the stored hash key.
	corrupt []byte
	// first says that no configuration is running yet: only then is the hash key made.
	first bool
	// config is what starts; empty stands for one that names its domain.
	config string

	starts bool
	log    string // the start of the one line of warning or error; empty for none
}

const (
	namedConfig = `{"domain": "shop", "rules": [{"name": "api", "limits": [{"requests": 10, "window": "1h"}]}]}`
	anonymous   = `{"rules": [{"name": "api", "limits": [{"requests": 10, "window": "1h"}]}]}`

	selfTestKey = "tollgate/1/shop/selftest"
	hashKey     = "tollgate/1/shop/key"

	noSelfTest = "configuration refused: the proxy's shared data does not compare and swap as required"
	noHashKey  = "configuration refused: the hash key in the proxy's shared data could not be read or made"
)

var success = []wasmhost.Status{wasmhost.OK}

// startFaults lists what can go wrong when a configuration starts, in the order of the table.
func startFaults() []startFault {
	return []startFault{
		{what: "the configuration cannot be read", call: "get_buffer_bytes", statuses: every(wasmhost.NotFound),
			log: "configuration refused: it could not be read"},
		{what: "there is no configuration", call: "get_buffer_bytes", statuses: notFound,
			log: "configuration refused: configuration 1:1 is empty"},
		{what: "the configuration has a mistake", config: `{"domain": "shop", "rules": [{"name": "api", "limts": []}]}`,
			log: "configuration refused: rules[0]"},
		{what: "the plugin's name cannot be read and no domain is configured", call: "get_property", statuses: every(), config: anonymous,
			log: `configuration refused: configuration 1:1 has no "domain"`},
		{what: "the plugin's name cannot be read and a domain is configured", call: "get_property", statuses: every(), starts: true},
		{what: "shared data cannot be read", call: "get_shared_data", statuses: every(), key: selfTestKey, log: noSelfTest},
		{what: "shared data cannot be written", call: "set_shared_data", statuses: every(wasmhost.CASMismatch), key: selfTestKey, log: noSelfTest},
		{what: "creating a key that exists succeeds", call: "set_shared_data", statuses: success, key: selfTestKey, log: noSelfTest},
		{what: "swapping a value that changed succeeds", call: "set_shared_data", nth: 4, statuses: success, key: selfTestKey, log: noSelfTest},
		{what: "the hash key cannot be read", call: "get_shared_data", statuses: every(), key: hashKey, log: noHashKey},
		{what: "the hash key is of another length", corrupt: []byte("short"), log: noHashKey},
		{what: "there is no hash key yet and no random number", call: "random_get", statuses: every(), first: true, log: noHashKey},
		{what: "there is no hash key yet and it cannot be written", call: "set_shared_data", statuses: every(wasmhost.CASMismatch), key: hashKey,
			first: true, log: noHashKey},
		{what: "a metric cannot be defined", call: "define_metric", statuses: every(), config: newRule, starts: true,
			log: "a metric could not be defined"},
		{what: "the tick cannot be set", call: "set_tick_period_milliseconds", statuses: every(), starts: true, log: "no tick could be set"},
		{what: "nothing can be logged", call: "log", statuses: every(), starts: true},
	}
}

// newRule is a configuration whose metrics the host does not know yet.
const newRule = `{"domain": "shop", "rules": [{"name": "fresh", "limits": [{"requests": 10, "window": "1h"}]}]}`

// TestStartFaults plays every fault: with an update of a running configuration, or on a proxy that has none yet.
func TestStartFaults(t *testing.T) {
	played := 0
	for _, f := range startFaults() {
		t.Run(f.what, func(t *testing.T) {
			for _, inject := range f.injections() {
				played++
				if f.first {
					f.begin(t, inject)
				} else {
					f.update(t, inject)
				}
			}
		})
	}
	forms.Proved(t, "faults at the start", "%d kinds, %d ways to play them: started, or refused while the running configuration goes on",
		len(startFaults()), played)
}

func (f startFault) injections() []injection {
	if f.call == "" {
		return []injection{{name: "the fault"}}
	}
	var all []injection
	for _, s := range f.statuses {
		all = append(all, injection{f.call + " = " + s.String(), func() func(wasmhost.Call, int) (wasmhost.Status, bool) { return f.inject(s) }})
	}
	return all
}

// inject lets the calls in question have a status.
func (f startFault) inject(s wasmhost.Status) func(wasmhost.Call, int) (wasmhost.Status, bool) {
	seen := 0
	return func(c wasmhost.Call, _ int) (wasmhost.Status, bool) {
		if c.Callback != "proxy_on_configure" || c.Name != f.call || f.key != "" && f.key != c.Key {
			return wasmhost.OK, false
		}
		seen++
		return s, seen >= f.nth
	}
}

// begin plays the fault while no configuration is running.
func (f startFault) begin(t *testing.T, inject injection) {
	t.Helper()
	host := hosttest.New(t)
	host.SetHooks(wasmhost.Hooks{Inject: inject.inject()})
	_, err := host.Start(built(t), plugin(namedConfig))
	f.check(t, inject, host, err)
}

// update plays the fault while another configuration is running.
func (f startFault) update(t *testing.T, inject injection) {
	t.Helper()
	host := hosttest.New(t)
	running := start(t, host, namedConfig)
	do(t, running, get("alice"))
	host.ResetLogs()
	if f.corrupt != nil {
		host.Shared("").Set(hashKey, f.corrupt, 0)
	}
	if inject.inject != nil {
		running.VM().SetHooks(wasmhost.Hooks{Inject: inject.inject()})
	}
	config := f.config
	if config == "" {
		config = namedConfig
	}
	updated, err := running.Update([]byte(config))
	running.VM().SetHooks(wasmhost.Hooks{})
	f.check(t, inject, host, err)
	if got := tell(do(t, running, get("alice")), 8); got != normal {
		t.Errorf("with %s: the running configuration answers %s", inject.name, got)
	}
	if updated != nil {
		do(t, updated, get("bob"))
	}
}

// check compares what came of the start with what the table says.
func (f startFault) check(t *testing.T, inject injection, host *wasmhost.Host, err error) {
	t.Helper()
	if (err == nil) != f.starts || err != nil && !errors.Is(err, wasmhost.ErrConfigureRefused) {
		t.Errorf("with %s: %v, want it to start: %v", inject.name, err, f.starts)
	}
	if got := warnings(host); len(got) != min(1, len(f.log)) || !strings.HasPrefix(strings.Join(got, ""), f.log) {
		t.Errorf("with %s: logged %q, want %q", inject.name, got, f.log)
	}
}

// warnings returns the lines of warning and error, without what all lines share.
func warnings(host *wasmhost.Host) []string {
	var lines []string
	for _, e := range host.Logs() {
		if e.Level >= wasmhost.LevelWarn {
			_, text, _ := strings.Cut(e.Text, ": ")
			lines = append(lines, text)
		}
	}
	return lines
}
