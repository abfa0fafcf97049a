package envoytest

import (
	"encoding/json"
	"testing"
)

// Site is a Listener with routes of its own, or one that learns the client's address in another way.
type Site struct {
	Listener
	// Hosts take the place of the listener's one route. Their routes answer as that would.
	Hosts []VirtualHost
	// Edge makes the proxy the one that clients connect to: the address of a client is that of its connection, or, with
	// TrustedHops, the one that so many proxies in front wrote into x-forwarded-for. Without Edge the last entry there is believed.
	Edge        bool
	TrustedHops int
	// IPv6 listens on ::1 instead of 127.0.0.1.
	IPv6 bool
}

// VirtualHost is a named list of routes for some authorities.
type VirtualHost struct {
	Name    string
	Domains []string // "*" is every one
	Routes  []Route  // the first that matches is taken
}

// Route is a route of a Site.
type Route struct {
	Name     string // "" leaves it without one
	Prefix   string // of the path
	Metadata map[string]map[string]any
}

// Sites returns the bootstrap of an Envoy with these listeners, for Config.Bootstrap. There is no access log.
func Sites(t testing.TB, sites ...Site) string {
	t.Helper()
	listeners := []Listener{}
	resources := []object{}
	for _, s := range sites {
		listeners = append(listeners, s.Listener)
		resources = append(resources, s.resource())
	}
	text, err := json.Marshal(object{
		"admin":            object{"address": socketAddress("127.0.0.1", 0)},
		"static_resources": object{"clusters": clusters(listeners), "listeners": resources},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text) // JSON is YAML, too
}

// resource returns s in Envoy's JSON form.
func (s Site) resource() object {
	listener := (&Envoy{}).listener(s.Listener)
	if s.IPv6 {
		listener["address"] = socketAddress("::1", 0)
	}
	manager := listener["filter_chains"].([]object)[0]["filters"].([]object)[0]["typed_config"].(object)
	delete(manager, "access_log")
	manager["use_remote_address"], manager["xff_num_trusted_hops"] = s.Edge, s.TrustedHops
	if s.Hosts != nil {
		manager["route_config"] = s.routeConfig()
	}
	return listener
}

func (s Site) routeConfig() object {
	hosts := []object{}
	for _, h := range s.Hosts {
		list := []object{}
		for _, r := range h.Routes {
			list = append(list, s.route(r))
		}
		hosts = append(hosts, object{"name": h.Name, "domains": h.Domains, "routes": list})
	}
	return object{"name": "routes", "virtual_hosts": hosts}
}

func (s Site) route(r Route) object {
	one := routes(Listener{Upstream: s.Upstream, Metadata: r.Metadata})["virtual_hosts"].([]object)[0]["routes"].([]object)[0]
	one["name"], one["match"] = r.Name, object{"prefix": r.Prefix}
	return one
}

// FilterWithStruct returns the HTTP filter that runs the plugin with a google.protobuf.Struct of these values as its
// configuration, in place of text.
func (p Plugin) FilterWithStruct(values map[string]any) Filter {
	f := p.Filter()
	config := f.Typed.(object)["config"].(object)
	config["configuration"] = object{"@type": "type.googleapis.com/google.protobuf.Struct", "value": values}
	return f
}
