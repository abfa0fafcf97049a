package config

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const schemaFile = "schema/tollgate.schema.json"

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// decodeJSON returns the text as the validator wants it, or false if it is no JSON.
func decodeJSON(text []byte) (any, bool) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	return value, err == nil
}

// What the parser accepts validates.
func TestSchemaAcceptsWhatTheParserAccepts(t *testing.T) {
	schema := compileSchema(t)
	texts := []string{everyKind, manyRules(50), `{"rules":[{"name":"api","limits":[{"requests":10,"window":"10s"}]}]}`}
	for _, name := range glob(t, "testdata/good/*.json") {
		texts = append(texts, string(readFile(t, name)))
	}
	const seed = 17
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	for range 300 {
		texts = append(texts, randomRules(random))
	}
	for _, text := range texts {
		if _, err := Parse([]byte(text), "plugin"); err != nil && !strings.Contains(err.Error(), "can never be reached") {
			t.Fatalf("%s:\n%v", text, err)
		}
		value, _ := decodeJSON([]byte(text))
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s:\n%v", text, err)
		}
	}
}

// beyondSchema are the mistakes among the bad files that a JSON Schema cannot see.
var beyondSchema = []string{
	// What repeats: a key of an object, or what differs in spelling alone.
	"combine-repeats", "duplicate-key-escaped", "duplicate-rule-name", "host-twice", "member-twice", "plan-same-window", "plans-repeated",
	"refusal-header-twice", "same-window-twice", "source-twice", "statuses-repeated", "template-twice",
	// What contradicts or has no effect, depending on values elsewhere.
	"cost-above-limit", "cost-above-plan", "expose-none", "headers-contradiction", "plan-misspelt", "plan-undeclared",
	"refusal-body-and-inherited-problem", "reset-of-none", "reset-without-style", "source-after-constant", "unidentified-never",
	// What only a parser of addresses or expressions knows.
	"addresses-bits", "headers-regex", "regex-bracket", "regex-invalid", "regex-lookahead", "regex-relative", "regex-repeat",
	// What can never be reached.
	"exempt-hides", "unreachable-by-two", "unreachable-catch-all", "unreachable-header", "unreachable-host", "unreachable-network",
	"unreachable-policy", "unreachable-regex", "unreachable-same", "unreachable-shadow", "unreachable-template",
}

// What the parser refuses does not validate, but for mistakes that no schema can see.
func TestSchemaRefusesWhatTheParserRefuses(t *testing.T) {
	schema := compileSchema(t)
	for _, name := range glob(t, "testdata/bad/*.json") {
		value, ok := decodeJSON(readFile(t, name))
		if !ok {
			continue
		}
		mistake := strings.TrimSuffix(filepath.Base(name), ".json")
		err := schema.Validate(value)
		if beyond := slices.Contains(beyondSchema, mistake); beyond == (err != nil) {
			t.Errorf("%s: the schema says %v, and it is listed as beyond a schema: %v", name, err, beyond)
		}
	}
	for _, mistake := range beyondSchema {
		if _, err := os.Stat("testdata/bad/" + mistake + ".json"); err != nil {
			t.Error(err)
		}
	}
}

// The schema has exactly the parser's fields, each described.
func TestSchemaHasTheParsersFields(t *testing.T) {
	var root map[string]any
	if err := json.Unmarshal(readFile(t, schemaFile), &root); err != nil {
		t.Fatal(err)
	}
	w := schemaWalk{t: t, definitions: root["definitions"].(map[string]any), fields: map[string]bool{}}
	w.walk("", root)
	var got []string
	for name := range w.fields {
		got = append(got, name)
	}
	want := Fields()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the schema has\n%q\nthe parser has\n%q", got, want)
	}
}

// schemaWalk collects the names of all properties as Fields writes them.
type schemaWalk struct {
	t           *testing.T
	definitions map[string]any
	fields      map[string]bool
}

// walk follows everything that describes one value, whose fields have the prefix object.
func (w *schemaWalk) walk(object string, schema map[string]any) {
	if ref, ok := schema["$ref"].(string); ok {
		w.walk(object, w.definitions[strings.TrimPrefix(ref, "#/definitions/")].(map[string]any))
	}
	for _, key := range []string{"allOf", "anyOf"} {
		for _, sub := range asList(schema[key]) {
			w.walk(object, sub.(map[string]any))
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if sub, ok := schema[key].(map[string]any); ok {
			w.walk(object, sub)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	if schema["type"] == "object" && len(properties) > 0 && schema["additionalProperties"] != false {
		w.t.Errorf("%q takes unknown fields", object)
	}
	for name, sub := range properties {
		w.field(object, name, sub.(map[string]any))
	}
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

// field adds a property. What stands in several places is taken apart where Fields does.
func (w *schemaWalk) field(object, name string, schema map[string]any) {
	if schema["description"] == nil {
		w.t.Errorf("%s%s has no description", object, name)
	}
	w.fields[object+name] = true
	switch object + name {
	case "exempt", "identity.combine", "rules.identity", "rules.refusal", "rules.ratelimit_headers", "rules.plans", "refusal.headers":
	default:
		w.walk(object+name+".", schema)
	}
}

// Windows are numbers in a text, so their range is a matter of digits.
func TestSchemaKnowsTheRangeOfWindows(t *testing.T) {
	schema := compileSchema(t)
	for _, unit := range []struct {
		letter string
		most   int
	}{{"s", 31_622_400}, {"m", 527_040}, {"h", 8_784}, {"d", 366}} {
		for _, n := range []int{0, 1, 9, 10, 11, 59, 60, 99, 100, 999, 1000, unit.most / 10, unit.most / 2, unit.most - 100, unit.most - 10, unit.most - 1, unit.most, unit.most + 1, unit.most + 10, unit.most + 1000, unit.most * 10} {
			window := strconv.Itoa(n) + unit.letter
			text := []byte(`{"rules": [{"name": "a", "limits": [{"requests": 1, "window": "` + window + `"}]}]}`)
			value, _ := decodeJSON(text)
			_, err := Parse(text, "plugin")
			if invalid := schema.Validate(value); (err == nil) != (invalid == nil) || (err == nil) != (n >= 1 && n <= unit.most) {
				t.Errorf("%s: parser %v, schema %v", window, err, invalid)
			}
		}
	}
}

// The pattern for paths agrees with normalisation.
func TestSchemaKnowsNormalPaths(t *testing.T) {
	schema := compileSchema(t)
	paths := []string{"/{a}", "/*", "/a%", "/%%41", "/%4%41", "/%2%65", "/a%%7A", "/%25%41", "/a/%2E", "/.well-known/x", "/a/..b", "/a/..."}
	for _, c := range pathCases {
		paths = append(paths, c.target, c.path)
	}
	for _, path := range paths {
		quoted, err := json.Marshal(path)
		if err != nil {
			t.Fatal(err)
		}
		text := []byte(`{"rules": [{"name": "a", "match": [{"path": ` + string(quoted) + `}], "limits": "unlimited"}]}`)
		value, _ := decodeJSON(text)
		_, err = Parse(text, "plugin")
		if invalid := schema.Validate(value); (err == nil) != (invalid == nil) {
			t.Errorf("%q: parser %v, schema %v", path, err, invalid)
		}
	}
}
