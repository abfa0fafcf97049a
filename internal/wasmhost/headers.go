package wasmhost

import (
	"slices"
	"strings"
)

// Headers are the lines of a header map in their order, pseudo-headers (:method, :path, :status) included. A name may
// stand on several lines. Envoy holds names in lower case, and so does the host, whatever a test writes.
type Headers [][2]string

// Get returns the first value of a name, and whether there is one. The name's case does not matter.
func (h Headers) Get(name string) (value string, ok bool) {
	for _, line := range h {
		if strings.EqualFold(line[0], name) {
			return line[1], true
		}
	}
	return "", false
}

// Value returns the first value of a name, or "".
func (h Headers) Value(name string) string {
	value, _ := h.Get(name)
	return value
}

// Values returns all values of a name in their order.
func (h Headers) Values(name string) []string {
	var values []string
	for _, line := range h {
		if strings.EqualFold(line[0], name) {
			values = append(values, line[1])
		}
	}
	return values
}

// Names returns the name of every line in order, repeated names as often as they stand there.
func (h Headers) Names() []string {
	names := make([]string, len(h))
	for i, line := range h {
		names[i] = line[0]
	}
	return names
}

// lowered returns a copy with lower-case names.
func (h Headers) lowered() Headers {
	out := make(Headers, len(h))
	for i, line := range h {
		out[i] = [2]string{strings.ToLower(line[0]), line[1]}
	}
	return out
}

// without returns the lines that do not carry the name, and leaves h alone.
func (h Headers) without(name string) Headers {
	return slices.DeleteFunc(slices.Clone(h), func(line [2]string) bool { return strings.EqualFold(line[0], name) })
}

func (h *Headers) add(name, value string) {
	*h = append(*h, [2]string{strings.ToLower(name), value})
}

func (h *Headers) remove(name string) {
	*h = h.without(name)
}

// set is Envoy's setCopy: all lines of the name go, one is added at the end.
func (h *Headers) set(name, value string) {
	h.remove(name)
	h.add(name, value)
}

// byteSize is what Envoy calls the size of a map: the bytes of all names and values.
func (h Headers) byteSize() int {
	size := 0
	for _, line := range h {
		size += len(line[0]) + len(line[1])
	}
	return size
}
