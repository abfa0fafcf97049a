package abi

import (
	"math"
	"strconv"
	"unsafe"

	"tollgate/filter"
	"tollgate/limiter"
)

// Host is the proxy that this module runs in. It is a filter.Host.
type Host struct{}

// out is where the host writes addresses, sizes and numbers. Were they variables of the caller, each would be allocated.
type out struct {
	address, size, number uint32
	time                  uint64
	headers               [][2]string
	encoded               []byte
}

// cleared is out as before a call: a host that fails writes nothing.
func cleared() *out {
	o := &vm.out
	o.address, o.size, o.number = 0, 0, 0
	return o
}

// result is the memory that the last call returned.
func (o *out) result() []byte { return vm.arena.bytes(uintptr(o.address), o.size) }

func textData(s string) unsafe.Pointer { return unsafe.Pointer(unsafe.StringData(s)) }
func byteData(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// Get implements limiter.Store.
func (Host) Get(key []byte) ([]byte, uint32, error) {
	o := cleared()
	s := proxyGetSharedData(byteData(key), uint32(len(key)), &o.address, &o.size, &o.number)
	if s != statusOK {
		return nil, 0, s.err()
	}
	return o.result(), o.number, nil
}

// Create implements limiter.Store.
func (Host) Create(key, value []byte) error {
	return setSharedData(key, value, neverIssued).createErr()
}

// CompareAndSwap implements limiter.Store. Version 0 would overwrite whatever is there; the host never issues it.
func (Host) CompareAndSwap(key, value []byte, version uint32) error {
	if version == 0 {
		return limiter.ErrConflict
	}
	return setSharedData(key, value, version).err()
}

func setSharedData(key, value []byte, version uint32) status {
	return proxySetSharedData(byteData(key), uint32(len(key)), byteData(value), uint32(len(value)), version)
}

// Now implements filter.Host.
func (Host) Now() (int64, error) {
	o := &vm.out
	if s := proxyGetCurrentTimeNanoseconds(&o.time); s != statusOK || o.time > math.MaxInt64 {
		return 0, ErrHost
	}
	return int64(o.time), nil
}

// Random implements filter.Host.
func (Host) Random(dst []byte) error {
	if wasiRandomGet(byteData(dst), uint32(len(dst))) != 0 {
		return ErrHost
	}
	return nil
}

// PluginConfiguration implements filter.Host.
func (Host) PluginConfiguration() ([]byte, error) {
	o := cleared()
	s := proxyGetBufferBytes(pluginConfigurationBuffer, 0, math.MaxInt32, &o.address, &o.size)
	if s == statusNotFound {
		return nil, nil
	}
	return o.result(), s.err()
}

// Property implements filter.Host.
func (Host) Property(path string) (string, bool) {
	o := cleared()
	s := proxyGetProperty(textData(path), uint32(len(path)), &o.address, &o.size)
	return vm.arena.text(uintptr(o.address), o.size), s == statusOK
}

// SetTickPeriod implements filter.Host.
func (Host) SetTickPeriod(milliseconds uint32) error {
	return proxySetTickPeriodMilliseconds(milliseconds).err()
}

// RequestHeaders implements filter.Host.
func (Host) RequestHeaders() ([][2]string, error) {
	o := cleared()
	if s := proxyGetHeaderMapPairs(requestHeaders, &o.address, &o.size); s != statusOK {
		return nil, s.err()
	}
	var ok bool
	if o.headers, ok = decodePairs(o.headers[:0], o.result()); !ok {
		return nil, ErrHost
	}
	return o.headers, nil
}

// ReplaceRequestHeader implements filter.Host.
func (Host) ReplaceRequestHeader(name string, value []byte) error {
	return replaceHeader(requestHeaders, name, value)
}

func replaceHeader(headers uint32, name string, value []byte) error {
	return proxyReplaceHeaderMapValue(headers, textData(name), uint32(len(name)), byteData(value), uint32(len(value))).err()
}

// RemoveRequestHeader implements filter.Host.
func (Host) RemoveRequestHeader(name string) error {
	return proxyRemoveHeaderMapValue(requestHeaders, textData(name), uint32(len(name))).err()
}

// ResponseStatus implements filter.Host.
func (Host) ResponseStatus() (int, error) {
	const name = ":status"
	o := cleared()
	if s := proxyGetHeaderMapValue(responseHeaders, textData(name), uint32(len(name)), &o.address, &o.size); s != statusOK {
		return 0, s.err()
	}
	return strconv.Atoi(vm.arena.text(uintptr(o.address), o.size))
}

// AddResponseHeader implements filter.Host.
func (Host) AddResponseHeader(name string, value []byte) error {
	return proxyAddHeaderMapValue(responseHeaders, textData(name), uint32(len(name)), byteData(value), uint32(len(value))).err()
}

// ReplaceResponseHeader implements filter.Host.
func (Host) ReplaceResponseHeader(name string, value []byte) error {
	return replaceHeader(responseHeaders, name, value)
}

// SendReply implements filter.Host.
func (Host) SendReply(r *filter.Reply) error {
	o := &vm.out
	o.encoded = encodePairs(o.encoded[:0], r.Fields)
	return proxySendLocalResponse(r.Status, byteData(r.Details), uint32(len(r.Details)), byteData(r.Body), uint32(len(r.Body)),
		byteData(o.encoded), uint32(len(o.encoded)), r.GRPC).err()
}

// DefineCounter implements filter.Host.
func (Host) DefineCounter(name string) (filter.Counter, error) {
	o := &vm.out
	s := proxyDefineMetric(counterMetric, textData(name), uint32(len(name)), &o.number)
	return filter.Counter(o.number), s.err()
}

// IncrementCounter implements filter.Host.
func (Host) IncrementCounter(id filter.Counter, by uint64) error {
	return proxyIncrementMetric(uint32(id), int64(by)).err()
}

// Log implements filter.Host.
func (Host) Log(level filter.Level, line string) {
	proxyLog(uint32(level), textData(line), uint32(len(line)))
}
