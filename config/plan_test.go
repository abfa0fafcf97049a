package config

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

// hashOf writes a member of a plan.
func hashOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "sha256:" + hex.EncodeToString(sum[:])
}

const planProperty = "metadata\x00filter_metadata\x00authz\x00plan"

func TestBudget(t *testing.T) {
	cfg := mustParse(t, `{
		"identity": [{"header": "x-api-key"}, {"query": "key"}],
		"plans": {"gold": {"members": ["`+hashOf("alice")+`", "`+hashOf("*")+`"]}, "staff": {}, "unused-here": {}, "Team Plan": {}},
		"plan_from": [{"metadata": ["jwt", "payload", "plan"]}, {"metadata": ["authz", "plan"]}],
		"rules": [
			{"name": "keyed", "match": [{"path": "/"}], "limits": [{"requests": 20, "window": "1s"}],
			 "plans": {"gold": [{"requests": 100, "window": "1s"}, {"requests": 9, "window": "1h"}], "staff": "unlimited", "Team Plan": [{"requests": 30, "window": "1s"}]}},
			{"name": "open", "match": [{"path": "/open"}], "limits": "unlimited", "plans": {"gold": [{"requests": 1, "window": "1d"}]}},
			{"name": "plain", "limits": [{"requests": 7, "window": "1s"}]}]}`)
	keyed, open, plain := &cfg.Rules[0], &cfg.Rules[1], &cfg.Rules[2]
	jwt := func(plan string) propertyMap {
		return propertyMap{"metadata\x00filter_metadata\x00jwt\x00payload\x00plan": plan}
	}
	both := jwt("nonsense")
	both[planProperty] = "staff"
	for _, c := range []struct {
		name       string
		rule       *Rule
		key        string
		properties propertyMap
		requests   []uint32 // nil: unlimited
		unknown    bool
	}{
		{"no plan", keyed, "bob", nil, []uint32{20}, false},
		{"nobody", keyed, "", nil, []uint32{20}, false},
		{"a member", keyed, "alice", nil, []uint32{100, 9}, false},
		{"a member, with blanks", keyed, " alice\t", nil, []uint32{100, 9}, false},
		{"a member wins over metadata", keyed, "alice", jwt("staff"), []uint32{100, 9}, false},
		{"a client whose key is a star and who is listed", keyed, "*", nil, []uint32{100, 9}, false},
		{"almost a member", keyed, "Alice", nil, []uint32{20}, false},
		{"metadata", keyed, "bob", jwt("staff"), nil, false},
		{"metadata of nobody", keyed, "", jwt("staff"), nil, false},
		{"a plan with a space", keyed, "bob", jwt("Team Plan"), []uint32{30}, false},
		{"the second source", keyed, "bob", propertyMap{planProperty: "gold"}, []uint32{100, 9}, false},
		{"the second source after nonsense", keyed, "bob", both, nil, false},
		{"nonsense", keyed, "bob", jwt("platinum"), []uint32{20}, true},
		{"another case", keyed, "bob", jwt("Gold"), []uint32{20}, true},
		{"declared, but not in this rule", keyed, "bob", jwt("unused-here"), []uint32{20}, false},
		{"a plan that is bound where others are free", open, "alice", nil, []uint32{1}, false},
		{"free", open, "bob", nil, nil, false},
		{"a rule without plans", plain, "alice", jwt("platinum"), []uint32{7}, false},
	} {
		r := request("GET", "/", [2]string{"x-api-key", c.key})
		r.Properties = c.properties
		id, _ := r.Identify(nil, c.rule.Identity)
		b := cfg.Budget(c.rule, r, id)
		if b.Unlimited != (c.requests == nil) || b.UnknownPlan != c.unknown || len(b.Limits) != len(c.requests) {
			t.Errorf("%s: got %+v, want %v, unknown %v", c.name, b, c.requests, c.unknown)
			continue
		}
		for i, want := range c.requests {
			if b.Limits[i].Requests != want {
				t.Errorf("%s: got %+v, want %v", c.name, b, c.requests)
			}
		}
	}
}

// The hash is of the value alone, whichever source it comes from; an identity that is no single value has no plan.
func TestMembersByEverySource(t *testing.T) {
	for source, want := range map[string]bool{
		`{"header": "x"}`: true, `{"query": "x"}`: true, `{"cookie": "x"}`: true, `{"bearer": {}}`: true, `{"metadata": ["x", "y"]}`: true,
		`{"constant": "alice"}`: false, `{"route": {}}`: false, `{"address": {}}`: false, `{"combine": [{"header": "x"}, {"query": "x"}]}`: false,
	} {
		cfg := mustParse(t, `{"identity": [`+source+`], "plans": {"gold": {"members": ["`+hashOf("alice")+`"]}}, "rules": [{"name": "a", `+oneLimit+`, "plans": {"gold": "unlimited"}}]}`)
		r := request("GET", "/?x=alice", [2]string{"x", "alice"}, [2]string{"cookie", "x=alice"}, [2]string{"authorization", "Bearer alice"})
		r.Properties = propertyMap{"metadata\x00filter_metadata\x00x\x00y": "alice", propertyRoute: "alice", propertyAddress: "192.0.2.1:1"}
		id, ok := r.Identify(nil, cfg.Rules[0].Identity)
		if b := cfg.Budget(&cfg.Rules[0], r, id); !ok || b.Unlimited != want {
			t.Errorf("%s: identified %v, budget %+v, want a member: %v", source, ok, b, want)
		}
	}
}

func TestNamedValueOfWhatIsNoIdentity(t *testing.T) {
	for _, id := range [][]byte{nil, {}, {0}, {1}, {1, 5}, {1, 0x80}, {1, 0xff, 0xff, 0xff, 0xff, 0x7f}, {1, 3, 'a', 'b'}, {6, 0, 1}, {9, 0}, {200, 0}} {
		if value, ok := namedValue(id); ok && len(value) > len(id) {
			t.Errorf("%v: %v", id, value)
		}
	}
	if value, ok := namedValue([]byte{1, 2, 'x', 'y', 'v'}); !ok || string(value) != "v" {
		t.Errorf("got %q, %v", value, ok)
	}
}
