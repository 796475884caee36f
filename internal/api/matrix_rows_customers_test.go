package api

// customerRows are interface §4.4.
var customerRows = map[string]row{
	"GET /api/v1/customers": {req: func(w *fixture) req {
		w.customer()
		return req{query: "search=ada&limit=100"}
	}, more: []func(*fixture) req{
		func(w *fixture) req { return req{query: "segmentId=" + w.newSegment() + "&includeInactive=true"} },
		func(*fixture) req { return req{query: "tag=vip&email=nobody@example.com"} },
	}},
	"POST /api/v1/customers": {req: func(w *fixture) req { return req{body: w.customerBody()} }, more: []func(*fixture) req{
		func(w *fixture) req { return req{body: member{"email": w.name("bare") + "@example.com"}} },
		func(w *fixture) req { w.customer(); return req{body: member{"email": "ADA@example.com"}, status: 409} },
	}},
	"GET /api/v1/customers/{id}": {req: func(w *fixture) req { return req{ids: place("id", w.customer())} }, more: []func(*fixture) req{
		func(w *fixture) req {
			order := w.make("GET", "/api/v1/orders/"+w.newOrder("PENDING"), nil)
			return req{ids: place("id", text(order, "data", "customerId"))}
		},
		func(w *fixture) req { return req{ids: place("id", w.erased())} },
		func(w *fixture) req { return req{ids: place("id", w.secondary())} },
	}},
	"PATCH /api/v1/customers/{id}": {req: func(w *fixture) req {
		return req{ids: place("id", w.newCustomer()), body: w.customerBody()}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			return req{ids: place("id", w.newCustomer()), body: member{"phone": nil, "tags": []any{}}}
		},
		func(w *fixture) req {
			return req{ids: place("id", w.erased()), body: member{"phone": "1"}, status: 409}
		},
		func(w *fixture) req {
			return req{ids: place("id", w.secondary()), body: member{"phone": "1"}, status: 409}
		},
	}},
	"PUT /api/v1/customers/{id}": {req: func(w *fixture) req {
		return req{ids: place("id", w.newCustomer()), body: member{"lastName": "Byron"}}
	}},
	"GET /api/v1/customers/{id}/orders": {req: func(w *fixture) req {
		w.order()
		return req{ids: place("id", w.customer()), query: "status=PROCESSING&createdAtGte=2020-01-01"}
	}},
	"POST /api/v1/customers/merge": {held: true, req: func(w *fixture) req {
		return req{body: member{"primaryId": w.newCustomer(), "secondaryIds": []any{w.newCustomer(), w.newCustomer()}}}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			return req{body: member{"primaryId": w.erased(), "secondaryIds": []any{w.newCustomer()}}, status: 409}
		},
	}},
	"GET /api/v1/customers/merge": {foreign: 404, req: func(w *fixture) req {
		return req{query: "primaryId=" + w.newCustomer() + "&secondaryIds=" + w.newCustomer() + "," + w.newCustomer()}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			return req{query: "primaryId=" + w.erased() + "&secondaryIds=" + w.newCustomer(), status: 409}
		},
		func(w *fixture) req {
			return req{query: "primaryId=" + w.newCustomer() + "&secondaryIds=019a1c52-7c1e-7d40-9a55-1f2e3d4c5b6a", status: 404}
		},
	}},
	"POST /api/v1/customers/{id}/erase": {req: func(w *fixture) req {
		return req{ids: place("id", w.newCustomer())}
	}, more: []func(*fixture) req{
		func(w *fixture) req { return req{ids: place("id", w.erased())} },
		func(w *fixture) req { return req{ids: place("id", w.secondary()), status: 409} },
	}},
	"POST /api/v1/customers/{id}/addresses": {req: func(w *fixture) req {
		return req{ids: place("id", w.newCustomer()), body: addressBody()}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			return req{ids: place("id", w.newCustomer()), body: member{"line1": "x", "city": "y", "country": "fr", "postalCode": "1"}}
		},
	}},
	"PATCH /api/v1/customers/{id}/addresses/{addressId}": {req: func(w *fixture) req {
		customer, address := w.newAddress()
		return req{ids: map[string]string{"id": customer, "addressId": address}, body: addressBody()}
	}},
	"DELETE /api/v1/customers/{id}/addresses/{addressId}": {req: func(w *fixture) req {
		customer, address := w.newAddress()
		return req{ids: map[string]string{"id": customer, "addressId": address}}
	}},

	"GET /api/v1/segments": {req: func(w *fixture) req { w.newSegment(); return req{query: "limit=100"} }},
	"POST /api/v1/segments": {req: func(*fixture) req { return req{body: segmentBody()} }, more: []func(*fixture) req{
		func(*fixture) req { return req{body: member{"name": "everybody", "rules": member{}}} },
	}},
	"GET /api/v1/segments/{id}":   {req: func(w *fixture) req { return req{ids: place("id", w.newSegment())} }},
	"PATCH /api/v1/segments/{id}": {req: func(w *fixture) req { return req{ids: place("id", w.newSegment()), body: segmentBody()} }},
	"PUT /api/v1/segments/{id}": {req: func(w *fixture) req {
		return req{ids: place("id", w.newSegment()), body: member{"name": "Other"}}
	}},
	"DELETE /api/v1/segments/{id}": {req: func(w *fixture) req { return req{ids: place("id", w.newSegment())} }},
}

// customerBody has every member of a customer.
func (w *fixture) customerBody() member {
	return member{"email": w.name("ada") + "@example.com", "firstName": "Ada", "lastName": "Lovelace", "phone": "+33123456789",
		"company": "Engines Ltd", "siret": "12345678901234",
		"vatIntracomNumber": "FR12345678901", "tags": []any{"vip", "b2b"}, "metadata": member{"crm": "A-17"}, "addresses": []any{addressBody()}}
}

func addressBody() member {
	return member{"type": "shipping", "name": "Ada Lovelace", "company": "Engines Ltd", "line1": "1 rue de la Paix", "line2": "2nd floor",
		"city": "Paris", "state": "IDF",
		"zip": "75002", "postalCode": "75002", "country": "FR", "phone": "+33123456789", "isDefault": true}
}

// customer is a customer that rows leave as he is.
func (w *fixture) customer() string {
	return w.once("customer", func() string {
		body := w.customerBody()
		body["email"] = "ada@example.com"
		return idOf(w.make("POST", "/api/v1/customers", body))
	})
}

func (w *fixture) newCustomer() string {
	return idOf(w.make("POST", "/api/v1/customers", member{"email": w.name("c") + "@example.com", "firstName": "Carl"}))
}

func (w *fixture) newAddress() (customer, address string) {
	customer = w.newCustomer()
	return customer, idOf(w.make("POST", "/api/v1/customers/"+customer+"/addresses", addressBody()))
}

// erased is a customer who is erased, secondary one who is merged into another.
func (w *fixture) erased() string {
	return w.once("erased", func() string {
		customer := w.newCustomer()
		w.make("POST", "/api/v1/customers/"+customer+"/erase", nil)
		return customer
	})
}

func (w *fixture) secondary() string {
	return w.once("secondary", func() string {
		customer := w.newCustomer()
		w.make("POST", "/api/v1/customers/merge", member{"primaryId": w.newCustomer(), "secondaryIds": []any{customer}})
		return customer
	})
}

func segmentBody() member {
	return member{"name": "Regulars",
		"rules": member{"tagsAny": []any{"vip"}, "tagsAll": []any{"b2b"}, "minOrders": 0, "minTotalSpent": 0, "country": "FR",
			"createdAfter":   "2020-01-01",
			"lastOrderAfter": "2020-01-01", "lastOrderBefore": "2099-01-01"}}
}

func (w *fixture) newSegment() string { return idOf(w.make("POST", "/api/v1/segments", segmentBody())) }
