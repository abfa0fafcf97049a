package envoytest

import (
	"encoding/json"
	"net"
	"strconv"
)

// object is a JSON object of Envoy's configuration.
type object map[string]any

const typePrefix = "type.googleapis.com/envoy."

// bootstrap returns Envoy's start configuration as JSON.
func (e *Envoy) bootstrap(c Config) ([]byte, error) {
	static := object{"clusters": clusters(c.Listeners)}
	boot := object{
		"admin":            object{"address": socketAddress("127.0.0.1", 0)},
		"static_resources": static,
		"node":             object{"id": "test", "cluster": "test"}, // required where listeners come from a file
	}
	if c.Static {
		static["listeners"] = e.listeners(c.Listeners)
	} else {
		boot["dynamic_resources"] = object{"lds_config": object{"path_config_source": object{"path": e.path(listenersFile)}}}
	}
	return json.Marshal(boot)
}

// clusters returns a cluster for every upstream address, named by it.
func clusters(listeners []Listener) []object {
	all := []object{}
	seen := map[string]bool{"": true}
	for _, l := range listeners {
		if !seen[l.Upstream] {
			seen[l.Upstream] = true
			all = append(all, cluster(l.Upstream, l.UpstreamHTTP2))
		}
	}
	return all
}

func cluster(addr string, http2 bool) object {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		host = addr // Envoy will say what is wrong with it
	}
	n, _ := strconv.Atoi(port)
	endpoint := object{"endpoint": object{"address": socketAddress(host, n)}}
	config := object{
		"name":            addr,
		"type":            "STATIC",
		"connect_timeout": "2s",
		"load_assignment": object{"cluster_name": addr, "endpoints": []object{{"lb_endpoints": []object{endpoint}}}},
	}
	if http2 {
		config["typed_extension_protocol_options"] = object{"envoy.extensions.upstreams.http.v3.HttpProtocolOptions": object{
			"@type":                typePrefix + "extensions.upstreams.http.v3.HttpProtocolOptions",
			"explicit_http_config": object{"http2_protocol_options": object{}},
		}}
	}
	return config
}

func socketAddress(host string, port int) object {
	return object{"socket_address": object{"address": host, "port_value": port}}
}
