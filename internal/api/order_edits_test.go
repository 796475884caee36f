package api

import (
	"encoding/json"
	"fmt"
	"testing"

	"entrepot/internal/accounts"
)

// What comes over the API has the source api, with a login as with a key; the actor says who it was.
func TestSourceOfTheAPI(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		do := func(want int, method, path string, body map[string]any) map[string]any {
			t.Helper()
			status, answer := s.login(t, method, path, body)
			if status != want {
				t.Fatalf("%s %s: %d %v", method, path, status, answer)
			}
			return answer
		}
		do(201, "POST", "/api/v1/products", map[string]any{"sku": "A", "name": "A", "price": 1})
		path := "/api/v1/orders/" + text(do(201, "POST", "/api/v1/orders", map[string]any{"customerName": "Ada",
			"items": []any{map[string]any{"sku": "A", "quantity": 1, "unitPrice": 5}}}), "data", "id")
		do(200, "PATCH", path, map[string]any{"notes": "first"})
		history := do(200, "PATCH", path+"/status", map[string]any{"status": "PROCESSING"})
		edits := do(200, "GET", path+"/edits", nil)
		actor := accounts.Caller{User: s.owner.ID}.Actor()
		for name, entry := range map[string]any{"creation": at(history, "data", "statusHistory", 0), "edit": at(edits, "data", 0),
			"move": at(history, "data", "statusHistory", 1)} {
			if text(entry, "source") != "api" || text(entry, "actor") != actor {
				t.Errorf("%s: %v", name, entry)
			}
		}
	})
}

// What is changed of an order is listed with who did it: lines with their quantities, amounts, the names of other members, and shipments
// that were deleted. A change that changes nothing is not listed, nor is anything that may hold a name.
func TestOrderEdits(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 201, "POST", "/api/v1/products", map[string]any{"sku": "A", "name": "A", "price": 1})
		receipt := s.must(t, 201, "POST", "/api/v1/orders", map[string]any{"customerName": "Ada", "initialStatus": "PROCESSING",
			"items": []any{map[string]any{"sku": "A", "quantity": 3, "unitPrice": 5, "metadata": json.RawMessage(`{"a":1, "b":[]}`)}}})
		path := "/api/v1/orders/" + text(receipt, "data", "id")
		line := text(s.must(t, 200, "GET", path, nil), "data", "items", 0, "id")
		for _, metadata := range []string{`{"a":1,"b":[]}`, `{ "b": [], "a": 1.0 }`} { // the second one changes nothing
			s.must(t, 200, "PUT", path+"/items", map[string]any{"items": []any{map[string]any{"id": line, "sku": "A", "quantity": 2,
				"unitPrice": 5, "metadata": json.RawMessage(metadata)}}})
			s.must(t, 200, "PATCH", path, map[string]any{"notes": "Ada's bell is broken"})
		}
		shipment := text(s.must(t, 201, "POST", path+"/shipments", map[string]any{"items": []any{map[string]any{"orderItemId": line,
			"quantity": 1}}}), "data", "id")
		s.must(t, 200, "DELETE", path+"/shipments/"+shipment, nil)
		got := s.must(t, 200, "GET", path+"/edits", nil)
		for _, want := range []struct {
			value string
			way   []any
		}{
			{"3", []any{"meta", "total"}},
			{"api", []any{"data", 0, "source"}},
			{"quantity", []any{"data", 0, "changes", 0, "field"}}, {line, []any{"data", 0, "changes", 0, "orderItemId"}},
			{"3", []any{"data", 0, "changes", 0, "from"}}, {"2", []any{"data", 0, "changes", 0, "to"}},
			{"total", []any{"data", 0, "changes", 1, "field"}}, {"15", []any{"data", 0, "changes", 1, "from"}},
			{"10", []any{"data", 0, "changes", 1, "to"}},
			{"notes", []any{"data", 1, "changes", 0, "field"}}, {"<nil>", []any{"data", 1, "changes", 0, "to"}},
			{"shipment", []any{"data", 2, "changes", 0, "field"}}, {shipment, []any{"data", 2, "changes", 0, "shipmentId"}},
		} {
			if value := fmt.Sprint(at(got, want.way...)); value != want.value {
				t.Errorf("%v: %s, not %s", want.way, value, want.value)
			}
		}
		s.must(t, 404, "GET", "/api/v1/orders/019a1c52-7c1e-7d40-9a55-00000000ffff/edits", nil)
		s.sound(t)
	})
}

// All mistakes in the lines of a PUT items are named at once, unknown SKUs and unknown lines alike.
func TestEditNamesAllMistakes(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 201, "POST", "/api/v1/products", map[string]any{"sku": "A", "name": "A", "price": 1})
		receipt := s.must(t, 201, "POST", "/api/v1/orders", map[string]any{"customerName": "Ada",
			"items": []any{map[string]any{"sku": "A", "quantity": 1, "unitPrice": 5}}})
		answer := s.must(t, 400, "PUT", "/api/v1/orders/"+text(receipt, "data", "id")+"/items", map[string]any{"items": []any{
			map[string]any{"sku": "NONE", "quantity": 1, "unitPrice": 5},
			map[string]any{"id": "019a1c41-0000-7000-8000-000000000000", "sku": "A", "quantity": 1, "unitPrice": 5}}})
		for i, want := range []string{"items[0].sku", "items[1].id"} {
			if got := text(answer, "details", i, "path"); got != want {
				t.Errorf("detail %d is about %q, not %q: %v", i, got, want, answer)
			}
		}
	})
}

// null clears what a line has of its own; a name is then the product's again, or stays when the product is gone.
func TestClearedLines(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		product := s.must(t, 201, "POST", "/api/v1/products", map[string]any{"sku": "A", "name": "Mug", "price": 1})
		own := map[string]any{"sku": "A", "quantity": 1, "unitPrice": 5, "name": "Bob's mug", "description": "blue",
			"metadata": map[string]any{"a": 1}}
		path := "/api/v1/orders/" + text(s.must(t, 201, "POST", "/api/v1/orders", map[string]any{"customerName": "Ada",
			"items": []any{own, own}}), "data", "id")
		lines := at(s.must(t, 200, "GET", path, nil), "data", "items").([]any)
		edit := func(i int) map[string]any {
			t.Helper()
			var sent []any
			for k, l := range lines {
				line := map[string]any{"id": text(l, "id"), "sku": "A", "quantity": 1, "unitPrice": 5}
				if k == i {
					line["name"], line["description"], line["metadata"] = nil, nil, nil
				}
				sent = append(sent, line)
			}
			return at(s.must(t, 200, "PUT", path+"/items", map[string]any{"items": sent}), "data", "items", i).(map[string]any)
		}
		if l := edit(0); l["name"] != "Mug" || l["description"] != nil || l["metadata"] != nil {
			t.Errorf("%v", l)
		}
		s.must(t, 200, "DELETE", "/api/v1/products/"+text(product, "data", "id"), nil)
		if l := edit(1); l["name"] != "Bob's mug" || l["description"] != nil || l["metadata"] != nil {
			t.Errorf("of a deleted product %v", l)
		}
	})
}
