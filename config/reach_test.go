package config

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// rulesOf writes a configuration whose rules have these matches ("" for none).
func rulesOf(matches ...string) string {
	rules := make([]string, len(matches))
	for i, m := range matches {
		if m != "" {
			m = `"match": [` + m + `], `
		}
		rules[i] = `{"name": "r` + strconv.Itoa(i) + `", ` + m + `"limits": [{"requests": 1, "window": "1s"}]}`
	}
	return `{"rules": [` + strings.Join(rules, ", ") + `]}`
}

func TestUnreachableRules(t *testing.T) {
	for _, c := range []struct {
		matches []string
		hidden  int // the rule that can never be reached, or -1
		by      int // the rule that is named
	}{
		{[]string{``, `{"path": "/a"}`}, 1, 0},
		{[]string{``, ``}, 1, 0},
		{[]string{`{"path": "/a"}`, ``}, -1, 0},
		{[]string{`{"path": "/a"}`, `{"path": "/a"}`}, 1, 0},
		{[]string{`{"path": "/a"}`, `{"path": "/a/"}`}, -1, 0},
		{[]string{`{"path": "/a"}`, `{"path_prefix": "/a"}`}, -1, 0},
		{[]string{`{"path_prefix": "/a"}`, `{"path": "/a"}`}, 1, 0},
		{[]string{`{"path_prefix": "/a"}`, `{"path": "/a/b"}`}, 1, 0},
		{[]string{`{"path_prefix": "/a"}`, `{"path": "/ab"}`}, -1, 0},
		{[]string{`{"path_prefix": "/a"}`, `{"path_prefix": "/a/b"}`}, 1, 0},
		{[]string{`{"path_prefix": "/a"}`, `{"path_prefix": "/a/"}`}, 1, 0},
		{[]string{`{"path_prefix": "/a/"}`, `{"path_prefix": "/a"}`}, -1, 0},
		{[]string{`{"path_prefix": "/a/"}`, `{"path": "/a"}`, `{"path_prefix": "/a"}`}, 2, 1},
		{[]string{`{"path_prefix": "/"}`, `{"methods": ["GET"], "path": "/a"}`}, 1, 0},
		{[]string{`{"path_prefix": "/"}`, `{"methods": ["OPTIONS"]}`}, -1, 0}, // OPTIONS * has no path
		{[]string{`{"path_prefix": "/"}`, ``}, -1, 0},
		{[]string{`{"methods": ["GET"]}`, `{"path": "/a"}`}, -1, 0},
		{[]string{`{"methods": ["GET"]}`, `{"methods": ["GET"], "path": "/a"}`}, 1, 0},
		{[]string{`{"methods": ["GET"]}`, `{"methods": ["GET", "HEAD"]}`}, -1, 0},
		{[]string{`{"methods": ["GET"]}`, `{"methods": ["HEAD"]}`, `{"methods": ["GET", "HEAD"]}`}, 2, 1},
		{[]string{`{"path": "/a"}`, `{"path_prefix": "/b"}`, `{"path": "/a"}, {"path": "/b/c"}`}, 2, 1},
		{[]string{`{"path": "/a"}, {"path": "/b"}`, `{"path": "/b"}`}, 1, 0},
		{[]string{`{"path": "/b"}`, `{"path": "/a"}, {"path": "/b"}`}, -1, 0},
	} {
		_, err := Parse([]byte(rulesOf(c.matches...)), "plugin")
		want := ""
		if c.hidden >= 0 {
			want = "rules[" + strconv.Itoa(c.hidden) + "] "
		}
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", c.matches, err)
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") ||
			!strings.Contains(err.Error(), "can never be reached: rules["+strconv.Itoa(c.by)+"] ")):
			t.Errorf("%q: got %v; want rules[%d] hidden by rules[%d]", c.matches, err, c.hidden, c.by)
		}
	}
}

func TestARuleThatLetsGoOnHidesNothing(t *testing.T) {
	const limits = `"limits": [{"requests": 1, "window": "1s"}]}`
	mustParse(t, `{"rules": [{"name": "a", "on_unidentified": "next", `+limits+`, {"name": "b", `+limits+`]}`)
	mustParse(t, `{"on_unidentified": "next", "rules": [{"name": "a", `+limits+`, {"name": "b", `+limits+`]}`)
	if _, err := Parse([]byte(`{"on_unidentified": "next", "rules": [{"name": "a", "on_unidentified": "share", `+limits+`, {"name": "b", `+limits+`]}`), "plugin"); err == nil {
		t.Error("a rule that overrides next hides a later one, and nothing says so")
	}
}

// A rule is refused only if no request of a small world reaches it; and since that world has every method and path that
// the rules name, and one of each beside them, a rule without a request there is refused.
func TestUnreachableMeansThatNoRequestArrives(t *testing.T) {
	const seed = 7
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	hidden, open := 0, 0
	for range 3000 {
		matches := make([]string, 2+random.IntN(3))
		for i := range matches {
			matches[i] = randomMatch(random)
		}
		text := rulesOf(matches...)
		dead := unreachedRules(text, len(matches))
		_, err := Parse([]byte(text), "plugin")
		if (len(dead) > 0) != (err != nil) {
			t.Fatalf("%s\nnever reached: %v\nerror: %v", text, dead, err)
		}
		if err == nil {
			open++
			continue
		}
		hidden++
		for _, e := range err.(Errors) {
			if i, _ := strconv.Atoi(e.Path[len("rules[") : len(e.Path)-1]); !dead[i] {
				t.Fatalf("%s\nis reached, but: %v", text, e)
			}
		}
	}
	if hidden < 300 || open < 300 {
		t.Errorf("%d configurations with hidden rules and %d without: too few to mean anything", hidden, open)
	}
}

func randomMatch(random *rand.Rand) string {
	list := make([]string, 1+random.IntN(2))
	for i := range list {
		methods := [...]string{``, `"methods": ["GET"]`, `"methods": ["PUT"]`, `"methods": ["GET", "PUT"]`}[random.IntN(4)]
		path := [...]string{``, `"path": "/a"`, `"path": "/a/b"`, `"path_prefix": "/a"`, `"path_prefix": "/a/"`, `"path_prefix": "/"`}[random.IntN(6)]
		switch {
		case methods == "" && path == "":
			return ""
		case methods != "" && path != "":
			list[i] = "{" + methods + ", " + path + "}"
		default:
			list[i] = "{" + methods + path + "}"
		}
	}
	return strings.Join(list, ", ")
}

// unreachedRules sends each request of the small world through the rules, checked by nothing.
func unreachedRules(text string, count int) map[int]bool {
	d := &decoder{}
	s := spec{}
	readObject(d, buildTree(text), "", specFields(""), &s)
	cfg := &Config{}
	for i := range s.rules {
		cfg.Rules = append(cfg.Rules, s.rules[i].compile(&s.top))
	}
	dead := map[int]bool{}
	for i := range count {
		dead[i] = true
	}
	for _, method := range []string{"GET", "PUT", "POST"} {
		for _, target := range []string{"*", "/", "/a", "/a/", "/a/b", "/a/c", "/c"} {
			delete(dead, cfg.Next(request(method, target), 0))
		}
	}
	return dead
}
