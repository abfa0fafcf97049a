package filter

import "tollgate/limiter"

// Host is what the filter needs of the proxy. What it returns is memory of the callback: strings and slices are valid until the
// callback returns, and who needs them longer copies them. An error is a host call that failed; nothing has
// changed then.
type Host interface {
	limiter.Store

	// Now returns the Unix time in nanoseconds.
	Now() (int64, error)
	// Random fills dst with bytes that nobody outside can guess.
	Random(dst []byte) error

	// PluginConfiguration returns the configuration of the plugin being started, empty if there is none.
	PluginConfiguration() ([]byte, error)
	// Property returns a property of the proxy or the stream (Envoy: "attributes"), its path segments joined by a zero byte. ok
	// is false where it has no value.
	Property(path string) (value string, ok bool)
	// SetTickPeriod makes the host call OnTick every so many milliseconds.
	SetTickPeriod(milliseconds uint32) error

	// RequestHeaders returns all header lines of the request in order, names in lower case, the pseudo headers
	// among them. The slice itself is reused by the next call.
	RequestHeaders() ([][2]string, error)
	// ReplaceRequestHeader leaves exactly one line of that name in what the upstream gets; RemoveRequestHeader leaves none.
	ReplaceRequestHeader(name string, value []byte) error
	RemoveRequestHeader(name string) error

	// ResponseStatus returns the status of the response, such as 200.
	ResponseStatus() (int, error)
	// ReplaceResponseHeader leaves exactly one line of that name, after all others.
	ReplaceResponseHeader(name string, value []byte) error
	// AddResponseHeader adds a line after all others.
	AddResponseHeader(name string, value []byte) error
	// SendReply answers the request in the upstream's place. The response headers callback runs for it too.
	SendReply(r *Reply) error

	// DefineCounter returns the number of the counter metric of that name, new or known.
	DefineCounter(name string) (Counter, error)
	// IncrementCounter adds to a counter metric.
	IncrementCounter(id Counter, by uint64) error
	// Log writes a line to the proxy's log.
	Log(level Level, line string)
}

// Field is a header line that is written.
type Field struct {
	Name  string // lower case
	Value []byte
}

// Reply is an answer that the filter gives in the upstream's place.
type Reply struct {
	Status  uint32
	Details []byte // response code details of the access log, without blanks
	Fields  []Field
	Body    []byte
	GRPC    int32 // grpc-status of the answer, or NoGRPC to leave it to the proxy
}

// NoGRPC is the GRPC of a Reply to a request that is none.
const NoGRPC = -1

// Counter is the host's number of a counter metric.
type Counter uint32

// Level is the severity of a log line (proxy-wasm spec, proxy_log_level_t).
type Level uint32

// The severities that are used.
const (
	LogInfo  Level = 2
	LogWarn  Level = 3
	LogError Level = 4
)
