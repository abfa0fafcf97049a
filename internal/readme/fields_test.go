package readme_test

import (
	"encoding/json"
	"fmt"
	"maps"
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
	baseLimits = `[{"requests": 4294967295, "window": "1s"}]`
	baseRule   = `"name": "base", "limits": ` + baseLimits
	baseRules  = `"rules": [{` + baseRule + `}]`
	basePlans  = `{"gold": {}, "staff": {}}`
)

// place is where an object may stand in a configuration.
type place struct {
	prefix string  // of its fields in config.Fields
	around string  // the configuration around it, with %s for the object
	needs  members // what else the object needs
}

// parse reads a configuration with the object m at the place.
func (p *place) parse(m members) (*config.Config, error) {
	return config.Parse(fmt.Appendf(nil, p.around, m), "tollgate")
}

var (
	topPlace  = place{"", `%s`, members{"rules": `[{` + baseRule + `}]`, "plans": basePlans}}
	rulePlace = place{"rules.", `{"plans": ` + basePlans + `, "rules": [%s]}`, members{"name": `"base"`, "limits": baseLimits}}
)

// objects are the objects of a configuration: the section that has the table of their fields, and where they may stand.
var objects = map[string][]place{
	"Top level":             {topPlace},
	"Settings":              {topPlace, rulePlace},
	"Rules":                 {rulePlace},
	"Alternatives of match": {{"rules.match.", `{"rules": [{` + baseRule + `, "match": [%s]}]}`, members{}}},
	"Conditions on headers": {{"rules.match.headers.", `{"rules": [{` + baseRule + `, "match": [{"headers": [%s]}]}]}`, members{"name": `"x-a"`}}},
	"Limits":                {{"rules.limits.", `{"rules": [{"name": "base", "limits": [%s]}]}`, members{"requests": "1", "window": `"1s"`}}},
	"Sources of identity":   {{"identity.", `{` + baseRules + `, "identity": [%s]}`, members{}}},
	"Address":               {{"identity.address.", `{` + baseRules + `, "identity": [{"address": %s}]}`, members{}}},
	"Plans":                 {{"plans.", `{` + baseRules + `, "plans": {"gold": %s}}`, members{}}},
	"Plan sources":          {{"plan_from.", `{` + baseRules + `, "plans": {"gold": {}}, "plan_from": [%s]}`, members{}}},
	"Refusal":               {{"refusal.", `{` + baseRules + `, "refusal": %s}`, members{}}},
	"Rate-limit headers":    {{"ratelimit_headers.", `{` + baseRules + `, "ratelimit_headers": %s}`, members{}}},
}

// TestFields holds the tables of fields to the parser: all fields and no others, and of each its example, its default and
// its range.
func TestFields(t *testing.T) {
	var got []string
	for section, places := range objects {
		for _, row := range table(t, section, "field").Rows {
			f := newField(t, row)
			for _, p := range places {
				got = append(got, p.prefix+f.name)
				t.Run(p.prefix+f.name, func(t *testing.T) { f.check(t, &p) })
			}
		}
	}
	want := config.Fields()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the page has %q\nthe parser %q", got, want)
	}
}

// field is a row of a table of fields.
type field struct{ name, values, preset, example string }

func newField(t *testing.T, row []string) field {
	t.Helper()
	if len(row) != 5 {
		t.Fatalf("a field has a name, values, a default, an example and a meaning: %q", row)
	}
	names, examples := readme.CodeSpans(row[0]), readme.CodeSpans(row[3])
	if len(names) != 1 || len(examples) != 1 || row[1] == "" {
		t.Fatalf("a field has a name, values and an example: %q", row)
	}
	return field{name: names[0], values: row[1], preset: row[2], example: examples[0]}
}

func (f *field) check(t *testing.T, p *place) {
	accept := func(value string, want bool) {
		t.Helper()
		if _, err := p.parse(p.needs.with(f.name, value)); (err == nil) != want {
			t.Errorf("%s: accepted %t, want %t: %v", value, err == nil, want, err)
		}
	}
	accept(f.example, true)
	accept("null", false)
	f.checkValues(accept)
	f.checkDefault(t, p)
}

// checkDefault holds that a field without a default cannot be left out, and that leaving out another one means its default, if
// that is a value.
func (f *field) checkDefault(t *testing.T, p *place) {
	t.Helper()
	without, err := p.parse(p.needs.without(f.name))
	spans := readme.CodeSpans(f.preset)
	if f.preset == "" && err == nil {
		t.Error("has no default on the page but may be left out")
	}
	if len(spans) != 1 {
		return
	}
	if err != nil {
		t.Fatalf("has a default on the page but may not be left out: %v", err)
	}
	with, err := p.parse(p.needs.with(f.name, spans[0]))
	if err != nil {
		t.Fatalf("the default is refused: %v", err)
	}
	if got, want := visible(t, with), visible(t, without); got != want {
		t.Errorf("the default %s gives %s, leaving it out %s", spans[0], got, want)
	}
}

// visible returns what others can see of a configuration but for the warnings, which have positions.
func visible(t *testing.T, cfg *config.Config) string {
	t.Helper()
	quiet := *cfg
	quiet.Warnings = nil
	text, err := json.Marshal(quiet)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
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
