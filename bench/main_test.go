package main

import (
	"path/filepath"
	"regexp"
	"testing"
)

func TestParseOptions(t *testing.T) {
	o, err := parseOptions([]string{"-rounds", "3", "-module", "x.wasm"})
	if err != nil {
		t.Fatal(err)
	}
	if o.rounds != 3 || !filepath.IsAbs(o.module) || o.against != "" {
		t.Errorf("got %+v", o)
	}
	for _, args := range [][]string{{"-rounds", "0"}, {"-requests", "79"}, {"-connections", "0"}, {"-starts", "-1"}, {"more"}} {
		if o, err := parseOptions(args); err == nil {
			t.Errorf("%v: got %+v", args, o)
		}
	}
}

func TestChooseKeepsWhatOthersAreComparedWith(t *testing.T) {
	var names []string
	for _, s := range choose(scenarios(options{}), regexp.MustCompile("^Tollgate, ref")) {
		names = append(names, s.name)
	}
	if len(names) != 3 || names[0] != noFilter || names[1] != native || names[2] != "Tollgate, refused" {
		t.Errorf("got %q", names)
	}
}

func TestAnotherBuildIsMeasuredInTheSameWay(t *testing.T) {
	list := scenarios(options{module: "a", against: "b"})
	ours, other := list[len(list)-6:len(list)-3], list[len(list)-3:]
	for i := range ours {
		if ours[i].filter.Module != "a" || other[i].filter.Module != "b" || ours[i].path != other[i].path || ours[i].clients != other[i].clients {
			t.Errorf("%+v is measured beside %+v", other[i], ours[i])
		}
	}
}
