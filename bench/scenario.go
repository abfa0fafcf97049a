package main

import (
	"fmt"
	"regexp"
	"time"

	"tollgate/bench/envoy"
	"tollgate/bench/load"
)

// manyClients is how many clients take turns where there is more than one.
const manyClients = 10000

// scenario is one thing to measure: requests of one kind to an Envoy with one filter.
type scenario struct {
	name    string
	filter  envoy.Filter
	path    string
	clients int
	expect  load.Expect
	always  bool // measured whatever is chosen, since the others are compared with it
}

const (
	noFilter = "no filter"
	native   = "native local_ratelimit, one bucket for the route"
)

// scenarios returns everything there is to measure.
func scenarios(o options) []scenario {
	plain, admitted := load.Expect{Status: 200}, load.Expect{Status: 200, Header: "x-ratelimit-remaining"}
	refused := load.Expect{Status: 429, Header: "x-ratelimit-remaining"}
	nativeFilter, lua := envoy.Filter{File: "native"}, envoy.Filter{File: "lua"}
	list := []scenario{
		{noFilter, envoy.Filter{File: "none"}, "/", 1, plain, true},
		{native, nativeFilter, "/", 1, admitted, true},
		{"native local_ratelimit, 10,000 clients", nativeFilter, "/client", manyClients, admitted, false},
		{"native local_ratelimit, refused", nativeFilter, "/refused", 1, refused, false},
		{"Lua, one client", lua, "/", 1, admitted, false},
		{"Lua, 10,000 clients", lua, "/", manyClients, admitted, false},
		{"Go module that does nothing", envoy.Filter{File: "wasm", Module: o.noop}, "/", 1, plain, false},
	}
	list = append(list, tollgate("Tollgate", o.module)...)
	if o.against != "" {
		list = append(list, tollgate("other build", o.against)...)
	}
	return list
}

// tollgate returns the scenarios of one build of the module.
func tollgate(name, module string) []scenario {
	filter := envoy.Filter{File: "wasm", Module: module}
	admitted := load.Expect{Status: 200, Header: "x-ratelimit-remaining"}
	refused := load.Expect{Status: 429, Header: "x-ratelimit-remaining"}
	return []scenario{
		{name + ", one client", filter, "/", 1, admitted, false},
		{name + ", 10,000 clients", filter, "/", manyClients, admitted, false},
		{name + ", refused", filter, "/refused", 1, refused, false},
	}
}

// choose returns the scenarios whose names match, and those that are always needed.
func choose(list []scenario, only *regexp.Regexp) []scenario {
	var chosen []scenario
	for _, s := range list {
		if s.always || only.MatchString(s.name) {
			chosen = append(chosen, s)
		}
	}
	return chosen
}

// batchTimeout bounds one batch. A request takes some hundred microseconds.
const batchTimeout = 2 * time.Minute

// load returns a batch of n requests.
func (s *scenario) load(address string, n, connections int) *load.Load {
	l := &load.Load{Address: address, Total: n, Connections: connections, Expect: s.expect, Timeout: batchTimeout}
	for client := range s.clients {
		l.Requests = append(l.Requests, load.Get(s.path, fmt.Sprintf("client-%05d", client)))
	}
	return l
}
