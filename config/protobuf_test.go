package config

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What another implementation made of a configuration.
const foreignStruct = "0a100a06646f6d61696e12061a0473686f700a190a0c6d61785f636f756e746572731209110000000080842e410abb010a0572756c657312b10132ae010aab012aa8010a0e0a08636f6e74696e7565120220000a130a0b6465736372697074696f6e12041a02c3a90a630a066c696d697473125932570a2a2a280a150a08726571756573747312091100000000000024400a0f0a0677696e646f7712051a033130730a292a270a150a08726571756573747312091100000000000000000a0e0a0677696e646f7712041a02316d0a0d0a046e616d6512051a036170690a0d0a077374616767657212022001"

func TestStructFromAnotherImplementation(t *testing.T) {
	data, err := hex.DecodeString(foreignStruct)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := Parse(data, "plugin")
	if err != nil {
		t.Fatal(err)
	}
	want := mustParse(t, `{"domain": "shop", "max_counters": 1e6, "rules": [{"name": "api", "description": "é", "stagger": true, "continue": false,
		"limits": [{"requests": 10, "window": "10s"}, {"requests": 0, "window": "1m"}]}]}`)
	if !sameConfig(cfg, want) {
		t.Errorf("got %+v\nwant %+v", cfg, want)
	}
}

// A configuration means the same as text and as a Struct, and every mistake that both can carry is told in the same words,
// in a Struct with paths alone.
func TestFilesAsStruct(t *testing.T) {
	checked := 0
	for _, name := range append(glob(t, "testdata/good/*.json"), glob(t, "testdata/bad/*.json")...) {
		var object map[string]any
		if json.Unmarshal(readFile(t, name), &object) != nil || len(object) == 0 {
			continue // no Struct has this
		}
		text, err := json.Marshal(object) // with its keys in order, as they are read from a Struct
		if err != nil {
			t.Fatal(err)
		}
		want, wantErr := Parse(text, "plugin")
		cfg, err := Parse(structBytes(object), "plugin")
		switch {
		case err == nil && wantErr == nil && sameConfig(cfg, want):
		case err != nil && wantErr != nil && err.Error() == withoutPositions(wantErr):
		default:
			t.Errorf("%s: %+v,\n%v\nwant %+v,\n%v", name, cfg, err, want, wantErr)
		}
		checked++
	}
	if checked < 200 {
		t.Errorf("only %d files could be checked", checked)
	}
}

func withoutPositions(err error) string {
	errs := slices.Clone(err.(Errors))
	for i := range errs {
		errs[i].Line, errs[i].Column = 0, 0
	}
	return errs.Error()
}

func TestStructErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"rules": [], "domain": null}`:                                             "domain is null, not a string; write 1 to 64 letters, digits, \"_\", \"-\" and \".\", such as \"shop\", or leave the field out for its default\nrules is an empty list; write a list of rules such as [{\"name\": \"api\", \"limits\": [{\"requests\": 10, \"window\": \"10s\"}]}]",
		`{"on_full": false, "rules": [{"name": "a", "limits": "unlimited"}]}`:       `on_full is false, not a string; write "share", "allow" or "refuse" (YAML reads a bare on, off, yes or no as true or false: quote it)`,
		`{"max_counters": 4096.5, "rules": [{"name": "a", "limits": "unlimited"}]}`: `max_counters is not a whole number; write a whole number from 16 to 1048576`,
		`{"b": 1, "a": 1, "rules": [{"name": "a", "limits": "unlimited"}]}`:         "a is not a known field; FIELDS\nb is not a known field; FIELDS",
	} {
		_, err := Parse(structOf(t, []byte(text)), "plugin")
		want = strings.ReplaceAll(want, "FIELDS", "the fields here are "+quoteAll(topFields(), "and"))
		if err == nil || err.Error() != want {
			t.Errorf("%s\ngot  %v\nwant %s", text, err, want)
		}
	}
}

func topFields() (names []string) {
	for _, f := range specFields("") {
		names = append(names, f.name)
	}
	return names
}

func TestNumbersThatAreNone(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, err := Parse(structBytes(map[string]any{"max_counters": v, "rules": []any{map[string]any{"name": "a", "limits": "unlimited"}}}), "plugin")
		if want := "max_counters is not a number; write a whole number from 16 to 1048576"; err == nil || err.Error() != want {
			t.Errorf("%v: got %v\nwant %s", v, err, want)
		}
	}
}

// Each cut or changed byte must be survived, and never read as a Struct that the encoder would not write.
func TestBrokenStructs(t *testing.T) {
	good := structOf(t, []byte(`{"domain": "shop", "rules": [{"name": "a", "limits": [{"requests": 1, "window": "1s"}]}]}`))
	// Without a plugin name no part of it is valid, whichever of the two fields comes first.
	for i := range good {
		if cfg, err := Parse(good[:i], ""); err == nil {
			t.Errorf("cut to %d bytes: %+v", i, cfg)
		}
		for _, b := range []byte{0, 1, 0x0a, 0x12, 0x1a, 0x7f, 0x80, 0xff} {
			changed := slices.Clone(good)
			changed[i] = b
			Parse(changed, "plugin")
		}
	}
	const want = "configuration 1:1 is neither JSON nor a protobuf Struct; write JSON in a StringValue, or a google.protobuf.Struct"
	if _, err := Parse(good[:len(good)-1], "plugin"); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	for name, broken := range map[string][]byte{
		"an unknown field":            {0x12, 0},
		"an entry without a value":    message(1, message(1, []byte("a"))),
		"an entry with another field": message(1, append(message(1, []byte("a")), message(3, nil)...)),
		"a value of no kind":          message(1, append(message(1, []byte("a")), message(2, nil)...)),
		"a value of two kinds":        message(1, append(message(1, []byte("a")), message(2, append(message(3, []byte("x")), message(3, []byte("y"))...))...)),
		"a key that is no text":       message(1, append(message(1, []byte{0xff}), message(2, message(3, nil))...)),
		"a value that is no text":     message(1, append(message(1, []byte("a")), message(2, message(3, []byte{0xff}))...)),
		"an endless varint":           append([]byte{0x0a}, []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")...),
		"a length beyond the end":     {0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f},
		"a length of 64 bits":         {0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
	} {
		if _, ok := readStruct(string(broken)); ok {
			t.Errorf("%s is read", name)
		}
	}
}

func TestDeepStructs(t *testing.T) {
	value := structValue("x")
	for range 5000 {
		value = message(6, message(1, value))
	}
	if _, ok := readStruct(string(message(1, append(message(1, []byte("a")), message(2, value)...)))); ok {
		t.Error("a list in a list, and so on, is read")
	}
	nested := any(map[string]any{"x": 1.0})
	for range 30 {
		nested = map[string]any{"x": nested}
	}
	if _, ok := readStruct(string(structBytes(map[string]any{"x": nested}))); !ok {
		t.Error("32 levels are not read")
	}
	if _, ok := readStruct(string(structBytes(map[string]any{"x": map[string]any{"x": nested}}))); ok {
		t.Error("33 levels are read")
	}
}

// structOf encodes JSON text as a google.protobuf.Struct.
func structOf(t *testing.T, text []byte) []byte {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	return structBytes(object)
}

func structBytes(object map[string]any) []byte {
	var out []byte
	for key, value := range object {
		out = append(out, message(1, append(message(1, []byte(key)), message(2, structValue(value))...))...)
	}
	return out
}

func structValue(value any) []byte {
	switch v := value.(type) {
	case nil:
		return []byte{1 << 3, 0}
	case float64:
		return binary.LittleEndian.AppendUint64([]byte{2<<3 | 1}, math.Float64bits(v))
	case string:
		return message(3, []byte(v))
	case bool:
		if v {
			return []byte{4 << 3, 1}
		}
		return []byte{4 << 3, 0}
	case map[string]any:
		return message(5, structBytes(v))
	default:
		var list []byte
		for _, e := range v.([]any) {
			list = append(list, message(1, structValue(e))...)
		}
		return message(6, list)
	}
}

// message encodes a field of bytes.
func message(field byte, payload []byte) []byte {
	out := binary.AppendUvarint([]byte{field<<3 | 2}, uint64(len(payload)))
	return append(out, payload...)
}

func FuzzStruct(f *testing.F) {
	names, err := filepath.Glob("testdata/*/*.json")
	if err != nil || len(names) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		var object map[string]any
		if json.Unmarshal(text, &object) == nil {
			f.Add(structBytes(object))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		root, ok := readStruct(string(data))
		cfg, err := Parse(data, "plugin")
		if err != nil {
			checkErrors(t, data, cfg, err, ok)
			return
		}
		if !ok {
			checkStable(t, data, cfg)
			return
		}
		again, err := Parse(structBytes(plain(root).(map[string]any)), "plugin")
		if err != nil || !sameConfig(again, cfg) {
			t.Fatalf("reads differently: %+v, %v\nbefore: %+v", again, err, cfg)
		}
	})
}

// plain turns nodes without repeated keys into Go values.
func plain(n *node) any {
	switch n.kind {
	case kindNumber:
		var v float64
		json.Unmarshal([]byte(n.text), &v)
		return v
	case kindString:
		return n.text
	case kindBool:
		return n.text == "true"
	case kindObject:
		object := map[string]any{}
		for _, m := range n.members {
			object[m.key] = plain(m.value)
		}
		return object
	case kindList:
		list := []any{}
		for _, e := range n.elements {
			list = append(list, plain(e))
		}
		return list
	default:
		return nil
	}
}
