package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// defaultVersion is the release that the demo and the tests use where no other Envoy is chosen.
const defaultVersion = "1.40.0"

// platform is an operating system and an architecture in Go's spelling.
type platform struct{ os, arch string }

// pins maps a release and a platform to the SHA-256 of its wheel, in hexadecimal.
type pins map[string]map[platform]string

var (
	linuxAMD64 = platform{"linux", "amd64"}
	linuxARM64 = platform{"linux", "arm64"}
)

// pinned lists the releases that Tollgate is tested with. Those of 1.38 are absent because they run no WebAssembly.
var pinned = pins{
	"1.36.4": {
		linuxAMD64: "86dfc14ae7fad32de3b3ace54fbd400187c3b4fd6731781ff5bc633fa133f3f9",
		linuxARM64: "05b06a19c4f6499c752f1a5a034a02752f0cdbd0422c3d8eb515237a36e82cd2",
	},
	"1.37.0": {
		linuxAMD64: "bf7a89ecfa8133a77d066c3d3f9cd0b9b975ed26a5d5d9e508896e57b78cabfc",
		linuxARM64: "ee3e51fb44bb8f1a7053556b6e216ecd7a92cae07d092cd8315bd336586bd315",
	},
	"1.39.3": {
		linuxAMD64: "ee848b81b10b86f1d919f793b75852d24884928f2733752b4443bcd66d7bc5a6",
		linuxARM64: "2c624b8623c132e05f6f615f2e34b34fcdd1fdd0aaef065b3af55697178d2a50",
	},
	"1.40.0": {
		linuxAMD64: "a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884",
		linuxARM64: "55828002a71f9bd4034650df412feafbce419c33d2687aaaa8c742a856ae07ea",
	},
}

// sum returns the checksum of a release's wheel for p, or an error that names the way out.
func (all pins) sum(version string, p platform) (string, error) {
	release, ok := all[version]
	if !ok {
		return "", fmt.Errorf("no Envoy %s is pinned here; pinned are %s", version, pinnedVersions())
	}
	sum, ok := release[p]
	if !ok {
		return "", fmt.Errorf("no wheel of Envoy %s is pinned for %s/%s; %s", version, p.os, p.arch, wayOut)
	}
	return sum, nil
}

// wayOut ends every message about a release that cannot be had.
const wayOut = "install Envoy 1.36 or later yourself and say where it is: make ENVOY=/path/to/envoy run"

func pinnedVersions() string {
	return strings.Join(slices.Sorted(maps.Keys(pinned)), ", ")
}
