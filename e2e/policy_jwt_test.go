package e2e

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"testing"

	"tollgate/e2e/envoytest"
)

const (
	subject = `{"metadata": ["envoy.filters.http.jwt_authn", "payload", "sub"]}`
	perTeam = `"identity": [{"metadata": ["envoy.filters.http.jwt_authn", "payload", "org", "team"]}], `
)

// claimPlays show that claims name a client and its plan, behind Envoy's own filter. What the token of a stranger says never gets
// so far.
func claimPlays(keys tokenKeys) []play {
	front := []envoytest.Filter{keys.filter()}
	ask := func(token, want string) step { return step{"GET /\nauthorization: Bearer " + token, want} }
	alice := claims{"sub": "alice", "plan": "gold", "org": claims{"team": "red"}}
	bob := claims{"sub": "bob", "plan": "lead", "org": claims{"team": "red"}}
	const stranger = `Bearer realm="http://tollgate.test/", error="invalid_token"`
	return []play{
		{name: "claims", front: front, config: `"identity": [` + subject + `], "on_unidentified": "refuse", ` + threeAnHour, steps: []step{
			ask(keys.rs256(alice), "200 3/2 hour"),
			ask(keys.es256(alice), "200 3/1 hour"), // another token of the same client
			ask(keys.es256(bob), "200 3/2 hour"),
			ask(keys.rs256(claims{"sub": ""}), `401 ApiKey realm="claims"`),
			ask(keys.rs256(claims{"other": "alice"}), `401 ApiKey realm="claims"`),
			{"GET /", `401 ApiKey realm="claims"`},
			ask(newTokenKeys(keys.t).rs256(alice), "401 "+stranger),
		}},
		{name: "number-claim", front: front, config: `"identity": [{"metadata": ["envoy.filters.http.jwt_authn", "payload", "id"]}], ` + threeAnHour, steps: []step{
			ask(keys.rs256(claims{"id": 12}), "200 3/2 hour"),
			ask(keys.rs256(claims{"id": "12"}), "200 3/2 hour"),
			ask(keys.rs256(claims{"id": 13}), "200 3/2 hour"),
			ask(keys.rs256(claims{"id": 12.0}), "200 3/1 hour"),
		}},
		{name: "nested-claim", front: front, config: perTeam + threeAnHour, steps: []step{
			ask(keys.rs256(alice), "200 3/2 hour"), ask(keys.es256(bob), "200 3/1 hour"),
			ask(keys.rs256(claims{"sub": "carol"}), "200 3/2 hour"),
		}},
		{name: "plans", front: front, config: `"identity": [` + subject + `],
			"plans": {"gold": {}, "staff": {}}, "plan_from": [
				{"metadata": ["envoy.filters.http.jwt_authn", "payload", "tier"]}, {"metadata": ["envoy.filters.http.jwt_authn", "payload", "plan"]}],
			"rules": [{"name": "api", "limits": [{"requests": 2, "window": "hour"}],
				"plans": {"gold": [{"requests": 5, "window": "hour"}, {"requests": 6, "window": "day"}], "staff": "unlimited"}}]`, steps: []step{
			ask(keys.rs256(alice), "200 5/4 hour"),
			ask(keys.rs256(claims{"sub": "alice"}), "200 2/0 hour"), // the count is the client's, not the plan's
			ask(keys.rs256(claims{"sub": "alice"}), "429 2/0 hour"),
			ask(keys.rs256(alice), "200 5/2 hour"),
			ask(keys.rs256(bob), "200 2/1 hour"), // nobody declared that plan
			ask(keys.rs256(claims{"sub": "bob", "tier": "staff", "plan": "gold"}), "200"),
			ask(keys.rs256(claims{"sub": "bob", "tier": "none", "plan": "gold"}), "200 5/3 hour"),
			{"GET /\nplan: gold", "200 2/1 hour"},
		}, check: func(_ *testing.T, envoy *envoytest.Envoy, _ times) {
			envoy.AwaitStat("wasmcustom.tollgate.plans.unknown_plans", func(n uint64) bool { return n == 1 })
		}},
	}
}

// claims are what a token says.
type claims map[string]any

// tokenKeys sign JSON Web Tokens (RFC 7519).
type tokenKeys struct {
	t   testing.TB
	rsa *rsa.PrivateKey
	ec  *ecdsa.PrivateKey
}

func newTokenKeys(t testing.TB) tokenKeys {
	t.Helper()
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return tokenKeys{t: t, rsa: rsaKey, ec: ecKey}
}

// filter returns Envoy's own filter that checks tokens of these keys and keeps their claims as metadata. A request without a
// token passes.
func (k tokenKeys) filter() envoytest.Filter {
	typed := fmt.Sprintf(`{
		"@type": "type.googleapis.com/envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication",
		"providers": {"tests": {"issuer": "tests", "payload_in_metadata": "payload", "local_jwks": {"inline_string": %q}}},
		"rules": [{"match": {"prefix": "/"}, "requires": {"requires_any": {"requirements": [
			{"provider_name": "tests"}, {"allow_missing": {}}
		]}}}]
	}`, k.set())
	return envoytest.Filter{Name: "envoy.filters.http.jwt_authn", Typed: json.RawMessage(typed)}
}

// set returns the public keys (RFC 7517).
func (k tokenKeys) set() string {
	x, y := k.ec.X.FillBytes(make([]byte, 32)), k.ec.Y.FillBytes(make([]byte, 32))
	e := big.NewInt(int64(k.rsa.E)).Bytes()
	return fmt.Sprintf(`{"keys": [
		{"kty": "RSA", "kid": "rsa", "alg": "RS256", "n": %q, "e": %q},
		{"kty": "EC", "kid": "ec", "alg": "ES256", "crv": "P-256", "x": %q, "y": %q}
	]}`, base64url(k.rsa.N.Bytes()), base64url(e), base64url(x), base64url(y))
}

// rs256 returns a token signed with the RSA key (RFC 7518 section 3.3).
func (k tokenKeys) rs256(c claims) string {
	k.t.Helper()
	text := k.signingInput("RS256", "rsa", c)
	digest := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, k.rsa, crypto.SHA256, digest[:])
	if err != nil {
		k.t.Fatal(err)
	}
	return text + "." + base64url(signature)
}

// es256 returns a token signed with the elliptic key (RFC 7518 section 3.4).
func (k tokenKeys) es256(c claims) string {
	k.t.Helper()
	text := k.signingInput("ES256", "ec", c)
	digest := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, k.ec, digest[:])
	if err != nil {
		k.t.Fatal(err)
	}
	return text + "." + base64url(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
}

func (k tokenKeys) signingInput(algorithm, key string, c claims) string {
	k.t.Helper()
	all := claims{"iss": "tests"}
	for name, value := range c {
		all[name] = value
	}
	payload, err := json.Marshal(all)
	if err != nil {
		k.t.Fatal(err)
	}
	header := fmt.Sprintf(`{"alg": %q, "kid": %q, "typ": "JWT"}`, algorithm, key)
	return base64url([]byte(header)) + "." + base64url(payload)
}

func base64url(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }
