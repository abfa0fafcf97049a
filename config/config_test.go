package config

import (
	"errors"
	"strings"
	"testing"

	"tollgate/limiter"
)

// mustParse parses a configuration of a plugin named plugin.
func mustParse(t *testing.T, text string) *Config {
	t.Helper()
	cfg, err := Parse([]byte(text), "plugin")
	if err != nil {
		t.Fatalf("Parse(%s):\n%v", text, err)
	}
	return cfg
}

func TestDefaults(t *testing.T) {
	cfg := mustParse(t, `{"rules":[{"name":"api","limits":[{"requests":10,"window":"10s"}]}]}`)
	if cfg.Domain != "plugin" || cfg.MaxCounters != 65536 || cfg.OnFull != limiter.ShareWhenFull || len(cfg.Rules) != 1 || cfg.Warnings != nil {
		t.Errorf("got %+v", cfg)
	}
	r := cfg.Rules[0]
	if r.Name != "api" || r.OnUnidentified != ShareUnidentified || r.OnError != AllowOnError {
		t.Errorf("got rule %+v", r)
	}
	if len(r.Identity) != 1 || !r.Identity[0].equal(Source{Kind: SourceHeader, Name: "x-api-key"}) {
		t.Errorf("got identity %+v", r.Identity)
	}
	if len(r.Limits) != 1 || r.Limits[0] != (limiter.Limit{Requests: 10, Window: 10}) {
		t.Errorf("got limits %+v", r.Limits)
	}
}

func TestEveryField(t *testing.T) {
	cfg := mustParse(t, `{
		"$schema": "./tollgate.schema.json", "domain": "shop.Eu_1-x", "max_counters": 4096, "on_full": "refuse",
		"identity": [{"header": "X-Api-Key"}, {"header": "authorization"}], "on_unidentified": "next", "on_error": "refuse",
		"rules": [
			{"name": "own", "description": "with its own settings", "match": [{"path": "/a"}, {"methods": ["GET", "HEAD"], "path_prefix": "/b"}],
			 "identity": [{"header": "x-org"}], "on_unidentified": "refuse", "on_error": "allow",
			 "limits": [{"requests": 0, "window": "1s"}, {"requests": 4294967295, "window": "366d"}]},
			{"name": "inherits", "limits": [{"requests": 2147483647, "window": "2h"}]}]}`)
	if cfg.Domain != "shop.Eu_1-x" || cfg.MaxCounters != 4096 || cfg.OnFull != limiter.RefuseWhenFull {
		t.Errorf("got %+v", cfg)
	}
	own, inherits := cfg.Rules[0], cfg.Rules[1]
	if own.OnUnidentified != RefuseUnidentified || own.OnError != AllowOnError || len(own.Identity) != 1 || own.Identity[0].Name != "x-org" {
		t.Errorf("own: %+v", own)
	}
	if own.Limits[0] != (limiter.Limit{Window: 1}) || own.Limits[1] != (limiter.Limit{Requests: 4294967295, Window: 366 * 86400}) {
		t.Errorf("own: %+v", own.Limits)
	}
	if inherits.OnUnidentified != NextRule || inherits.OnError != RefuseOnError || len(inherits.Identity) != 2 || inherits.Identity[0].Name != "x-api-key" {
		t.Errorf("inherits: %+v", inherits)
	}
}

func TestNumbersAsOtherWritersWriteThem(t *testing.T) {
	for text, want := range map[string]uint32{
		"10": 10, "10.0": 10, "1e1": 10, "1E+1": 10, "100e-1": 10, "0.1e2": 10, "1e+06": 1000000,
		"0": 0, "-0": 0, "0.0": 0, "0e999999999999999999999": 0, "4294967295": 4294967295, "4294967295.000": 4294967295, "2147483647": 2147483647,
	} {
		cfg := mustParse(t, `{"rules":[{"name":"api","limits":[{"requests":`+text+`,"window":"10s"}]}]}`)
		if got := cfg.Rules[0].Limits[0].Requests; got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}
}

func TestWindows(t *testing.T) {
	for text, want := range map[string]uint32{
		"1s": 1, "60s": 60, "1m": 60, "90m": 5400, "1h": 3600, "24h": 86400, "1d": 86400, "366d": 31622400, "31622400s": 31622400,
	} {
		cfg := mustParse(t, `{"rules":[{"name":"api","limits":[{"requests":1,"window":"`+text+`"}]}]}`)
		if got := cfg.Rules[0].Limits[0].Window; got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}
}

func TestPluginNameAsDomain(t *testing.T) {
	const smallest = `{"rules":[{"name":"api","limits":[{"requests":10,"window":"10s"}]}]}`
	for name, reason := range map[string]string{
		"tollgate":              "",
		"default.shop-limits":   "",
		"":                      `configuration 1:1 has no "domain", and the plugin's name "" cannot serve as one; add one such as "domain": "shop"`,
		"policy/shop/wasm/0":    `configuration 1:1 has no "domain", and the plugin's name "policy/shop/wasm/0" cannot serve as one; add one such as "domain": "shop"`,
		strings.Repeat("x", 65): `configuration 1:1 has no "domain", and the plugin's name "` + strings.Repeat("x", 60) + `"... cannot serve as one; add one such as "domain": "shop"`,
	} {
		cfg, err := Parse([]byte(smallest), name)
		switch {
		case reason == "" && (err != nil || cfg.Domain != name):
			t.Errorf("plugin %q: %+v, %v", name, cfg, err)
		case reason != "" && (err == nil || err.Error() != reason):
			t.Errorf("plugin %q: got %v\nwant %s", name, err, reason)
		}
	}
}

// What an absent configuration is told to write must be a configuration.
func TestEmptyConfigurationShowsOneThatWorks(t *testing.T) {
	for _, text := range []string{"", " \r\n\t", "{}", "null", "[]", "true", `"x"`, "5"} {
		for _, plugin := range []string{"plugin", "a/b"} {
			cfg, err := Parse([]byte(text), plugin)
			var errs Errors
			if cfg != nil || !errors.As(err, &errs) {
				t.Fatalf("%q: got %+v, %v", text, cfg, err)
			}
			_, example, ok := strings.Cut(errs[0].Advice, "write at least ")
			if _, err := Parse([]byte(example), plugin); !ok || err != nil {
				t.Errorf("%q for plugin %q: %v; the example gives %v", text, plugin, errs, err)
			}
		}
	}
}
