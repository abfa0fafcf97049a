package filter

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"
)

// shop is a configuration of the domain shop. fields are more of the top level's.
func shop(rules string, fields ...string) string {
	return `{` + strings.Join(append([]string{`"domain": "shop"`}, fields...), ", ") + `, "rules": [` + rules + `]}`
}

// answer is play with an upstream that answers with a status.
func (h *fakeHost) answer(p types.PluginContext, status int, request [][2]string) response {
	h.status = status
	return h.play(p, request)
}

// from sets the address of the client.
func (h *fakeHost) from(address string) { h.set("source.address", address) }

// set sets a property of the stream, its path with dots.
func (h *fakeHost) set(path, value string) {
	if h.properties == nil {
		h.properties = map[string]string{}
	}
	h.properties[path] = value
}

// counts lists the counters in the store that are not 0, the highest first: "5 2 2". expired ones are left out.
func (h *fakeHost) counts() string {
	var all []int
	for _, counters := range h.buckets() {
		all = append(all, counters...)
	}
	slices.Sort(all)
	slices.Reverse(all)
	return join(all)
}

func join(counts []int) string {
	var text []string
	for _, count := range counts {
		text = append(text, strconv.Itoa(count))
	}
	return strings.Join(text, " ")
}

// buckets are the live counters that are not 0, by the key of their bucket. The layout is limiter's: a version byte, then entries of
// a fingerprint (8 bytes), the window's end (4) and the count (4).
func (h *fakeHost) buckets() map[string][]int {
	all := map[string][]int{}
	h.store.Each(func(key string, value []byte) {
		if strings.HasSuffix(key, "/key") || strings.HasSuffix(key, "/selftest") {
			return
		}
		for entry := range slices.Chunk(value[1:], 16) {
			end, count := binary.LittleEndian.Uint32(entry[8:]), binary.LittleEndian.Uint32(entry[12:])
			if count > 0 && int64(end)*second > h.now {
				all[key] = append(all[key], int(count))
			}
		}
	})
	return all
}

// lines are all headers of a response in order, one "name: value" each.
func (r response) lines() string {
	var text []string
	for _, line := range r.headers {
		text = append(text, line[0]+": "+line[1])
	}
	return strings.Join(text, "\n")
}

// want compares a response with a status and what told makes of its headers.
func (r response) want(t *testing.T, what string, status int, told string) {
	t.Helper()
	if r.status != status || r.told() != told {
		t.Errorf("%s: %d with %q, want %d with %q", what, r.status, r.told(), status, told)
	}
}

// wantCounts compares the stored counters.
func (h *fakeHost) wantCounts(t *testing.T, what, counts string) {
	t.Helper()
	if got := h.counts(); got != counts {
		t.Errorf("%s: the store counts %q, want %q", what, got, counts)
	}
}

// wantMetrics compares the metrics of the domain shop that are not 0 with a list such as "api.allowed=1", in the order of the names.
func (h *fakeHost) wantMetrics(t *testing.T, p types.PluginContext, want ...string) {
	t.Helper()
	p.OnTick()
	var got []string
	for name, value := range nonZero(h.counters) {
		got = append(got, strings.TrimPrefix(name, "tollgate.shop.")+"="+strconv.FormatUint(value, 10))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("metrics %q, want %q", got, want)
	}
}

// wantCalls compares the host calls since the last time they were forgotten, and forgets them.
func (h *fakeHost) wantCalls(t *testing.T, what string, calls ...string) {
	t.Helper()
	if !slices.Equal(h.calls, calls) {
		t.Errorf("%s: host calls\n\t%s\nwant\n\t%s", what, strings.Join(h.calls, "\n\t"), strings.Join(calls, "\n\t"))
	}
	h.calls = nil
}
