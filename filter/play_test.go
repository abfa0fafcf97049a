package filter

import (
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"
)

// threeInTen is the configuration that most tests run: three requests of a client in ten seconds.
const threeInTen = `{"domain": "shop", "rules": [{"name": "api", "limits": [{"requests": 3, "window": "10s"}]}]}`

// startPlugin starts a plugin in a VM of its own; a refusal ends the test.
func startPlugin(t *testing.T, h *fakeHost, configuration string) types.PluginContext {
	t.Helper()
	return startIn(t, NewVM(h), h, configuration)
}

func startIn(t *testing.T, vm types.VMContext, h *fakeHost, configuration string) types.PluginContext {
	t.Helper()
	p, ok := tryStart(vm, h, configuration)
	if !ok {
		t.Fatalf("the plugin did not start: %q", h.errorLines())
	}
	return p
}

// tryStart does what a proxy does with a new configuration.
func tryStart(vm types.VMContext, h *fakeHost, configuration string) (types.PluginContext, bool) {
	h.configuration = configuration
	p := vm.NewPluginContext(1)
	defer h.callbackEnds()
	return p, p.OnPluginStart(len(configuration)) == types.OnPluginStartStatusOK
}

// response is what a client gets.
type response struct {
	status  int
	headers [][2]string
	local   *sentReply // set if the filter answered
}

// value returns the only value of a header; a missing one is "none", a repeated one "repeated".
func (r response) value(name string) string {
	value := "none"
	for _, line := range r.headers {
		if line[0] != name {
			continue
		}
		if value != "none" {
			return "repeated"
		}
		value = line[1]
	}
	return value
}

// told lists the headers that the filter writes, in the order in which they stand.
func (r response) told() string {
	var lines []string
	for _, line := range r.headers {
		if strings.HasPrefix(line[0], "x-ratelimit-") || line[0] == "retry-after" {
			lines = append(lines, strings.TrimPrefix(line[0], "x-ratelimit-")+"="+line[1])
		}
	}
	return strings.Join(lines, " ")
}

// play plays one exchange as Envoy does: a reply of the filter runs the response callback too. The upstream answers 200
// with its headers.
func (h *fakeHost) play(p types.PluginContext, request [][2]string, upstream ...[2]string) response {
	s := p.NewHttpContext(2)
	defer s.OnHttpStreamDone()
	return h.finish(s, h.begin(s, request), upstream...)
}

// begin runs the request's headers.
func (h *fakeHost) begin(s types.HttpContext, request [][2]string) types.Action {
	h.request, h.reply = request, nil
	defer h.callbackEnds()
	return s.OnHttpRequestHeaders(len(request), true)
}

// finish runs the response's headers, of the filter's reply or the upstream.
func (h *fakeHost) finish(s types.HttpContext, action types.Action, upstream ...[2]string) response {
	r := response{status: 200, local: h.reply}
	h.response = slices.Clone(upstream)
	if r.local != nil {
		r.status, h.response = r.local.status, slices.Clone(r.local.headers)
	}
	if (action == types.ActionPause) != (r.local != nil) {
		panic("a request must be held if and only if it was answered")
	}
	s.OnHttpResponseHeaders(len(h.response), true)
	h.callbackEnds()
	r.headers = h.response
	return r
}

// get is a request of a client with an API key.
func get(target, key string) [][2]string { return with(bare("GET", target), "x-api-key", key) }

func bare(method, target string) [][2]string {
	return [][2]string{{":method", method}, {":scheme", "http"}, {":authority", "shop.example"}, {":path", target}}
}

// with appends a header line to a request.
func with(request [][2]string, name, value string) [][2]string {
	return append(slices.Clone(request), [2]string{name, value})
}

// decider names the rule that decided the requests since the last call, by the metrics. Several are joined.
func (h *fakeHost) decider(p types.PluginContext) string {
	p.OnTick()
	var rules []string
	for _, name := range h.names {
		part := strings.Split(name, ".")
		if len(part) == 4 && h.counters[name] > 0 {
			rules = append(rules, part[2])
			h.counters[name] = 0
		}
	}
	return strings.Join(rules, "+")
}
