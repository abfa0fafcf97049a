package wasmhost

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// wasiImports are the WASI functions that Envoy serves (proxy-wasm-cpp-host src/exports.cc) and that Go's runtime and
// its package os import.
func wasiImports() []importFunc {
	return []importFunc{
		{name: "args_get", signature: "ii", run: wasiNothing},
		{name: "args_sizes_get", signature: "ii", run: wasiZeroSizes},
		{name: "environ_get", signature: "ii", run: wasiNothing},
		{name: "environ_sizes_get", signature: "ii", run: wasiZeroSizes},
		{name: "clock_time_get", signature: "iIi", always: true, run: wasiClock, describe: describeClock},
		{name: "random_get", signature: "ii", run: wasiRandom},
		{name: "sched_yield", run: wasiNothing},
		{name: "poll_oneoff", signature: "iiii", run: wasiPoll},
		{name: "proc_exit", signature: "i", noResult: true, run: wasiExit},
		{name: "fd_write", signature: "iiii", always: true, run: wasiWrite, describe: describeFile},
		{name: "fd_close", signature: "i", run: wasiNothing},
		{name: "fd_fdstat_get", signature: "ii", run: wasiFileStatus},
		{name: "fd_fdstat_set_flags", signature: "ii", run: wasiUnsupported},
		{name: "fd_prestat_get", signature: "ii", run: wasiBadFile},
		{name: "fd_prestat_dir_name", signature: "iii", run: wasiBadFile},
	}
}

// The errnos of WASI in use, which have the type Status for the sake of the hooks.
const (
	errnoBadFile     Status = 8
	errnoFault       Status = 21
	errnoInvalid     Status = 28
	errnoNoSystem    Status = 52
	errnoUnsupported Status = 58
)

const (
	stdout = 1
	stderr = 2

	clockRealtime  = 0
	clockMonotonic = 1

	// maxRandom is the most that one random_get may ask for (proxy-wasm-cpp-host limits.h).
	maxRandom = 64 << 10
)

func wasiNothing(*VM, args) Status     { return OK }
func wasiUnsupported(*VM, args) Status { return errnoNoSystem }
func wasiBadFile(*VM, args) Status     { return errnoBadFile }

// wasiZeroSizes says that there are no arguments, or no environment variables.
func wasiZeroSizes(vm *VM, a args) Status {
	if vm.giveU32(0, a.u32(0)) != OK || vm.giveU32(0, a.u32(1)) != OK {
		return errnoFault
	}
	return OK
}

func describeClock(_ *VM, a args, c *Call) {
	switch a.u32(0) {
	case clockRealtime:
		c.Arg = "realtime"
	case clockMonotonic:
		c.Arg = "monotonic"
	}
}

func wasiClock(vm *VM, a args) Status {
	var now uint64
	switch a.u32(0) {
	case clockRealtime:
		now = uint64(vm.host.Now().UnixNano())
	case clockMonotonic:
		now = uint64(time.Since(vm.started))
	default:
		return errnoUnsupported
	}
	if vm.giveU64(now, a.u32(2)) != OK {
		return errnoFault
	}
	return OK
}

func wasiRandom(vm *VM, a args) Status {
	if a.u32(1) > maxRandom {
		return errnoInvalid
	}
	random := make([]byte, a.u32(1))
	if _, err := io.ReadFull(vm.random, random); err != nil || !vm.memory.Write(a.u32(0), random) {
		return errnoFault
	}
	return OK
}

// wasiPoll reports every subscription as due, without waiting. It succeeds, as since Envoy 1.39, because a Go runtime that
// prints a panic calls it and would lose the message otherwise.
func wasiPoll(vm *VM, a args) Status {
	const subscriptionSize, eventSize, typeOffset = 48, 32, 8
	in, out, count := a.u32(0), a.u32(1), a.u32(2)
	for i := range count {
		userdata, ok1 := vm.memory.ReadUint64Le(in + i*subscriptionSize)
		kind, ok2 := vm.memory.ReadByte(in + i*subscriptionSize + typeOffset)
		event := out + i*eventSize
		// The event: the user data, no error, the type 10 bytes in.
		if !ok1 || !ok2 || vm.giveU64(userdata, event) != OK || vm.giveU64(uint64(kind)<<16, event+8) != OK {
			return errnoFault
		}
	}
	if vm.giveU32(count, a.u32(3)) != OK {
		return errnoFault
	}
	return OK
}

// wasiExit ends the VM. The runtime turns the panic into a trap.
func wasiExit(_ *VM, a args) Status {
	panic(fmt.Errorf("proc_exit(%d)", a.u32(0)))
}

func describeFile(_ *VM, a args, c *Call) {
	switch a.u32(0) {
	case stdout:
		c.Arg = "stdout"
	case stderr:
		c.Arg = "stderr"
	}
}

// wasiWrite sends what the guest prints to the log, a trailing newline removed.
func wasiWrite(vm *VM, a args) Status {
	level := LevelInfo
	switch a.u32(0) {
	case stdout:
	case stderr:
		level = LevelError
	default:
		return errnoBadFile
	}
	text, ok := vm.gather(a.u32(1), a.u32(2))
	if !ok || vm.giveU32(uint32(len(text)), a.u32(3)) != OK {
		return errnoFault
	}
	if level == LevelError {
		vm.stderr.WriteString(text)
	}
	if text != "" {
		vm.log(level, strings.TrimSuffix(text, "\n"))
	}
	return OK
}

// gather joins the memory that a vector of addresses and lengths describes.
func (vm *VM) gather(vector, count uint32) (string, bool) {
	var text strings.Builder
	for i := range count {
		address, ok1 := vm.memory.ReadUint32Le(vector + 8*i)
		length, ok2 := vm.memory.ReadUint32Le(vector + 8*i + 4)
		if !ok1 || !ok2 {
			return "", false
		}
		part, ok := vm.memory.Read(address, length)
		if !ok {
			return "", false
		}
		text.Write(part)
	}
	return text.String(), true
}

// wasiFileStatus knows standard output and error, which can be written.
func wasiFileStatus(vm *VM, a args) Status {
	if a.u32(0) != stdout && a.u32(0) != stderr {
		return errnoBadFile
	}
	const rightToWrite = 64
	for i, word := range []uint64{0, rightToWrite, 0} {
		if vm.giveU64(word, a.u32(1)+8*uint32(i)) != OK {
			return errnoFault
		}
	}
	return OK
}
