package readme_test

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tollgate/config"
	"tollgate/internal/readme"
)

// members are the members of a JSON object: values, as JSON, by field.
type members map[string]string

// with returns the members with one more, or with one replaced.
func (m members) with(field, value string) members {
	all := maps.Clone(m)
	all[field] = value
	return all
}

// without returns the members but for one.
func (m members) without(field string) members {
	all := maps.Clone(m)
	delete(all, field)
	return all
}

func (m members) String() string {
	var parts []string
	for _, field := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, strconv.Quote(field)+": "+m[field])
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

const (
	baseLimits = `[{"requests": 1, "window": "1s"}]`
	baseRule   = `"name": "base", "limits": ` + baseLimits
)

// objects are the objects of a configuration: the section that explains the fields of each, what else it needs, and a whole
// configuration around it.
var objects = []struct {
	section string
	needs   members
	around  string // with %s for the object
}{
	{"Top level", members{"rules": `[{` + baseRule + `}]`}, `%s`},
	{"Rules", members{"name": `"base"`, "limits": baseLimits}, `{"rules": [%s]}`},
	{"Alternatives of match", members{}, `{"rules": [{` + baseRule + `, "match": [%s]}]}`},
	{"Limits", members{"requests": "1", "window": `"1s"`}, `{"rules": [{"name": "base", "limits": [%s]}]}`},
	{"Sources of identity", members{}, `{"rules": [{` + baseRule + `}], "identity": [%s]}`},
}

// TestFields holds the tables of fields to the parser: all fields and no others, and of each its example, its default and
// its range.
func TestFields(t *testing.T) {
	for _, o := range objects {
		parse := func(m members) (*config.Config, error) {
			return config.Parse(fmt.Appendf(nil, o.around, m), "tollgate")
		}
		var got []string
		for _, row := range table(t, o.section, "field").Rows {
			f := newField(t, row)
			got = append(got, f.name)
			t.Run(o.section+" "+f.name, func(t *testing.T) { f.check(t, o.needs, parse) })
		}
		slices.Sort(got)
		if want := knownFields(t, parse); !slices.Equal(got, want) {
			t.Errorf("%s: the page has %q, the parser %q", o.section, got, want)
		}
	}
}

var fieldList = regexp.MustCompile(`^the (?:fields here are|only field here is) (.*)$`)

// knownFields returns the fields that the parser names in the error about an unknown one.
func knownFields(t *testing.T, parse func(members) (*config.Config, error)) []string {
	t.Helper()
	_, err := parse(members{"zzzzzzzz": "0"})
	faults, _ := err.(config.Errors)
	for _, fault := range faults {
		if m := fieldList.FindStringSubmatch(fault.Advice); m != nil {
			var names []string
			for _, quoted := range regexp.MustCompile(`"[^"]*"`).FindAllString(m[1], -1) {
				names = append(names, strings.Trim(quoted, `"`))
			}
			slices.Sort(names)
			return names
		}
	}
	t.Fatalf("the parser names no fields: %v", err)
	return nil
}

// field is a row of a table of fields.
type field struct{ name, values, preset, example string }

func newField(t *testing.T, row []string) field {
	t.Helper()
	names, examples := readme.CodeSpans(row[0]), readme.CodeSpans(row[3])
	if len(row) != 5 || len(names) != 1 || len(examples) != 1 || row[1] == "" || row[4] == "" {
		t.Fatalf("a field has a name, values, a default, an example and a meaning: %q", row)
	}
	return field{name: names[0], values: row[1], preset: row[2], example: examples[0]}
}

func (f *field) check(t *testing.T, needs members, parse func(members) (*config.Config, error)) {
	accept := func(value string, want bool) {
		t.Helper()
		if _, err := parse(needs.with(f.name, value)); (err == nil) != want {
			t.Errorf("%s: %s: accepted %t, want %t: %v", f.name, value, err == nil, want, err)
		}
	}
	accept(f.example, true)
	accept("null", false)
	f.checkValues(accept)
	without, err := parse(needs.without(f.name))
	switch spans := readme.CodeSpans(f.preset); {
	case f.preset == "" && err == nil:
		t.Errorf("%s has no default on the page but may be left out", f.name)
	case len(spans) == 1:
		with, err := parse(needs.with(f.name, spans[0]))
		if err != nil || !reflect.DeepEqual(with, without) {
			t.Errorf("%s: the default %s gives %+v, leaving it out %+v, %v", f.name, spans[0], with, without, err)
		}
	}
}

var rangePattern = regexp.MustCompile("`([^`]+)` to `([^`]+)`")

// checkValues tries what the column of values says: each choice of "one of", and both ends of a range.
func (f *field) checkValues(accept func(value string, want bool)) {
	if choices, ok := strings.CutPrefix(f.values, "one of "); ok {
		for _, choice := range readme.CodeSpans(choices) {
			accept(strconv.Quote(choice), true)
		}
		accept(`"zzzzzzzz"`, false)
	}
	m := rangePattern.FindStringSubmatch(f.values)
	if m == nil {
		return
	}
	accept(m[1], true)
	accept(m[2], true)
	if strings.HasPrefix(f.values, "whole number") {
		least, _ := strconv.ParseInt(m[1], 10, 64)
		most, _ := strconv.ParseInt(m[2], 10, 64)
		accept(fmt.Sprint(least-1), false)
		accept(fmt.Sprint(most+1), false)
		accept(fmt.Sprint(least, ".5"), false)
	}
}
