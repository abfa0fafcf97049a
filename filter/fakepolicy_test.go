package filter

import "strings"

// The part of the fake that only some policies need.

func (h *fakeHost) ReplaceRequestHeader(name string, value []byte) error {
	if err := h.called("replace request", name); err != nil {
		return err
	}
	h.upstream = append(without(h.upstream, name), [2]string{name, string(value)})
	return nil
}

func (h *fakeHost) RemoveRequestHeader(name string) error {
	if err := h.called("remove request", name); err != nil {
		return err
	}
	h.upstream = without(h.upstream, name)
	return nil
}

func without(lines [][2]string, name string) [][2]string {
	var rest [][2]string
	for _, line := range lines {
		if line[0] != name {
			rest = append(rest, line)
		}
	}
	return rest
}

func (h *fakeHost) ResponseStatus() (int, error) { return h.status, h.called("status") }

func (h *fakeHost) AddResponseHeader(name string, value []byte) error {
	if err := h.called("add", name); err != nil {
		return err
	}
	h.response = append(h.response, [2]string{name, string(value)})
	return nil
}

// property is a property of the stream: its path with dots for the zero bytes.
func (h *fakeHost) property(path string) (string, bool) {
	value, ok := h.properties[strings.ReplaceAll(path, "\x00", ".")]
	if !ok {
		return "", false
	}
	return h.lend(value), true
}
