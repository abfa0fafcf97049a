package prove

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"tollgate/internal/wasmhost"
	"tollgate/limiter"
)

var update = flag.Bool("update", false, "write the tables under testdata anew")

// seed returns a number for what is random in a test: $TOLLGATE_SEED, or a fresh one. The test prints it.
func seed(t testing.TB) uint64 {
	t.Helper()
	text := os.Getenv("TOLLGATE_SEED")
	if text == "" {
		return uint64(rand.Uint32())
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("TOLLGATE_SEED: %v", err)
	}
	return n
}

// random returns the numbers of one actor in a test with that seed.
func random(seed uint64, actor int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(actor))) }

var loadModule = sync.OnceValues(func() (*wasmhost.Module, error) {
	if path := os.Getenv("TOLLGATE_WASM"); path != "" {
		return wasmhost.Load(path)
	}
	return wasmhost.LoadBuilt()
})

// built returns the compiled module; it is the same for all tests.
func built(t testing.TB) *wasmhost.Module {
	t.Helper()
	module, err := loadModule()
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// start starts the module with a configuration in a VM of its own.
func start(t testing.TB, host *wasmhost.Host, configuration string) *wasmhost.Root {
	t.Helper()
	root, err := host.Start(built(t), plugin(configuration))
	if err != nil {
		t.Fatalf("%v\n%s", err, host.LogText())
	}
	return root
}

func plugin(configuration string) wasmhost.Plugin {
	return wasmhost.Plugin{Name: "shop", Config: []byte(configuration)}
}

// fleet starts the module with a configuration in n VMs.
func fleet(t testing.TB, host *wasmhost.Host, n int, configuration string) []*wasmhost.Root {
	t.Helper()
	roots := make([]*wasmhost.Root, n)
	for i := range roots {
		roots[i] = start(t, host, configuration)
	}
	return roots
}

// get is a request of a client with an API key.
func get(key string) wasmhost.Headers {
	return wasmhost.Headers{
		{":method", "GET"}, {":scheme", "http"}, {":authority", "shop.example"}, {":path", "/"}, {"x-api-key", key},
	}
}

// do plays one exchange; the upstream answers 200.
func do(t testing.TB, root *wasmhost.Root, request wasmhost.Headers) wasmhost.Response {
	t.Helper()
	response, err := root.Do(request, nil)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// tick passes the metrics of all VMs on.
func tick(t testing.TB, roots ...*wasmhost.Root) {
	t.Helper()
	for _, root := range roots {
		if err := root.Tick(); err != nil {
			t.Fatal(err)
		}
	}
}

// bucketPrefix begins the keys of all buckets of the domain "shop" with that capacity.
func bucketPrefix(maxCounters uint32) string {
	return fmt.Sprintf("tollgate/%d/shop/%d/", limiter.LayoutVersion, limiter.Buckets(maxCounters))
}
