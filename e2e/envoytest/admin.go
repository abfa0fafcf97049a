package envoytest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
)

// awaitReady returns when Envoy says that it is live and every listener has its port and every worker.
func (e *Envoy) awaitReady(listeners []Listener) error {
	return e.process.await("listeners", startTimeout, func() (bool, error) {
		admin, err := os.ReadFile(e.path("admin"))
		if err != nil || len(admin) == 0 {
			return false, err
		}
		e.admin = string(admin)
		if _, err := e.get("/ready"); err != nil {
			return false, err
		}
		if err := e.readAddrs(); err != nil {
			return false, err
		}
		if stats, err := e.stats(); err != nil || !settled(stats) {
			return false, err
		}
		for _, l := range listeners {
			if _, ok := e.addrs[l.Name]; !ok {
				return false, fmt.Errorf("listener %s is not up", l.Name)
			}
		}
		return len(e.addrs) > 0, nil
	})
}

// readAddrs asks where the listeners are.
func (e *Envoy) readAddrs() error {
	var answer struct {
		Statuses []struct {
			Name    string `json:"name"`
			Address struct {
				Socket struct {
					Host string `json:"address"`
					Port int    `json:"port_value"`
				} `json:"socket_address"`
			} `json:"local_address"`
		} `json:"listener_statuses"`
	}
	if err := e.getJSON("/listeners?format=json", &answer); err != nil {
		return err
	}
	for _, s := range answer.Statuses {
		e.addrs[s.Name] = net.JoinHostPort(s.Address.Socket.Host, strconv.Itoa(s.Address.Socket.Port))
	}
	return nil
}

// get returns what the administration interface answers to a GET, if it answers 200.
func (e *Envoy) get(path string) ([]byte, error) {
	resp, err := http.Get("http://" + e.admin + path)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: %s: %s", path, resp.Status, body)
	}
	return body, nil
}

func (e *Envoy) getJSON(path string, into any) error {
	body, err := e.get(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

// Prometheus returns the statistics as Prometheus would read them.
func (e *Envoy) Prometheus() string {
	e.t.Helper()
	body, err := e.get("/stats/prometheus")
	if err != nil {
		e.t.Fatal(err)
	}
	return string(body)
}

// Stats returns all counters and gauges by name.
func (e *Envoy) Stats() map[string]uint64 {
	e.t.Helper()
	stats, err := e.stats()
	if err != nil {
		e.t.Fatal(err)
	}
	return stats
}

func (e *Envoy) stats() (map[string]uint64, error) {
	body, err := e.get("/stats")
	if err != nil {
		return nil, err
	}
	stats := map[string]uint64{}
	for line := range strings.Lines(string(body)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if n, err := strconv.ParseUint(value, 10, 64); err == nil { // histograms and texts are left out
			stats[name] = n
		}
	}
	return stats, nil
}

// AwaitStat waits until the counter or gauge name satisfies ok, and returns its value.
func (e *Envoy) AwaitStat(name string, ok func(uint64) bool) uint64 {
	e.t.Helper()
	var last uint64
	err := e.process.await(name, startTimeout, func() (bool, error) {
		stats, err := e.stats()
		last = stats[name]
		return err == nil && ok(last), err
	})
	if err != nil {
		e.t.Fatalf("%v; its last value is %d", err, last)
	}
	return last
}
