package prove

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"tollgate/internal/wasmhost"
	"tollgate/internal/wasmhost/hosttest"
	"tollgate/prove/forms"
)

// TestPrivacy holds that what a client identifies itself with stands nowhere but in its own requests: not in shared data, not
// in the log at any level, not in metrics, and not in what the access log can show of a reply.
func TestPrivacy(t *testing.T) {
	t.Parallel()
	seed := seed(t)
	secrets, searched := secrets(seed), 0
	for _, kind := range identities() {
		t.Run(kind.name, func(t *testing.T) {
			for _, onError := range []string{"allow", "refuse"} {
				for _, pluginName := range []string{"shop", strings.Repeat("name", 16)} {
					text := kind.footprint(t, pluginName, onError, secrets)
					searched += len(text)
					for _, secret := range append(secrets, url.QueryEscape(secrets[2])) {
						if form := leak(text, secret); form != "" {
							t.Errorf("on_error %s: the key %.40q... is found %s (seed %d)", onError, secret, form, seed)
						}
					}
				}
			}
		})
	}
	forms.Proved(t, "privacy", "%d keys of up to 8 KiB in %d kinds of identity: no 8 bytes of them, plain, in hex or base64, in %d bytes of shared data, logs, metrics and replies (seed %d)",
		len(secrets), len(identities()), searched, seed)
}

// secrets are API keys of several kinds and lengths.
func secrets(seed uint64) []string {
	numbers := random(seed, 0)
	return []string{
		"alice-0123456789abcdef-key",
		"Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl",
		"\x00\xff\xfe not UTF-8 \xc3\x28\x01\x02\x03",
		hex.EncodeToString(exactly(numbers.Uint64, 16)),
		hex.EncodeToString(exactly(numbers.Uint64, 4096)),
		string(exactly(numbers.Uint64, 8192)),
	}
}

// exactly returns n random bytes.
func exactly(next func() uint64, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(next())
	}
	return b
}

// identityKind is a way for clients to say who they are.
type identityKind struct {
	name     string
	identity string // of the configuration
	// request is a request of the client with that secret. What a request cannot hold it leaves to the proxy's properties.
	request func(host *wasmhost.Host, secret string) wasmhost.Headers
}

func identities() []identityKind {
	header := func(name, before string) func(*wasmhost.Host, string) wasmhost.Headers {
		return func(_ *wasmhost.Host, secret string) wasmhost.Headers {
			return visitor("/", [2]string{name, before + secret})
		}
	}
	property := func(path ...string) func(*wasmhost.Host, string) wasmhost.Headers {
		return func(host *wasmhost.Host, secret string) wasmhost.Headers {
			host.SetProperty([]byte(secret), path...)
			return visitor("/")
		}
	}
	return []identityKind{
		{"the default header", `[{"header": "x-api-key"}]`, header("x-api-key", "")},
		{"the second of two headers", `[{"header": "x-org"}, {"header": "X-Token"}]`, header("x-token", "")},
		{"a bearer token", `[{"bearer": {}}]`, header("authorization", "Bearer ")},
		{"a cookie", `[{"cookie": "session"}]`, header("cookie", "a=b; session=")},
		{"a query parameter", `[{"query": "api_key"}]`, func(_ *wasmhost.Host, secret string) wasmhost.Headers {
			return visitor("/?api_key=" + url.QueryEscape(secret))
		}},
		{"metadata", `[{"metadata": ["envoy.filters.http.jwt_authn", "payload", "sub"]}]`,
			property("metadata", "filter_metadata", "envoy.filters.http.jwt_authn", "payload", "sub")},
		{"the route", `[{"route": {}}]`, property("xds", "route_name")},
		{"several parts", `[{"combine": [{"header": "x-partner-id"}, {"constant": "partners"}]}]`, header("x-partner-id", "")},
	}
}

// visitor is a request with these header lines.
func visitor(path string, lines ...[2]string) wasmhost.Headers {
	return append(wasmhost.Headers{{":method", "GET"}, {":path", path}, {":authority", "shop.example"}}, lines...)
}

// footprint lets clients with these secrets call: within and above their budget, under faults, and after the configuration
// was replaced. It returns everything that they leave behind.
func (k identityKind) footprint(t *testing.T, pluginName, onError string, secrets []string) string {
	t.Helper()
	host := hosttest.New(t)
	config := fmt.Sprintf(`{"max_counters": 16, "identity": %s, "on_error": %q, "on_unidentified": "refuse", "shadow_header": "x-shadow",
		"refusal": {"problem_details": true}, "ratelimit_headers": {"style": "both", "expose": true}, "plans": {"gold": {"members": ["sha256:%x"]}},
		"rules": [{"name": "watched", "mode": "shadow", "limits": [{"requests": 1, "window": "1h"}]},
			{"name": "api", "limits": [{"requests": 2, "window": "10s"}, {"requests": 3, "window": "1d"}], "plans": {"gold": [{"requests": 3, "window": "1d"}]}}]}`,
		k.identity, onError, sha256.Sum256([]byte(secrets[0])))
	root, err := host.Start(built(t), wasmhost.Plugin{Name: pluginName, Config: []byte(config)})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for range 4 {
		text.WriteString(k.visit(t, root, secrets))
	}
	for _, f := range faults() {
		for _, inject := range f.injections()[:1] {
			f.arrange(t, root, inject)
			text.WriteString(k.visit(t, root, secrets))
		}
	}
	root.VM().SetHooks(wasmhost.Hooks{})
	tick(t, root)
	// The plugin complains about a configuration while the memory of earlier requests is still around.
	if _, err := root.Update([]byte(`{"rules": [{"name": "api", "limts": []}]}`)); err == nil {
		t.Error("a configuration with a mistake was accepted")
	}
	if root, err = root.Update([]byte(config)); err != nil {
		t.Fatal(err)
	}
	text.WriteString(k.visit(t, root, secrets))
	tick(t, root)
	return text.String() + remains(root)
}

// visit lets each client call once and returns what is told about it.
func (k identityKind) visit(t *testing.T, root *wasmhost.Root, secrets []string) string {
	t.Helper()
	var text strings.Builder
	for _, secret := range secrets {
		r := do(t, root, k.request(root.Host(), secret))
		fmt.Fprintln(&text, r.Status, r.Headers, r.Body, r.Details)
	}
	return text.String()
}

// remains returns all that stays in a proxy.
func remains(root *wasmhost.Root) string {
	host := root.Host()
	text := host.LogText() + root.VM().Stderr() + fmt.Sprintln(host.Metrics())
	for key, value := range host.Shared("").Dump() {
		text += key + " " + string(value) + "\n"
	}
	return text
}

// leak says in which form a text holds any 8 bytes of a secret, or "".
func leak(text, secret string) string {
	plain, hexed, based := pieces(text, 8), pieces(text, 16), pieces(text, 12)
	for i := range len(secret) - 8 {
		part := []byte(secret[i : i+9])
		switch {
		case plain[string(part[:8])]:
			return "in plain"
		case hexed[hex.EncodeToString(part[:8])], hexed[strings.ToUpper(hex.EncodeToString(part[:8]))]:
			return "in hex"
		case based[base64.StdEncoding.EncodeToString(part)], based[base64.URLEncoding.EncodeToString(part)]:
			return "in base64"
		}
	}
	return ""
}

// pieces returns all substrings of a length.
func pieces(text string, length int) map[string]bool {
	all := map[string]bool{}
	for i := range len(text) - length + 1 {
		all[text[i:i+length]] = true
	}
	return all
}

// TestLeakIsFound is the test of the test.
func TestLeakIsFound(t *testing.T) {
	const secret = "alice-0123456789abcdef-key"
	tests := []struct{ name, text, want string }{
		{"nothing", "status 429, tollgate.api.10s, alice", ""},
		{"plain", "key=" + secret, "in plain"},
		{"a part", "key=" + secret[5:14] + "...", "in plain"},
		{"hex", "key=" + hex.EncodeToString([]byte(secret)), "in hex"},
		{"upper-case hex", "key=" + strings.ToUpper(hex.EncodeToString([]byte(secret))), "in hex"},
		{"base64", "key=" + base64.StdEncoding.EncodeToString([]byte(secret)), "in base64"},
		{"base64 of more", "key=" + base64.StdEncoding.EncodeToString([]byte("x:"+secret)), "in base64"},
		{"base64 for addresses", "key=" + base64.RawURLEncoding.EncodeToString([]byte(secret)), "in base64"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := leak(tt.text, secret); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
