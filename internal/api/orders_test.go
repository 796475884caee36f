package api

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/verify"
)

// sound fails the test unless the whole store holds together.
func (s *server) sound(t testing.TB) {
	t.Helper()
	results, err := verify.Run(t.Context(), s.DB, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Wrong > 0 {
			t.Errorf("%s: %d wrong: %v", r.Name, r.Wrong, r.Examples)
		}
	}
}

// An order that is moved in keeps its own date; the service's times are those of the call.
func TestOrderOfThePast(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 201, "POST", "/api/v1/products", map[string]any{"sku": "A", "name": "A", "price": 1})
		body := func(createdAt any, status string) map[string]any {
			return map[string]any{"customerName": "Ada", "customerEmail": "ada@example.com", "createdAt": createdAt, "initialStatus": status,
				"items": []any{map[string]any{"sku": "A", "quantity": 1, "unitPrice": 5}}}
		}
		_, from := s.eventsSince(0)
		start := s.now.Now()
		for _, status := range []string{"PENDING", "SHIPPED", "DELIVERED"} {
			receipt := s.must(t, 201, "POST", "/api/v1/orders", body("2019-03-04T05:06:07.891234+01:00", status))
			if got := text(receipt, "data", "createdAt"); got != "2019-03-04T04:06:07.891Z" {
				t.Fatalf("the receipt has createdAt %s", got)
			}
			o := s.must(t, 200, "GET", "/api/v1/orders/"+text(receipt, "data", "id"), nil)
			if got := text(o, "data", "createdAt"); got != "2019-03-04T04:06:07.891Z" {
				t.Errorf("the order has createdAt %s", got)
			}
			for name, got := range map[string]string{"updatedAt": text(o, "data", "updatedAt"),
				"history": text(o, "data", "statusHistory", 0, "createdAt")} {
				if at, err := time.Parse(time.RFC3339Nano, got); err != nil || at.Before(start.Truncate(time.Millisecond)) {
					t.Errorf("%s of %s is %s, the call came after %s", name, status, got, start)
				}
			}
		}
		names, _ := s.eventsSince(from)
		if names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, "order.") }); len(names) != 3 {
			t.Errorf("events: %v", names)
		}
		for query, want := range map[string]string{
			"createdAtLte=2019-03-04T04:06:07.891Z":                                         "3",
			"createdAtLte=2019-03-04T04:06:07.890Z":                                         "0",
			"createdAtGte=2019-03-04&createdAtLte=2019-03-04":                               "3",
			"createdAtGte=2020-01-01":                                                       "0",
			"status=SHIPPED&createdAtLte=2019-12-31":                                        "1",
			"customerEmail=ada@example.com&createdAtGte=2019-01-01&createdAtLte=2019-04-01": "3",
		} {
			if got := number(s.must(t, 200, "GET", "/api/v1/orders?"+query, nil), "meta", "total"); got != want {
				t.Errorf("%s: %s orders, not %s", query, got, want)
			}
		}
		s.must(t, 201, "POST", "/api/v1/orders", body(nil, "PENDING"))
		list := s.must(t, 200, "GET", "/api/v1/orders?sort=createdAt:desc", nil)
		if first := text(list, "data", 0, "createdAt"); first < start.Truncate(time.Millisecond).Format("2006-01-02T15:04:05.000Z") {
			t.Errorf("the newest order is of %s", first)
		}
		for _, bad := range []any{s.now.Now().Add(time.Hour).Format(time.RFC3339Nano), "0001-01-01", "1969-12-31T23:59:59Z",
			"1970-01-01T00:00:00.000999Z", "yesterday", 5} {
			if status, answer := s.call(t, "POST", "/api/v1/orders", body(bad, "PENDING")); status != 400 ||
				text(answer, "details", 0, "path") != "createdAt" {
				t.Errorf("createdAt %v: %d %v", bad, status, answer)
			}
		}
		s.must(t, 201, "POST", "/api/v1/orders", body("1970-01-01T00:00:00.001Z", "PENDING"))
		s.sound(t)
	})
}

// PATCH /orders/{id} changes what an order carries beside its lines, and says so once.
func TestChangeDetails(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 201, "POST", "/api/v1/products", map[string]any{"sku": "A", "name": "A", "price": 1})
		made := s.must(t, 201, "POST", "/api/v1/orders", map[string]any{"customerName": "Ada", "initialStatus": "PROCESSING", "notes": "first",
			"shippingAddress": map[string]any{"street": "1 rue", "city": "Paris", "zip": 75002},
			"items":           []any{map[string]any{"sku": "A", "quantity": 2, "unitPrice": 5}}})
		path := "/api/v1/orders/" + text(made, "data", "id")
		_, from := s.eventsSince(0)
		events := func(want ...string) {
			t.Helper()
			var names []string
			if names, from = s.eventsSince(from); len(names) != len(want) || len(want) == 1 && names[0] != want[0] {
				t.Errorf("events %v, not %v", names, want)
			}
		}
		read := s.do(call{method: "GET", path: path})
		shipping := at(read.json(t), "data", "shippingAddress")
		same := s.do(call{method: "PATCH", path: path, body: map[string]any{"notes": "first", "shippingAddress": shipping}})
		if same.status != 200 || string(same.body) != string(read.body) {
			t.Errorf("a change of nothing: %d %s", same.status, same.body)
		}
		events()
		s.now.move(time.Millisecond)
		send := call{method: "PATCH", path: path,
			body: map[string]any{"notes": "second", "shippingAddress": map[string]any{"address1": "2 rue", "x": 1},
				"billingAddress": map[string]any{"city": "Lyon"}, "paymentMetadata": []any{1, "a"}},
			header: map[string]string{"Idempotency-Key": "k", "If-Match": read.header.Get("ETag")}}
		changed := s.do(send)
		o := changed.json(t)
		if changed.status != 200 || text(o, "data", "notes") != "second" || text(o, "data", "shippingAddress", "line1") != "2 rue" ||
			number(o, "data", "shippingAddress", "x") != "1" ||
			text(o, "data", "billingAddress", "city") != "Lyon" || text(o, "data", "paymentMetadata", 1) != "a" ||
			text(o, "data", "updatedAt") <= text(read.json(t), "data", "updatedAt") {
			t.Errorf("changed: %d %s", changed.status, changed.body)
		}
		events("order.updated")
		if now := s.do(call{method: "GET", path: path}); string(now.body) != string(changed.body) {
			t.Errorf("answered %s, reads %s", changed.body, now.body)
		}
		if again := s.do(send); again.status != 200 || string(again.body) != string(changed.body) ||
			again.header.Get("Idempotent-Replay") != "true" {
			t.Errorf("the same key again: %d %s", again.status, again.body)
		}
		delete(send.header, "Idempotency-Key")
		if stale := s.do(send); stale.status != http.StatusPreconditionFailed {
			t.Errorf("an old version: %d", stale.status)
		}
		cleared := s.must(t, 200, "PATCH", path,
			map[string]any{"notes": nil, "billingAddress": nil, "paymentMetadata": nil, "shippingAddress": nil})
		for _, name := range []string{"notes", "billingAddress", "paymentMetadata", "shippingAddress"} {
			if got := at(cleared, "data", name); got != nil {
				t.Errorf("%s was cleared and is %v", name, got)
			}
		}
		s.must(t, 200, "PATCH", path, map[string]any{"shippingAddress": map[string]any{"city": "Nice"}})
		events("order.updated", "order.updated")
		s.must(t, 201, "POST", path+"/shipments",
			map[string]any{"items": []any{map[string]any{"orderItemId": at(cleared, "data", "items", 0, "id"), "quantity": 1}}})
		_, from = s.eventsSince(from)
		for _, name := range []string{"shippingAddress", "billingAddress"} {
			if answer := s.must(t, 409, "PATCH", path, map[string]any{"notes": "x", name: map[string]any{"city": "Metz"}}); text(answer,
				"code") != "order_shipped" {
				t.Errorf("an address after a shipment: %v", answer)
			}
		}
		s.must(t, 200, "PATCH", path, map[string]any{"notes": "third",
			"shippingAddress": map[string]any{"city": "Nice", "line1": nil, "line2": nil, "postalCode": nil, "zip": nil, "country": nil}})
		events("order.updated")
		s.sound(t)
	})
}

// A key that is used with another body is answered with the order, whatever record of the order was written.
func TestReusedKeyNamesTheOrder(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 201, "POST", "/api/v1/products", map[string]any{"sku": "A", "name": "A", "price": 1})
		reuse := func(method, path string, body map[string]any, want int) (made, refused map[string]any) {
			send := call{method: method, path: path, body: body, header: map[string]string{"Idempotency-Key": "k"}}
			made = s.answered(t, send, want).json(t)
			body["notes"] = "another"
			return made, s.answered(t, send, 409).json(t)
		}
		made, refused := reuse("POST", "/api/v1/orders", map[string]any{"customerName": "Ada", "initialStatus": "PROCESSING",
			"items": []any{map[string]any{"sku": "A", "quantity": 3, "unitPrice": 5}}}, 201)
		order := text(made, "data", "id")
		if text(refused, "orderId") != order || text(refused, "resourceId") != order {
			t.Errorf("order %s: %v", order, refused)
		}
		path := "/api/v1/orders/" + order
		line := text(s.must(t, 200, "GET", path, nil), "data", "items", 0, "id")
		made, refused = reuse("POST", "/api/v1/orders/"+strings.ToUpper(order)+"/shipments",
			map[string]any{"items": []any{map[string]any{"orderItemId": line, "quantity": 1}}}, 201)
		if text(refused, "orderId") != order || text(refused, "resourceId") != text(made, "data", "id") {
			t.Errorf("shipment %s of %s: %v", text(made, "data", "id"), order, refused)
		}
		if _, refused = reuse("PATCH", path+"/status", map[string]any{"status": "CANCELLED"}, 200); text(refused, "orderId") != order {
			t.Errorf("status of %s: %v", order, refused)
		}
	})
}

// Order numbers that were issued twice, by whatever error, block no order: the next ones continue above all that exist.
func TestNumbersAreTaken(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 201, "POST", "/api/v1/products", map[string]any{"sku": "A", "name": "A", "price": 1})
		order := func() string {
			t.Helper()
			return text(s.must(t, 201, "POST", "/api/v1/orders",
				map[string]any{"customerName": "Ada", "items": []any{map[string]any{"sku": "A", "quantity": 1, "unitPrice": 5}}}), "data", "id")
		}
		for range 4 { // ORD-000001, 2 to 5, and the block of 4 goes on
			order()
		}
		s.write(s.tenant, func(tx *db.Tx) error { // what comes next in the block is taken, as after a block that two nodes had
			tx.Queue(
				"UPDATE orders SET number = number + 1 WHERE tenant_id = $1 AND number = (SELECT max(number) FROM orders WHERE tenant_id = $1)",
				tx.Tenant)
			tx.Queue("UPDATE order_numbers SET next = 2 WHERE tenant_id = $1", tx.Tenant)
			return nil
		})
		results, err := verify.Run(t.Context(), s.DB, "")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(results, func(r verify.Result) bool { return r.Name == "order numbers" && r.Wrong == 1 }) {
			t.Error("verify does not see that numbers will be handed out twice")
		}
		for range 10 {
			order()
		}
		s.sound(t)
	})
}

// A sort names a field and a direction: half of one is refused, in every list in the same way. A direction is one in any case, and
// stands alone for that of the list's own field.
func TestSorts(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		for _, list := range []string{"orders", "products"} {
			for query, want := range map[string]int{"sort=createdAt:asc": 200, "sort=createdAt:DESC": 200, "sort=createdAt": 200, "sort=": 200,
				"order=asc": 200, "sort=createdAt&order=desc": 200, "sort=:asc": 400, "sort=createdAt:": 400, "sort=:": 400,
				"sort=createdAt:asc:x": 400, "sort=createdAt:up": 400, "order=up": 400, "sort=createdAt&order=up": 400} {
				s.must(t, want, "GET", "/api/v1/"+list+"?"+query, nil)
			}
		}
		for _, sku := range []string{"S-1", "S-2"} {
			s.must(t, 201, "POST", "/api/v1/products", item{"sku": sku, "name": sku, "price": 1})
		}
		if first := s.must(t, 200, "GET", "/api/v1/products?order=asc", nil); text(first, "data", 0, "sku") != "S-1" {
			t.Errorf("the oldest product is not the first: %v", first)
		}
	})
}

// A cursor continues the list that gave it, whatever the request says about the sort: in another order it would lead to a page
// of no sense.
func TestCursorsKeepTheirSort(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.shop(t)
		for price := range 5 {
			s.must(t, 201, "POST", "/api/v1/orders", item{"customerName": "Ada",
				"items": []item{{"sku": "A-1", "quantity": 1, "unitPrice": 10 - price}}})
		}
		list := func(query string) (ids []string, next string) {
			page := s.must(t, 200, "GET", "/api/v1/orders?"+query, nil)
			for i := range 5 {
				if order := text(page, "data", i, "id"); order != "" {
					ids = append(ids, order)
				}
			}
			return ids, text(page, "meta", "nextCursor")
		}
		for _, sort := range []string{"createdAt:desc", "createdAt:asc", "total:desc", "total:asc", "orderNumber:desc", "orderNumber:asc"} {
			whole, _ := list("limit=5&sort=" + sort)
			first, cursor := list("limit=2&sort=" + sort)
			for _, again := range []string{"", "&sort=" + sort, "&sort=total:desc", "&order=asc", "&sortBy=orderNumber&sortOrder=desc"} {
				if rest, _ := list("limit=5&cursor=" + cursor + again); !slices.Equal(append(slices.Clone(first), rest...), whole) {
					t.Errorf("%s%s: %v behind %v, not %v", sort, again, rest, first, whole)
				}
			}
		}
		forged := base64.RawURLEncoding.EncodeToString([]byte("notes.asc.1.019a1c52-7c1e-7d40-9a55-00000000d001"))
		if r := s.do(call{method: "GET", path: "/api/v1/orders?cursor=" + forged}); r.status != 400 {
			t.Errorf("a forged cursor: %d %s", r.status, r.body)
		}
	})
}
