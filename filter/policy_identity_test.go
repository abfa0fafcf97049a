package filter

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// named is what a request says at the places where its client may stand: the values by source, as the configuration writes it.
type named map[string][]string

// namedSources are the sources of a small world in which names and values look alike, so that whoever joins them without care mixes
// clients up.
var namedSources = []string{
	`{"header": "a"}`, `{"header": "ab"}`, `{"query": "a"}`, `{"query": "ab"}`, `{"cookie": "a"}`, `{"cookie": "ab"}`, `{"bearer": {}}`,
	`{"metadata": ["a", "b"]}`, `{"metadata": ["ab", "b"]}`, `{"route": {}}`, `{"constant": "a"}`, `{"constant": "ab"}`,
}

var namedValues = []string{"a", "ab", "b", "ba", "aa", "aba", "", " "}

func pick[T any](random *rand.Rand, list []T) T { return list[random.IntN(len(list))] }

// randomNamed names a client, or none, at some of the places; sometimes twice, with values that agree or do not.
func randomNamed(random *rand.Rand) named {
	n := named{}
	for _, source := range namedSources[:7] {
		for range random.IntN(4) / 2 * (1 + random.IntN(4)/3) {
			n[source] = append(n[source], pick(random, namedValues))
		}
	}
	for _, source := range namedSources[7:10] {
		if value := pick(random, namedValues); random.IntN(2) == 0 && value != " " {
			n[source] = []string{value}
		}
	}
	return n
}

// request is a request that says so. Constants need not be said.
func (n named) request(h *fakeHost, path string) [][2]string {
	query, lines := "", [][2]string{}
	for _, name := range []string{"a", "ab"} {
		for _, value := range n[`{"query": "`+name+`"}`] {
			query += "&" + name + "=" + strings.ReplaceAll(value, " ", "+")
		}
		for _, value := range n[`{"header": "`+name+`"}`] {
			lines = append(lines, [2]string{name, value})
		}
		for _, value := range n[`{"cookie": "`+name+`"}`] {
			lines = append(lines, [2]string{"cookie", "other=1; " + name + "=" + value + "; c"})
		}
		h.set("metadata.filter_metadata."+name+".b", strings.Join(n[`{"metadata": ["`+name+`", "b"]}`], ""))
	}
	for _, value := range n[`{"bearer": {}}`] {
		lines = append(lines, [2]string{"authorization", "Bearer " + value})
	}
	h.set(routeName, strings.Join(n[`{"route": {}}`], ""))
	return append(bare("GET", path+"?"+strings.TrimPrefix(query, "&")), lines...)
}

// value is what a source yields, "" for nothing: the value on which all that is said agrees.
func (n named) value(source string) string {
	if text, ok := strings.CutPrefix(source, `{"constant": `); ok {
		return strings.Trim(text, `"}`)
	}
	value := ""
	for i, said := range n[source] {
		said = strings.TrimSpace(said)
		if i > 0 && said != value {
			return ""
		}
		value = said
	}
	return value
}

// client is who that is under a rule: another text for another client.
func (n named) client(sources [][]string) string {
	for _, parts := range sources {
		who := []string{}
		for _, part := range parts {
			if value := n.value(part); value != "" {
				who = append(who, part, value)
			}
		}
		if len(who) == 2*len(parts) {
			text, _ := json.Marshal(who)
			return string(text)
		}
	}
	return "anonymous"
}

// randomSources is an identity: some sources, a few of them combined of several.
func randomSources(random *rand.Rand) (sources [][]string) {
	for _, i := range random.Perm(len(namedSources))[:1+random.IntN(3)] {
		parts := []string{namedSources[i]}
		if random.IntN(2) == 0 {
			for _, j := range random.Perm(len(namedSources))[:1+random.IntN(2)] {
				if j != i {
					parts = append(parts, namedSources[j])
				}
			}
		}
		sources = append(sources, parts)
	}
	return sources
}

func identityOf(sources [][]string) string {
	var list []string
	for _, parts := range sources {
		if len(parts) == 1 {
			list = append(list, parts[0])
		} else {
			list = append(list, `{"combine": [`+strings.Join(parts, ", ")+`]}`)
		}
	}
	return `"identity": [` + strings.Join(list, ", ") + `]`
}

// isConstant reports whether the sources after this one are never looked at, which the configuration refuses.
func isConstant(parts []string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !strings.HasPrefix(part, `{"constant"`) })
}

// TestNobodySharesACounter holds, for random identities and requests, that two requests count together if and only if they are of the
// same client under the same rule. What is said twice with different values is as good as not said.
func TestNobodySharesACounter(t *testing.T) {
	const seed, configurations, requests = 23, 150, 60
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	clients, again, anonymous := 0, 0, 0
	for range configurations {
		var sources [2][][]string
		for i := range sources {
			sources[i] = randomSources(random)
			if j := slices.IndexFunc(sources[i], isConstant); j >= 0 {
				sources[i] = sources[i][:j+1]
			}
		}
		h := newFakeHost()
		p := startPlugin(t, h, shop(`
			{"name": "a", "match": [{"path": "/a"}], `+identityOf(sources[0])+`, "limits": [{"requests": 1000, "window": "1h"}]},
			{"name": "ab", "match": [{"path": "/ab"}], `+identityOf(sources[1])+`, "limits": [{"requests": 1000, "window": "1h"}]}`))
		seen := map[string]int{}
		for range requests {
			n, rule := randomNamed(random), random.IntN(2)
			who := fmt.Sprint(rule, n.client(sources[rule]))
			seen[who]++
			again += min(seen[who]-1, 1)
			if strings.HasSuffix(who, "anonymous") {
				anonymous++
			}
			request := n.request(h, []string{"/a", "/ab"}[rule])
			if r := h.play(p, request); r.told() != fmt.Sprintf("limit=1000 remaining=%d reset=3600", 1000-seen[who]) {
				t.Fatalf("identity %s, request %q with %q: told %q, but it is request %d of %s", identityOf(sources[rule]), request, h.properties, r.told(), seen[who], who)
			}
		}
		clients += len(seen)
	}
	t.Logf("%d clients, %d requests of a client that was there before, %d of the anonymous one", clients, again, anonymous)
	if clients < 1000 || again < 1000 || anonymous < 500 {
		t.Error("the requests are too few or too much alike")
	}
}

// TestFormsOfOneClient holds which requests are of one client, and which are not, at the wire: forms of a token, of an address, of a query.
func TestFormsOfOneClient(t *testing.T) {
	bearer := func(value string) [][2]string { return with(bare("GET", "/"), "authorization", value) }
	cookies := func(values ...string) [][2]string {
		request := bare("GET", "/")
		for _, value := range values {
			request = with(request, "cookie", value)
		}
		return request
	}
	long := strings.Repeat("k", 8<<10)
	for _, c := range []struct {
		source  string
		same    [][][2]string
		differs [][][2]string
	}{
		{`{"bearer": {}}`, [][][2]string{bearer("Bearer T"), bearer("bearer T"), bearer("BEARER   T"), bearer(" Bearer\tT ")},
			[][][2]string{bearer("Bearer t"), bearer("xBearer T"), bearer("T"), bearer("Basic T"), bearer("Bearer")}},
		{`{"header": "X-Org"}`, [][][2]string{with(bare("GET", "/"), "x-org", "red"), with(bare("GET", "/a?b"), "x-org", "\tred ")},
			[][][2]string{with(bare("GET", "/"), "x-org", "Red"), with(bare("GET", "/"), "x-org", "r ed"), with(bare("GET", "/"), "x-org", "\xff"), with(bare("GET", "/"), "x-org", "\xfe")}},
		{`{"header": "x-org"}`, [][][2]string{with(bare("GET", "/"), "x-org", long+"1")}, [][][2]string{with(bare("GET", "/"), "x-org", long+"2"), with(bare("GET", "/"), "x-org", long)}},
		{`{"query": "key"}`, [][][2]string{bare("GET", "/?key=a%20b"), bare("GET", "/?x=1&key=a+b"), bare("GET", "/?k%65y=a%20b&key=a+b")},
			[][][2]string{bare("GET", "/?key=a%2520b"), bare("GET", "/?KEY=a+b"), bare("GET", "/?key=a+b&key=c"), bare("GET", "/#?key=a+b")}},
		{`{"cookie": "id"}`, [][][2]string{cookies("id=7"), cookies("a=1; id=7"), cookies("a=1", "id=7"), cookies(" id = 7 ;b=2")},
			[][][2]string{cookies("ID=7"), cookies("id=7; id=8"), cookies(`id="7"`), cookies("xid=7")}},
	} {
		h := newFakeHost()
		p := startPlugin(t, h, shop(`{"name": "api", "identity": [`+c.source+`], "limits": [{"requests": 99, "window": "1h"}]}`))
		for i, request := range c.same {
			h.play(p, request).want(t, fmt.Sprintf("%s, form %d", c.source, i), 200, fmt.Sprintf("limit=99 remaining=%d reset=3600", 98-i))
		}
		for _, request := range c.differs {
			if r := h.play(p, request); r.value("x-ratelimit-remaining") == fmt.Sprint(98-len(c.same)) {
				t.Errorf("%s: %.80q is taken for the same client", c.source, request)
			}
		}
		h.play(p, c.same[0]).want(t, c.source+", after the others", 200, fmt.Sprintf("limit=99 remaining=%d reset=3600", 98-len(c.same)))
	}
}

// TestLongKeysTakeNoMoreRoom holds that a counter is of one size, whatever the client is called, and that two long keys which differ at
// their ends are two clients.
func TestLongKeysTakeNoMoreRoom(t *testing.T) {
	size := func(h *fakeHost) (bytes int) {
		h.store.Each(func(key string, value []byte) { bytes += len(key) + len(value) })
		return bytes
	}
	h := newFakeHost()
	p := startPlugin(t, h, shop(`{"name": "api", "limits": [{"requests": 9, "window": "1h"}]}`, `"max_counters": 16`))
	h.play(p, get("/", "a"))
	h.play(p, get("/", "b")) // both buckets are there, or one has two
	before, counters := size(h), strings.Count(h.counts(), "1")
	long := strings.Repeat("k", 8<<10)
	for _, end := range []string{"1", "2"} {
		h.play(p, get("/", long+end)).want(t, "a long key", 200, "limit=9 remaining=8 reset=3600")
	}
	if got := strings.Count(h.counts(), "1"); got != counters+2 || size(h) > before+2*64 {
		t.Errorf("%d counters of %d bytes became %d of %d", counters, before, got, size(h))
	}
}

// TestAddresses holds that neither a port nor a form of writing makes another client, that an IPv6 client is its network, and that no
// header of the request changes anything.
func TestAddresses(t *testing.T) {
	h := newFakeHost()
	p := startPlugin(t, h, shop(`{"name": "api", "identity": [{"address": {}}], "limits": [{"requests": 99, "window": "1h"}]}`))
	count := map[string]int{}
	for _, c := range []struct{ address, client string }{
		{"203.0.113.7:80", "4"}, {"203.0.113.7:65535", "4"}, {"[::ffff:203.0.113.7]:80", "4"}, {"203.0.113.8:80", "4 too"},
		{"[2001:db8:0:1::1]:80", "6"}, {"[2001:db8:0:1:ffff:ffff:ffff:ffff]:81", "6"}, {"[2001:db8:0:2::1]:80", "6 too"}, {"[::]:80", "0"}, {"0.0.0.0:80", "0 of 4"},
		{"", "nobody"}, {"@/a/socket", "nobody"}, {"203.0.113.7:81", "4"},
	} {
		h.from(c.address)
		count[c.client]++
		h.play(p, with(bare("GET", "/"), "x-forwarded-for", c.address+", 192.0.2.1")).want(t, c.address, 200, fmt.Sprintf("limit=99 remaining=%d reset=3600", 99-count[c.client]))
	}
	wide := startPlugin(t, h, shop(`{"name": "wide", "identity": [{"address": {"ipv4_prefix": 24, "ipv6_prefix": 48}}], "limits": [{"requests": 99, "window": "1h"}]}`))
	for i, address := range []string{"203.0.113.7:80", "203.0.113.8:80", "203.0.114.8:80", "[2001:db8:0:1::1]:80", "[2001:db8:0:2::1]:80", "[2001:db8:1:2::1]:80"} {
		h.from(address)
		h.play(wide, bare("GET", "/")).want(t, address, 200, fmt.Sprintf("limit=99 remaining=%d reset=3600", []int{98, 97, 98, 98, 97, 98}[i]))
	}
}

// TestWhoIsNamedTwiceGainsNothing holds that a request which says two things gets exactly what it would get if it said none of them.
func TestWhoIsNamedTwiceGainsNothing(t *testing.T) {
	twice := map[string][][2]string{
		`{"header": "x-org"}`: with(with(bare("GET", "/"), "x-org", "red"), "x-org", "blue"),
		`{"query": "org"}`:    bare("GET", "/?org=red&org=blue"),
		`{"cookie": "org"}`:   with(bare("GET", "/"), "cookie", "org=red; org=blue"),
		`{"bearer": {}}`:      with(with(bare("GET", "/"), "authorization", "Bearer red"), "authorization", "Bearer blue"),
		`{"combine": [{"header": "x-org"}, {"constant": "a"}]}`: with(with(bare("GET", "/"), "x-org", "red"), "x-org", ""),
	}
	for source, request := range twice {
		for _, unidentified := range []string{"share", "next", "refuse"} {
			configuration := shop(`
				{"name": "org", "identity": [` + source + `], "on_unidentified": "` + unidentified + `", "limits": [{"requests": 1, "window": "1h"}]}` +
				map[bool]string{true: `, {"name": "rest", "limits": [{"requests": 2, "window": "1h"}]}`}[unidentified == "next"])
			said, silent := newFakeHost(), newFakeHost()
			p, q := startPlugin(t, said, configuration), startPlugin(t, silent, configuration)
			for range 3 {
				got, want := said.play(p, request), silent.play(q, bare("GET", "/"))
				if got.status != want.status || got.lines() != want.lines() {
					t.Errorf("%s, %s: %d with %q, a request that names nobody gets %d with %q", source, unidentified, got.status, got.lines(), want.status, want.lines())
				}
			}
			if said.counts() != silent.counts() {
				t.Errorf("%s, %s: the store counts %q, without the names %q", source, unidentified, said.counts(), silent.counts())
			}
		}
	}
}
