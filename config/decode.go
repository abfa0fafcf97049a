package config

import (
	"slices"
	"strconv"
)

// decoder reads nodes into Go values and collects every mistake on the way.
type decoder struct {
	problems
	warnings problems // what is allowed but hardly meant
	input    string   // what is read
	isStruct bool     // input is no text but a protobuf Struct, in which nothing has a position
}

// fail adds a mistake at a value.
func (d *decoder) fail(n *node, reason, advice string) {
	d.add(shownPath(n.path), n.offset, reason, advice)
}

// failKey adds a mistake at a key.
func (d *decoder) failKey(m member, reason, advice string) {
	d.add(shownPath(m.value.path), m.offset, reason, advice)
}

// warn adds a warning at a value.
func (d *decoder) warn(n *node, reason, advice string) {
	d.warnings.add(shownPath(n.path), n.offset, reason, advice)
}

func shownPath(path string) string {
	if path == "" {
		return rootPath
	}
	return path
}

// is reports whether n is of the wanted kind, and adds a mistake if not.
func (d *decoder) is(n *node, want kind, advice string) bool {
	if n.kind == want {
		return true
	}
	got := n.kind.String()
	switch {
	case n.kind == kindBool && want == kindString:
		got, advice = n.text, advice+` (YAML reads a bare on, off, yes or no as true or false: quote it)`
	case n.kind == kindBool:
		got = n.text
	case n.kind == kindNull && n.optional:
		advice += ", or leave the field out for its default"
	}
	d.fail(n, "is "+got+", not "+want.String(), advice)
	return false
}

// field is a member that an object of type T may have.
type field[T any] struct {
	name    string
	missing string // what to write if it is missing; empty if it may be
	read    func(d *decoder, n *node, into *T)
}

// given are the fields that an object has, with their values. A field that it was meant to have, by a near miss, is
// there without a value.
type given map[string]*node

func (g given) has(name string) bool {
	_, ok := g[name]
	return ok
}

// first returns the value of the first of the names that the object has, or nil.
func (g given) first(names ...string) *node {
	for _, name := range names {
		if g[name] != nil {
			return g[name]
		}
	}
	return nil
}

// readObject reads the members of n by the table of fields. Unknown, repeated and missing members are mistakes; ok is
// false if n is no object at all. A repeated member is read too, for the mistakes in it, but not into the result.
func readObject[T any](d *decoder, n *node, advice string, fields []field[T], into *T) (names given, ok bool) {
	labels := make([]label, len(fields))
	for i, f := range fields {
		labels[i] = label{f.name, f.missing}
	}
	return d.object(n, advice, labels, func(i int, value *node, repeated bool) {
		if repeated {
			fields[i].read(d, value, new(T))
		} else {
			fields[i].read(d, value, into)
		}
	})
}

// label is a field without its type. It keeps the work of readObject out of what is compiled once for each type.
type label struct{ name, missing string }

func (d *decoder) object(n *node, advice string, labels []label, read func(i int, value *node, repeated bool)) (names given, ok bool) {
	if !d.is(n, kindObject, advice) {
		return nil, false
	}
	names = given{}
	for _, m := range n.members {
		i := slices.IndexFunc(labels, func(l label) bool { return l.name == m.key })
		switch {
		case i < 0:
			if meant := d.unknown(m, labels); meant != "" && !names.has(meant) {
				names[meant] = nil
			}
		case names[m.key] != nil:
			d.failKey(m, "repeats a field of the same object", "keep one of the two")
			read(i, m.value, true)
		default:
			names[m.key] = m.value
			m.value.optional = labels[i].missing == ""
			read(i, m.value, false)
		}
	}
	for _, l := range labels {
		if l.missing != "" && !names.has(l.name) {
			d.fail(n, "has no "+quote(l.name), l.missing)
		}
	}
	return names, true
}

// unknown adds the mistake of an unknown field and returns the name that was meant, or "".
func (d *decoder) unknown(m member, labels []label) (meant string) {
	known := make([]string, len(labels))
	for i, l := range labels {
		known[i] = l.name
	}
	meant = nearest(m.key, known)
	advice := "the fields here are " + quoteAll(known, "and")
	if len(known) == 1 {
		advice = "the only field here is " + quote(known[0])
	}
	if meant != "" {
		advice = "did you mean " + quote(meant) + "?"
	}
	d.failKey(m, "is not a known field", advice)
	return meant
}

// text reads a text.
func (d *decoder) text(n *node, advice string) (string, bool) {
	if !d.is(n, kindString, advice) {
		return "", false
	}
	return n.text, true
}

// nonEmpty reads a text that must not be empty. After a mistake it returns an empty one.
func (d *decoder) nonEmpty(n *node, advice string) string {
	s, ok := d.text(n, advice)
	if ok && s == "" {
		d.fail(n, "is an empty string", advice)
	}
	return s
}

// boolean reads true or false.
func (d *decoder) boolean(n *node) (value, ok bool) {
	if !d.is(n, kindBool, "write true or false without quotes") {
		return false, false
	}
	return n.text == "true", true
}

// flag reads a boolean and wraps it.
func (d *decoder) flag(n *node) optional[bool] { return maybe(d.boolean(n)) }

// dictionary calls read for each member of an object whose keys are free. Keys that repeat are mistakes.
func (d *decoder) dictionary(n *node, advice string, read func(m member)) {
	if !d.is(n, kindObject, advice) {
		return
	}
	seen := map[string]bool{}
	for _, m := range n.members {
		if seen[m.key] {
			d.failKey(m, "repeats a field of the same object", "keep one of the two")
		}
		seen[m.key] = true
		read(m)
	}
}

// list reads a list that must not be empty.
func (d *decoder) list(n *node, advice string) []*node {
	if !d.is(n, kindList, advice) {
		return nil
	}
	if len(n.elements) == 0 {
		d.fail(n, "is an empty list", advice)
	}
	return n.elements
}

// readEnum reads one of the given words; its value is the word's place among them.
func readEnum[E ~uint8](d *decoder, n *node, words ...string) (E, bool) {
	advice := "write " + quoteAll(words, "or")
	word, ok := d.text(n, advice)
	if !ok {
		return 0, false
	}
	i := slices.Index(words, word)
	if i < 0 {
		if meant := nearest(word, words); meant != "" {
			advice = "did you mean " + quote(meant) + "?"
		}
		d.fail(n, quote(word)+" is not one of the choices", advice)
		return 0, false
	}
	return E(i), true
}

// whole reads a whole number, also one written as 10.0 or 1e+06.
func (d *decoder) whole(n *node, least, most uint64) (uint64, bool) {
	advice := "write a whole number from " + strconv.FormatUint(least, 10) + " to " + strconv.FormatUint(most, 10)
	if n.kind == kindString {
		if v, reason := wholeNumber(n.text); reason == "" && least <= v && v <= most {
			advice = "write " + strconv.FormatUint(v, 10) + " without quotes"
		}
	}
	if !d.is(n, kindNumber, advice) {
		return 0, false
	}
	v, reason := wholeNumber(n.text)
	switch {
	case reason != "":
	case v < least:
		reason = "is below " + strconv.FormatUint(least, 10)
	case v > most:
		reason = "is above " + strconv.FormatUint(most, 10)
	default:
		return v, true
	}
	d.fail(n, reason, advice)
	return 0, false
}
