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
		hidden  int    // the rule that can never be reached, or -1
		by      string // what is named
	}{
		{[]string{``, `{"path": "/a"}`}, 1, `rules[0] ("r0") comes`},
		{[]string{``, ``}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"path": "/a"}`, ``}, -1, ``},
		{[]string{`{"path": "/a"}`, `{"path": "/a"}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"path": "/a"}`, `{"path": "/a/"}`}, -1, ``},
		{[]string{`{"path": "/a"}`, `{"path_prefix": "/a"}`}, -1, ``},
		{[]string{`{"path_prefix": "/a"}`, `{"path": "/a"}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"path_prefix": "/a"}`, `{"path": "/a/b"}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"path_prefix": "/a"}`, `{"path": "/ab"}`}, -1, ``},
		{[]string{`{"path_prefix": "/a"}`, `{"path_prefix": "/a/b"}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"path_prefix": "/a"}`, `{"path_prefix": "/a/"}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"path_prefix": "/a/"}`, `{"path_prefix": "/a"}`}, -1, ``},
		{[]string{`{"path_prefix": "/a/"}`, `{"path": "/a"}`, `{"path_prefix": "/a"}`}, 2, `rules[0] ("r0") and rules[1] ("r1") come`},
		{[]string{`{"path_prefix": "/"}`, `{"methods": ["GET"], "path": "/a"}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"path_prefix": "/"}`, `{"methods": ["OPTIONS"]}`}, -1, ``}, // OPTIONS * has no path
		{[]string{`{"path_prefix": "/"}`, ``}, -1, ``},

		{[]string{`{"methods": ["GET"]}`, `{"path": "/a"}`}, -1, ``},
		{[]string{`{"methods": ["GET"]}`, `{"methods": ["GET"], "path": "/a"}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"methods": ["GET"]}`, `{"methods": ["GET", "HEAD"]}`}, -1, ``},
		{[]string{`{"methods": ["GET"]}`, `{"methods": ["HEAD"]}`, `{"methods": ["GET", "HEAD"]}`}, 2, `rules[0] ("r0") and rules[1] ("r1") come`},
		{[]string{`{"path": "/a"}`, `{"path_prefix": "/b"}`, `{"path": "/a"}, {"path": "/b/c"}`}, 2, `rules[0] ("r0") and rules[1] ("r1") come`},
		{[]string{`{"path": "/a"}, {"path": "/b"}`, `{"path": "/b"}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"path": "/b"}`, `{"path": "/a"}, {"path": "/b"}`}, -1, ``},

		{[]string{`{"path_template": "/u/{id}"}`, `{"path": "/u/7"}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"path_template": "/u/{id}"}`, `{"path": "/u/"}`}, -1, ``},
		{[]string{`{"path_template": "/u/{id}"}`, `{"path": "/u/7/"}`}, -1, ``},
		{[]string{`{"path_template": "/u/{id}"}`, `{"path_template": "/u/{name}"}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"path_template": "/{a}/{b}"}`, `{"path_template": "/u/{name}"}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"path_template": "/u/{name}"}`, `{"path_template": "/{a}/{b}"}`}, -1, ``},
		{[]string{`{"path_template": "/{a}/{b}"}`, `{"path_template": "/{a}/"}`}, -1, ``},
		{[]string{`{"path_prefix": "/u"}`, `{"path_template": "/u/{id}"}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"path_prefix": "/u/"}`, `{"path_template": "/u/{id}/x"}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"path_prefix": "/u/x"}`, `{"path_template": "/u/{id}"}`}, -1, ``},
		{[]string{`{"path_regex": "/v[0-9]+/.*"}`, `{"path": "/v1/a"}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"path_regex": "/v[0-9]+"}`, `{"path": "/v1/a"}`}, -1, ``},
		{[]string{`{"path_regex": "/v[0-9]+"}`, `{"path_regex": "/v[0-9]+"}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"path_regex": "/v[0-9]+"}`, `{"path_prefix": "/v1"}`}, -1, ``},
		{[]string{`{"path_prefix": "/v"}`, `{"path_regex": "/v/[0-9]+"}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"path_prefix": "/v"}`, `{"path_regex": "/v[0-9]+"}`}, -1, ``},
		{[]string{`{"path_prefix": "/v"}`, `{"path_regex": "/v/a|/w"}`}, -1, ``},

		{[]string{`{"hosts": ["*.a.com"]}`, `{"hosts": ["x.a.com"]}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"hosts": ["*.a.com"]}`, `{"hosts": ["*.x.a.com"]}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"hosts": ["*.a.com"]}`, `{"hosts": ["a.com"]}`}, -1, ``},
		{[]string{`{"hosts": ["*.a.com"]}`, `{"hosts": ["xa.com"]}`}, -1, ``},
		{[]string{`{"hosts": ["x.a.com"]}`, `{"hosts": ["*.a.com"]}`}, -1, ``},
		{[]string{`{"hosts": ["a.com"]}`, `{"hosts": ["b.com"]}`, `{"hosts": ["b.com", "a.com"]}`}, 2, `rules[0] ("r0") and rules[1] ("r1") come`},
		{[]string{`{"hosts": ["a.com"]}`, `{"path": "/a"}`}, -1, ``},

		{[]string{`{"addresses": ["10.0.0.0/8"]}`, `{"addresses": ["10.1.0.0/16"]}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"addresses": ["10.1.0.0/16"]}`, `{"addresses": ["10.0.0.0/8"]}`}, -1, ``},
		{[]string{`{"addresses": ["0.0.0.0/0"]}`, `{"addresses": ["::/0"]}`}, -1, ``},
		{[]string{`{"addresses": ["0.0.0.0/0", "::/0"]}`, `{"path": "/a"}`}, -1, ``}, // a request may have no address

		{[]string{`{"headers": [{"name": "x"}]}`, `{"headers": [{"name": "X", "prefix": "a"}]}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"headers": [{"name": "x"}]}`, `{"headers": [{"name": "x", "exact": "a", "invert": true}]}`}, -1, ``},
		{[]string{`{"headers": [{"name": "x", "prefix": "a"}]}`, `{"headers": [{"name": "x", "exact": "ab"}]}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"headers": [{"name": "x", "prefix": "a"}]}`, `{"headers": [{"name": "x", "prefix": "ab"}]}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"headers": [{"name": "x", "prefix": "ab"}]}`, `{"headers": [{"name": "x", "prefix": "a"}]}`}, -1, ``},
		{[]string{`{"headers": [{"name": "x", "regex": "a+"}]}`, `{"headers": [{"name": "x", "exact": "aa"}]}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"headers": [{"name": "x", "regex": "a+"}]}`, `{"headers": [{"name": "x", "exact": "ab"}]}`}, -1, ``},
		{[]string{`{"headers": [{"name": "x", "invert": true}]}`, `{"headers": [{"name": "x", "invert": true}, {"name": "y"}]}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"headers": [{"name": "x"}, {"name": "y"}]}`, `{"headers": [{"name": "x"}]}`}, -1, ``},

		{[]string{`{"route": "r"}`, `{"route": "r", "policy": "p"}`}, 1, `rules[0] ("r0") comes`},
		{[]string{`{"route": "r", "virtual_host": "v"}`, `{"route": "r"}`}, -1, ``},
		{[]string{`{"policy": "p"}`, `{"policy": "q"}`}, -1, ``},
	} {
		_, err := Parse([]byte(rulesOf(c.matches...)), "plugin")
		want := "rules[" + strconv.Itoa(c.hidden) + "] "
		switch {
		case c.hidden < 0 && err != nil:
			t.Errorf("%q: %v", c.matches, err)
		case c.hidden >= 0 && (err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") ||
			!strings.Contains(err.Error(), "can never be reached: "+c.by+" ")):
			t.Errorf("%q: got %v; want %s hidden as %s", c.matches, err, want, c.by)
		}
	}
}

func TestAnAlternativeThatIsHiddenIsAWarning(t *testing.T) {
	cfg := mustParse(t, rulesOf(`{"path_prefix": "/a"}`, `{"path": "/b"}, {"path": "/a/b"}`))
	const want = `rules[1].match[1] 1:148 can never be reached: rules[0] ("r0") comes first and takes all its requests; remove it`
	if len(cfg.Warnings) != 1 || cfg.Warnings[0] != want {
		t.Errorf("got %q\nwant %q", cfg.Warnings, want)
	}
}

// Thousands of combinations in one alternative must not multiply the work.
func TestManyCombinationsStayCheap(t *testing.T) {
	var hosts, networks []string
	for i := range 200 {
		hosts = append(hosts, `"h`+strconv.Itoa(i)+`.com"`)
		networks = append(networks, `"10.0.`+strconv.Itoa(i)+`.0/24"`)
	}
	match := `{"hosts": [` + strings.Join(hosts, ",") + `], "addresses": [` + strings.Join(networks, ",") + `]}`
	if parts := mustParse(t, rulesOf(match)).match.alternatives[0].parts(); len(parts) != 1 {
		t.Errorf("%d parts", len(parts))
	}
	if _, err := Parse([]byte(rulesOf(match, match)), "plugin"); err == nil {
		t.Error("the same alternative twice is not noticed")
	}
}

func TestARuleThatLetsGoOnHidesNothing(t *testing.T) {
	const limits = `"limits": [{"requests": 1, "window": "1s"}]}`
	mustParse(t, `{"rules": [{"name": "a", "on_unidentified": "next", `+limits+`, {"name": "b", `+limits+`]}`)
	mustParse(t, `{"on_unidentified": "next", "rules": [{"name": "a", `+limits+`, {"name": "b", `+limits+`]}`)
	mustParse(t, `{"rules": [{"name": "a", "continue": true, `+limits+`, {"name": "b", `+limits+`]}`)
	mustParse(t, `{"rules": [{"name": "a", "mode": "shadow", `+limits+`, {"name": "b", `+limits+`]}`)
	mustParse(t, `{"rules": [{"name": "a", "mode": "disabled", `+limits+`, {"name": "b", `+limits+`, {"name": "c", "mode": "disabled", `+limits+`]}`)
	mustParse(t, `{"mode": "shadow", "rules": [{"name": "a", `+limits+`, {"name": "b", `+limits+`]}`)
	for _, text := range []string{
		`{"on_unidentified": "next", "rules": [{"name": "a", "on_unidentified": "share", ` + limits + `, {"name": "b", ` + limits + `]}`,
		`{"on_unidentified": "refuse", "rules": [{"name": "a", ` + limits + `, {"name": "b", ` + limits + `]}`,
		`{"mode": "shadow", "rules": [{"name": "a", "mode": "enforce", ` + limits + `, {"name": "b", ` + limits + `]}`,
		`{"rules": [{"name": "a", "limits": "unlimited"}, {"name": "b", ` + limits + `]}`,
		`{"rules": [{"name": "a", "continue": false, ` + limits + `, {"name": "b", "mode": "shadow", ` + limits + `]}`,
	} {
		if _, err := Parse([]byte(text), "plugin"); err == nil || !strings.Contains(err.Error(), "can never be reached") {
			t.Errorf("%s: %v", text, err)
		}
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
		dead := unreachedRules(t, text)
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

// unreachedRules sends each request of the small world through the rules.
func unreachedRules(t *testing.T, text string) map[int]bool {
	rules := readRules(t, text)
	dead := map[int]bool{}
	for i := range rules {
		dead[i] = true
	}
	for _, method := range []string{"GET", "PUT", "POST"} {
		for _, target := range []string{"*", "/", "/a", "/a/", "/a/b", "/a/c", "/c"} {
			delete(dead, linearNext(rules, request(method, target), 0))
		}
	}
	return dead
}
