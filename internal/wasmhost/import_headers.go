package wasmhost

// headerImports are the functions on header maps.
func headerImports() []importFunc {
	return []importFunc{
		{name: "proxy_get_header_map_pairs", signature: "iii", run: proxyGetPairs, describe: describeMap},
		{name: "proxy_set_header_map_pairs", signature: "iii", run: proxySetPairs, describe: describeMap},
		{name: "proxy_get_header_map_size", signature: "ii", run: proxyGetMapSize, describe: describeMap},
		{name: "proxy_get_header_map_value", signature: "iiiii", run: proxyGetHeader, describe: describeHeader},
		{name: "proxy_add_header_map_value", signature: "iiiii", run: proxyAddHeader, describe: describeHeader},
		{name: "proxy_replace_header_map_value", signature: "iiiii", run: proxyReplaceHeader, describe: describeHeader},
		{name: "proxy_remove_header_map_value", signature: "iii", run: proxyRemoveHeader, describe: describeHeader},
	}
}

// The header maps a guest can name; those of trailers and metadata are always out of reach.
const (
	requestHeaders          = 0
	responseHeaders         = 2
	httpCallResponseHeaders = 6
	lastHeaderMap           = 7
)

func mapName(kind uint32) string {
	names := [...]string{
		"request", "request trailers", "response", "response trailers", "grpc initial metadata",
		"grpc trailing metadata", "http call response", "http call trailers",
	}
	if kind > lastHeaderMap {
		return "?"
	}
	return names[kind]
}

func describeMap(_ *VM, a args, c *Call) { c.Arg = mapName(a.u32(0)) }

func describeHeader(vm *VM, a args, c *Call) {
	c.Arg = mapName(a.u32(0)) + " " + vm.describeText(a, 1)
}

// readable returns the header map of a kind if the guest can read it now (Envoy's Context::getConstMap), else nil.
func (vm *VM) readable(kind uint32) *Headers {
	c := vm.here()
	if kind == httpCallResponseHeaders {
		return vm.httpHeaders
	}
	if c != nil && c.stream != nil && c.stream.logging {
		return c.stream.headerMap(kind)
	}
	return vm.writable(kind)
}

// writable returns the header map of a kind if the guest can change it now (Envoy's Context::getMap), else nil.
func (vm *VM) writable(kind uint32) *Headers {
	c := vm.here()
	if c == nil || c.stream == nil {
		return nil
	}
	s := c.stream
	if kind == requestHeaders && !s.requestOpen || kind == responseHeaders && !s.responseOpen {
		return nil
	}
	return s.headerMap(kind)
}

func (s *Stream) headerMap(kind uint32) *Headers {
	switch kind {
	case requestHeaders:
		return &s.request
	case responseHeaders:
		return &s.response
	default:
		return nil
	}
}

// proxyGetPairs succeeds without pairs where there is no map.
func proxyGetPairs(vm *VM, a args) Status {
	if a.u32(0) > lastHeaderMap {
		return BadArgument
	}
	var pairs []byte
	if h := vm.readable(a.u32(0)); h != nil {
		pairs = encodePairs(*h)
	}
	return vm.give(pairs, a.u32(1), a.u32(2))
}

func proxySetPairs(vm *VM, a args) Status {
	b, ok := vm.bytes(a, 1)
	if !ok {
		return InvalidMemoryAccess
	}
	h := vm.writable(a.u32(0))
	if h == nil {
		return BadArgument
	}
	*h = decodePairs(b).lowered()
	return OK
}

func proxyGetMapSize(vm *VM, a args) Status {
	h := vm.writable(a.u32(0))
	if h == nil {
		return BadArgument
	}
	return vm.giveU32(uint32(h.byteSize()), a.u32(1))
}

// proxyGetHeader returns the first line of a name only.
func proxyGetHeader(vm *VM, a args) Status {
	name, ok := vm.text(a, 1)
	if !ok {
		return InvalidMemoryAccess
	}
	h := vm.readable(a.u32(0))
	if h == nil {
		return BadArgument
	}
	value, ok := h.Get(name)
	if !ok {
		return NotFound
	}
	return vm.give([]byte(value), a.u32(3), a.u32(4))
}

func proxyAddHeader(vm *VM, a args) Status {
	return vm.changeHeader(a, (*Headers).add)
}

func proxyReplaceHeader(vm *VM, a args) Status {
	return vm.changeHeader(a, (*Headers).set)
}

func (vm *VM) changeHeader(a args, change func(h *Headers, name, value string)) Status {
	texts, ok := vm.texts(a, 1, 2)
	if !ok {
		return InvalidMemoryAccess
	}
	h := vm.writable(a.u32(0))
	if h == nil {
		return BadArgument
	}
	change(h, texts[0], texts[1])
	return OK
}

func proxyRemoveHeader(vm *VM, a args) Status {
	name, ok := vm.text(a, 1)
	if !ok {
		return InvalidMemoryAccess
	}
	h := vm.writable(a.u32(0))
	if h == nil {
		return BadArgument
	}
	h.remove(name)
	return OK
}
