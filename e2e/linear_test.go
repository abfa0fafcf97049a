package e2e

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"tollgate/e2e/envoytest"
	"tollgate/e2e/wire"
	"tollgate/prove/forms"
	"tollgate/prove/history"
)

// However many workers Envoy has, they answer their clients as one worker would that handles one request after the other.
func TestLinearizable(t *testing.T) {
	const connections = 12
	limit := history.Limit{Requests: 200, Window: 1}
	for _, workers := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(workers, " workers"), func(t *testing.T) {
			envoy := envoytest.Start(t, envoytest.Config{
				Concurrency: workers,
				Listeners: []envoytest.Listener{{Name: "main", Filters: []envoytest.Filter{
					tollgate(t, oneRule("linear", int(limit.Requests), "1s")),
				}}},
			})
			recorder := history.NewRecorder(time.Now)
			until := time.Unix(windowEnd(time.Now(), time.Second), 0).Add(2500 * time.Millisecond) // three boundaries
			var all sync.WaitGroup
			for i := range connections {
				c := connect(t, http1, envoy.Addr("main"))
				all.Go(func() { c.recordUntil(until, recorder, i) })
			}
			all.Wait()
			if workers > 1 {
				checkWorkers(t, envoy)
			}
			checkHistories(t, recorder.Histories(), limit)
		})
	}
}

// recordUntil sends requests of three clients in turn.
func (c client) recordUntil(until time.Time, recorder *history.Recorder, connection int) {
	for n := connection; time.Now().Before(until); n++ {
		who := fmt.Sprint("client ", n%3)
		err := recorder.Record(connection, who, func() (history.Answer, error) {
			response, err := c.Do(wire.Request{Method: "GET", Target: "/", Header: key(who)})
			if err != nil {
				return history.Answer{}, err
			}
			return history.ReadAnswer(response.Status, response)
		})
		if err != nil {
			c.t.Error(err)
			return
		}
	}
}

// checkHistories holds that each history is hard enough to show something, and right.
func checkHistories(t *testing.T, histories []history.History, limit history.Limit) {
	t.Helper()
	total := history.Figures{}
	for _, h := range histories {
		if err := h.Figures().Demanding(); err != nil {
			t.Error(err)
		}
		if err := h.Check(limit, time.Minute); err != nil {
			t.Error(err)
		}
		total = total.Add(h.Figures())
	}
	forms.Proved(t, "linearizable in Envoy", "%d histories with %v", len(histories), total)
}
