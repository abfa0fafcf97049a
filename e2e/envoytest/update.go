package envoytest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// listenersFile is the file in the process's directory that Envoy watches for its listeners.
const listenersFile = "listeners.json"

// ErrRejected is what Update returns, wrapped, if Envoy does not take the new configuration.
var ErrRejected = errors.New("envoy rejected the listeners")

// Update replaces all listeners of a running Envoy and returns when the new ones serve on every worker. If Envoy rejects one of them it returns
// an error that wraps ErrRejected and holds Envoy's reason; the rejected listener goes on as before, the others are
// replaced.
func (e *Envoy) Update(listeners ...Listener) error {
	e.t.Helper()
	before := e.Stats()
	if err := e.writeListeners(listeners); err != nil {
		e.t.Fatal(err)
	}
	var after map[string]uint64
	err := e.process.await("update of the listeners", startTimeout, func() (bool, error) {
		var err error
		after, err = e.stats()
		return err == nil && answered(after) > answered(before) && settled(after), err
	})
	if err != nil {
		e.t.Fatal(err)
	}
	if err := e.readAddrs(); err != nil {
		e.t.Fatal(err)
	}
	if after[ldsRejected] > before[ldsRejected] {
		return fmt.Errorf("%w: %s", ErrRejected, e.reasons())
	}
	return nil
}

const (
	ldsAccepted = "listener_manager.lds.update_success"
	ldsRejected = "listener_manager.lds.update_rejected"
)

// answered counts the updates that Envoy has decided on.
func answered(stats map[string]uint64) uint64 { return stats[ldsAccepted] + stats[ldsRejected] }

// settled reports whether every worker has every listener as it is configured. The main thread has an update earlier, and
// until then a worker may accept a connection under the listener before.
func settled(stats map[string]uint64) bool {
	const prefix = "listener_manager."
	expected := stats["server.concurrency"] * (stats[prefix+"listener_added"] + stats[prefix+"listener_modified"])
	done := stats[prefix+"listener_create_success"] + stats[prefix+"listener_create_failure"]
	return stats[prefix+"total_listeners_warming"] == 0 && done >= expected
}

// reasons returns why listeners were rejected, by name.
func (e *Envoy) reasons() map[string]string {
	e.t.Helper()
	var dump struct {
		Configs []struct {
			Name  string `json:"name"`
			Error struct {
				Details string `json:"details"`
			} `json:"error_state"`
		} `json:"configs"`
	}
	if err := e.getJSON("/config_dump?resource=dynamic_listeners", &dump); err != nil {
		e.t.Fatal(err)
	}
	reasons := map[string]string{}
	for _, c := range dump.Configs {
		if c.Error.Details != "" {
			reasons[c.Name] = c.Error.Details
		}
	}
	return reasons
}

// writeListeners puts the listeners where Envoy watches, in one step: it must never read half a file.
func (e *Envoy) writeListeners(listeners []Listener) error {
	resources := e.listeners(listeners)
	for _, r := range resources {
		r["@type"] = typePrefix + "config.listener.v3.Listener"
	}
	text, err := json.Marshal(object{"resources": resources})
	if err != nil {
		return err
	}
	fresh := e.path(listenersFile + ".new")
	if err := os.WriteFile(fresh, text, 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, e.path(listenersFile))
}

func (e *Envoy) listeners(listeners []Listener) []object {
	all := make([]object, 0, len(listeners))
	for _, l := range listeners {
		all = append(all, e.listener(l))
	}
	return all
}
