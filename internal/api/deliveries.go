package api

import (
	"net/http"

	"entrepot/internal/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// deliveryRoutes are interface §4.5.9: deliveries and their attempts, that of a test included.
var deliveryRoutes = []*route{
	{method: "POST", path: "/api/v1/developer/webhooks/{id}/test", name: "testEndpoint", section: "4.5.9",
		summary: "Send a sample event to this endpoint now", scope: "write:webhooks",
		body: func(o *apijson.Object) { readTest(o) }, optional: true,
		answer: data(func(w *apijson.Writer) { records.WriteDelivery(w, "data", &records.SampleDelivery, nil) }), serve: (*API).pingEndpoint},
	{method: "GET", path: "/api/v1/developer/webhooks/{id}/deliveries", name: "listDeliveries", section: "4.5.9",
		summary: "List an endpoint's deliveries, newest first", scope: "read:webhooks",
		query: func(q *apijson.Query) { readDeliveryFilter(q) }, answer: sampleDeliveries, serve: (*API).listDeliveries},
	{method: "GET", path: "/api/v1/developer/webhooks/deliveries/{id}", name: "getDelivery", section: "4.5.9",
		summary: "Read a delivery with its attempts", scope: "read:webhooks",
		answer: data(func(w *apijson.Writer) {
			records.WriteDelivery(w, "data", &records.SampleDelivery, records.SampleAttempts)
		}), serve: (*API).readDelivery},
	{method: "POST", path: "/api/v1/developer/webhooks/deliveries/{id}/retry", name: "retryDelivery", section: "4.5.9",
		summary: "Attempt a delivery now", scope: "write:webhooks",
		answer: data(func(w *apijson.Writer) { records.WriteDelivery(w, "data", &records.SampleDelivery, nil) }), serve: (*API).retryDelivery},
	{method: "POST", path: "/api/v1/developer/webhooks/deliveries/retry", name: "retryFailedDeliveries", section: "4.5.9", errors: []int{404},
		summary: "Attempt all failed deliveries once more", scope: "write:webhooks",
		body: func(o *apijson.Object) { readRetry(o) }, status: http.StatusAccepted,
		answer: data(func(w *apijson.Writer) { writeRetried(w, 12) }), serve: (*API).retryDeliveries},
}

func readTest(o *apijson.Object) string {
	o.Record("TestEndpoint")
	return apijson.Enum(o, "event", false, webhooks.EventNames...).Value
}

// pingEndpoint serves POST /api/v1/developer/webhooks/{id}/test: 200 with the delivery; 400, 404, 409.
func (a *API) pingEndpoint(r *request) (answer, error) {
	endpoint, err := pathID[id.Endpoint](r, "id", "endpoint")
	if err != nil {
		return answer{}, err
	}
	o := r.maybe()
	event := readTest(o)
	if err := o.Err(); err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		d, err := a.Commerce.PingEndpoint(tx, r.caller, endpoint, event)
		if err != nil {
			return answer{}, err
		}
		return one(http.StatusOK, string(d.ID), func(w *apijson.Writer) { records.WriteDelivery(w, "data", d, nil) }), nil
	})
}

func readDeliveryFilter(q *apijson.Query) (webhooks.Filter, page) {
	p := readPage(q, 20, 100)
	f := webhooks.Filter{Limit: p.Limit, Offset: p.Offset()}
	f.State = apijson.QueryEnum(q, "status", webhooks.States...)
	f.Event = apijson.QueryEnum(q, "event", webhooks.EventNames...)
	f.Resource = q.Text("resourceId")
	if at, given := q.Time("from", false); given {
		f.From = max(1, at.UnixMicro())
	}
	if at, given := q.Time("to", true); given {
		f.To = max(1, at.UnixMicro())
	}
	return f, p
}

// listDeliveries serves GET /api/v1/developer/webhooks/{id}/deliveries: 200; 400, 404.
func (a *API) listDeliveries(r *request) (answer, error) {
	endpoint, err := pathID[id.Endpoint](r, "id", "endpoint")
	if err != nil {
		return answer{}, err
	}
	q := r.query()
	f, p := readDeliveryFilter(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	f.Endpoint = endpoint
	return a.list(r, p, func(tx *db.Tx, w *apijson.Writer) (int64, error) {
		list, total, err := webhooks.Deliveries(tx, f)
		if err != nil {
			return 0, err
		}
		return total, writeRows(r, w, list, func(d *webhooks.Delivery) { records.WriteDelivery(w, "", d, nil) })
	})
}

// readDelivery serves GET /api/v1/developer/webhooks/deliveries/{id}: 200; 404.
func (a *API) readDelivery(r *request) (out answer, err error) {
	delivery, err := pathID[id.Delivery](r, "id", "delivery")
	if err != nil {
		return answer{}, err
	}
	err = a.read(r, func(tx *db.Tx) error {
		d, err := webhooks.DeliveryByID(tx, delivery)
		if err != nil {
			return err
		}
		tries, err := d.Tries(tx)
		out = one(http.StatusOK, string(d.ID), func(w *apijson.Writer) { records.WriteDelivery(w, "data", d, tries) })
		return err
	})
	return out, err
}

// retryDelivery serves POST /api/v1/developer/webhooks/deliveries/{id}/retry: 200; 404.
func (a *API) retryDelivery(r *request) (answer, error) {
	delivery, err := pathID[id.Delivery](r, "id", "delivery")
	if err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		d, err := a.Commerce.RetryDelivery(tx, r.caller, delivery)
		if err != nil {
			return answer{}, err
		}
		return one(http.StatusOK, string(d.ID), func(w *apijson.Writer) { records.WriteDelivery(w, "data", d, nil) }), nil
	})
}

func readRetry(o *apijson.Object) (endpoint id.Endpoint, span commerce.Span) {
	o.Record("RetryDeliveries")
	endpoint = apijson.UUID[id.Endpoint](o, "endpointId", false).Value
	apijson.Enum(o, "status", true, webhooks.Failed)
	return endpoint, readTimes(o, false)
}

// retryDeliveries serves POST /api/v1/developer/webhooks/deliveries/retry: 202; 400, 404.
func (a *API) retryDeliveries(r *request) (answer, error) {
	o := r.object()
	endpoint, span := readRetry(o)
	if err := o.Err(); err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		n, err := a.Commerce.RetryDeliveries(tx, r.caller, endpoint, span)
		return one(http.StatusAccepted, string(endpoint), func(w *apijson.Writer) { writeRetried(w, n) }), err
	})
}

func writeRetried(w *apijson.Writer, n int64) {
	w.Record("Retried", "data")
	w.Int("retried", n)
	w.End()
}

func sampleDeliveries(w *apijson.Writer) {
	sampleList(w, func(w *apijson.Writer) { records.WriteDelivery(w, "", &records.SampleDelivery, nil) })
}
