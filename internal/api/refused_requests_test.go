package api

import (
	"fmt"
	"strings"
	"testing"

	"entrepot/internal/audit"
	"entrepot/internal/db"
)

// What a caller is refused is seen by its account, equal refusals once with their number, and nothing that might name a person.
func TestRefusedRequests(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		stranger := s.stranger()
		key := s.newKey("read:orders")
		reader := s.with(key)
		const trace = "0af7651916cd43dd8448eb211c80319c"
		for range 3 {
			reader.do(call{method: "POST", path: "/api/v1/orders", body: `{"customerName":"Ada Lovelace"}`,
				header: map[string]string{"X-Request-Id": trace}})
		}
		reader.do(call{method: "GET", path: "/api/v1/orders/ada@lovelace.example/shipments/Lovelace",
			header: map[string]string{"X-Request-Id": "for-ada-lovelace"}})
		s.do(call{method: "GET", path: "/api/v1/orders"})
		s.do(call{method: "GET", path: "/api/v1/orders", noKey: true})
		s.do(call{method: "POST", path: "/api/v1/auth/login", noKey: true, body: `{"email":"owner@test.example","password":"not this one"}`})
		list := s.mustAs(t, s.token, 200, "GET", "/api/v1/developer/api-keys?limit=100", nil)
		for _, k := range at(list, "data").([]any) {
			if strings.HasPrefix(key, text(k, "prefix")) {
				s.mustAs(t, s.token, 200, "DELETE", "/api/v1/developer/api-keys/"+text(k, "id"), nil)
			}
		}
		reader.do(call{method: "GET", path: "/api/v1/orders"})
		if before := s.must(t, 200, "GET", "/api/v1/refused-requests", nil); number(before, "meta", "total") != "0" {
			t.Errorf("written before the flush: %v", before)
		}
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		answer := s.must(t, 200, "GET", "/api/v1/refused-requests", nil)
		var got []string
		for _, e := range at(answer, "data").([]any) {
			got = append(got, fmt.Sprint(text(e, "method"), " ", text(e, "route"), " ", number(e, "statusCode"), " ", text(e, "code"), " ",
				number(e, "times"), " ", text(e, "requestId") == trace))
		}
		want := []string{"GET /api/v1/orders 401 unauthorized 1 false", "GET /api/v1/orders/*/shipments/* 405 method_not_allowed 1 false",
			"POST /api/v1/orders 403 missing_scope 3 true"}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q, not %q", got, want)
		}
		if raw := string(s.do(call{method: "GET", path: "/api/v1/refused-requests"}).body); strings.Contains(strings.ToLower(raw), "lovelace") {
			t.Errorf("names a person: %s", raw)
		}
		if one := s.must(t, 200, "GET", "/api/v1/refused-requests?status=403", nil); number(one, "meta", "total") != "1" {
			t.Errorf("by status: %v", one)
		}
		if none := stranger.must(t, 200, "GET", "/api/v1/refused-requests", nil); number(none, "meta", "total") != "0" {
			t.Errorf("another account sees %v", none)
		}
	})
}

// However much is refused, a node keeps little of it between two writes, and an account the newest only.
func TestRefusedRequestsAreFew(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		for i := range 3 * accountRefusals {
			s.do(call{method: fmt.Sprintf("M%d", i), path: "/api/v1/orders"})
		}
		if n := len(s.refused.seen); n != accountRefusals {
			t.Errorf("%d kinds of refusals are kept, not %d", n, accountRefusals)
		}
		s.write(s.tenant, func(tx *db.Tx) error {
			audit.RecordRefused(tx, make([]audit.Refused, audit.MaxRefusals))
			return nil
		})
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		newest := s.must(t, 200, "GET", "/api/v1/refused-requests?limit=1", nil)
		if number(newest, "meta", "total") != fmt.Sprint(audit.MaxRefusals) || text(newest, "data", 0, "code") != "method_not_allowed" {
			t.Errorf("%v", newest)
		}
	})
}
