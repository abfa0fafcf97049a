package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tollgate/config"
	"tollgate/e2e/envoytest"
	"tollgate/internal/readme"
)

// page is the README beside a running Envoy, which has the listeners of the demo and of the page's snippets.
type page struct {
	blocks []readme.Block
	envoy  *envoytest.Envoy
}

// blockKinds are the kinds of blocks that the README may have, each with what its text must stand.
var blockKinds = map[string]func(p page, t *testing.T, i int){
	"json":                   page.accepted,
	"json refused":           page.refused,
	"text errors":            page.errorsOfTheBlockBefore,
	"yaml pluginConfig":      page.acceptedYAML,
	"yaml " + managerSnippet: page.limits,
	"yaml " + routeSnippet:   page.route,
	"console":                page.transcript,
}

// TestReadme executes every block of the README, in its order.
func TestReadme(t *testing.T) {
	t.Parallel()
	blocks := readReadme(t).Blocks
	p := page{blocks, envoytest.Start(t, envoytest.Config{Bootstrap: withSnippets(t, demo(t), blocks)})}
	ran := 0
	for i, b := range blocks {
		t.Run(fmt.Sprintf("line %d, %s", b.Line, b.Kind), func(t *testing.T) {
			run := blockKinds[b.Kind]
			if run == nil {
				t.Fatalf("the kind is none of %q", slices.Sorted(maps.Keys(blockKinds)))
			}
			run(p, t, i)
			ran++
		})
	}
	t.Run("metrics", func(t *testing.T) { p.metrics(t) })
	t.Logf("%d blocks ran", ran)
	if ran != len(blocks) || ran == 0 {
		t.Errorf("%d blocks ran of %d", ran, len(blocks))
	}
}

func readReadme(t *testing.T) *readme.Document {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(envoytest.Root(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := readme.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// pluginName is the name of the plugin whose configurations the page shows.
const pluginName = "tollgate"

func (p page) accepted(t *testing.T, i int) { parseConfig(t, p.blocks[i].Text) }

func parseConfig(t *testing.T, text string) *config.Config {
	t.Helper()
	cfg, err := config.Parse([]byte(text), pluginName)
	if err != nil {
		t.Fatalf("refused:\n%v", err)
	}
	return cfg
}

// acceptedYAML passes the configuration on as Istio does, as JSON.
func (p page) acceptedYAML(t *testing.T, i int) {
	var value any
	unmarshalYAML(t, p.blocks[i].Text, &value)
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	parseConfig(t, string(text))
}

// refused holds that the errors stand in the block behind, to the letter.
func (p page) refused(t *testing.T, i int) {
	_, err := config.Parse([]byte(p.blocks[i].Text), pluginName)
	if err == nil {
		t.Fatal("accepted")
	}
	if i+1 == len(p.blocks) || p.blocks[i+1].Kind != "text errors" {
		t.Fatal("no block of errors follows")
	}
	if shown := p.blocks[i+1].Text; shown != err.Error()+"\n" {
		t.Errorf("the page shows\n%sbut the parser says\n%v", shown, err)
	}
}

func (p page) errorsOfTheBlockBefore(t *testing.T, i int) {
	if i == 0 || p.blocks[i-1].Kind != "json refused" {
		t.Fatal("no refused configuration stands before")
	}
}

// TestReadmeShowsTheDemo holds that the page begins with the configuration that the demo runs.
func TestReadmeShowsTheDemo(t *testing.T) {
	t.Parallel()
	first := readReadme(t).Blocks[0]
	value := regexpGroup(t, demo(t), `(?s)StringValue\n\s+value: \|\n(.*?)\n\s+- name: `)
	if shown, runs := parseConfig(t, first.Text), parseConfig(t, value); !reflect.DeepEqual(shown, runs) {
		t.Errorf("README.md:%d shows %+v, envoy.yaml runs %+v", first.Line, shown, runs)
	}
}

// metrics holds the table of metrics to what Envoy knows after the start of the demo, which has no rule in shadow mode.
func (p page) metrics(t *testing.T) {
	const prefix = "wasmcustom.tollgate.demo."
	rules := strings.NewReplacer(prefix+"login.", prefix+"<rule>.", prefix+"api.", prefix+"<rule>.")
	var got, want []string
	for name := range p.envoy.Stats() {
		if what, ok := strings.CutPrefix(rules.Replace(name), prefix); ok {
			got = append(got, "tollgate.<domain>."+what)
		}
	}
	for _, table := range readReadme(t).Section("Metrics and logs").Tables() {
		for _, row := range table.Rows {
			switch name := strings.Trim(row[0], "`"); {
			case strings.HasSuffix(name, ".shadow_limited"):
			case strings.Contains(name, "<kind>"):
				for _, kind := range readme.CodeSpans(row[1]) {
					want = append(want, strings.Replace(name, "<kind>", kind, 1))
				}
			default:
				want = append(want, name)
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if got = slices.Compact(got); len(got) == 0 || !slices.Equal(got, want) {
		t.Errorf("Envoy has %q, the page %q", got, want)
	}
}

func unmarshalYAML(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}
