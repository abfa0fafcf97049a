package e2e

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"tollgate/e2e/envoytest"
)

// Five a minute, for each of three clients that call at the same time.
func TestEachClientHasItsOwnBudget(t *testing.T) {
	t.Parallel()
	const budget, calls = 5, 8
	envoy := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{
		{Name: "main", Filters: []envoytest.Filter{tollgate(t, oneRule("clients", budget, "60s"))}},
	}})
	needRoom(time.Minute, 10*time.Second)
	var clients sync.WaitGroup
	for _, p := range protocols {
		for _, key := range []string{"alice", "bob", "carol"} {
			c := connect(t, p, envoy.Addr("main"))
			clients.Go(func() {
				for i := range calls {
					status, remaining := 200, int64(budget-1-i)
					if remaining < 0 {
						status, remaining = 429, 0
					}
					got := c.get("/v1/items", fmt.Sprint(key, " over ", p.name))
					got.check(t, status, standing{budget, remaining, time.Minute})
				}
			})
		}
	}
	clients.Wait()
}
