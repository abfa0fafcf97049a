// Command filter is the proxy-wasm module: build it with GOOS=wasip1 GOARCH=wasm and -buildmode=c-shared.
package main

import (
	"tollgate/filter"
	"tollgate/internal/abi"
)

// The host never runs main.
func init() { abi.Register(filter.NewVM(abi.Host{})) }

func main() {}
