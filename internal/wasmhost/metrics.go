package wasmhost

import (
	"maps"
	"sync"
)

// The kinds of metric; the two low bits of a metric's number say which it is (proxy-wasm-cpp-host wasm.h).
const (
	counterMetric   = 0
	gaugeMetric     = 1
	histogramMetric = 2
	metricKindMask  = 3
	metricIDStep    = 4
)

// metrics are the process-wide values by name. Each VM numbers the names it defined for itself.
type metrics struct {
	mu     sync.Mutex
	values map[string]uint64
}

// Metric returns the value of a metric by the name the guest gave it (Envoy shows it behind "wasmcustom."), and whether
// any VM has defined it. Of a histogram it is the value recorded last.
func (h *Host) Metric(name string) (value uint64, defined bool) {
	h.metrics.mu.Lock()
	defer h.metrics.mu.Unlock()
	value, defined = h.metrics.values[name]
	return value, defined
}

// Metrics returns a copy of all metrics by name.
func (h *Host) Metrics() map[string]uint64 {
	h.metrics.mu.Lock()
	defer h.metrics.mu.Unlock()
	return maps.Clone(h.metrics.values)
}

// update changes the value of a metric; change returns the new one.
func (m *metrics) update(name string, change func(old uint64) uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values[name] = change(m.values[name])
}

// defineMetric serves proxy_define_metric: each call gives a new number, also for a name that exists.
func (vm *VM) defineMetric(kind uint32, name string) (id uint32, status Status) {
	if kind > histogramMetric {
		return 0, BadArgument
	}
	vm.lastMetric[kind]++
	id = vm.lastMetric[kind]*metricIDStep + kind
	vm.metricNames[id] = name
	vm.host.metrics.update(name, func(old uint64) uint64 { return old })
	return id, OK
}

// incrementMetric serves proxy_increment_metric: a counter cannot be incremented by 0 or less.
func (vm *VM) incrementMetric(id uint32, offset int64) Status {
	kind := id & metricKindMask
	if kind != counterMetric && kind != gaugeMetric {
		return BadArgument
	}
	name, ok := vm.metricNames[id]
	if !ok {
		return NotFound
	}
	if kind == counterMetric && offset <= 0 {
		return BadArgument
	}
	vm.host.metrics.update(name, func(old uint64) uint64 { return old + uint64(offset) })
	return OK
}

// recordMetric serves proxy_record_metric, which adds to a counter and sets the others.
func (vm *VM) recordMetric(id uint32, value uint64) Status {
	name, ok := vm.metricNames[id]
	if !ok {
		return NotFound
	}
	vm.host.metrics.update(name, func(old uint64) uint64 {
		if id&metricKindMask == counterMetric {
			return old + value
		}
		return value
	})
	return OK
}

// getMetric serves proxy_get_metric, which knows no histograms.
func (vm *VM) getMetric(id uint32) (uint64, Status) {
	kind := id & metricKindMask
	if kind != counterMetric && kind != gaugeMetric {
		return 0, BadArgument
	}
	name, ok := vm.metricNames[id]
	if !ok {
		return 0, NotFound
	}
	value, _ := vm.host.Metric(name)
	return value, OK
}
