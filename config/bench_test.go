package config

import (
	"strconv"
	"strings"
	"testing"
)

// manyRules writes a configuration of so many rules, a third of them each an exact path, a prefix and a template, and
// one at the end for everything else.
func manyRules(count int) string {
	var rules strings.Builder
	for i := range count - 1 {
		n := strconv.Itoa(i)
		path := [...]string{`"path": "/exact/` + n + `"`, `"path_prefix": "/prefix/` + n + `"`, `"path_template": "/template/` + n + `/{id}"`}[i%3]
		rules.WriteString(`{"name": "r` + n + `", "match": [{"methods": ["GET"], ` + path + `}], "limits": [{"requests": 1, "window": "1s"}]},`)
	}
	return `{"rules": [` + rules.String() + `{"name": "rest", "limits": [{"requests": 1, "window": "1s"}]}]}`
}

func BenchmarkNext(b *testing.B) {
	for _, count := range []int{1, 10, 500} {
		cfg, err := Parse([]byte(manyRules(count)), "plugin")
		if err != nil {
			b.Fatal(err)
		}
		for _, target := range []string{"/v1/items", "/exact/300/x", "/prefix/301/x", "/template/302/7"} {
			b.Run(strconv.Itoa(count)+target, func(b *testing.B) {
				r := &Request{}
				headers := [][2]string{{":method", "GET"}, {":path", target}, {":authority", "example.com"}}
				b.ReportAllocs()
				for b.Loop() {
					r.Reset(headers)
					if cfg.Next(r, 0) < 0 {
						b.Fatal("no rule")
					}
				}
			})
		}
	}
}

func BenchmarkIdentify(b *testing.B) {
	sources := []Source{{Kind: SourceHeader, Name: "x-api-key"}}
	r := request("GET", "/", [2]string{"x-api-key", "alice"})
	id := make([]byte, 0, 64)
	b.ReportAllocs()
	for b.Loop() {
		id, _ = r.Identify(id[:0], sources)
	}
}

func BenchmarkParse(b *testing.B) {
	text := []byte(manyRules(500))
	for b.Loop() {
		if _, err := Parse(text, "plugin"); err != nil {
			b.Fatal(err)
		}
	}
}
