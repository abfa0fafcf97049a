package e2e

import (
	"testing"

	"tollgate/e2e/envoytest"
	"tollgate/e2e/wire"
)

// A filter in front that answers by itself leaves ours with a response to a request it never saw; one behind ours
// answers a request that was counted.
func TestOtherFiltersAnswer(t *testing.T) {
	t.Parallel()
	envoy := envoytest.Start(t, envoytest.Config{
		Concurrency: 1, // one VM sees all of it
		Listeners: []envoytest.Listener{{
			Name:    "main",
			Filters: []envoytest.Filter{rbac(t, "x-deny-before"), tollgate(t, oneRule("filters", 9, "1h")), rbac(t, "x-deny-behind")},
		}},
	})
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			needRoom(hour, hourRoom)
			c := connect(t, p, envoy.Addr("main"))
			marked := func(name string) wire.Request {
				return wire.Request{Method: "GET", Target: "/", Header: append(key(p.name), wire.Field{Name: name, Value: "1"})}
			}
			for range 3 {
				c.ask(marked("x-deny-before")).checkLines(t, 403, nil)
			}
			c.ask(marked("x-deny-behind")).check(t, 403, standing{9, 8, hour})
			c.ask(marked("x-deny-before")).checkLines(t, 403, nil)
			c.get("/", p.name).check(t, 200, standing{9, 7, hour})
		})
	}
}
