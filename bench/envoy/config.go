package envoy

import (
	"embed"
	"strings"
	"text/template"
)

//go:embed bootstrap.yaml filters
var files embed.FS

// Filter is what Envoy runs in front of the fixed answers.
type Filter struct {
	File   string // one of filters/, without .yaml
	Module string // absolute path of the module, for the file wasm
}

// bootstrap returns Envoy's configuration.
func (f Filter) bootstrap() (string, error) {
	t, err := template.ParseFS(files, "bootstrap.yaml", "filters/"+f.File+".yaml")
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = t.ExecuteTemplate(&text, "bootstrap.yaml", f)
	return text.String(), err
}
