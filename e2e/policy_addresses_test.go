package e2e

import (
	"fmt"
	"testing"

	"tollgate/e2e/envoytest"
)

// addressPlays show where clients come from. What a client writes to the left of what the proxy in front wrote changes nothing. A
// flood of keys that nobody gave out is stopped by the address that it comes from.
func addressPlays() []sitePlay {
	const byAddress = `"identity": [{"address": {}}], ` + threeAnHour
	from := func(forwarded, want string) step { return step{"GET /\nx-forwarded-for: " + forwarded, want} }
	edge, behind := envoytest.Site{Edge: true}, envoytest.Site{Edge: true, TrustedHops: 1}
	return []sitePlay{
		{Site: behind, play: play{name: "behind", config: byAddress, steps: []step{
			from("203.0.113.7", "200 3/2 hour"),
			from("198.51.100.1, 203.0.113.7", "200 3/1 hour"),
			from("198.51.100.2,203.0.113.7", "200 3/0 hour"),
			from("203.0.113.7", "429 3/0 hour"),
			from("203.0.113.8", "200 3/2 hour"),
			from("::ffff:203.0.113.8", "200 3/1 hour"),
			from("203.0.113.7, 203.0.113.9", "200 3/2 hour"),
			from("2001:db8:1:2::1", "200 3/2 hour"),
			from("2001:db8:1:2:ffff::9", "200 3/1 hour"),
			from("2001:db8:1:3::1", "200 3/2 hour"),
			{"GET /", "200 3/2 hour"}, // no proxy in front: the connection's
		}}},
		{Site: behind, play: play{name: "wide", config: `"identity": [{"address": {"ipv4_prefix": 16, "ipv6_prefix": 48}}], ` + threeAnHour, steps: []step{
			from("203.0.113.7", "200 3/2 hour"), from("203.0.9.9", "200 3/1 hour"), from("203.1.9.9", "200 3/2 hour"),
			from("2001:db8:1:2::1", "200 3/2 hour"), from("2001:db8:1:9::1", "200 3/1 hour"), from("2001:db8:2:2::1", "200 3/2 hour"),
		}}},
		{Site: behind, play: play{name: "networks", config: `"rules": [
			{"name": "office", "match": [{"addresses": ["203.0.113.0/24", "2001:db8::/32"]}], "limits": "unlimited"},
			{"name": "rest", "limits": [{"requests": 3, "window": "hour"}]}]`, steps: []step{
			from("203.0.113.255", "200"), from("203.0.112.255", "200 3/2 hour"),
			from("2001:db8:9::1", "200"), from("2001:db9::1", "200 3/1 hour"),
			from("203.0.113.1, 198.51.100.1", "200 3/0 hour"), from("::ffff:203.0.113.1", "200"),
		}}},
		{Site: edge, play: play{name: "edge", config: byAddress, steps: []step{
			from("203.0.113.7", "200 3/2 hour"), from("203.0.113.8", "200 3/1 hour"), {"GET /", "200 3/0 hour"},
		}}},
		{Site: envoytest.Site{Edge: true, IPv6: true}, play: play{name: "ipv6", config: byAddress, steps: []step{
			from("203.0.113.7", "200 3/2 hour"), {"GET /", "200 3/1 hour"}, from("2001:db8::1", "200 3/0 hour"), {"GET /", "429 3/0 hour"},
		}}},
		{Site: edge, play: play{name: "flood", check: checkFlood, config: `"max_counters": 64, "rules": [
			{"name": "network", "identity": [{"address": {}}], "continue": true, "limits": [{"requests": 50, "window": "hour"}]},
			{"name": "key", "limits": [{"requests": 3, "window": "hour"}]}]`}},
	}
}

func checkFlood(t *testing.T, envoy *envoytest.Envoy, _ times) {
	c := connect(t, http1, envoy.Addr("flood"))
	statuses := map[int]int{}
	for i := range 1000 {
		statuses[c.get("/", fmt.Sprint("invented ", i)).Status]++
	}
	if statuses[200] != 50 || statuses[429] != 950 {
		t.Errorf("statuses %v, want 50 allowed and 950 refused", statuses)
	}
}
