package abi

import "unsafe"

// The host calls. Addresses that the host fills in are those of numbers in the module's memory; a missing key of
// shared data and the like are statuses.

//go:wasmimport env proxy_log
//go:noescape
func proxyLog(level uint32, message unsafe.Pointer, size uint32) status

//go:wasmimport env proxy_get_current_time_nanoseconds
//go:noescape
func proxyGetCurrentTimeNanoseconds(result *uint64) status

//go:wasmimport env proxy_get_property
//go:noescape
func proxyGetProperty(path unsafe.Pointer, pathSize uint32, value, valueSize *uint32) status

//go:wasmimport env proxy_get_buffer_bytes
//go:noescape
func proxyGetBufferBytes(buffer, start, length uint32, value, valueSize *uint32) status

//go:wasmimport env proxy_get_header_map_pairs
//go:noescape
func proxyGetHeaderMapPairs(headers uint32, value, valueSize *uint32) status

//go:wasmimport env proxy_get_header_map_value
//go:noescape
func proxyGetHeaderMapValue(headers uint32, name unsafe.Pointer, nameSize uint32, value, valueSize *uint32) status

//go:wasmimport env proxy_add_header_map_value
//go:noescape
func proxyAddHeaderMapValue(headers uint32, name unsafe.Pointer, nameSize uint32, value unsafe.Pointer, valueSize uint32) status

//go:wasmimport env proxy_remove_header_map_value
//go:noescape
func proxyRemoveHeaderMapValue(headers uint32, name unsafe.Pointer, nameSize uint32) status

//go:wasmimport env proxy_replace_header_map_value
//go:noescape
func proxyReplaceHeaderMapValue(headers uint32, name unsafe.Pointer, nameSize uint32, value unsafe.Pointer, valueSize uint32) status

//go:wasmimport env proxy_send_local_response
//go:noescape
func proxySendLocalResponse(code uint32, details unsafe.Pointer, detailsSize uint32, body unsafe.Pointer, bodySize uint32,
	headers unsafe.Pointer, headersSize uint32, grpc int32) status

//go:wasmimport env proxy_get_shared_data
//go:noescape
func proxyGetSharedData(key unsafe.Pointer, keySize uint32, value, valueSize, cas *uint32) status

//go:wasmimport env proxy_set_shared_data
//go:noescape
func proxySetSharedData(key unsafe.Pointer, keySize uint32, value unsafe.Pointer, valueSize, cas uint32) status

//go:wasmimport env proxy_set_tick_period_milliseconds
func proxySetTickPeriodMilliseconds(milliseconds uint32) status

//go:wasmimport env proxy_define_metric
//go:noescape
func proxyDefineMetric(kind uint32, name unsafe.Pointer, nameSize uint32, id *uint32) status

//go:wasmimport env proxy_increment_metric
func proxyIncrementMetric(id uint32, by int64) status

//go:wasmimport wasi_snapshot_preview1 random_get
//go:noescape
func wasiRandomGet(buffer unsafe.Pointer, size uint32) uint32

// The kinds of buffers, header maps and metrics (proxy-wasm spec).
const (
	vmConfigurationBuffer     = 6
	pluginConfigurationBuffer = 7

	requestHeaders  = 0
	responseHeaders = 2

	counterMetric = 0
)
