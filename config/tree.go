package config

import (
	"strconv"

	"github.com/tidwall/gjson"
)

// kind is the JSON type of a node.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindList
	kindObject
)

// String returns the kind as messages name it.
func (k kind) String() string {
	return [...]string{"null", "true or false", "a number", "a string", "a list", "an object"}[k]
}

// node is one value of a configuration. The tree keeps what decoding needs and JSON libraries drop: the order of
// members, repeated keys, the number as it was written, and where everything stands.
type node struct {
	kind     kind
	path     string // as in errors
	offset   int    // of the value's first byte
	text     string // of a string: its value; of a number: as written; of a boolean: true or false
	members  []member
	elements []*node
	optional bool // the field may be left out
}

// member is a key of an object and its value. The value's path is the member's too.
type member struct {
	key    string
	offset int // of the key's opening quote
	value  *node
}

// buildTree turns valid JSON into nodes, the whole of which has the path root.
func buildTree(text, root string) *node {
	return fromJSON(gjson.Parse(text), root)
}

func fromJSON(v gjson.Result, path string) *node {
	n := &node{path: path, offset: v.Index}
	switch v.Type {
	case gjson.True, gjson.False:
		n.kind, n.text = kindBool, v.Raw
	case gjson.Number:
		n.kind, n.text = kindNumber, v.Raw
	case gjson.String:
		n.kind, n.text = kindString, v.Str
	case gjson.JSON:
		n.fill(v)
	}
	return n
}

// fill reads the members or elements of an object or a list.
func (n *node) fill(v gjson.Result) {
	n.kind = kindList
	if v.IsObject() {
		n.kind = kindObject
	}
	v.ForEach(func(key, value gjson.Result) bool {
		if n.kind == kindList {
			n.elements = append(n.elements, fromJSON(value, elementPath(n.path, len(n.elements))))
			return true
		}
		child := fromJSON(value, memberPath(n.path, key.Str))
		n.members = append(n.members, member{key: key.Str, offset: key.Index, value: child})
		return true
	})
}

func elementPath(parent string, index int) string {
	return parent + "[" + strconv.Itoa(index) + "]"
}

// memberPath appends a key to a path: after a dot, or quoted in brackets where the dot would not be plain.
func memberPath(parent, key string) string {
	switch {
	case !isPlainKey(key):
		return parent + "[" + quote(key) + "]"
	case parent == "":
		return key
	default:
		return parent + "." + key
	}
}

func isPlainKey(key string) bool {
	for i := range len(key) {
		if !isAlphanumeric(key[i]) && key[i] != '_' && key[i] != '-' && key[i] != '$' {
			return false
		}
	}
	return key != "" && len(key) <= 64
}
