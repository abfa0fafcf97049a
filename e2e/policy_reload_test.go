package e2e

import (
	"testing"

	"tollgate/e2e/envoytest"
)

// An update keeps every counter whose rule and window are still there: whatever else changes in the rule, however the rules are
// ordered, and whatever is added.
//
// Fields: rules, rules.limits, rules.continue, rules.mode, rules.plans
func TestPolicyReload(t *testing.T) {
	t.Parallel()
	w := newTimes()
	const (
		login  = `{"name": "login", "match": [{"methods": ["POST"]}], "limits": [{"requests": 2, "window": "hour"}]}`
		search = `{"name": "search", "match": [{"path_prefix": "/search"}], "limits": [{"requests": 5, "window": "hour"}]}`
	)
	upstream := envoytest.NewUpstream(t)
	rules := func(list string) play {
		return play{name: "main", config: `"rules": [` + list + `]`, upstream: upstream.Addr}
	}
	start := rules(login + `, {"name": "api", "limits": [{"requests": 3, "window": "hour"}, {"requests": 9, "window": "day"}]}`)
	steps := []struct {
		what  string
		play  play
		steps []step
	}{
		{"unchanged", start, []step{get("/", "alice", "429 3/0 hour"), {"POST /\nx-api-key: alice", "200 2/0 hour"}}},
		{"raised", rules(`{"name": "api", "limits": [{"requests": 4, "window": "hour"}, {"requests": 5, "window": "day"}]}`),
			[]step{get("/", "alice", "200 4/0 hour"), get("/", "alice", "429 4/0 hour")}},
		{"one limit less", rules(`{"name": "api", "limits": [{"requests": 5, "window": "day"}]}`), []step{get("/", "alice", "200 5/0 day")}},
		{"lowered", rules(`{"name": "api", "limits": [{"requests": 1, "window": "day"}]}`), []step{get("/", "alice", "429 1/0 day")}},
		{"reordered, with more", rules(search + `, {"name": "api", "limits": [{"requests": 9, "window": "day"}, {"requests": 9, "window": "hour"}], "match": [{"methods": ["GET"]}]}, ` + login),
			[]step{get("/", "alice", "200 9/3 day"), get("/search", "alice", "200 5/4 hour"), {"POST /\nx-api-key: alice", "429 2/0 hour"}}},
		{"continue and cost", rules(`{"name": "api", "continue": true, "cost": 2, "limits": [{"requests": 9, "window": "day"}]}, ` + search),
			[]step{get("/", "alice", "200 9/1 day"), get("/search", "alice", "429 9/1 day")}},
		{"another mode", rules(`{"name": "api", "mode": "shadow", "limits": [{"requests": 9, "window": "day"}]}, ` + search),
			[]step{get("/search", "alice", "200 5/3 hour")}}, // a shadow counts for itself
		{"the mode it had", rules(`{"name": "api", "limits": [{"requests": 10, "window": "day"}]}`), []step{get("/", "alice", "200 10/1 day")}},
		{"another window", rules(`{"name": "api", "limits": [{"requests": 9, "window": "366d"}, {"requests": 9, "window": "hour"}]}`),
			[]step{get("/", "alice", "200 9/3 hour")}},
		{"another name", rules(`{"name": "other", "limits": [{"requests": 9, "window": "hour"}]}`), []step{get("/", "alice", "200 9/8 hour")}},
	}
	envoy := envoytest.Start(t, envoytest.Config{Listeners: []envoytest.Listener{start.listener(t, w)}})
	w.run(t, envoy.Addr("main"), append(spend("GET /\nx-api-key: alice", 3, "hour"), step{"POST /\nx-api-key: alice", "200 2/1 hour"}))
	for _, s := range steps {
		t.Run(s.what, func(t *testing.T) {
			l := s.play.listener(t, w)
			l.Metadata = map[string]map[string]any{"test": {"note": s.what}} // another listener, even with the same rules
			update(t, envoy, l)
			w.run(t, envoy.Addr("main"), s.steps)
		})
	}
}
