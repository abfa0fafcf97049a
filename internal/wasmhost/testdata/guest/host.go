package main

//go:wasmimport env proxy_log
func hostLog(level uint32, text string) uint32

//go:wasmimport env proxy_get_current_time_nanoseconds
func hostTime(now *uint64) uint32

//go:wasmimport env proxy_set_tick_period_milliseconds
func hostSetTickPeriod(ms uint32) uint32

//go:wasmimport env proxy_done
func hostDone() uint32

//go:wasmimport env proxy_get_property
func hostProperty(path string, address, length *uint32) uint32

//go:wasmimport env proxy_set_property
func hostSetProperty(path, value string) uint32

//go:wasmimport env proxy_get_buffer_bytes
func hostBuffer(kind, start, max uint32, address, length *uint32) uint32

//go:wasmimport env proxy_get_header_map_pairs
func hostPairs(kind uint32, address, length *uint32) uint32

//go:wasmimport env proxy_get_header_map_value
func hostHeader(kind uint32, name string, address, length *uint32) uint32

//go:wasmimport env proxy_add_header_map_value
func hostAddHeader(kind uint32, name, value string) uint32

//go:wasmimport env proxy_replace_header_map_value
func hostReplaceHeader(kind uint32, name, value string) uint32

//go:wasmimport env proxy_remove_header_map_value
func hostRemoveHeader(kind uint32, name string) uint32

//go:wasmimport env proxy_get_shared_data
func hostShared(key string, address, length, version *uint32) uint32

//go:wasmimport env proxy_set_shared_data
func hostSetShared(key, value string, version uint32) uint32

//go:wasmimport env proxy_define_metric
func hostDefineMetric(kind uint32, name string, id *uint32) uint32

//go:wasmimport env proxy_increment_metric
func hostIncrement(id uint32, offset int64) uint32

//go:wasmimport env proxy_record_metric
func hostRecord(id uint32, value uint64) uint32

//go:wasmimport env proxy_get_metric
func hostMetric(id uint32, value *uint64) uint32

//go:wasmimport env proxy_send_local_response
func hostReply(status uint32, details, body, headers string, grpcStatus uint32) uint32

//go:wasmimport env proxy_continue_stream
func hostContinue(kind uint32) uint32

//go:wasmimport env proxy_set_effective_context
func hostSetEffectiveContext(id uint32) uint32

//go:wasmimport env proxy_get_status
func hostStatus(code, address, length *uint32) uint32

//go:wasmimport env proxy_grpc_call
func hostGRPC(service, serviceName, method, metadata, message string, timeout uint32, token *uint32) uint32

//go:wasmimport env proxy_http_call
func hostHTTP(cluster, headers, body, trailers string, timeout uint32, token *uint32) uint32

//go:wasmimport wasi_snapshot_preview1 random_get
func wasiRandom(b *[8]byte, size uint32) uint32

//go:wasmimport env proxy_set_header_map_pairs
func hostSetPairs(kind uint32, pairs string) uint32

//go:wasmimport env proxy_get_header_map_size
func hostMapSize(kind uint32, size *uint32) uint32

//go:wasmimport env proxy_close_stream
func hostClose(kind uint32) uint32

//go:wasmimport env proxy_grpc_cancel
func hostCancel(token uint32) uint32

//go:wasmimport env proxy_get_log_level
func hostLogLevel(level *uint32) uint32

//go:wasmimport env proxy_get_buffer_status
func hostBufferStatus(kind uint32, length, flags *uint32) uint32
