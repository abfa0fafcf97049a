package wasmhost

import "bytes"

// The exports by which a guest gives the host memory.
const (
	allocateExport = "proxy_on_memory_allocate"
	mallocExport   = "malloc"
)

// bytes returns a copy of the guest memory that two arguments, address and length, describe.
func (vm *VM) bytes(a args, i int) ([]byte, bool) {
	view, ok := vm.memory.Read(a.u32(i), a.u32(i+1))
	return bytes.Clone(view), ok
}

// text is bytes as a string.
func (vm *VM) text(a args, i int) (string, bool) {
	view, ok := vm.memory.Read(a.u32(i), a.u32(i+1))
	return string(view), ok
}

// texts returns several consecutive address and length arguments; false if any lies outside the memory.
func (vm *VM) texts(a args, first, count int) ([]string, bool) {
	out := make([]string, count)
	for n := range out {
		text, ok := vm.text(a, first+2*n)
		if !ok {
			return nil, false
		}
		out[n] = text
	}
	return out, true
}

// describeText returns text for a trace, where a bad address does not matter.
func (vm *VM) describeText(a args, i int) string {
	text, _ := vm.text(a, i)
	return text
}

// give copies a value into memory that the guest allocates, and writes its address and length to where the guest asked.
// An empty value is the address 0.
func (vm *VM) give(value []byte, addressAt, lengthAt uint32) Status {
	var address uint32
	if len(value) > 0 {
		address = vm.allocate(uint32(len(value)))
		if address == 0 || !vm.memory.Write(address, value) {
			return InvalidMemoryAccess
		}
	}
	if !vm.memory.WriteUint32Le(addressAt, address) || !vm.memory.WriteUint32Le(lengthAt, uint32(len(value))) {
		return InvalidMemoryAccess
	}
	return OK
}

// giveU32 writes a number to where the guest asked.
func (vm *VM) giveU32(value, at uint32) Status {
	if !vm.memory.WriteUint32Le(at, value) {
		return InvalidMemoryAccess
	}
	return OK
}

// giveU64 writes a number to where the guest asked.
func (vm *VM) giveU64(value uint64, at uint32) Status {
	if !vm.memory.WriteUint64Le(at, value) {
		return InvalidMemoryAccess
	}
	return OK
}

// allocate calls the guest back for memory, as Envoy does in the middle of a host call. 0 means it has none to give.
func (vm *VM) allocate(size uint32) uint32 {
	before := vm.phase
	vm.phase = allocating
	defer func() { vm.phase = before }()
	vm.allocations++
	stack := [1]uint64{uint64(size)}
	if err := vm.allocator.CallWithStack(vm.ctx, stack[:]); err != nil {
		panic(err) // a guest that trapped in its allocator must not go on: the trap ends the outer callback too
	}
	return uint32(stack[0])
}
