// Package wasmhost is a proxy-wasm host (ABI 0.2.x) for tests: it loads a built filter module and plays Envoy to it, on
// a set clock and with every host call in the test's hand.
//
// The words:
//
//   - A [Module] is the compiled code. Compile it once and share it; virtual machines made of it are cheap.
//   - A [Host] is one simulated Envoy process: the shared data, the clock, the metrics and the log that all its virtual
//     machines see. It may be used from several goroutines.
//   - A [VM] is one instance of a module, as each worker thread of Envoy has one. It belongs to one goroutine at a time;
//     different VMs of a host run in parallel.
//   - A [Root] is one configured plugin in a VM. A configuration update makes a new root in the same VM, while streams
//     of the old one live on.
//   - A [Stream] is one HTTP request. [Root.Do] plays a whole exchange; the Stream's own methods play it step by step.
//
// A test reads like this:
//
//	module, err := wasmhost.LoadBuilt() // build/tollgate.wasm; share the module between the tests of a package
//	host := wasmhost.NewHost()
//	defer host.Close()
//	host.SetTime(time.Unix(1000, 0))
//	root, err := host.Start(module, wasmhost.Plugin{Name: "shop", Config: config})
//	reply, err := root.Do(wasmhost.Headers{{":method", "GET"}, {":path", "/"}, {"x-api-key", "a"}}, nil)
//	// reply.Status, reply.Headers, reply.Local
//
// Host calls are counted always ([VM.Count]), recorded on demand ([VM.SetTrace]), and can be delayed, interleaved or
// answered by the test ([Hooks]).
//
// # Fidelity
//
// The rules are those of Envoy (source/extensions/common/wasm/context.cc) and of proxy-wasm-cpp-host
// (src/shared_data.cc, src/exports.cc, src/wasm.cc), among them the ones that surprise:
//
//   - Shared data: a set with CAS 0 overwrites unconditionally, a missing key is inserted under any CAS, versions come
//     from one counter of the process, which skips 0.
//   - A header map is reachable only while its headers are being processed, or while the stream is paused there:
//     outside, reading a value is BadArgument and reading all pairs succeeds with none. In the log phase both maps can be
//     read.
//   - A local reply runs the filter's own response-header callback.
//   - The plugin configuration can be read only while the plugin is being created and configured. Reading zero bytes of
//     a buffer succeeds without writing a pointer.
//   - While memory is being allocated for a host call, the guest may only log and read the WASI clock; during
//     _initialize it may call no proxy function but the log. Anything else traps.
//   - WASI is what Envoy 1.33 serves and no more: a module that imports more is refused by name. One kindness: poll_oneoff
//     returns at once, although it fails in Envoy up to 1.38, which is fatal to a Go program that sleeps or starts timers.
//     Hooks{Inject: Fail("poll_oneoff", -1, 58)} plays those versions.
//   - A trap ends the VM: every later callback reports the failure ([TrapError]).
//
// Not played: bodies and trailers, routing, other filters, and what Envoy adds to a response after the filters (date,
// server, content-length: 0). Where Envoy would answer 503 for a failed VM, an error is returned instead.
package wasmhost
