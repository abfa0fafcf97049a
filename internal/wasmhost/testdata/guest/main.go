// Command guest is a small proxy-wasm plugin that does what its requests tell it, and logs what came of it. Each request
// carries one command in the header "do", with arguments separated by blanks.
package main

import (
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {}

const logInfo = 2

// received is what the host last asked memory for: the host fills it, and the call that made it do so picks it up.
var (
	received []byte
	grown    [][]byte

	// callHostWhileAllocating makes the next allocation misbehave.
	callHostWhileAllocating bool
	// grpcFor is the stream that waits for a gRPC answer.
	grpcFor uint32
)

//go:wasmexport proxy_abi_version_0_2_1
func abiVersion() {}

//go:wasmexport proxy_on_memory_allocate
func allocate(size uint32) *byte {
	if callHostWhileAllocating {
		var address, length uint32
		hostProperty("plugin_name", &address, &length)
	}
	received = make([]byte, size)
	return &received[0]
}

//go:wasmexport proxy_on_context_create
func onContextCreate(id, parent uint32) { say("create", num(id), num(parent)) }

//go:wasmexport proxy_on_vm_start
func onVMStart(root, size uint32) uint32 {
	status, config := buffer(6)
	say("vm_start", num(root), num(status), config)
	return yes(config != "refuse")
}

//go:wasmexport proxy_on_configure
func onConfigure(root, size uint32) uint32 {
	status, config := buffer(7)
	say("configure", num(root), num(status), config)
	if config == "tick" {
		hostSetTickPeriod(1000)
	}
	return yes(config != "refuse")
}

//go:wasmexport proxy_on_tick
func onTick(root uint32) {
	say("tick", num(root))
	hostDone()
}

//go:wasmexport proxy_on_request_headers
func onRequestHeaders(id, count, eos uint32) uint32 {
	status, command := header(0, "do")
	if status != 0 {
		return 0
	}
	words := strings.Split(command, " ")
	if words[0] == "grpc" {
		grpcFor = id
	}
	return run(words[0], words[1:])
}

//go:wasmexport proxy_on_response_headers
func onResponseHeaders(id, count, eos uint32) uint32 {
	status, _ := header(0, "do")
	say("response", "count="+num(count), "eos="+num(eos), "request="+num(status))
	hostReplaceHeader(2, "X-Replaced", "guest")
	hostAddHeader(2, "x-added", "guest")
	hostRemoveHeader(2, "x-removed")
	if _, wanted := header(2, "x-refuse"); wanted != "" {
		hostReply(502, "refused", wanted, "", ^uint32(0))
	}
	_, wanted := header(2, "x-pause")
	return yes(wanted != "")
}

//go:wasmexport proxy_on_done
func onDone(id uint32) uint32 {
	status, _ := header(0, "do")
	say("done", num(id), "request="+num(status))
	return yes(id != 1)
}

//go:wasmexport proxy_on_log
func onLog(id uint32) {
	_, command := header(0, "do")
	say("log", num(id), command)
}

//go:wasmexport proxy_on_delete
func onDelete(id uint32) { say("delete", num(id)) }

//go:wasmexport proxy_on_grpc_receive
func onGRPCReceive(root, token, size uint32) {
	_, message := buffer(5)
	say("grpc_receive", num(root), num(token), message)
	hostSetEffectiveContext(grpcFor)
	hostContinue(0)
}

//go:wasmexport proxy_on_grpc_close
func onGRPCClose(root, token, status uint32) {
	var code, address, length uint32
	hostStatus(&code, &address, &length)
	say("grpc_close", num(root), num(token), num(status), num(code), string(received[:length]))
	hostSetEffectiveContext(grpcFor)
	hostReply(503, "grpc failed", "", "", ^uint32(0))
}

//go:wasmexport proxy_on_http_call_response
func onHTTPCallResponse(root, token, headers, bodySize, trailers uint32) {
	_, status := header(6, ":status")
	_, body := buffer(4)
	say("http_response", num(token), num(headers), status, body)
}

// run does a command and returns the action for the request.
func run(name string, arg []string) uint32 {
	switch name {
	case "pairs":
		say("pairs", pairs(0))
	case "header":
		status, value := header(0, arg[0])
		say("header", num(status), value)
	case "get":
		status, value, version := shared(arg[0])
		say("get", num(status), value, num(version))
	case "set":
		version, _ := strconv.ParseUint(arg[2], 10, 32)
		say("set", num(hostSetShared(arg[0], arg[1], uint32(version))))
	case "clock":
		var now uint64
		hostTime(&now)
		say("clock", strconv.FormatUint(now, 10), strconv.FormatInt(time.Now().UnixNano(), 10))
	case "property":
		status, value := property(strings.ReplaceAll(arg[0], ".", "\x00"))
		say("property", num(status), value)
	case "setproperty":
		say("setproperty", num(hostSetProperty(arg[0], arg[1])))
	case "metric":
		metric(arg[0])
	case "random":
		var b [8]byte
		wasiRandom(&b, 8)
		say("random", strconv.Quote(string(b[:])))
	case "reply":
		return reply(arg)
	case "pause":
		return 1
	case "grow":
		grown = append(grown, make([]byte, 8<<20))
	case "sleep":
		time.Sleep(time.Millisecond)
	case "setpairs":
		before, after := uint32(0), uint32(0)
		hostMapSize(0, &before)
		status := hostSetPairs(0, encode(":method", "PUT", "X-Only", "1"))
		hostMapSize(0, &after)
		say("setpairs", num(status), num(before), num(after))
	case "close":
		say("close", num(hostClose(0)))
	case "cancel":
		say("cancel", num(hostCancel(1)), num(hostCancel(1)))
	case "level":
		var level uint32
		say("level", num(hostLogLevel(&level)), num(level))
	case "buffer":
		var length, flags uint32
		say("buffer", num(hostBufferStatus(6, &length, &flags)), num(length), num(hostBufferStatus(7, &length, &flags)))
	case "print":
		println("printed")
	case "exit":
		syscall.Exit(3)
	case "panic":
		panic("told to")
	case "badallocate":
		callHostWhileAllocating = true
		header(0, "do")
	case "grpc":
		var token uint32
		say("grpc", num(hostGRPC("cluster", "pkg.Service", "Method", "", "question", 50, &token)))
		return 1
	case "http":
		var token uint32
		say("http", num(hostHTTP("cluster", encode(":method", "GET", ":path", "/", ":authority", "a"), "body", "", 50, &token)))
	}
	return 0
}

func reply(arg []string) uint32 {
	status, _ := strconv.Atoi(arg[0])
	body := ""
	if len(arg) > 1 {
		body = arg[1]
	}
	hostReply(uint32(status), "told to", body, encode("X-First", "1", "x-second", "2", "x-replaced", "reply"), 8)
	return 1
}

func metric(name string) {
	var counter, gauge uint32
	var value uint64
	hostDefineMetric(0, name, &counter)
	hostDefineMetric(1, name+"_gauge", &gauge)
	say("metric", num(hostIncrement(counter, 2)), num(hostIncrement(counter, 0)), num(hostRecord(gauge, 7)),
		num(hostMetric(counter, &value)), strconv.FormatUint(value, 10), num(hostIncrement(4000, 1)))
}

func say(words ...string) { hostLog(logInfo, strings.Join(words, " ")) }

func num(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

func yes(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// taken returns what the host gave, if it gave anything.
func taken(status, length uint32) string {
	if status != 0 || length == 0 {
		return ""
	}
	return string(received[:length])
}

func buffer(kind uint32) (uint32, string) {
	var address, length uint32
	status := hostBuffer(kind, 0, 1<<20, &address, &length)
	return status, taken(status, length)
}

func header(kind uint32, name string) (uint32, string) {
	var address, length uint32
	status := hostHeader(kind, name, &address, &length)
	return status, taken(status, length)
}

func property(path string) (uint32, string) {
	var address, length uint32
	status := hostProperty(path, &address, &length)
	return status, taken(status, length)
}

func shared(key string) (uint32, string, uint32) {
	var address, length, version uint32
	status := hostShared(key, &address, &length, &version)
	return status, taken(status, length), version
}

func u32(b string) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 | int(b[3])<<24 }

// pairs shows a header map as "name=value|...".
func pairs(kind uint32) string {
	var address, length uint32
	b := taken(hostPairs(kind, &address, &length), length)
	if b == "" {
		return "none"
	}
	count := u32(b)
	rest := b[4+8*count:]
	var lines []string
	for i := range count {
		nameLen, valueLen := u32(b[4+8*i:]), u32(b[8+8*i:])
		lines = append(lines, rest[:nameLen]+"="+rest[nameLen+1:nameLen+1+valueLen])
		rest = rest[nameLen+valueLen+2:]
	}
	return strings.Join(lines, "|")
}

// encode serialises names and values that follow each other.
func encode(texts ...string) string {
	var b []byte
	put := func(n int) { b = append(b, byte(n), byte(n>>8), byte(n>>16), byte(n>>24)) }
	put(len(texts) / 2)
	for _, t := range texts {
		put(len(t))
	}
	for _, t := range texts {
		b = append(append(b, t...), 0)
	}
	return string(b)
}
