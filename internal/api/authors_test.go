package api

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// newestLogged is the newest event of the log, as the API shows it.
func (s *server) newestLogged(t *testing.T) any {
	t.Helper()
	return at(s.must(t, 200, "GET", "/api/v1/developer/events?order=desc&limit=1", nil), "data", 0)
}

// Each event of the log names who made the change and the request that it came with; what is delivered names neither.
func TestEventsNameTheirAuthors(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		const request = "price-round/42"
		made := s.do(call{method: "POST", path: "/api/v1/products", body: `{"sku":"A-1","name":"Mug","price":10}`,
			header: map[string]string{"X-Request-Id": request}})
		product := text(made.json(t), "data", "id")
		event := s.newestLogged(t)
		if text(event, "actor", "type") != "key" || text(event, "actor", "name") != "test" || text(event, "requestId") != request ||
			text(event, "data", "id") != product {
			t.Errorf("made by a key: %v", event)
		}
		if keys := s.do(call{method: "GET", path: "/api/v1/developer/api-keys", noKey: true,
			header: map[string]string{"Authorization": "Bearer " + s.token}}); !strings.Contains(string(keys.body), text(event, "actor", "id")) {
			t.Errorf("the actor %v is no key of %s", event, keys.body)
		}
		one := s.must(t, 200, "GET", "/api/v1/developer/events/"+text(event, "id"), nil)
		if text(one, "data", "actor", "type") != "key" || text(one, "data", "requestId") != request {
			t.Errorf("read alone: %v", one)
		}
		if status, answer := s.login(t, "PATCH", "/api/v1/products/"+product, map[string]any{"price": 11}); status != 200 {
			t.Fatal(answer)
		}
		event = s.newestLogged(t)
		if text(event, "actor", "type") != "user" || text(event, "actor", "id") != string(s.owner.ID) ||
			text(event, "actor", "name") != "Olga Owner" || text(event, "requestId") == "" {
			t.Errorf("changed by a user: %v", event)
		}
		list := `{"sku":"B-%","name":"Many","price":1}`
		var many []string
		for i := range 70 {
			many = append(many, strings.Replace(list, "%", strings.Repeat("x", i), 1))
		}
		s.must(t, 202, "POST", "/api/v1/sdk/products/bulk-import", `{"products":[`+strings.Join(many, ",")+`]}`)
		if event = s.newestLogged(t); text(event, "actor", "type") != "key" || text(event, "actor", "name") != "test" ||
			text(event, "requestId") == "" {
			t.Errorf("made in bulk: %v", event)
		}
		hidden := s.with(s.newKey("read:webhooks")).must(t, 200, "GET", "/api/v1/developer/events?order=desc&limit=1", nil)
		if at(hidden, "data", 0, "data") != nil || text(hidden, "data", 0, "actor", "type") != "key" {
			t.Errorf("without the right to read products: %v", hidden)
		}
	})
}

// Orders that come at the same moment are stored together; each one's events still name its own author and request.
func TestOrdersAtOnceNameTheirOwnAuthors(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 201, "POST", "/api/v1/products", item{"sku": "A-1", "name": "Mug", "price": 10})
		const callers, each = 16, 4
		orders := make([]map[string]string, callers) // request by order
		var all sync.WaitGroup
		for c := range callers {
			orders[c] = map[string]string{}
			all.Go(func() {
				for n := range each {
					request := fmt.Sprintf("caller-%d/%d", c, n)
					header := map[string]string{"X-Request-Id": request}
					if c%2 == 1 {
						header["Authorization"] = "Bearer " + s.token
					}
					made := s.do(call{method: "POST", path: "/api/v1/orders", noKey: c%2 == 1, header: header,
						body: item{"customerName": "Ada", "customerEmail": request[:len(request)-2] + "@test.example",
							"items": []any{item{"sku": "A-1", "quantity": 1, "unitPrice": 10}}}})
					if made.status != 201 {
						t.Errorf("%d %s", made.status, made.body)
						return
					}
					orders[c][text(made.json(t), "data", "id")] = request
				}
			})
		}
		all.Wait()
		for c, made := range orders {
			for order, request := range made {
				event := at(s.must(t, 200, "GET", "/api/v1/developer/events?event=order.received&resourceId="+order, nil), "data", 0)
				want := []string{"key", "user"}[c%2]
				if text(event, "actor", "type") != want || text(event, "requestId") != request {
					t.Errorf("the order of %s by a %s: %v", request, want, event)
				}
			}
		}
	})
}
