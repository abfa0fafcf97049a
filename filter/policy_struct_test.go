package filter

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestAStructDoesWhatItsTextDoes plays the same requests against a configuration as text and as a protobuf Struct, which is how the proxy
// passes YAML on.
func TestAStructDoesWhatItsTextDoes(t *testing.T) {
	var played [2]string
	for i, file := range []string{"../testdata/struct/shop.json", "../testdata/struct/shop.pb"} {
		configuration, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		h := newFakeHost()
		p := startPlugin(t, h, string(configuration))
		for _, c := range []struct {
			status  int
			plan    string
			request [][2]string
		}{
			{200, "", get("/", "alice")}, {200, "", get("/", "alice")}, {200, "gold", get("/", "alice")}, {200, "staff", get("/", "alice")},
			{401, "", with(bare("POST", "/login"), "x-api-key", "alice")}, {200, "", with(bare("POST", "/login"), "x-api-key", "alice")},
			{500, "", with(bare("POST", "/login"), "x-api-key", "alice")}, {200, "", with(bare("POST", "/login"), "x-api-key", "alice")},
			{200, "", get("/export/all", "alice")}, {200, "", bare("GET", "/healthz")},
		} {
			h.set(claim+"plan", c.plan)
			h.upstream = nil
			r := h.answer(p, c.status, c.request)
			played[i] += fmt.Sprintln(r.status, r.headers, h.upstream, h.counts())
			if r.local != nil {
				played[i] += fmt.Sprintln(*r.local)
			}
		}
		p.OnTick()
		played[i] += fmt.Sprint(nonZero(h.counters))
	}
	if played[0] != played[1] {
		t.Errorf("as text\n%s\nas a Struct\n%s", played[0], played[1])
	}
}

// TestFaultsOfAStruct holds that they are told by their paths, since it has no lines.
func TestFaultsOfAStruct(t *testing.T) {
	h := newFakeHost()
	// {"limt": true}
	if _, ok := tryStart(NewVM(h), h, "\x0a\x0a\x0a\x04limt\x12\x02\x20\x01"); ok {
		t.Fatal("the plugin started")
	}
	for _, line := range h.errorLines() {
		if strings.HasPrefix(line, "tollgate: configuration refused: limt is not a known field; ") {
			return
		}
	}
	t.Errorf("log %q", h.errorLines())
}
