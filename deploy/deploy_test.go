package deploy_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"go.yaml.in/yaml/v3"

	"tollgate/config"
)

// demo is what the demo configuration of envoy.yaml says, too.
var demo = map[string][]int{"login": {3, 10}, "api": {10, 10}}

func TestIstioConfigurationIsTheDemos(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("istio", "wasmplugin.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var plugin struct {
		Kind string
		Spec struct {
			PluginConfig map[string]any `yaml:"pluginConfig"`
		}
	}
	if err := yaml.Unmarshal(data, &plugin); err != nil {
		t.Fatal(err)
	}
	if plugin.Kind != "WasmPlugin" {
		t.Fatalf("kind is %q", plugin.Kind)
	}
	if got := rulesOf(t, plugin.Spec.PluginConfig); !reflect.DeepEqual(got, demo) {
		t.Errorf("rules %v, want %v", got, demo)
	}
}

// rulesOf passes a plugin's configuration on as Istio does, as JSON with its keys sorted, and returns requests and
// window of each rule's first limit.
func rulesOf(t *testing.T, pluginConfig map[string]any) map[string][]int {
	t.Helper()
	text, err := json.Marshal(pluginConfig)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse(text, "istio-system.tollgate")
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	rules := map[string][]int{}
	for _, r := range cfg.Rules {
		rules[r.Name] = []int{int(r.Limits[0].Requests), int(r.Limits[0].Window)}
	}
	return rules
}
