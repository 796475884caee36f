package api

import (
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
)

// brokenBody is a body in two parts, before the second of which something happens.
type brokenBody struct {
	parts  []string
	before func()
}

func (b *brokenBody) Read(into []byte) (int, error) {
	if len(b.parts) == 0 {
		return 0, io.EOF
	}
	if len(b.parts) == 1 {
		b.before()
	}
	n := copy(into, b.parts[0])
	b.parts = b.parts[1:]
	return n, nil
}

// What a credential begins it does not finish once it is revoked, although the rest of its body was still to come.
func TestARevokedCredentialFinishesNothing(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 201, "POST", "/api/v1/products", member{"sku": "MUG", "name": "Mug", "price": 5, "stock": member{"quantity": 9}})
		order := `{"customerName":"Ada","customerEmail":"late@buyer.example","items":[{"sku":"MUG","quantity":1,"unitPrice":5}]}`
		var many []string
		for i := range 900 {
			many = append(many, fmt.Sprintf(`{"sku":"LATE-%d","name":"Late","price":1}`, i))
		}
		admin := 0
		users := func() (user string, token string) { // a new admin
			admin++
			email := fmt.Sprintf("admin%d@shop.example", admin)
			_, made := s.login(t, "POST", "/api/v1/users", member{"email": email, "name": "Ada", "role": "admin", "password": "a long enough word 7"})
			_, in := s.call(t, "POST", "/api/v1/auth/login", member{"email": email, "password": "a long enough word 7"})
			return "/api/v1/users/" + text(made, "data", "id"), text(in, "data", "accessToken")
		}
		as := func(method, path string, body any) func() {
			return func() {
				if status, got := s.login(t, method, path, body); status != 200 {
					t.Errorf("%s %s: %d %v", method, path, status, got)
				}
			}
		}
		for name, c := range map[string]func() (credential string, end func()){
			"key revoked": func() (string, func()) {
				key, secret := s.ownKey(t, member{"name": "late", "scopes": []any{"write:orders", "write:customers", "write:products"}})
				return secret, as("DELETE", "/api/v1/developer/api-keys/"+key, nil)
			},
			"user of the key disabled": func() (string, func()) {
				user, token := users()
				other := *s
				other.token = token
				_, secret := other.ownKey(t, member{"name": "late", "scopes": []any{"write:orders", "write:customers", "write:products"}})
				return secret, as("PATCH", user, member{"status": "disabled"})
			},
			"user disabled": func() (string, func()) {
				user, token := users()
				return token, as("PATCH", user, member{"status": "disabled"})
			},
			"user made a viewer": func() (string, func()) {
				user, token := users()
				return token, as("PATCH", user, member{"role": "viewer"})
			},
			"logged out": func() (string, func()) {
				_, token := users()
				other := *s
				other.token = token
				return token, func() { other.login(t, "POST", "/api/v1/auth/logout", nil) }
			},
		} {
			for path, body := range map[string]string{"/api/v1/orders": order, "/api/v1/customers": `{"email":"late@buyer.example"}`,
				"/api/v1/sdk/products/bulk-import": `{"products":[` + strings.Join(many, ",") + `]}`} {
				credential, end := c()
				sdk := strings.Contains(path, "/sdk/")
				if sdk && !strings.HasPrefix(credential, "pk_") {
					continue
				}
				ended := false
				r := httptest.NewRequestWithContext(t.Context(), "POST", path,
					&brokenBody{[]string{body[:20], body[20:]}, func() { end(); ended = true }})
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Idempotency-Key", name+path)
				if sdk {
					r.Header.Set("X-API-Key", credential)
					r.Header.Del("Idempotency-Key")
				} else {
					r.Header.Set("Authorization", "Bearer "+credential)
				}
				w := httptest.NewRecorder()
				s.ServeHTTP(w, r)
				if !ended || w.Code != 401 || !strings.Contains(fmt.Sprint(w.Header()), "WWW-Authenticate") {
					t.Errorf("%s, %s: %d %s", name, path, w.Code, w.Body)
				}
			}
		}
		for path, want := range map[string]string{"/api/v1/orders": "0", "/api/v1/customers": "0", "/api/v1/products": "1"} {
			if n := number(s.must(t, 200, "GET", path, nil), "meta", "total"); n != want {
				t.Errorf("%s: %s are there, not %s", path, n, want)
			}
		}
	})
}

// The keys that a user made rest while the user is disabled, on every route, and work again afterwards.
func TestKeysOfADisabledUserRest(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.Commerce.Connectors = everyPlatform(t)
		_, made := s.login(t, "POST", "/api/v1/users", member{"email": "a@shop.example", "name": "Ada", "role": "admin",
			"password": "a long enough word 7"})
		_, in := s.call(t, "POST", "/api/v1/auth/login", member{"email": "a@shop.example", "password": "a long enough word 7"})
		theirs := *s
		theirs.token = text(in, "data", "accessToken")
		_, secret := theirs.ownKey(t, member{"name": "theirs", "scopes": []any{"write:orders", "write:channels", "write:products",
			"write:categories", "write:inventory", "write:customers"}})
		channel := s.with(secret).must(t, 201, "POST", "/api/v1/channels", member{"name": "ERP", "platform": "CUSTOM"})
		keys := []string{secret, text(channel, "data", "apiKey", "key")} // that of the channel was made with theirs
		user := "/api/v1/users/" + text(made, "data", "id")
		for i, status := range []string{"active", "disabled", "active"} {
			if i > 0 {
				if code, got := s.login(t, "PATCH", user, member{"status": status}); code != 200 {
					t.Fatalf("%d %v", code, got)
				}
			}
			want := map[string]int{"active": 200, "disabled": 401}[status]
			for _, key := range keys {
				for _, path := range []string{"/api/v1/orders", "/api/v1/sdk/products/changes"} {
					if got := s.with(key).do(call{method: "GET", path: path}); got.status != want {
						t.Errorf("%s, %s: %d %s", status, path, got.status, got.body)
					}
				}
			}
		}
	})
}
