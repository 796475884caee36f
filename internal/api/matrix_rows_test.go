package api

import (
	"maps"
	"testing"

	"entrepot/internal/base/id"
)

// row says how to call one operation so that it succeeds, and what other callers get.
type row struct {
	req   func(w *fixture) req   // makes what it needs, anew each time
	more  []func(w *fixture) req // other ways to call it, for the shapes of its answers
	scope string                 // what it needs beside the route's scope
	reads bool                   // a key needs the read scopes of all events, too: that of this scope alone has them
	own   bool                   // it works with the credential that its request has and no other

	foreign int  // what another account's key is answered to this account's request; 0: 404 if the path has a place, else success
	held    bool // the body names something by its id
	mixed   int  // what is answered when only those ids are another account's; 0: 404
}

// rows has every operation by method and path, gathered from the files of each part of the interface.
var rows = gather(orderRows, exportRows, catalogRows, inventoryRows, bulkRows, channelRows, platformRows, customerRows, accountRows, webhookRows)

func gather(parts ...map[string]row) map[string]row {
	all := map[string]row{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

// idOf is the path to data.id in an answer.
func idOf(answer map[string]any) string { return text(answer, "data", "id") }

// A route without a row would be left out of every test below, and a row without a route tests nothing.
func TestEveryRouteHasARow(t *testing.T) {
	known := map[string]bool{}
	for _, r := range routes() {
		name := r.method + " " + r.path
		known[name] = true
		if rows[name].req == nil {
			t.Errorf("%s has no row: say in matrix_rows_*_test.go how to call it", name)
		}
	}
	for name := range rows {
		if !known[name] {
			t.Logf("%s has a row and no route", name)
		}
	}
}

// orderRows are interface §4.1.
var orderRows = map[string]row{
	"GET /api/v1/orders": {req: func(w *fixture) req {
		w.order()
		return req{query: "page=1&limit=50&sort=total:desc&createdAtGte=2020-01-01&search=ord"}
	}, more: []func(*fixture) req{
		func(*fixture) req {
			return req{query: "status=SHIPPED,PENDING&sortBy=orderNumber&sortOrder=asc&limit=1"}
		},
		func(*fixture) req { return req{query: "tag=gift,late&tag=vip&assignedTo=none"} },
		func(*fixture) req { return req{query: "page=9999"} },
	}},
	"POST /api/v1/orders": {req: func(w *fixture) req { return req{body: w.orderBody()} }, held: true, more: []func(*fixture) req{
		func(w *fixture) req { return req{body: w.bareOrder()} },
		func(w *fixture) req { b := w.bareOrder(); b["initialStatus"] = "DELIVERED"; return req{body: b} },
		func(w *fixture) req { b := w.bareOrder(); b["currency"] = "JPY"; return req{body: b} },
		func(w *fixture) req {
			b := w.bareOrder()
			b["createdAt"] = "2024-02-29T12:00:00+02:00"
			return req{body: b}
		},
	}},
	"GET /api/v1/orders/{id}": {req: func(w *fixture) req { return req{ids: place("id", w.order())} }, more: []func(*fixture) req{
		func(w *fixture) req {
			return req{ids: place("id", idOf(w.make("POST", "/api/v1/orders", w.bareOrder())))}
		},
		func(w *fixture) req { order, _ := w.shipped(); return req{ids: place("id", order)} },
	}},
	"PATCH /api/v1/orders/{id}": {req: func(w *fixture) req {
		return req{ids: place("id", w.newOrder("PENDING")),
			body: member{"notes": "ring twice", "shippingAddress": member{"line1": "2 rue de la Paix", "city": "Paris"},
				"billingAddress": member{"city": "Lyon"}, "paymentMetadata": member{"intent": "pi_2"},
				"tags": []any{"gift", "Überseekiste"}, "assignedTo": w.newUser()}}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			return req{ids: place("id", w.newOrder("PENDING")),
				body: member{"notes": nil, "shippingAddress": nil, "billingAddress": nil, "paymentMetadata": nil,
					"tags": nil, "assignedTo": nil}}
		},
		func(w *fixture) req {
			return req{ids: place("id", w.newOrder("PENDING")), body: member{"tags": []any{"a,b"}}, status: 400}
		},
		func(w *fixture) req {
			return req{ids: place("id", w.newOrder("DELIVERED")), body: member{"shippingAddress": member{"city": "Nice"}}, status: 409}
		},
	}},
	"PATCH /api/v1/orders/{id}/status": {req: func(w *fixture) req {
		return req{ids: place("id", w.newOrder("PROCESSING")), body: member{"status": "SHIPPED", "carrier": "DHL", "trackingNumber": "JD1",
			"trackingUrl": "https://example.com/JD1", "note": "out", "restock": false}}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			return req{ids: place("id", w.newOrder("PENDING")), body: member{"status": "CANCELLED"}}
		},
		func(w *fixture) req {
			return req{ids: place("id", w.newOrder("DELIVERED")), body: member{"status": "RETURNED", "restock": true}}
		},
		func(w *fixture) req {
			return req{ids: place("id", w.newOrder("DELIVERED")), body: member{"status": "PENDING"}, status: 422}
		},
	}},
	"PUT /api/v1/orders/{id}/items": {held: true, mixed: 400, req: func(w *fixture) req {
		order := w.newOrder("PENDING")
		return req{ids: place("id", order), body: member{"shippingAmount": 4.5, "discountAmount": "1.00", "taxAmount": 2, "items": []any{
			member{"id": w.line(order), "sku": w.sku(), "quantity": 3, "unitPrice": 9.5, "name": "Mug", "description": "for you",
				"metadata": member{"gift": true}},
			member{"sku": w.variant(), "quantity": 1, "unitPrice": "8.25"}}}}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			order, _ := w.shipped()
			return req{ids: place("id", order), body: member{"items": []any{member{"sku": w.sku(), "quantity": 1, "unitPrice": 1}}}, status: 409}
		},
	}},
	"GET /api/v1/orders/{id}/edits": {req: func(w *fixture) req {
		order := w.newOrder("PENDING")
		w.make("PATCH", "/api/v1/orders/"+order, member{"notes": "call first"})
		return req{ids: place("id", order)}
	}},
	"GET /api/v1/orders/{id}/shipments": {req: func(w *fixture) req { order, _ := w.shipped(); return req{ids: place("id", order)} },
		more: []func(*fixture) req{
			func(w *fixture) req { return req{ids: place("id", w.newOrder("PENDING"))} },
		}},
	"POST /api/v1/orders/{id}/shipments": {held: true, mixed: 400, req: func(w *fixture) req {
		order := w.newOrder("PROCESSING")
		return req{ids: place("id", order),
			body: member{"carrier": "DHL", "trackingNumber": "JD1", "trackingUrl": "https://example.com/JD1", "notes": "box",
				"shippedAt": "2026-01-02T03:04:05+01:00", "items": []any{member{"orderItemId": w.line(order), "quantity": 1}}}}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			order := w.newOrder("PROCESSING")
			return req{ids: place("id", order), body: member{"items": []any{member{"orderItemId": w.line(order), "quantity": 2}}}}
		},
		func(w *fixture) req {
			order := w.newOrder("PROCESSING")
			return req{ids: place("id", order), body: member{"items": []any{member{"orderItemId": w.line(order), "quantity": 3}}}, status: 400}
		},
		func(w *fixture) req {
			order := w.newOrder("PENDING")
			return req{ids: place("id", order), body: member{"items": []any{member{"orderItemId": w.line(order), "quantity": 1}}}, status: 422}
		},
	}},
	"PATCH /api/v1/orders/{id}/shipments/{shipmentId}": {req: func(w *fixture) req {
		order, shipment := w.shipped()
		return req{ids: map[string]string{"id": order, "shipmentId": shipment}, body: member{"carrier": "UPS", "trackingNumber": "1Z1",
			"trackingUrl": "https://example.com/1Z1", "notes": "new label", "shippedAt": "20260102T030405Z"}}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			order, shipment := w.shipped()
			return req{ids: map[string]string{"id": order, "shipmentId": shipment}, body: member{"carrier": nil, "trackingNumber": nil,
				"trackingUrl": nil, "notes": nil, "shippedAt": nil}}
		},
		func(w *fixture) req {
			order, shipment := w.shipped()
			w.make("PATCH", "/api/v1/orders/"+order+"/status", member{"status": "CANCELLED"})
			return req{ids: map[string]string{"id": order, "shipmentId": shipment}, body: member{"carrier": "UPS"}, status: 409}
		},
	}},
	"GET /api/v1/returns":             {req: func(w *fixture) req { w.returned(); return req{} }},
	"GET /api/v1/orders/{id}/returns": {req: func(w *fixture) req { order, _ := w.returned(); return req{ids: place("id", order)} }},
	"POST /api/v1/orders/{id}/returns": {req: func(w *fixture) req {
		order, _ := w.shipped()
		return req{ids: place("id", order), body: member{"reason": "torn", "notes": "in its box", "refundAmount": "4.50",
			"items": []any{member{"orderItemId": w.line(order), "quantity": 1, "restock": true}}}}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			order, _ := w.shipped()
			return req{ids: place("id", order), body: member{"items": []any{member{"orderItemId": w.line(order), "quantity": 2}}}, status: 400}
		},
	}},
	"PATCH /api/v1/orders/{id}/returns/{returnId}": {req: func(w *fixture) req {
		order, one := w.returned()
		return req{ids: map[string]string{"id": order, "returnId": one}, body: member{"status": "received", "reason": "worn",
			"notes": "opened", "refundAmount": 3}}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			order, one := w.returned()
			return req{ids: map[string]string{"id": order, "returnId": one}, body: member{"reason": nil, "notes": nil, "refundAmount": nil}}
		},
		func(w *fixture) req {
			order, one := w.returned()
			return req{ids: map[string]string{"id": order, "returnId": one}, body: member{"status": "refunded"}, status: 409}
		},
	}},
	"POST /api/v1/orders/{id}/refunds": {req: func(w *fixture) req {
		order := w.newOrder("PROCESSING")
		return req{ids: place("id", order), body: member{"amount": 5, "reason": "torn",
			"items": []any{member{"orderItemId": w.line(order), "quantity": 1, "amount": "5.00"}}}}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			return req{ids: place("id", w.newOrder("PROCESSING")), body: member{"amount": 11}, status: 400}
		},
	}},
	"POST /api/v1/orders/bulk-ship": {req: func(w *fixture) req {
		return req{body: member{"orders": []any{member{"orderId": w.newOrder("PROCESSING"), "carrier": "DHL", "trackingNumber": "JD1",
			"trackingUrl": "https://example.com/JD1"}}}}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			order := w.newOrder("PROCESSING")
			return req{body: member{"orders": []any{
				member{"orderId": order, "items": []any{member{"orderItemId": w.line(order), "quantity": 1}}},
				member{"orderNumber": "ORD-999999"}, member{"externalReference": "none"}, member{}, 5}}}
		},
		func(w *fixture) req { return req{body: member{"orders": []any{}}, status: 400} },
	}},
	"POST /api/v1/orders/bulk-tag": {foreign: 404, req: func(w *fixture) req {
		return req{body: member{"orderIds": []any{w.newOrder("PENDING")}, "add": []any{"gift", "Late"}, "remove": []any{"late"},
			"assignedTo": w.newUser()}}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			return req{body: member{"orderIds": []any{w.newOrder("PENDING"), string(id.New[id.Order]())}, "assignedTo": nil}}
		},
		func(w *fixture) req {
			return req{body: member{"orderIds": []any{w.newOrder("PENDING")}, "assignedTo": string(id.New[id.User]())}, status: 404}
		},
		func(w *fixture) req { return req{body: member{"orderIds": []any{w.newOrder("PENDING")}}, status: 400} },
		func(w *fixture) req { return req{body: member{"orderIds": []any{}, "add": []any{"a,b"}}, status: 400} },
	}},
	"DELETE /api/v1/orders/{id}/shipments/{shipmentId}": {req: func(w *fixture) req {
		order, shipment := w.shipped()
		return req{ids: map[string]string{"id": order, "shipmentId": shipment}}
	}},
}

// place fills the one place of a path.
func place(name, value string) map[string]string { return map[string]string{name: value} }

// shippingTo is an address as callers send it.
func shippingTo() member {
	return member{"line1": "1 rue de la Paix", "line2": "B", "city": "Paris", "postalCode": "75002", "country": "FR"}
}

// orderBody has every member of an order's creation.
func (w *fixture) orderBody() member {
	return member{"customerName": "Ada Lovelace", "customerId": w.customer(), "customerEmail": w.name("buyer") + "@example.com",
		"channelId": w.channel(), "externalReference": w.name("REF"),
		"initialStatus": "PROCESSING", "currency": "EUR", "shippingAddress": shippingTo(), "billingAddress": member{"line1": "2 rue"},
		"paymentMetadata": member{"provider": "card", "n": 1.5},
		"notes":           "ring twice", "tags": []any{"gift"}, "shippingAmount": 4.9, "discountAmount": "1.50", "taxAmount": 3, "taxRate": 20,
		"refundedAmount": 0, "items": []any{
			member{"sku": w.sku(), "quantity": 2, "unitPrice": 24.95, "name": "A mug", "description": "gift", "metadata": member{"wrap": true}},
			member{"sku": w.variant(), "quantity": 1, "unitPrice": "9.9"}}}
}

// bareOrder has only what an order needs.
func (w *fixture) bareOrder() member {
	return member{"customerName": "Bob", "items": []any{member{"sku": w.sku(), "quantity": 1, "unitPrice": 5}}}
}

// newOrder makes an order of one line of two pieces in a status.
func (w *fixture) newOrder(status string) string {
	return idOf(w.make("POST", "/api/v1/orders",
		member{"customerName": "Ada", "initialStatus": status, "customerEmail": w.name("o") + "@example.com",
			"shippingAddress": shippingTo(), "items": []any{member{"sku": w.sku(), "quantity": 2, "unitPrice": 5}}}))
}

// order is an order that rows only read.
func (w *fixture) order() string {
	return w.once("order", func() string { return idOf(w.make("POST", "/api/v1/orders", w.orderBody())) })
}

// line is the first line of an order.
func (w *fixture) line(order string) string {
	return text(w.make("GET", "/api/v1/orders/"+order, nil), "data", "items", 0, "id")
}

// returned makes an order with one of its two pieces shipped, which comes back.
func (w *fixture) returned() (order, one string) {
	order, _ = w.shipped()
	return order, idOf(w.make("POST", "/api/v1/orders/"+order+"/returns",
		member{"reason": "torn", "items": []any{member{"orderItemId": w.line(order), "quantity": 1, "restock": true}}}))
}

// shipped makes an order with one of its two pieces shipped.
func (w *fixture) shipped() (order, shipment string) {
	order = w.newOrder("PROCESSING")
	return order, idOf(w.make("POST", "/api/v1/orders/"+order+"/shipments",
		member{"carrier": "DHL", "trackingNumber": "JD1", "trackingUrl": "https://example.com/JD1",
			"notes": "first", "items": []any{member{"orderItemId": w.line(order), "quantity": 1}}}))
}
