package e2e

import (
	"slices"
	"testing"
)

// What rules do with the requests that fall under them: several rules for one request, several limits in a rule, rules that
// only watch or are off, what a request costs and which responses count, who has another budget, when windows begin, and
// what happens where there is no room for another counter.
//
// Fields: rules.continue, rules.mode, mode, shadow_header, rules.cost, rules.count_statuses, plans, plans.members, rules.plans
// Fields: stagger, rules.stagger, max_counters, on_full, on_error, rules.on_error
func TestPolicyRules(t *testing.T) {
	t.Parallel()
	perform(t, slices.Concat(rulePlays(), shadowPlays(), statusPlays(newHeldUpstream(t)), staggerPlays(), fullPlays()))
}

func rulePlays() []play {
	return []play{
		{name: "two-limits", config: `"rules": [{"name": "api", "limits": [{"requests": 5, "window": "day"}, {"requests": 2, "window": "hour"}]}]`, steps: []step{
			get("/", "alice", "200 2/1 hour"), get("/", "alice", "200 2/0 hour"), get("/", "alice", "429 2/0 hour"), get("/", "alice", "429 2/0 hour"),
		}},
		{name: "latest-reset", config: `"rules": [{"name": "api", "limits": [{"requests": 2, "window": "hour"}, {"requests": 2, "window": "day"}]}]`, steps: []step{
			get("/", "alice", "200 2/1 day"), get("/", "alice", "200 2/0 day"), get("/", "alice", "429 2/0 day"),
		}},
		{name: "both-count", config: `"rules": [
			{"name": "all", "continue": true, "limits": [{"requests": 1000, "window": "hour"}]},
			{"name": "call", "match": [{"path": "/call"}], "limits": [{"requests": 10, "window": "hour"}]}]`,
			steps: append(append([]step{get("/", "alice", "200 1000/999 hour")}, spend("GET /call\nx-api-key: alice", 10, "hour")...),
				get("/", "alice", "200 1000/988 hour")),
		},
		{name: "all-or-nothing", config: `"rules": [
			{"name": "org", "identity": [{"header": "x-org"}], "continue": true, "limits": [{"requests": 3, "window": "hour"}]},
			{"name": "key", "limits": [{"requests": 2, "window": "hour"}]}]`, steps: []step{
			{"GET /\nx-org: acme\nx-api-key: alice", "200 2/1 hour"},
			{"GET /\nx-org: acme\nx-api-key: alice", "200 2/0 hour"},
			{"GET /\nx-org: acme\nx-api-key: alice", "429 2/0 hour"},
			{"GET /\nx-org: acme\nx-api-key: alice", "429 2/0 hour"},
			{"GET /\nx-org: acme\nx-api-key: bob", "200 3/0 hour"}, // the refused ones left the organisation as it was
			{"GET /\nx-org: acme\nx-api-key: bob", "429 3/0 hour"},
			{"GET /\nx-org: acme\nx-api-key: carol", "429 3/0 hour"},
			{"GET /\nx-org: other\nx-api-key: bob", "200 2/0 hour"}, // and the refused ones left the keys, too
			{"GET /\nx-org: other\nx-api-key: carol", "200 3/1 hour"},
			{"GET /\nx-org: other\nx-api-key: alice", "429 2/0 hour"},
			{"GET /\nx-org: other\nx-api-key: carol", "200 3/0 hour"},
		}},
		{name: "one-refuses-to-guess", config: `"rules": [
			{"name": "all", "identity": [{"constant": "all"}], "continue": true, "limits": [{"requests": 9, "window": "hour"}]},
			{"name": "key", "on_unidentified": "refuse", "limits": [{"requests": 2, "window": "hour"}]}]`, steps: []step{
			{"GET /", `401 ApiKey realm="one-refuses-to-guess"`}, // that counts nowhere
			get("/", "alice", "200 2/1 hour"),
			get("/", "alice", "200 2/0 hour"),
			get("/", "bob", "200 2/1 hour"), get("/", "carol", "200 2/1 hour"), get("/", "dave", "200 2/1 hour"), get("/", "erin", "200 2/1 hour"),
			get("/", "frank", "200 2/1 hour"), get("/", "gina", "200 9/1 hour"),
		}},
		{name: "modes", config: `"rules": [
			{"name": "off", "mode": "disabled", "limits": [{"requests": 0, "window": "hour"}]},
			{"name": "watch", "mode": "shadow", "limits": [{"requests": 1, "window": "hour"}]},
			{"name": "api", "limits": [{"requests": 3, "window": "hour"}]}]`,
			steps: spend("GET /\nx-api-key: alice", 3, "hour"),
		},
		{name: "all-off", config: `"mode": "disabled", "rules": [
			{"name": "off", "match": [{"path": "/off"}], "limits": [{"requests": 0, "window": "hour"}]},
			{"name": "on", "mode": "enforce", "match": [{"path": "/on"}], "limits": [{"requests": 1, "window": "hour"}]}]`, steps: []step{
			{"GET /off", "200"}, {"GET /on", "200 1/0 hour"}, {"GET /on", "429 1/0 hour"},
		}},
		{name: "all-watched", config: `"mode": "shadow", "on_unidentified": "refuse", ` + threeAnHour, steps: []step{
			get("/", "alice", "200"), get("/", "alice", "200"), get("/", "alice", "200"), get("/", "alice", "200"), {"GET /", "200"},
		}},
		{name: "cost", config: `"rules": [
			{"name": "export", "match": [{"path": "/export"}], "cost": 4, "limits": [{"requests": 9, "window": "hour"}, {"requests": 0, "window": "day"}]},
			{"name": "report", "cost": 2, "limits": [{"requests": 5, "window": "hour"}]}]`, steps: []step{
			get("/", "alice", "200 5/3 hour"), get("/", "alice", "200 5/1 hour"), get("/", "alice", "429 5/1 hour"),
			get("/export", "alice", "429 0/0 day"),
		}},
		{name: "members", config: `
			"plans": {"gold": {"members": ["sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]},
				"staff": {"members": ["sha256:2C26B46B68FFC68FF99B453C1D30413413422D706483BFA0F98A5E886266E7AE"]}},
			"identity": [{"header": "x-api-key"}, {"bearer": {}}],
			"rules": [{"name": "api", "limits": [{"requests": 2, "window": "hour"}],
				"plans": {"gold": [{"requests": 4, "window": "hour"}], "staff": "unlimited"}}]`, steps: []step{
			get("/", "test", "200 4/3 hour"),
			{"GET /\nauthorization: Bearer test", "200 4/3 hour"},
			get("/", "foo", "200"), get("/", "foo", "200"), get("/", "foo", "200"),
			get("/", "test1", "200 2/1 hour"),
			get("/", "*", "200 2/1 hour"), get("/", "*", "200 2/0 hour"), get("/", "*", "429 2/0 hour"),
			{"GET /", "200 2/1 hour"},
			get("/", "test", "200 4/2 hour"),
		}},
		{name: "plan-of-a-continuing-rule", config: `
			"plans": {"staff": {"members": ["sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]}},
			"rules": [
				{"name": "ceiling", "continue": true, "limits": [{"requests": 1, "window": "day"}], "plans": {"staff": "unlimited"}},
				{"name": "api", "limits": [{"requests": 3, "window": "hour"}]}]`, steps: []step{
			get("/", "alice", "200 1/0 day"), get("/", "alice", "429 1/0 day"),
			get("/", "test", "200 3/2 hour"), get("/", "test", "200 3/1 hour"),
		}},
	}
}
