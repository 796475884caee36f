package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/records"
)

// attributeRoutes are interface §4.5.4.
var attributeRoutes = []*route{
	{method: "GET", path: "/api/v1/attributes", name: "listAttributes", section: "4.5.4", summary: "List attributes", scope: "read:attributes",
		query: func(q *apijson.Query) { readPage(q, 20, 250) }, answer: func(w *apijson.Writer) {
			sampleList(w, func(w *apijson.Writer) { records.WriteAttribute(w, "", records.SampleAttribute()) })
		}, serve: (*API).listAttributes},
	{method: "POST", path: "/api/v1/attributes", name: "createAttribute", section: "4.5.4", summary: "Create an attribute",
		scope: "write:attributes", status: http.StatusCreated,
		body: func(o *apijson.Object) { drafts.ReadAttribute(o, drafts.ToCreate) }, answer: sampleAttributeAnswer, serve: (*API).createAttribute},
	{method: "GET", path: "/api/v1/attributes/{id}", name: "getAttribute", section: "4.5.4", summary: "Read an attribute",
		scope:  "read:attributes",
		answer: sampleAttributeAnswer, serve: (*API).getAttribute},
	{method: "PATCH", path: "/api/v1/attributes/{id}", name: "updateAttribute", put: "putAttribute", ifMatch: true, section: "4.5.4",
		summary: "Change an attribute", scope: "write:attributes",
		body: func(o *apijson.Object) { drafts.ReadAttribute(o, drafts.ToUpdate) }, answer: sampleAttributeAnswer, serve: (*API).updateAttribute},
	{method: "DELETE", path: "/api/v1/attributes/{id}", name: "deleteAttribute", ifMatch: true, section: "4.5.4",
		summary: "Delete an attribute", scope: "write:attributes",
		answer: data(func(w *apijson.Writer) { writeDeleted(w, records.SampleAttribute().ID, nil) }), serve: (*API).deleteAttribute},
}

func sampleAttributeAnswer(w *apijson.Writer) {
	data(func(w *apijson.Writer) { records.WriteAttribute(w, "data", records.SampleAttribute()) })(w)
}

func attributeAnswer(status int, a catalog.Attribute) answer {
	return one(status, string(a.ID), func(w *apijson.Writer) { records.WriteAttribute(w, "data", a) })
}

// createAttribute serves POST /api/v1/attributes: 201; 400, 409.
func (a *API) createAttribute(r *request) (answer, error) {
	body := r.object()
	draft := drafts.ReadAttribute(body, drafts.ToCreate)
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		made, err := a.Commerce.CreateAttribute(tx, r.caller, draft)
		return attributeAnswer(http.StatusCreated, made), err
	})
}

// updateAttribute serves PATCH and PUT /api/v1/attributes/{id}: 200; 400, 404, 409, 412.
func (a *API) updateAttribute(r *request) (answer, error) {
	body := r.object()
	draft := drafts.ReadAttribute(body, drafts.ToUpdate)
	return change(a, r, "attribute", body, func(tx *db.Tx, attribute id.Attribute, expected commerce.Expected) (answer, error) {
		updated, err := a.Commerce.UpdateAttribute(tx, r.caller, attribute, expected, draft)
		return attributeAnswer(http.StatusOK, updated), err
	})
}

// getAttribute serves GET /api/v1/attributes/{id}: 200; 404.
func (a *API) getAttribute(r *request) (answer, error) {
	return get(a, r, "attribute", func(tx *db.Tx, which id.Attribute) (answer, error) {
		attribute, err := catalog.AttributeByID(tx, which)
		return attributeAnswer(http.StatusOK, attribute), err
	})
}

// deleteAttribute serves DELETE /api/v1/attributes/{id}: 200; 404, 412.
func (a *API) deleteAttribute(r *request) (answer, error) {
	return change(a, r, "attribute", nil, func(tx *db.Tx, attribute id.Attribute, expected commerce.Expected) (answer, error) {
		return deleted(attribute, nil), a.Commerce.DeleteAttribute(tx, r.caller, attribute, expected)
	})
}

// listAttributes serves GET /api/v1/attributes: 200; 400.
func (a *API) listAttributes(r *request) (answer, error) {
	q := r.query()
	p := readPage(q, 20, 250)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	return a.list(r, p, func(tx *db.Tx, w *apijson.Writer) (int64, error) {
		list, total, err := catalog.ListAttributes(tx, p.Limit, p.Offset())
		if err != nil {
			return 0, err
		}
		return total, writeRows(r, w, list, func(attribute *catalog.Attribute) { records.WriteAttribute(w, "", *attribute) })
	})
}
