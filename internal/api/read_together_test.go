package api

import (
	"fmt"
	"reflect"
	"sync"
	"testing"
)

// Callers of two accounts and two nodes who read single records at the same moment each get what they would get alone, and nobody another
// account's.
func TestRecordsReadAtOnce(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		type record struct {
			of   *server
			path string
			want map[string]any
		}
		var records []record
		for _, of := range []*server{s, s.stranger()} {
			for i := range 4 {
				sku := fmt.Sprint("READ-", i)
				draft := item{"sku": sku, "name": of.account.Name, "price": i + 1, "stock": item{"quantity": 10 + i}}
				if i%2 == 1 {
					draft["variants"] = []item{{"sku": sku + "-V", "name": "Large", "stock": 3}}
				}
				product := text(of.must(t, 201, "POST", "/api/v1/products", draft), "data", "id")
				order := text(of.must(t, 201, "POST", "/api/v1/orders", item{"customerName": "Ada", "customerEmail": "ada@read.example",
					"items": []item{{"sku": sku, "quantity": 2, "unitPrice": "1.00"}}}), "data", "id")
				if i > 1 {
					full := of.must(t, 200, "GET", "/api/v1/orders/"+order, nil)
					of.must(t, 200, "PATCH", "/api/v1/orders/"+order+"/status", item{"status": "PROCESSING"})
					of.must(t, 201, "POST", "/api/v1/orders/"+order+"/shipments",
						item{"items": []item{{"orderItemId": text(full, "data", "items", 0, "id"), "quantity": 1}}})
				}
				for _, path := range []string{"/api/v1/products/" + product, "/api/v1/orders/" + order, "/api/v1/inventory/" + sku} {
					records = append(records, record{of, path, of.must(t, 200, "GET", path, nil)})
				}
			}
		}
		var callers sync.WaitGroup
		for c := range 16 {
			callers.Go(func() {
				for i := range records {
					r := records[(i+c)%len(records)]
					node := r.of
					if c%2 == 1 {
						node = r.of.twin()
					}
					if status, got := node.call(t, "GET", r.path, nil); status != 200 || !reflect.DeepEqual(got, r.want) {
						t.Errorf("%s: %d\n%v, not\n%v", r.path, status, got, r.want)
					}
				}
			})
		}
		callers.Wait()
	})
}

// Lists find orders by the address that they have, in any letters, whatever address their customer has later; also those of a merge that is
// done in steps.
func TestOrdersByEmailOfACustomerThatChanges(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 201, "POST", "/api/v1/products", item{"sku": "A", "name": "A", "price": 1})
		buy := func(email string) (customer string) {
			t.Helper()
			order := text(s.must(t, 201, "POST", "/api/v1/orders", item{"customerName": "Ada", "customerEmail": email,
				"items": []item{{"sku": "A", "quantity": 1, "unitPrice": "1.00"}}}), "data", "id")
			return text(s.must(t, 200, "GET", "/api/v1/orders/"+order, nil), "data", "customerId")
		}
		want := func(when, query, total string) {
			t.Helper()
			for _, sort := range []string{"", "&sort=total", "&sort=orderNumber"} {
				if got := number(s.must(t, 200, "GET", "/api/v1/orders?"+query+sort, nil), "meta", "total"); got != total {
					t.Errorf("%s: %s%s has %s orders, not %s", when, query, sort, got, total)
				}
			}
		}
		ada, many := buy("ada@mail.example"), ""
		const steps = 70 // more than one transaction moves
		for range steps {
			many = buy("many@mail.example")
		}
		s.must(t, 200, "PATCH", "/api/v1/customers/"+ada, item{"email": "new@mail.example"})
		want("renamed", "customerEmail=ADA@Mail.example", "1")
		want("renamed", "customerEmail=new@mail.example", "0")
		want("renamed", "customerId="+ada+"&customerEmail=ada@mail.example", "1")
		buy("new@mail.example")
		want("ordered again", "customerEmail=new@mail.example", "1")
		merged := s.must(t, 200, "POST", "/api/v1/customers/merge", item{"primaryId": ada, "secondaryIds": []string{many}})
		want("merged", "customerEmail=many@mail.example", fmt.Sprint(steps))
		want("merged", "customerId="+ada, fmt.Sprint(steps+2))
		moved, count := number(merged, "data", "ordersMoved"), number(merged, "data", "ordersCount")
		if moved != fmt.Sprint(steps) || count != fmt.Sprint(steps+2) {
			t.Errorf("the answer has %s orders, of which %s have moved: %v", count, moved, merged)
		}
		s.must(t, 200, "PATCH", "/api/v1/customers/"+ada, item{"email": "many@mail.example"})
		want("exchanged", "customerEmail=many@mail.example", fmt.Sprint(steps))
		want("exchanged", "customerEmail=new@mail.example", "1")
	})
}
