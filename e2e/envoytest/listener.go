package envoytest

// Listener describes one port of an Envoy and what happens to the requests that arrive there.
type Listener struct {
	// Name identifies the listener; it is unique within an Envoy.
	Name string
	// Filters is the chain in front of the router, in order.
	Filters []Filter
	// Upstream is the address, host:port, that requests go to. Empty: the proxy itself answers 200 with the body "ok".
	// A running Envoy cannot be given new upstreams.
	Upstream string
	// UpstreamHTTP2 speaks HTTP/2 to the upstream, without TLS.
	UpstreamHTTP2 bool
	// Metadata is the route's filter_metadata: values by namespace and key.
	Metadata map[string]map[string]any
	// RawPaths turns the proxy's own path normalisation off.
	RawPaths bool
}

// Filter is an HTTP filter with its configuration in Envoy's JSON form, "@type" included.
type Filter struct {
	Name  string `json:"name"`
	Typed any    `json:"typed_config"`
}

// Plugin describes the filter under test.
type Plugin struct {
	// Module is the file of the WebAssembly module.
	Module string
	// Config is the text of the plugin's configuration; nil leaves it out.
	Config *string
	// Name is the plugin's name; empty stands for "tollgate".
	Name string
	// VMID chooses the shared data; empty stands for "tollgate".
	VMID string
	// FailurePolicy is FAIL_RELOAD, FAIL_CLOSED or FAIL_OPEN; empty stands for FAIL_CLOSED, under which a crash cannot
	// pass unnoticed.
	FailurePolicy string
}

// Filter returns the HTTP filter that runs the plugin.
func (p Plugin) Filter() Filter {
	config := object{
		"name":           or(p.Name, "tollgate"),
		"failure_policy": or(p.FailurePolicy, "FAIL_CLOSED"),
		"vm_config": object{
			"vm_id":   or(p.VMID, "tollgate"),
			"runtime": "envoy.wasm.runtime.v8",
			"code":    object{"local": object{"filename": p.Module}},
		},
	}
	if p.Config != nil {
		config["configuration"] = object{"@type": "type.googleapis.com/google.protobuf.StringValue", "value": *p.Config}
	}
	return Filter{
		Name:  or(p.Name, "tollgate"),
		Typed: object{"@type": typePrefix + "extensions.filters.http.wasm.v3.Wasm", "config": config},
	}
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// listener returns l in Envoy's JSON form.
func (e *Envoy) listener(l Listener) object {
	manager := object{
		"@type":          typePrefix + "extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
		"stat_prefix":    l.Name,
		"codec_type":     "AUTO", // HTTP/1.1, or HTTP/2 with prior knowledge
		"normalize_path": !l.RawPaths,
		"merge_slashes":  !l.RawPaths,
		"http_filters":   append(append([]Filter{}, l.Filters...), router()),
		"route_config":   routes(l),
		"access_log":     []object{accessLog(e.path("access.log"))},
	}
	filter := object{"name": "envoy.filters.network.http_connection_manager", "typed_config": manager}
	return object{
		"name":          l.Name,
		"stat_prefix":   l.Name,
		"address":       socketAddress("127.0.0.1", 0),
		"filter_chains": []object{{"filters": []object{filter}}},
	}
}

func router() Filter {
	return Filter{
		Name:  "envoy.filters.http.router",
		Typed: object{"@type": typePrefix + "extensions.filters.http.router.v3.Router"},
	}
}

// routes returns the one route of the listener, which takes every request.
func routes(l Listener) object {
	route := object{"name": "everything", "match": object{"prefix": "/"}}
	if l.Upstream == "" {
		route["direct_response"] = object{"status": 200, "body": object{"inline_string": "ok"}}
	} else {
		route["route"] = object{"cluster": l.Upstream}
	}
	if l.Metadata != nil {
		route["metadata"] = object{"filter_metadata": l.Metadata}
	}
	host := object{"name": "everyone", "domains": []string{"*"}, "routes": []object{route}}
	return object{"name": "routes", "virtual_hosts": []object{host}}
}

func accessLog(path string) object {
	format := "%RESPONSE_CODE% %RESPONSE_CODE_DETAILS% %REQ(:METHOD)% %REQ(:PATH)%\n"
	return object{
		"name": "envoy.access_loggers.file",
		"typed_config": object{
			"@type":      typePrefix + "extensions.access_loggers.file.v3.FileAccessLog",
			"path":       path,
			"log_format": object{"text_format_source": object{"inline_string": format}},
		},
	}
}
