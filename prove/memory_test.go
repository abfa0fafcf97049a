package prove

import (
	"fmt"
	"testing"
	"time"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
	"tollgate/limiter"
	"tollgate/prove/forms"
)

const (
	memoryCounters = 1024
	memoryConfig   = `{"max_counters": 1024, "rules": [
		{"name": "login", "match": [{"methods": ["POST"], "path": "/login"}], "limits": [{"requests": 3, "window": "10s"}]},
		{"name": "api", "limits": [{"requests": 10, "window": "10s"}, {"requests": 1000, "window": "1d"}]}]}`
)

// TestMemory holds that the memory of a VM does not grow with the requests it decides, whoever sends them.
func TestMemory(t *testing.T) {
	tests := []struct {
		name     string
		requests int
		request  func(i int) wasmhost.Headers
	}{
		{"requests of 30 headers", forms.Pick(10_000, 500_000), thirtyHeaders},
		{"requests of one-off clients", forms.Pick(20_000, 1_000_000), oneOff},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := start(t, hosttest.New(t), memoryConfig)
			curve := memoryCurve(t, root, tt.requests, tt.request)
			warm, last := warmAndLast(curve)
			forms.Proved(t, "memory", "%d %s: %s", tt.requests, tt.name, describeCurve(curve))
			if last > warm {
				t.Errorf("the VM grew from %d to %d bytes", warm, last)
			}
			if keys := root.Host().Shared("").Len(); keys > int(limiter.Buckets(memoryCounters))+2 {
				t.Errorf("shared data has %d keys", keys)
			}
		})
	}
}

// memoryCurve sends requests and returns the memory of the VM, in bytes, at a hundred points. Windows of 10 s pass between them.
func memoryCurve(t *testing.T, root *wasmhost.Root, requests int, request func(i int) wasmhost.Headers) []int64 {
	t.Helper()
	const points = 100
	curve := make([]int64, points)
	for point := range points {
		for i := range requests / points {
			do(t, root, request(point*requests/points+i))
		}
		tick(t, root)
		root.Host().Advance(time.Second)
		curve[point] = int64(root.VM().MemorySize())
	}
	return curve
}

func oneOff(i int) wasmhost.Headers { return get(fmt.Sprint("one-off ", i)) }

// thirtyHeaders is a request as browsers and proxies make them, of one of a thousand clients.
func thirtyHeaders(i int) wasmhost.Headers {
	h := get(fmt.Sprint("client ", i%1000))
	for len(h) < 30 {
		h = append(h, [2]string{fmt.Sprint("x-header-", len(h)), "a value of some forty bytes, as most are"})
	}
	return h
}
