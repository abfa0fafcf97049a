// Command bench measures what Tollgate costs: microseconds of Envoy's processor time for each request, resident memory and the
// time of the first start, beside no filter, Envoy's own local rate limit, a few lines of Lua, and a module that does nothing.
//
//	make bench
//
// builds what it needs. Everything runs on this machine and over 127.0.0.1; keep the machine quiet meanwhile.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
)

// options are the command line.
type options struct {
	binary, module, noop, against string
	results                       string
	only                          string
	requests, rounds, connections int
	starts                        int
}

func parseOptions(args []string) (options, error) {
	o := options{}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.StringVar(&o.binary, "envoy", "../build/envoy", "Envoy's `binary`")
	f.StringVar(&o.module, "module", "../build/tollgate.wasm", "Tollgate's `module`")
	f.StringVar(&o.noop, "noop", "../build/noop.wasm", "`module` that does nothing, of bench/noop")
	f.StringVar(&o.against, "against", "", "another build of Tollgate's `module`, to be measured beside it")
	f.StringVar(&o.results, "results", "results", "`directory` for a file with the results; empty for none")
	f.StringVar(&o.only, "only", "", "measure only scenarios that match this `expression`, besides no filter and the native one")
	f.IntVar(&o.requests, "requests", 10000, "requests of each scenario in one round")
	f.IntVar(&o.rounds, "rounds", 5, "rounds in which each scenario is measured")
	f.IntVar(&o.connections, "connections", 8, "connections that send at once")
	f.IntVar(&o.starts, "starts", 3, "starts of each process whose memory and start are measured; 0 leaves that out")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 || o.rounds < 1 || o.connections < 1 || o.requests < slices*o.connections || o.starts < 0 {
		return o, fmt.Errorf("bad arguments: %s", strings.Join(args, " "))
	}
	return o, o.absolute()
}

// absolute makes the names of the modules independent of Envoy's directory.
func (o *options) absolute() (err error) {
	for _, name := range []*string{&o.binary, &o.module, &o.noop, &o.against} {
		if *name != "" && err == nil {
			*name, err = filepath.Abs(*name)
		}
	}
	return err
}

func main() {
	// Envoy's worker has one processor, the generator shall not take the other ones too.
	runtime.GOMAXPROCS(1)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	o, err := parseOptions(args)
	if err != nil {
		return err
	}
	only, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	r := report{command: "go -C bench run . " + strings.Join(args, " "), options: o}
	if r.machine, err = describe(o.binary); err != nil {
		return err
	}
	if r.costs, err = measureCosts(ctx, o, choose(scenarios(o), only)); err != nil {
		return err
	}
	if r.starts, err = measureStarts(ctx, o); err != nil {
		return err
	}
	return r.publish(os.Stdout)
}
