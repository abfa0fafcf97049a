package wasmhost

import "strconv"

// Status is the result of a host call: a WasmResult of proxy-wasm for the proxy functions, a WASI errno for the others.
type Status uint32

// The results a proxy function can have.
const (
	OK                   Status = 0
	NotFound             Status = 1
	BadArgument          Status = 2
	SerializationFailure Status = 3
	ParseFailure         Status = 4
	BadExpression        Status = 5
	InvalidMemoryAccess  Status = 6
	Empty                Status = 7
	CASMismatch          Status = 8
	ResultMismatch       Status = 9
	InternalFailure      Status = 10
	BrokenConnection     Status = 11
	Unimplemented        Status = 12
)

// String returns the proxy-wasm name of the result, or its number.
func (s Status) String() string {
	names := [...]string{
		"Ok", "NotFound", "BadArgument", "SerializationFailure", "ParseFailure", "BadExpression", "InvalidMemoryAccess",
		"Empty", "CasMismatch", "ResultMismatch", "InternalFailure", "BrokenConnection", "Unimplemented",
	}
	if int(s) < len(names) {
		return names[s]
	}
	return strconv.FormatUint(uint64(s), 10)
}

// Action is what a header callback tells the host to do next.
type Action uint32

const (
	// Continue passes the stream on to the next filter.
	Continue Action = 0
	// Pause holds the stream until the guest continues it, or answers it with a local reply.
	Pause Action = 1
)

// LogLevel is the severity of a log line.
type LogLevel uint32

// The levels in rising severity.
const (
	LevelTrace LogLevel = iota
	LevelDebug
	LevelInfo
	LevelWarn
	LevelError
	LevelCritical
)

// String returns the level's name as Envoy's log shows it.
func (l LogLevel) String() string {
	names := [...]string{"trace", "debug", "info", "warning", "error", "critical"}
	if int(l) < len(names) {
		return names[l]
	}
	return strconv.FormatUint(uint64(l), 10)
}
