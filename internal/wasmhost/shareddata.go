package wasmhost

import (
	"maps"
	"slices"
	"sync"
)

// SharedData is the shared data of one vm_id, with the rules of proxy-wasm-cpp-host src/shared_data.cc. It may be used
// from several goroutines, and from hooks.
type SharedData struct {
	process *sharedMemory
	values  map[string]sharedValue
}

type sharedValue struct {
	value   []byte
	version uint32
}

// sharedMemory is what the process has one of: the lock, the version counter and the maps by vm_id.
type sharedMemory struct {
	mu      sync.Mutex
	next    uint32
	byVM    map[string]*SharedData
	observe func(Access)
}

func newSharedMemory() *sharedMemory {
	return &sharedMemory{next: 1, byVM: map[string]*SharedData{}}
}

func (p *sharedMemory) of(vmID string) *SharedData {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byVM[vmID] == nil {
		p.byVM[vmID] = &SharedData{process: p, values: map[string]sharedValue{}}
	}
	return p.byVM[vmID]
}

// version hands out the next version; only 0 is never one.
func (p *sharedMemory) version() uint32 {
	version := p.next
	p.next++
	if p.next == 0 {
		p.next = 1
	}
	return version
}

// Access is one operation on shared data as it took effect, for an observer.
type Access struct {
	Set     bool // a set, otherwise a get
	Key     string
	Value   []byte // the value got or to be set; a copy
	CAS     uint32 // the version a set asked for
	Version uint32 // the version got, or given to the value by a set
	Status  Status
}

// Shared returns the shared data of a vm_id; the default is "".
func (h *Host) Shared(vmID string) *SharedData { return h.shared.of(vmID) }

// ObserveShared calls f for every get and set on shared data, in the order in which they take effect. f runs under the
// lock of the shared data and must not use it; nil stops the calls.
func (h *Host) ObserveShared(f func(Access)) {
	h.shared.mu.Lock()
	defer h.shared.mu.Unlock()
	h.shared.observe = f
}

// SetNextVersion sets the process-wide version counter, to come near its wrap-around. 0 is taken as 1.
func (h *Host) SetNextVersion(version uint32) {
	h.shared.mu.Lock()
	defer h.shared.mu.Unlock()
	h.shared.next = max(version, 1)
}

// Get returns a copy of the value under key with its version, or NotFound.
func (d *SharedData) Get(key string) (value []byte, version uint32, status Status) {
	d.process.mu.Lock()
	defer d.process.mu.Unlock()
	found, ok := d.values[key]
	if !ok {
		status = NotFound
	}
	value = slices.Clone(found.value)
	d.observe(Access{Key: key, Value: value, Version: found.version, Status: status})
	return value, found.version, status
}

// Set stores a copy of value under key. On an existing key a cas other than 0 must be its version, else CASMismatch; cas
// 0 overwrites it, and a missing key is inserted under any cas.
func (d *SharedData) Set(key string, value []byte, cas uint32) Status {
	d.process.mu.Lock()
	defer d.process.mu.Unlock()
	found, ok := d.values[key]
	if ok && cas != 0 && cas != found.version {
		d.observe(Access{Set: true, Key: key, Value: value, CAS: cas, Version: found.version, Status: CASMismatch})
		return CASMismatch
	}
	stored := sharedValue{value: slices.Clone(value), version: d.process.version()}
	d.values[key] = stored
	d.observe(Access{Set: true, Key: key, Value: value, CAS: cas, Version: stored.version})
	return OK
}

// observe tells the observer, if there is one. The lock is held.
func (d *SharedData) observe(a Access) {
	if d.process.observe != nil {
		a.Value = slices.Clone(a.Value)
		d.process.observe(a)
	}
}

// Len returns the number of keys.
func (d *SharedData) Len() int {
	d.process.mu.Lock()
	defer d.process.mu.Unlock()
	return len(d.values)
}

// Keys returns all keys, sorted.
func (d *SharedData) Keys() []string {
	d.process.mu.Lock()
	defer d.process.mu.Unlock()
	return slices.Sorted(maps.Keys(d.values))
}

// Dump returns a copy of all keys and values.
func (d *SharedData) Dump() map[string][]byte {
	d.process.mu.Lock()
	defer d.process.mu.Unlock()
	dump := make(map[string][]byte, len(d.values))
	for key, found := range d.values {
		dump[key] = slices.Clone(found.value)
	}
	return dump
}
