package api

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// webhookRows are interface §4.5.9.
var webhookRows = map[string]row{
	"GET /api/v1/developer/webhooks": {req: func(w *fixture) req { w.endpoint(); return req{query: "limit=100"} }},
	"POST /api/v1/developer/webhooks": {reads: true, req: func(*fixture) req { return req{body: endpointBody()} }, more: []func(*fixture) req{
		func(*fixture) req { return req{body: member{"url": receiver, "events": []any{"order.shipped"}}} },
		func(*fixture) req {
			return req{body: member{"url": "http://10.0.0.1/x", "events": []any{"*"}}, status: 400}
		},
	}},
	"GET /api/v1/developer/webhooks/{id}": {req: func(w *fixture) req { return req{ids: place("id", w.endpoint())} }},
	"PATCH /api/v1/developer/webhooks/{id}": {req: func(w *fixture) req {
		return req{ids: place("id", w.newEndpoint()),
			body: endpointBody()}
	}},
	"PUT /api/v1/developer/webhooks/{id}": {req: func(w *fixture) req {
		return req{ids: place("id", w.newEndpoint()),
			body: member{"description": nil}}
	}},
	"DELETE /api/v1/developer/webhooks/{id}": {req: func(w *fixture) req { return req{ids: place("id", w.newEndpoint())} }},
	"POST /api/v1/developer/webhooks/{id}/rotate-secret": {reads: true, req: func(w *fixture) req {
		return req{ids: place("id", w.newEndpoint()), body: member{"graceSeconds": 60}}
	}, more: []func(*fixture) req{
		func(w *fixture) req { return req{ids: place("id", w.newEndpoint())} },
		func(w *fixture) req { return req{ids: place("id", w.newEndpoint()), body: member{"graceSeconds": 0}} },
	}},
	"POST /api/v1/developer/webhooks/{id}/test": {reads: true, req: func(w *fixture) req {
		return req{ids: place("id", w.newEndpoint()), body: member{"event": "order.shipped"}}
	}, more: []func(*fixture) req{
		func(w *fixture) req { return req{ids: place("id", w.newEndpoint())} },
	}},
	"POST /api/v1/developer/webhooks/{id}/replay": {reads: true, req: func(w *fixture) req {
		w.category()
		return req{ids: place("id", w.endpoint()),
			body: member{"from": "2020-01-01", "to": "2099-01-01T00:00:00Z", "events": []any{"category.created"}, "onlyFailed": false}}
	}},
	"GET /api/v1/developer/webhooks/{id}/deliveries": {req: func(w *fixture) req {
		w.delivery("")
		w.delivery(webhooks.Failed)
		return req{ids: place("id", w.endpoint()), query: "from=2020-01-01&to=2099-01-01&limit=100"}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			return req{ids: place("id", w.endpoint()), query: "status=failed&event=order.shipped"}
		},
	}},
	"GET /api/v1/developer/webhooks/deliveries": {req: func(w *fixture) req {
		w.delivery("")
		return req{query: "from=2020-01-01&to=2099-01-01&limit=1&endpointId=" + w.endpoint()}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			w.delivery(webhooks.Failed)
			return req{query: "status=failed&event=order.shipped&statusCode=500&resourceId=x"}
		},
		func(*fixture) req { return req{query: "cursor=x", status: 400} },
	}},
	"GET /api/v1/developer/webhooks/deliveries/{id}": {req: func(w *fixture) req { return req{ids: place("id", w.delivery(webhooks.Failed))} },
		more: []func(*fixture) req{
			func(w *fixture) req { return req{ids: place("id", w.delivery(""))} },
		}},
	"POST /api/v1/developer/webhooks/deliveries/{id}/retry": {
		reads: true,
		req:   func(w *fixture) req { return req{ids: place("id", w.delivery(webhooks.Failed))} }, more: []func(*fixture) req{
			func(w *fixture) req { return req{ids: place("id", w.delivery(""))} },
		}},
	"POST /api/v1/developer/webhooks/deliveries/retry": {reads: true, held: true, req: func(w *fixture) req {
		w.delivery(webhooks.Failed)
		return req{body: member{"endpointId": w.endpoint(), "status": "failed", "from": "2020-01-01", "to": "2099-01-01"}}
	}, more: []func(*fixture) req{
		func(*fixture) req { return req{body: member{"status": "failed"}} },
		func(w *fixture) req {
			w.delivery("")
			return req{body: member{"endpointId": w.endpoint(), "status": "pending"}}
		},
	}},
	"GET /api/v1/developer/webhooks/events": {req: func(*fixture) req { return req{} }},
	"GET /api/v1/developer/events/{id}":     {req: func(w *fixture) req { return req{ids: place("id", w.event())} }},
	"GET /api/v1/developer/events": {req: func(w *fixture) req { w.order(); return req{query: "limit=2"} }, more: []func(*fixture) req{
		func(*fixture) req { return req{query: "limit=1000"} },
		func(w *fixture) req {
			return req{query: "event=order.received&resourceId=" + w.order() + "&from=2020-01-01&to=2099-01-01&order=desc"}
		},
		func(*fixture) req { return req{query: "after=" + id.New[string](), status: 400} },
	}},
}

// receiver is an address that a service in development mode may call; nothing listens there.
const receiver = "http://127.0.0.1:9/hooks"

func endpointBody() member {
	return member{"url": receiver, "events": []any{"*"}, "description": "Shop", "status": "active", "ordered": false}
}

func (w *fixture) newEndpoint() string {
	return idOf(w.make("POST", "/api/v1/developer/webhooks", endpointBody()))
}

// endpoint is an endpoint that rows do not change; it gets every event.
func (w *fixture) endpoint() string { return w.once("endpoint", w.newEndpoint) }

// event is an event of the log.
func (w *fixture) event() string {
	w.category()
	return text(w.make("GET", "/api/v1/developer/events?limit=1", nil), "data", 0, "id")
}

// delivery sends the endpoint a sample event; the attempt, if there was one, left it in the state.
func (w *fixture) delivery(state webhooks.State) string {
	w.t.Helper()
	delivery := id.Delivery(idOf(w.make("POST", "/api/v1/developer/webhooks/"+w.endpoint()+"/test", member{"event": "order.shipped"})))
	if state == "" {
		return string(delivery)
	}
	var d *webhooks.Delivery
	err := w.DB.Read(w.t.Context(), w.tenant, func(tx *db.Tx) (err error) {
		d, err = webhooks.DeliveryByID(tx, delivery)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(db.Across, func(tx *db.Tx) error {
		return webhooks.Settle(tx, []webhooks.Outcome{{Queue: webhooks.Queue{Tenant: w.tenant, Endpoint: d.Endpoint}, Position: d.Position,
			Event:    d.EventStamp,
			Resource: d.Resource, State: state,
			Attempt: webhooks.Attempt{Number: 1, At: tx.Micros(), StatusCode: 500, Duration: 12, Error: "HTTP 500", Response: "no"}}})
	})
	return string(delivery)
}
