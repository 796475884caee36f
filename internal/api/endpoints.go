package api

import (
	"net/http"
	"time"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// endpointRoutes are interface §4.5.9: webhook endpoints.
var endpointRoutes = []*route{
	{method: "GET", path: "/api/v1/developer/webhooks", name: "listEndpoints", section: "4.5.9", summary: "List webhook endpoints",
		scope: "read:webhooks",
		query: func(q *apijson.Query) { readPage(q, 20, 100) }, answer: sampleEndpoints, serve: (*API).listEndpoints},
	{method: "POST", path: "/api/v1/developer/webhooks", name: "createEndpoint", section: "4.5.9",
		summary: "Make a webhook endpoint; its secret is shown this once", scope: "write:webhooks", secret: true,
		body: func(o *apijson.Object) { drafts.ReadEndpoint(o) }, status: http.StatusCreated,
		answer: data(func(w *apijson.Writer) { records.WriteEndpoint(w, "data", &records.SampleEndpoint, "whsec_…") }),
		serve:  (*API).createEndpoint},
	{method: "GET", path: "/api/v1/developer/webhooks/{id}", name: "getEndpoint", section: "4.5.9",
		summary: "Read a webhook endpoint, without its secret", scope: "read:webhooks",
		answer: data(func(w *apijson.Writer) { records.WriteEndpoint(w, "data", &records.SampleEndpoint, "") }), serve: (*API).getEndpoint},
	{method: "PATCH", path: "/api/v1/developer/webhooks/{id}", name: "updateEndpoint", put: "putEndpoint", ifMatch: true, section: "4.5.9",
		summary: "Change, pause or activate a webhook endpoint", scope: "write:webhooks",
		body:   func(o *apijson.Object) { drafts.ReadEndpointChange(o) },
		answer: data(func(w *apijson.Writer) { records.WriteEndpoint(w, "data", &records.SampleEndpoint, "") }), serve: (*API).updateEndpoint},
	{method: "DELETE", path: "/api/v1/developer/webhooks/{id}", name: "deleteEndpoint", ifMatch: true, section: "4.5.9",
		summary: "Remove a webhook endpoint with what waits for it", scope: "write:webhooks",
		answer: data(func(w *apijson.Writer) { writeDeleted(w, records.SampleEndpoint.ID, nil) }), serve: (*API).deleteEndpoint},
	{method: "POST", path: "/api/v1/developer/webhooks/{id}/rotate-secret", name: "rotateEndpointSecret", section: "4.5.9",
		summary: "Replace the signing secret; the old one signs too for a time", scope: "write:webhooks", secret: true,
		body: func(o *apijson.Object) { readGrace(o) }, optional: true, answer: data(sampleRotation), serve: (*API).rotateEndpointSecret},
}

// createEndpoint serves POST /api/v1/developer/webhooks: 201; 400, 409.
func (a *API) createEndpoint(r *request) (answer, error) {
	o := r.object()
	draft := drafts.ReadEndpoint(o)
	if err := a.vet(r, o, draft.URL); err != nil {
		return answer{}, err
	}
	return a.writeSecret(r, func(tx *db.Tx) (answer, error) {
		e, secret, err := a.Commerce.CreateEndpoint(tx, r.caller, draft)
		if err != nil {
			return answer{}, err
		}
		return created(e.ID, func(w *apijson.Writer) { records.WriteEndpoint(w, "data", e, secret) }), nil
	})
}

// vet is the 400 for a body with errors or with a URL that endpoints must not have. It resolves the host, so it comes
// before the transaction.
func (a *API) vet(r *request, o *apijson.Object, url *string) error {
	if err := o.Err(); err != nil || url == nil {
		return err
	}
	return a.outside(r, func() error { return a.Commerce.CheckURL(r.ctx(), *url) })
}

// updateEndpoint serves PATCH and PUT /api/v1/developer/webhooks/{id}: 200; 400, 404, 412.
func (a *API) updateEndpoint(r *request) (answer, error) {
	o := r.object()
	draft := drafts.ReadEndpointChange(o)
	if err := a.vet(r, o, draft.URL); err != nil {
		return answer{}, a.missingFirst(r, (*API).getEndpoint, err)
	}
	return change(a, r, "endpoint", o, func(tx *db.Tx, endpoint id.Endpoint, expected commerce.Expected) (answer, error) {
		e, err := a.Commerce.UpdateEndpoint(tx, r.caller, endpoint, expected, draft)
		if err != nil {
			return answer{}, err
		}
		return endpointAnswer(e), nil
	})
}

func endpointAnswer(e *webhooks.Endpoint) answer {
	return one(http.StatusOK, string(e.ID), func(w *apijson.Writer) { records.WriteEndpoint(w, "data", e, "") })
}

// deleteEndpoint serves DELETE /api/v1/developer/webhooks/{id}: 200; 404, 412.
func (a *API) deleteEndpoint(r *request) (answer, error) {
	return change(a, r, "endpoint", nil, func(tx *db.Tx, endpoint id.Endpoint, expected commerce.Expected) (answer, error) {
		return deleted(endpoint, nil), a.Commerce.DeleteEndpoint(tx, r.caller, endpoint, expected)
	})
}

// getEndpoint serves GET /api/v1/developer/webhooks/{id}: 200; 404.
func (a *API) getEndpoint(r *request) (answer, error) {
	return get(a, r, "endpoint", func(tx *db.Tx, endpoint id.Endpoint) (answer, error) {
		e, err := webhooks.ByID(tx, endpoint)
		if err != nil {
			return answer{}, err
		}
		return endpointAnswer(e), nil
	})
}

// listEndpoints serves GET /api/v1/developer/webhooks: 200; 400.
func (a *API) listEndpoints(r *request) (answer, error) {
	q := r.query()
	p := readPage(q, 20, 100)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	return listFew(a, r, p, func(tx *db.Tx) ([]webhooks.Endpoint, int64, error) {
		return webhooks.Endpoints(tx, p.Limit, p.Offset())
	},
		func(w *apijson.Writer, e *webhooks.Endpoint) { records.WriteEndpoint(w, "", e, "") })
}

// readGrace reads for how long a replaced secret is used as well.
func readGrace(o *apijson.Object) time.Duration {
	o.Record("RotateSecret")
	seconds := o.Int("graceSeconds", apijson.Int{Max: int64(commerce.MaxGrace / time.Second)})
	return time.Duration(seconds.Or(int64(commerce.UsualGrace/time.Second))) * time.Second
}

// maybe starts reading an optional body.
func (r *request) maybe() *apijson.Object {
	if r.body == nil {
		return apijson.Read(emptyBody)
	}
	return r.object()
}

var emptyBody, _ = jsonvalue.Parse([]byte("{}"))

// rotateEndpointSecret serves POST /api/v1/developer/webhooks/{id}/rotate-secret: 200; 400, 404.
func (a *API) rotateEndpointSecret(r *request) (answer, error) {
	endpoint, err := pathID[id.Endpoint](r, "id", "endpoint")
	if err != nil {
		return answer{}, err
	}
	o := r.maybe()
	grace := readGrace(o)
	if err := o.Err(); err != nil {
		return answer{}, err
	}
	return a.writeSecret(r, func(tx *db.Tx) (answer, error) {
		e, secret, err := a.Commerce.RotateEndpoint(tx, r.caller, endpoint, grace)
		if err != nil {
			return answer{}, err
		}
		return one(http.StatusOK, string(e.ID), func(w *apijson.Writer) { records.WriteEndpointRotation(w, e, secret) }), nil
	})
}

func sampleEndpoints(w *apijson.Writer) {
	sampleList(w, func(w *apijson.Writer) { records.WriteEndpoint(w, "", &records.SampleEndpoint, "") })
}

func sampleRotation(w *apijson.Writer) {
	records.WriteEndpointRotation(w, &records.SampleEndpoint, "whsec_…")
}
