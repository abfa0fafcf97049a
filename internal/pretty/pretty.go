// Package pretty stands in for github.com/tidwall/pretty in the WebAssembly module.
//
// gjson needs that package for its @pretty and @ugly path modifiers alone, which Tollgate never uses. The real one
// links encoding/json, more than a megabyte that every proxy would compile and keep. Here both modifiers
// return their input unchanged.
package pretty

// Options has the fields of the original, so that gjson can set them. They have no effect.
type Options struct {
	Width    int
	Prefix   string
	Indent   string
	SortKeys bool
}

// DefaultOptions is what gjson copies before it sets fields of its own.
var DefaultOptions = &Options{}

// Pretty returns json unchanged.
func Pretty(json []byte) []byte { return json }

// PrettyOptions returns json unchanged.
func PrettyOptions(json []byte, _ *Options) []byte { return json }

// Ugly returns json unchanged.
func Ugly(json []byte) []byte { return json }
