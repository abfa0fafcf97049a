package envoy

import (
	"strings"
	"testing"
)

func TestBootstrap(t *testing.T) {
	for _, c := range []struct {
		filter Filter
		want   []string // in this order
	}{
		{Filter{File: "none"}, []string{"http_filters:\n                  - name: envoy.filters.http.router", "- match: {prefix: /}"}},
		{Filter{File: "native"}, []string{"- name: envoy.filters.http.local_ratelimit", "http.router", "path: /refused", "path: /client", "prefix: /"}},
		{Filter{File: "lua"}, []string{"- name: envoy.filters.http.lua", "http.router", "prefix: /"}},
		{Filter{File: "wasm", Module: "/x/y.wasm"}, []string{"- name: wasm", "filename: /x/y.wasm", "http.router", "prefix: /"}},
	} {
		rest, err := c.filter.bootstrap()
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range c.want {
			_, after, ok := strings.Cut(rest, part)
			if !ok {
				t.Errorf("%s: no %q where it belongs", c.filter.File, part)
			}
			rest = after
		}
	}
}

func TestBootstrapOfNoFilter(t *testing.T) {
	if text, err := (Filter{File: "other"}).bootstrap(); err == nil {
		t.Errorf("a filter without a file gave\n%s", text)
	}
}
