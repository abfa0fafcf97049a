package config

import (
	"math"
	"sort"
	"strconv"
	"unicode/utf8"
)

// structMark is the first byte of every google.protobuf.Struct that is not empty: the tag of its field 1.
const structMark = 0x0a

// structReader reads the wire format of google.protobuf.Struct, Value and ListValue (struct.proto) into a tree. It
// knows what those messages consist of and takes nothing else.
type structReader struct {
	order int // how many values have been read; it stands for the offset, since nothing has a position
}

// readStruct returns the tree of a serialised Struct that is not empty; ok is false for anything else.
func readStruct(source string) (root *node, ok bool) {
	if source == "" || source[0] != structMark {
		return nil, false
	}
	r := &structReader{}
	root = &node{kind: kindObject}
	return root, r.object(root, source, 1)
}

// object reads a Struct: entries of a map, each a message of a key and a value. The order of a map's entries means
// nothing, so they are put in the order of their keys.
func (r *structReader) object(n *node, message string, depth int) bool {
	entries, ok := readEntries(message)
	if !ok || depth > maxDepth {
		return false
	}
	for _, e := range entries {
		r.order++
		m := member{key: e.key, offset: r.order, value: &node{path: memberPath(n.path, e.key)}}
		if !r.value(m.value, e.value, depth) {
			return false
		}
		n.members = append(n.members, m)
	}
	return true
}

// entry is an entry of a Struct's map, its value still a message.
type entry struct{ key, value string }

type byKey []entry

func (b byKey) Len() int           { return len(b) }
func (b byKey) Less(i, j int) bool { return b[i].key < b[j].key }
func (b byKey) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

func readEntries(message string) ([]entry, bool) {
	var entries []entry
	for message != "" {
		tag, payload, rest, ok := cutField(message)
		if !ok || tag != tagOf(1, wireBytes) {
			return nil, false
		}
		e, ok := readEntry(payload)
		if !ok {
			return nil, false
		}
		entries, message = append(entries, e), rest
	}
	sort.Stable(byKey(entries))
	return entries, true
}

func readEntry(message string) (e entry, ok bool) {
	hasValue := false
	for message != "" {
		tag, payload, rest, ok := cutField(message)
		switch {
		case ok && tag == tagOf(1, wireBytes) && utf8.ValidString(payload):
			e.key = payload
		case ok && tag == tagOf(2, wireBytes):
			e.value, hasValue = payload, true
		default:
			return e, false
		}
		message = rest
	}
	return e, hasValue
}

// value reads a Value: exactly one of its kinds.
func (r *structReader) value(n *node, message string, depth int) bool {
	r.order++
	n.offset = r.order
	tag, payload, rest, ok := cutField(message)
	if !ok || rest != "" {
		return false
	}
	switch tag {
	case tagOf(1, wireVarint):
		n.kind = kindNull
	case tagOf(2, wireFixed64):
		n.kind, n.text = kindNumber, strconv.FormatFloat(math.Float64frombits(littleEndian(payload)), 'g', -1, 64)
	case tagOf(3, wireBytes):
		n.kind, n.text = kindString, payload
		return utf8.ValidString(payload)
	case tagOf(4, wireVarint):
		v, _, _, _ := cutVarint(payload)
		n.kind, n.text = kindBool, strconv.FormatBool(v != 0)
	case tagOf(5, wireBytes):
		n.kind = kindObject
		return r.object(n, payload, depth+1)
	case tagOf(6, wireBytes):
		n.kind = kindList
		return r.list(n, payload, depth+1)
	default:
		return false
	}
	return true
}

// list reads a ListValue.
func (r *structReader) list(n *node, message string, depth int) bool {
	if depth > maxDepth {
		return false
	}
	for message != "" {
		tag, payload, rest, ok := cutField(message)
		child := &node{path: elementPath(n.path, len(n.elements))}
		if !ok || tag != tagOf(1, wireBytes) || !r.value(child, payload, depth) {
			return false
		}
		n.elements, message = append(n.elements, child), rest
	}
	return true
}

// Wire types of the protobuf encoding that a Struct uses.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
)

func tagOf(field, wire uint64) uint64 { return field<<3 | wire }

// cutField splits a message after its first field. The payload of a varint is its bytes.
func cutField(message string) (tag uint64, payload, rest string, ok bool) {
	tag, _, rest, ok = cutVarint(message)
	if !ok {
		return 0, "", "", false
	}
	size := uint64(8)
	switch tag & 7 {
	case wireVarint:
		_, payload, rest, ok = cutVarint(rest)
		return tag, payload, rest, ok
	case wireBytes:
		size, _, rest, ok = cutVarint(rest)
	case wireFixed64:
	default:
		ok = false
	}
	if !ok || size > uint64(len(rest)) {
		return 0, "", "", false
	}
	return tag, rest[:size], rest[size:], true
}

// cutVarint splits s after a varint of at most 64 bits.
func cutVarint(s string) (v uint64, bytes, rest string, ok bool) {
	for i := 0; i < len(s) && i < 10; i++ {
		v |= uint64(s[i]&0x7f) << (7 * i)
		if s[i] < 0x80 {
			return v, s[:i+1], s[i+1:], true
		}
	}
	return 0, "", "", false
}

func littleEndian(bytes string) (v uint64) {
	for i := range len(bytes) {
		v |= uint64(bytes[i]) << (8 * i)
	}
	return v
}
