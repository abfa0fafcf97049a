package config

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// pick returns one of the texts.
func pick(random *rand.Rand, texts ...string) string { return texts[random.IntN(len(texts))] }

// randomAlternative writes an alternative of every kind of condition over a world so small that they often meet.
func randomAlternative(random *rand.Rand) string {
	var fields []string
	add := func(odds int, field string) {
		if random.IntN(odds) == 0 {
			fields = append(fields, field)
		}
	}
	add(3, `"methods": `+pick(random, `["GET"]`, `["PUT"]`, `["GET", "PUT"]`))
	add(2, pick(random,
		`"path": "/a"`, `"path": "/a/b"`, `"path": "/"`, `"path": "/a/"`,
		`"path_prefix": "/a"`, `"path_prefix": "/a/"`, `"path_prefix": "/"`, `"path_prefix": "/a/b"`,
		`"path_template": "/{x}"`, `"path_template": "/a/{x}"`, `"path_template": "/{x}/b"`, `"path_template": "/{x}/{y}"`, `"path_template": "/{x}/"`,
		`"path_regex": "/a.*"`, `"path_regex": "/(a|c)"`, `"path_regex": "/a/[bc]"`))
	add(4, `"hosts": `+pick(random, `["a.com"]`, `["*.a.com"]`, `["x.a.com", "b.com"]`, `["*.x.a.com"]`))
	add(4, `"headers": `+pick(random, `[{"name": "x"}]`, `[{"name": "x", "exact": "aa"}]`, `[{"name": "x", "prefix": "a"}]`,
		`[{"name": "x", "regex": "a+"}]`, `[{"name": "x", "invert": true}]`, `[{"name": "x", "exact": "aa", "invert": true}]`))
	add(4, `"addresses": `+pick(random, `["10.0.0.0/8"]`, `["10.1.0.0/16"]`, `["10.1.2.0/24", "2001:db8::/32"]`, `["0.0.0.0/0"]`, `["::/0"]`))
	add(6, `"route": `+pick(random, `"r"`, `"s"`))
	add(6, `"virtual_host": `+pick(random, `"v"`, `"w"`))
	add(6, `"policy": `+pick(random, `"p"`, `"q"`))
	if fields == nil {
		return randomAlternative(random)
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

func randomRules(random *rand.Rand) string {
	matches := make([]string, 1+random.IntN(6))
	for i := range matches {
		list := make([]string, 1+random.IntN(3))
		for j := range list {
			list[j] = randomAlternative(random)
		}
		if random.IntN(8) > 0 {
			matches[i] = strings.Join(list, ", ")
		}
	}
	return rulesOf(matches...)
}

// randomRequest returns a request out of the same small world.
func randomRequest(random *rand.Rand) *Request {
	headers := [][2]string{
		{":method", pick(random, "GET", "PUT", "POST")},
		{":path", pick(random, "*", "/", "/a", "/a/", "/a/b", "/a/c", "/c", "/c/b", "//a//b?x", "/a/./%62", "/a/b/c")},
		{":authority", pick(random, "a.com", "A.com:80", "x.a.com", "y.x.a.com.", "b.com", "xa.com", "")},
	}
	for range random.IntN(3) {
		headers = append(headers, [2]string{"x", pick(random, "aa", "a", "ab", " aa ", "")})
	}
	p := propertyMap{}
	for path, value := range map[string]string{
		propertyAddress:     pick(random, "10.1.2.3:80", "10.9.9.9:80", "[2001:db8::1]:80", "[::ffff:10.1.0.1]:80", ""),
		propertyRoute:       pick(random, "r", "s", ""),
		propertyVirtualHost: pick(random, "v", "w", ""),
		propertyPolicy:      pick(random, "p", "q", ""),
	} {
		if value != "" {
			p[path] = value
		}
	}
	r := &Request{Properties: p}
	r.Reset(headers)
	return r
}

// propertyMap is Properties out of a map.
type propertyMap map[string]string

func (p propertyMap) Property(path string) (string, bool) {
	value, ok := p[path]
	return value, ok
}

// readRules reads rules that may hide each other.
func readRules(t *testing.T, text string) []ruleSpec {
	t.Helper()
	d := &decoder{input: text}
	s, ok := d.spec(buildTree(text, ""), "")
	if !ok || d.count() > 0 {
		t.Fatalf("%s:\n%v", text, d.errors())
	}
	return s.rules
}

// linearNext is Next without an index.
func linearNext(rules []ruleSpec, r *Request, from int) int {
	for i := max(from, 0); i < len(rules); i++ {
		if rules[i].match == nil || slices.ContainsFunc(rules[i].match, func(a alternative) bool { return a.matches(r) }) {
			return i
		}
	}
	return -1
}

func TestTheIndexFindsWhatTryingOneByOneFinds(t *testing.T) {
	const seed = 11
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	found := 0
	for range 1500 {
		text := randomRules(random)
		rules := readRules(t, text)
		matches := make([][]alternative, len(rules))
		for i := range rules {
			matches[i] = rules[i].match
		}
		x := newIndex(matches)
		for range 20 {
			r := randomRequest(random)
			for from := -1; from <= len(rules); from++ {
				got, want := x.next(r, from), linearNext(rules, r, from)
				if got != want {
					t.Fatalf("%s\n%q from %d: rule %d, want %d", text, r.Headers, from, got, want)
				}
				found += min(want+1, 1)
			}
		}
	}
	if found < 10000 {
		t.Errorf("only %d requests met a rule", found)
	}
}

func TestNothingThatArrivesIsCalledUnreachable(t *testing.T) {
	const seed = 13
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	requests := make([]*Request, 800)
	for i := range requests {
		requests[i] = randomRequest(random)
	}
	hidden := 0
	for range 2000 {
		text := randomRules(random)
		rules := readRules(t, text)
		dead := map[string]bool{}
		_, err := Parse([]byte(text), "plugin")
		if err != nil {
			for _, e := range err.(Errors) {
				dead[e.Path] = true
			}
		}
		hidden += len(dead)
		if len(dead) == 0 {
			continue
		}
		for _, r := range requests {
			if i := linearNext(rules, r, 0); i >= 0 && dead[elementPath("rules", i)] {
				t.Fatalf("%s\n%v\nbut rule %d takes %q with %v", text, err, i, r.Headers, r.Properties)
			}
		}
	}
	if hidden < 300 {
		t.Errorf("only %d hidden rules", hidden)
	}
}
