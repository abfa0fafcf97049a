// Package prove holds the evidence for what Tollgate promises: tests that run the built module (build/tollgate.wasm) under load,
// faults, floods and nonsense, and print what they measured.
//
//	go test ./prove/...                      the short form, a part of `make test`
//	TOLLGATE_PROVE=full go test ./prove/...  the long form, minutes
//
// Each property prints a line that begins with "prove:" and says the figure. Two of the tests hold tables under testdata
// that the README shows: what happens when something fails (failures.md), and how full the table of counters may get
// (capacity.md). `go test ./prove -update` writes them anew; read the difference before you commit it.
//
// What is random prints its seed; TOLLGATE_SEED=<number> repeats it. TOLLGATE_WASM names another module to test.
package prove
