package wasmhost

import (
	"bytes"
	"strings"
	"time"
)

// generalImports are logging, time, properties, buffers and the life cycle.
func generalImports() []importFunc {
	return []importFunc{
		{name: "proxy_log", signature: "iii", always: true, run: proxyLog},
		{name: "proxy_get_log_level", signature: "i", run: proxyGetLogLevel},
		{name: "proxy_get_current_time_nanoseconds", signature: "i", run: proxyGetTime},
		{name: "proxy_set_tick_period_milliseconds", signature: "i", run: proxySetTickPeriod},
		{name: "proxy_get_property", signature: "iiii", run: proxyGetProperty, describe: describeProperty},
		{name: "proxy_set_property", signature: "iiii", run: proxySetProperty, describe: describeProperty},
		{name: "proxy_get_buffer_bytes", signature: "iiiii", run: proxyGetBuffer, describe: describeBuffer},
		{name: "proxy_get_buffer_status", signature: "iii", run: proxyGetBufferStatus, describe: describeBuffer},
		{name: "proxy_set_effective_context", signature: "i", run: proxySetEffectiveContext},
		{name: "proxy_done", run: proxyDone},
	}
}

func proxyLog(vm *VM, a args) Status {
	if LogLevel(a.u32(0)) > LevelCritical {
		return BadArgument
	}
	text, ok := vm.text(a, 1)
	if !ok {
		return InvalidMemoryAccess
	}
	vm.log(LogLevel(a.u32(0)), text)
	return OK
}

func (vm *VM) log(level LogLevel, text string) {
	vm.host.logs.add(LogEntry{VM: vm.number, Level: level, Text: text})
}

// proxyGetLogLevel says that everything is logged: the test decides what it looks at.
func proxyGetLogLevel(vm *VM, a args) Status {
	return vm.giveU32(uint32(LevelTrace), a.u32(0))
}

func proxyGetTime(vm *VM, a args) Status {
	return vm.giveU64(uint64(vm.host.Now().UnixNano()), a.u32(0))
}

func proxySetTickPeriod(vm *VM, a args) Status {
	if c := vm.here(); c != nil {
		c.root.tickPeriod = time.Duration(a.u32(0)) * time.Millisecond
	}
	return OK
}

func describeProperty(vm *VM, a args, c *Call) {
	c.Arg = strings.ReplaceAll(vm.describeText(a, 0), "\x00", ".")
}

// proxyGetProperty looks in the stream, then in the plugin, then in the host.
func proxyGetProperty(vm *VM, a args) Status {
	path, ok := vm.text(a, 0)
	if !ok {
		return InvalidMemoryAccess
	}
	value, ok := vm.property(strings.TrimSuffix(path, "\x00"))
	if !ok {
		return NotFound
	}
	return vm.give(value, a.u32(2), a.u32(3))
}

func (vm *VM) property(key string) ([]byte, bool) {
	c := vm.here()
	if c != nil && c.stream != nil {
		if value, ok := c.stream.properties[key]; ok {
			return value, true
		}
	}
	if c != nil {
		if value, ok := c.root.property(key); ok {
			return value, true
		}
	}
	return vm.host.property(key)
}

// proxySetProperty stores for the stream alone: outside of one there is nowhere to store.
func proxySetProperty(vm *VM, a args) Status {
	texts, ok := vm.texts(a, 0, 2)
	if !ok {
		return InvalidMemoryAccess
	}
	c := vm.here()
	if c == nil || c.stream == nil {
		return NotFound
	}
	c.stream.properties[strings.TrimSuffix(texts[0], "\x00")] = bytes.Clone([]byte(texts[1]))
	return OK
}

// The buffers a guest can name; those of bodies are not played.
const (
	bufferHTTPCallBody = 4
	bufferGRPCMessage  = 5
	bufferVMConfig     = 6
	bufferPluginConfig = 7
	lastBuffer         = 8
)

func describeBuffer(_ *VM, a args, c *Call) {
	switch a.u32(0) {
	case bufferHTTPCallBody:
		c.Arg = "http call response"
	case bufferGRPCMessage:
		c.Arg = "grpc message"
	case bufferVMConfig:
		c.Arg = "vm configuration"
	case bufferPluginConfig:
		c.Arg = "plugin configuration"
	}
}

// buffer returns what can be read at this moment, or nil.
func (vm *VM) buffer(kind uint32) []byte {
	c := vm.here()
	switch {
	case kind == bufferHTTPCallBody:
		return vm.httpBody
	case kind == bufferGRPCMessage:
		return vm.grpcMessage
	case kind == bufferVMConfig && c != nil:
		return notNil(c.root.plugin.VMConfig)
	case kind == bufferPluginConfig && c != nil && c.root.configReadable:
		return notNil(c.root.plugin.Config)
	}
	return nil
}

func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func proxyGetBuffer(vm *VM, a args) Status {
	kind, start, length := a.u32(0), uint64(a.u32(1)), uint64(a.u32(2))
	if kind > lastBuffer {
		return BadArgument
	}
	buffer := vm.buffer(kind)
	if buffer == nil {
		return NotFound
	}
	if start > uint64(len(buffer)) {
		return BadArgument
	}
	end := min(start+length, uint64(len(buffer)))
	if start == end {
		return OK // no pointer is written
	}
	return vm.give(buffer[start:end], a.u32(3), a.u32(4))
}

func proxyGetBufferStatus(vm *VM, a args) Status {
	if a.u32(0) > lastBuffer {
		return BadArgument
	}
	buffer := vm.buffer(a.u32(0))
	if buffer == nil {
		return NotFound
	}
	if status := vm.giveU32(uint32(len(buffer)), a.u32(1)); status != OK {
		return status
	}
	return vm.giveU32(0, a.u32(2))
}

func proxySetEffectiveContext(vm *VM, a args) Status {
	if vm.contexts[a.u32(0)] == nil {
		return BadArgument
	}
	vm.effective = a.u32(0)
	return OK
}

// proxyDone ends the wait that a root began by returning false from proxy_on_done. Its deletion comes after the
// callback, as in Envoy.
func proxyDone(vm *VM, _ args) Status {
	c := vm.here()
	if c == nil || !c.root.closing {
		return NotFound
	}
	c.root.closing = false
	vm.toDelete = append(vm.toDelete, c.root)
	return OK
}
