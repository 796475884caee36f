package api

import (
	"fmt"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/limits"
)

// An account has a bounded number of API keys, those of custom channels included; a revoked one makes room (interface §8).
func TestKeysOfAnAccountAreBounded(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.Commerce.Connectors = everyPlatform(t)
		key, _ := s.ownKey(t, member{"name": "first", "scopes": []any{"read:orders"}})
		there := 0
		s.write(s.tenant, func(tx *db.Tx) error {
			_, total, err := accounts.Keys(tx, 1, 0)
			there = int(total)
			return err
		})
		s.write(s.tenant, func(tx *db.Tx) error {
			for i := there; i < limits.MaxKeys; i++ {
				if _, _, err := s.Commerce.CreateKey(tx, accounts.Caller{}, commerce.KeyDraft{Name: fmt.Sprint(i), Scopes: []string{"read:orders"}}); err != nil {
					return err
				}
			}
			return nil
		})
		body := member{"name": "one more", "scopes": []any{"read:orders"}}
		channel := member{"name": "ERP", "platform": "CUSTOM"}
		status, got := s.login(t, "POST", "/api/v1/developer/api-keys", body)
		if status != 409 || text(got, "code") != "too_many_keys" {
			t.Errorf("%d %v", status, got)
		}
		if got := s.must(t, 409, "POST", "/api/v1/channels", channel); text(got, "code") != "too_many_keys" {
			t.Errorf("%v", got)
		}
		if n := number(s.must(t, 200, "GET", "/api/v1/channels", nil), "meta", "total"); n != "0" {
			t.Errorf("%s channels without a key", n)
		}
		if status, got := s.login(t, "DELETE", "/api/v1/developer/api-keys/"+key, nil); status != 200 {
			t.Fatalf("%d %v", status, got)
		}
		s.must(t, 201, "POST", "/api/v1/channels", channel)
	})
}

// A tracking link is an http or https address wherever it comes in (interface §2.4): people are shown it as a link.
func TestTrackingLinksAreWebAddresses(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 201, "POST", "/api/v1/products", member{"sku": "MUG", "name": "Mug", "price": 5, "stock": member{"quantity": 100}})
		order := func() (path, line string) {
			made := s.must(t, 201, "POST", "/api/v1/orders", member{"customerName": "Ada", "initialStatus": "PROCESSING",
				"items": []any{member{"sku": "MUG", "quantity": 3, "unitPrice": 5}}})
			path = "/api/v1/orders/" + text(made, "data", "id")
			return path, text(s.must(t, 200, "GET", path, nil), "data", "items", 0, "id")
		}
		for _, c := range []struct {
			url string
			ok  bool
		}{
			{"javascript:alert(1)", false}, {"JavaScript://example.com/%0aalert(1)", false}, {"data:text/html,x", false}, {"ftp://example.com/x", false},
			{"//example.com/x", false}, {"example.com/x", false}, {"https:example.com", false}, {"https://", false}, {"vbscript:x", false},
			{"file:///etc/passwd", false}, {"https://example.com/track#1", true}, {"HTTP://example.com/a b?x=ü", true}, {" https://example.com/x ", true},
		} {
			path, line := order()
			want := map[bool][2]int{true: {201, 200}, false: {400, 400}}[c.ok]
			shipped := s.must(t, want[0], "POST", path+"/shipments", member{"items": []any{member{"orderItemId": line, "quantity": 1}}, "trackingUrl": c.url})
			moved := s.must(t, want[1], "PATCH", path+"/status", member{"status": "SHIPPED", "trackingUrl": c.url})
			for _, got := range []map[string]any{shipped, moved} {
				if !c.ok && (text(got, "code") != "validation_failed" || text(got, "details", 0, "path") != "trackingUrl") {
					t.Errorf("%q: %v", c.url, got)
				}
			}
			status := text(s.must(t, 200, "GET", path, nil), "data", "status")
			if (status == "SHIPPED") != c.ok {
				t.Errorf("%q: %s", c.url, status)
			}
		}
	})
}
