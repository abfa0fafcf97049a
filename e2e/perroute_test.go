package e2e

import (
	"fmt"
	"testing"

	"tollgate/e2e/envoytest"
)

// A route can do without the filter: its requests are not counted, not limited, and not told anything.
func TestFilterDisabledOnARoute(t *testing.T) {
	t.Parallel()
	window := farWindow()
	envoy := envoytest.Start(t, envoytest.Config{
		Bootstrap: fmt.Sprintf(perRoute, envoytest.Module(t), oneRule("routes", 2, inSeconds(window))),
	})
	c := connect(t, http1, envoy.Addr("main"))
	c.get("/open/x", "alice").checkLines(t, 200, nil)
	c.get("/limited", "alice").check(t, 200, standing{2, 1, window})
	c.get("/open/x", "alice").checkLines(t, 200, nil)
	c.get("/limited", "alice").check(t, 200, standing{2, 0, window})
	c.get("/limited", "alice").check(t, 429, standing{2, 0, window})
	c.get("/open/x", "alice").checkLines(t, 200, nil)
}

const perRoute = `
admin: {address: {socket_address: {address: 127.0.0.1, port_value: 0}}}
static_resources:
  listeners:
    - name: main
      address: {socket_address: {address: 127.0.0.1, port_value: 0}}
      filter_chains:
        - filters:
            - name: envoy.filters.network.http_connection_manager
              typed_config:
                "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                stat_prefix: main
                http_filters:
                  - name: tollgate
                    typed_config:
                      "@type": type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm
                      config:
                        name: tollgate
                        vm_config: {vm_id: tollgate, runtime: envoy.wasm.runtime.v8, code: {local: {filename: %q}}}
                        configuration: {"@type": type.googleapis.com/google.protobuf.StringValue, value: %q}
                  - name: envoy.filters.http.router
                    typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
                route_config:
                  virtual_hosts:
                    - name: everyone
                      domains: ["*"]
                      routes:
                        - match: {prefix: /open/}
                          direct_response: {status: 200}
                          typed_per_filter_config:
                            tollgate: {"@type": type.googleapis.com/envoy.config.route.v3.FilterConfig, disabled: true}
                        - match: {prefix: /}
                          direct_response: {status: 200}
`
