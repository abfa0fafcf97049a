// Package coverage holds that every field of the configuration is tested where it has to work: in the module, under wazero and in Envoy.
// It has tests only.
//
// A test says in its documentation which fields it is about. A list ends with its paragraph, or where the next one begins:
//
//	// Fields: rules.match.path_regex, identity.cookie
package coverage

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tollgate/config"
)

// places are where a field has to work, by the folder of the tests that show it.
var places = map[string]string{"under wazero": "../../cmd/filter", "in Envoy": "../../e2e"}

func TestEveryFieldIsTested(t *testing.T) {
	fields := config.Fields()
	for place, folder := range places {
		named := namedFields(t, folder)
		for _, field := range fields {
			if named[field] == nil {
				t.Errorf("no test %s names the field %s: write it into the documentation of one in %s, as \"Fields: %s\"", place, field, folder, field)
			}
		}
		for field, tests := range named {
			if !slices.Contains(fields, field) {
				t.Errorf("%s, %s: there is no field %s", folder, strings.Join(tests, ", "), field)
			}
		}
	}
}

// namedFields returns the tests of a folder by the fields that they name.
func namedFields(t *testing.T, folder string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	named := map[string][]string{}
	for _, file := range files {
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range syntax.Decls {
			test, ok := declaration.(*ast.FuncDecl)
			if !ok || !isTest(test) {
				continue
			}
			for _, field := range fieldsIn(test.Doc.Text()) {
				named[field] = append(named[field], test.Name.Name)
			}
		}
	}
	if len(files) == 0 {
		t.Errorf("there are no tests in %s", folder)
	}
	return named
}

func isTest(f *ast.FuncDecl) bool {
	return f.Recv == nil && f.Doc != nil && strings.HasPrefix(f.Name.Name, "Test")
}

// fieldsIn returns what the lists of a documentation name.
func fieldsIn(doc string) []string {
	var fields []string
	inside := false
	for line := range strings.Lines(doc) {
		list, begins := strings.CutPrefix(line, "Fields:")
		inside = begins || inside && strings.TrimSpace(line) != ""
		if !inside {
			continue
		}
		for field := range strings.SplitSeq(list, ",") {
			if field = strings.TrimSpace(field); field != "" {
				fields = append(fields, field)
			}
		}
	}
	return fields
}

func TestFieldsIn(t *testing.T) {
	for doc, want := range map[string][]string{
		"":                                 nil,
		"TestA holds something.":           nil,
		"TestA holds.\n\nFields: domain\n": {"domain"},
		"Fields: domain,\nrules.match.path_regex, identity.cookie\nFields: rules\n\nMore of it: a, b.\n\nFields: on_full": {"domain", "rules.match.path_regex", "identity.cookie", "rules", "on_full"},
		"TestA is about Fields: domain": nil,
		"Fields: domain rules":          {"domain rules"}, // which is none
	} {
		if got := fieldsIn(doc); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", doc, got, want)
		}
	}
}
