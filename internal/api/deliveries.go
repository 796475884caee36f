package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// deliveryRoutes are interface §4.5.9: deliveries and their attempts, that of a test included.
var deliveryRoutes = []*route{
	{method: "POST", path: "/api/v1/developer/webhooks/{id}/test", name: "testEndpoint", section: "4.5.9",
		summary: "Send a sample event to this endpoint now", scope: "write:webhooks",
		body: func(o *apijson.Object) { readTest(o) }, optional: true,
		answer: data(func(w *apijson.Writer) { records.WriteDelivery(w, "data", &records.SampleDelivery) }), serve: (*API).testEndpoint},
	{method: "GET", path: "/api/v1/developer/webhooks/{id}/deliveries", name: "listDeliveries", section: "4.5.9",
		summary: "List an endpoint's deliveries, newest first", scope: "read:webhooks",
		query: func(q *apijson.Query) { readDeliveryFilter(q) }, answer: sampleDeliveries, serve: (*API).listDeliveries},
	{method: "GET", path: "/api/v1/developer/webhooks/deliveries", name: "listAllDeliveries", section: "4.5.9",
		summary: "List the deliveries of all endpoints, newest first", scope: "read:webhooks",
		query: func(q *apijson.Query) { readAcrossFilter(q) }, answer: data(sampleAcross), serve: (*API).listAllDeliveries},
	{method: "GET", path: "/api/v1/developer/webhooks/deliveries/{id}", name: "getDelivery", section: "4.5.9",
		summary: "Read a delivery with its attempts and what they sent", scope: "read:webhooks",
		answer: data(sampleDelivery), serve: (*API).getDelivery},
	{method: "POST", path: "/api/v1/developer/webhooks/deliveries/{id}/retry", name: "retryDelivery", section: "4.5.9",
		summary: "Attempt a delivery now", scope: "write:webhooks",
		answer: data(func(w *apijson.Writer) { records.WriteDelivery(w, "data", &records.SampleDelivery) }), serve: (*API).retryDelivery},
	{method: "POST", path: "/api/v1/developer/webhooks/deliveries/retry", name: "retryFailedDeliveries", section: "4.5.9", errors: []int{404},
		summary: "Attempt failed deliveries once more, or pending ones now", scope: "write:webhooks",
		body: func(o *apijson.Object) { readRetry(o) }, status: http.StatusAccepted,
		answer: data(func(w *apijson.Writer) { writeRetried(w, 12) }), serve: (*API).retryFailedDeliveries},
}

func readTest(o *apijson.Object) string {
	o.Record("TestEndpoint")
	return apijson.Enum(o, "event", false, webhooks.EventNames...).Value
}

// testEndpoint serves POST /api/v1/developer/webhooks/{id}/test: 200 with the delivery; 400, 404, 409.
func (a *API) testEndpoint(r *request) (answer, error) {
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
		return one(http.StatusOK, string(d.ID), func(w *apijson.Writer) { records.WriteDelivery(w, "data", d) }), nil
	})
}

func readDeliveryFilter(q *apijson.Query) (webhooks.Filter, page) {
	p := readPage(q, 20, 100)
	f := webhooks.Filter{Limit: p.Limit, Offset: p.Offset()}
	f.State = apijson.QueryEnum(q, "status", webhooks.States...)
	f.Event = apijson.QueryEnum(q, "event", webhooks.EventNames...)
	f.Resource = q.Text("resourceId")
	f.From, f.To = readTimes(q)
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
		return total, writeRows(r, w, list, func(d *webhooks.Delivery) { records.WriteDelivery(w, "", d) })
	})
}

// getDelivery serves GET /api/v1/developer/webhooks/deliveries/{id}: 200; 404.
func (a *API) getDelivery(r *request) (answer, error) {
	return get(a, r, "delivery", func(tx *db.Tx, delivery id.Delivery) (answer, error) {
		v, err := a.Commerce.ReadDelivery(tx, r.caller, delivery)
		if err != nil {
			return answer{}, err
		}
		detail := records.DeliveryDetail{Tries: v.Tries, Payload: v.Payload, URL: v.Endpoint.URL}
		if n := len(v.Tries); n > 0 {
			detail.Headers = v.Headers(v.Tries[n-1], a.Version)
		}
		if v.Happened != 0 && !v.Readable {
			detail.Payload = withoutData(v.Event, v.Name, v.Happened)
		}
		return one(http.StatusOK, string(v.ID), func(w *apijson.Writer) { records.WriteDeliveryDetail(w, "data", v.Delivery, detail) }), nil
	})
}

// withoutData is the envelope of an event whose data the caller may not read.
func withoutData(event id.Event, name string, at int64) string {
	w := apijson.NewWriter(160)
	records.WriteEvent(w, "", event, name, at, "null")
	return string(w.Bytes())
}

func readAcrossFilter(q *apijson.Query) webhooks.AcrossFilter {
	f := webhooks.AcrossFilter{Endpoint: apijson.QueryID[id.Endpoint](q, "endpointId"),
		State: apijson.QueryEnum(q, "status", webhooks.States...), Event: apijson.QueryEnum(q, "event", webhooks.EventNames...),
		Resource: q.Text("resourceId"), StatusCode: int64(q.Int("statusCode", 0, 0, 999)), Limit: q.Int("limit", 20, 1, 100)}
	f.From, f.To = readTimes(q)
	if text := q.Text("cursor"); text != "" {
		cursor, ok := webhooks.ParseDeliveryCursor(text)
		if !ok {
			q.AddError("cursor", "must be a meta.nextCursor of an earlier page")
		}
		f.After = cursor
	}
	return f
}

// listAllDeliveries serves GET /api/v1/developer/webhooks/deliveries: 200; 400.
func (a *API) listAllDeliveries(r *request) (answer, error) {
	q := r.query()
	f := readAcrossFilter(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	return a.paged(r, func(tx *db.Tx, w *apijson.Writer) error {
		page, err := webhooks.Across(tx, f)
		if err != nil {
			return err
		}
		w.Object("")
		w.List("data")
		if err := writeRows(r, w, page.Deliveries, func(d *webhooks.Delivery) { records.WriteDelivery(w, "", d) }); err != nil {
			return err
		}
		w.EndList()
		writeCursorMeta(w, f.Limit, page.Next.String())
		w.End()
		return nil
	})
}

// writeCursorMeta writes the meta of a list that has a cursor and no pages.
func writeCursorMeta(w *apijson.Writer, limit int, next string) {
	w.Record("CursorMeta", "meta")
	w.Int("limit", int64(limit))
	w.TextOrNull("nextCursor", next)
	w.End()
}

func sampleAcross(w *apijson.Writer) {
	w.List("data")
	records.WriteDelivery(w, "", &records.SampleDelivery)
	w.EndList()
	writeCursorMeta(w, 20, (&webhooks.DeliveryCursor{Position: records.SampleTime, Endpoint: records.SampleEndpoint.ID}).String())
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
		return one(http.StatusOK, string(d.ID), func(w *apijson.Writer) { records.WriteDelivery(w, "data", d) }), nil
	})
}

func readRetry(o *apijson.Object) (endpoint id.Endpoint, state webhooks.State, span commerce.Span) {
	o.Record("RetryDeliveries")
	endpoint = apijson.UUID[id.Endpoint](o, "endpointId", false).Value
	state = apijson.Enum(o, "status", true, webhooks.Failed, webhooks.Pending).Value
	return endpoint, state, drafts.ReadTimes(o, false)
}

// retryFailedDeliveries serves POST /api/v1/developer/webhooks/deliveries/retry: 202; 400, 404.
func (a *API) retryFailedDeliveries(r *request) (answer, error) {
	o := r.object()
	endpoint, state, span := readRetry(o)
	if err := o.Err(); err != nil {
		return answer{}, err
	}
	var planned commerce.RetryPlan
	plan := func(tx *db.Tx) (err error) {
		if state == webhooks.Failed {
			planned, err = a.Commerce.PlanRetries(tx, endpoint, span)
		}
		return err
	}
	_ = a.read(r, plan) // after an error it is planned again in the transaction, which returns the error
	return a.write(r, func(tx *db.Tx) (answer, error) {
		if planned == nil {
			if err := plan(tx); err != nil {
				return answer{}, err
			}
		}
		n, err := a.Commerce.RetryDeliveries(tx, r.caller, endpoint, state, span, planned)
		return one(http.StatusAccepted, string(endpoint), func(w *apijson.Writer) { writeRetried(w, n) }), err
	})
}

func writeRetried(w *apijson.Writer, n int64) {
	w.Record("Retried", "data")
	w.Int("retried", n)
	w.End()
}

// sampleDelivery is a delivery before its first attempt, and after it.
func sampleDelivery(w *apijson.Writer) {
	for _, detail := range []records.DeliveryDetail{{Tries: records.SampleAttempts}, records.SampleDetail} {
		records.WriteDeliveryDetail(w, "data", &records.SampleDelivery, detail)
	}
}

func sampleDeliveries(w *apijson.Writer) {
	sampleList(w, func(w *apijson.Writer) { records.WriteDelivery(w, "", &records.SampleDelivery) })
}
