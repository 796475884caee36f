package api

import (
	"strings"
	"testing"

	"entrepot/internal/db"
)

// A secret is shown to whoever asked for it, and not to another caller with the same Idempotency-Key and body; no cache may store it.
func TestSecretsAreShownToOneCaller(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.Commerce.Connectors = everyPlatform(t)
		s.must(t, 201, "POST", "/api/v1/products", member{"sku": "MUG", "name": "Mug", "price": 5})
		_, made := s.login(t, "POST", "/api/v1/users", member{"email": "b@shop.example", "name": "Bo", "role": "admin", "password": "a long enough word 7"})
		_, in := s.call(t, "POST", "/api/v1/auth/login", member{"email": "b@shop.example", "password": "a long enough word 7"})
		tokens := []string{s.token, text(in, "data", "accessToken")}
		if text(made, "data", "id") == "" || tokens[1] == "" {
			t.Fatalf("%v %v", made, in)
		}
		hook, _ := s.hook(t, `{"url":"http://127.0.0.1:9/","events":["*"]}`)
		shop := channelOf(s.must(t, 201, "POST", "/api/v1/channels", member{"name": "Shop", "platform": "PRESTASHOP",
			"credentials": platformBodies["PRESTASHOP"]}))
		for _, c := range []struct {
			path   string
			body   any
			secret []any
		}{
			{"/api/v1/developer/api-keys", member{"name": "k", "scopes": []any{"read:orders"}}, []any{"data", "key"}},
			{hookPath, member{"url": "http://127.0.0.1:9/", "events": []any{"*"}}, []any{"data", "secret"}},
			{hookPath + "/" + hook + "/rotate-secret", member{}, []any{"data", "secret"}},
			{"/api/v1/channels", member{"name": "ERP", "platform": "CUSTOM"}, []any{"data", "apiKey", "key"}},
			{"/api/v1/channels/" + shop + "/sync/test", nil, nil},
			{"/api/v1/auth/login", member{"email": "b@shop.example", "password": "a long enough word 7"}, nil},
		} {
			var shown []string
			for _, token := range []string{tokens[0], tokens[0], tokens[1]} {
				r := s.do(call{method: "POST", path: c.path, body: c.body, noKey: true,
					header: map[string]string{"Authorization": "Bearer " + token, "Idempotency-Key": "the same"}})
				if r.status >= 300 || r.header.Get("Cache-Control") != "no-store" {
					t.Fatalf("%s: %d %q %s", c.path, r.status, r.header.Get("Cache-Control"), r.body)
				}
				if c.secret != nil {
					shown = append(shown, text(r.json(t), c.secret...))
				}
			}
			if c.secret != nil && (shown[0] == "" || shown[0] != shown[1] || shown[0] == shown[2]) {
				t.Errorf("%s: %q", c.path, shown)
			}
		}
		wrong := s.do(call{method: "POST", path: "/api/v1/auth/login", body: member{"email": "b@shop.example", "password": "wrong"}, noKey: true})
		if wrong.status != 401 || wrong.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%d %v", wrong.status, wrong.header)
		}
		s.write(s.tenant, func(tx *db.Tx) error {
			return tx.Each(func(row db.Rows) error {
				var answer string
				err := row.Scan(&answer)
				if strings.Contains(answer, "paste") || strings.Contains(answer, "secret") || strings.Contains(answer, "pk_live_") {
					t.Errorf("stored in plain text: %s", answer)
				}
				return err
			}, "SELECT answer FROM idempotency_keys WHERE tenant_id = $1", s.tenant)
		})
	})
}
