//go:build !wasip1

package abi

import (
	"crypto/rand"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"tollgate/filter"
	"tollgate/limiter"
)

// Host runs the filter over the proxy-wasm Go SDK, natively. It is a filter.Host. The SDK's emulator has no clock and no
// response code details, and refuses a write with version 0, which it also issues; everything else is as in a proxy.
type Host struct{}

// Register makes a context the one of the emulated VM.
func Register(context types.VMContext) { proxywasm.SetVMContext(context) }

// Get implements limiter.Store.
func (Host) Get(key []byte) ([]byte, uint32, error) {
	value, version, err := proxywasm.GetSharedData(string(key))
	return value, version, translate(err)
}

// Create implements limiter.Store.
func (Host) Create(key, value []byte) error {
	err := translate(proxywasm.SetSharedData(string(key), value, neverIssued))
	if errors.Is(err, limiter.ErrConflict) {
		return limiter.ErrExists
	}
	return err
}

// CompareAndSwap implements limiter.Store.
func (Host) CompareAndSwap(key, value []byte, version uint32) error {
	return translate(proxywasm.SetSharedData(string(key), value, version))
}

func translate(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, types.ErrorStatusNotFound):
		return limiter.ErrNotFound
	case errors.Is(err, types.ErrorStatusCasMismatch):
		return limiter.ErrConflict
	}
	return ErrHost
}

// Now implements filter.Host.
func (Host) Now() (int64, error) { return time.Now().UnixNano(), nil }

// Random implements filter.Host.
func (Host) Random(dst []byte) error {
	_, err := rand.Read(dst)
	return err
}

// PluginConfiguration implements filter.Host.
func (Host) PluginConfiguration() ([]byte, error) {
	data, err := proxywasm.GetPluginConfiguration()
	if errors.Is(err, types.ErrorStatusNotFound) {
		return nil, nil
	}
	return data, translate(err)
}

// Property implements filter.Host.
func (Host) Property(path string) (string, bool) {
	value, err := proxywasm.GetProperty(strings.Split(path, "\x00"))
	return string(value), err == nil
}

// SetTickPeriod implements filter.Host.
func (Host) SetTickPeriod(milliseconds uint32) error {
	return translate(proxywasm.SetTickPeriodMilliSeconds(milliseconds))
}

// RequestHeaders implements filter.Host.
func (Host) RequestHeaders() ([][2]string, error) {
	headers, err := proxywasm.GetHttpRequestHeaders()
	return headers, translate(err)
}

// ReplaceRequestHeader implements filter.Host.
func (Host) ReplaceRequestHeader(name string, value []byte) error {
	return translate(proxywasm.ReplaceHttpRequestHeader(name, string(value)))
}

// RemoveRequestHeader implements filter.Host.
func (Host) RemoveRequestHeader(name string) error {
	return translate(proxywasm.RemoveHttpRequestHeader(name))
}

// ResponseStatus implements filter.Host.
func (Host) ResponseStatus() (int, error) {
	status, err := proxywasm.GetHttpResponseHeader(":status")
	if err != nil {
		return 0, translate(err)
	}
	return strconv.Atoi(status)
}

// AddResponseHeader implements filter.Host.
func (Host) AddResponseHeader(name string, value []byte) error {
	return translate(proxywasm.AddHttpResponseHeader(name, string(value)))
}

// ReplaceResponseHeader implements filter.Host.
func (Host) ReplaceResponseHeader(name string, value []byte) error {
	return translate(proxywasm.ReplaceHttpResponseHeader(name, string(value)))
}

// SendReply implements filter.Host.
func (Host) SendReply(r *filter.Reply) error {
	var headers [][2]string
	for _, f := range r.Fields {
		headers = append(headers, [2]string{f.Name, string(f.Value)})
	}
	return translate(proxywasm.SendHttpResponse(r.Status, headers, r.Body, r.GRPC))
}

// DefineCounter implements filter.Host.
func (Host) DefineCounter(name string) (filter.Counter, error) {
	return filter.Counter(proxywasm.DefineCounterMetric(name)), nil
}

// IncrementCounter implements filter.Host.
func (Host) IncrementCounter(id filter.Counter, by uint64) error {
	proxywasm.MetricCounter(id).Increment(by)
	return nil
}

// Log implements filter.Host.
func (Host) Log(level filter.Level, line string) {
	switch level {
	case filter.LogError:
		proxywasm.LogError(line)
	case filter.LogWarn:
		proxywasm.LogWarn(line)
	default:
		proxywasm.LogInfo(line)
	}
}
