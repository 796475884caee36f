package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/records"
)

// orderTagRoutes are the tags of several orders, interface §4.1.
var orderTagRoutes = []*route{
	{method: "POST", path: "/api/v1/orders/bulk-tag", name: "bulkTagOrders", section: "4.1",
		summary: "Tag several orders, or assign them to a user", scope: "write:orders", errors: []int{404},
		body: func(o *apijson.Object) { drafts.ReadBulkTag(o) },
		answer: data(func(w *apijson.Writer) {
			writeBulkTagged(w, 1, []commerce.TagError{{Index: 1, Order: records.SampleID[id.Order](295), Code: "not_found",
				Error: "order not found"}})
		}), serve: (*API).bulkTagOrders},
}

// bulkTagOrders serves POST /api/v1/orders/bulk-tag: 200; 400, 404 for an unknown user.
func (a *API) bulkTagOrders(r *request) (answer, error) {
	body := r.object()
	list, tagging := drafts.ReadBulkTag(body)
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		tagged, failed, err := a.Commerce.TagOrders(tx, r.caller, list, tagging)
		if err != nil {
			return answer{}, err
		}
		return one(http.StatusOK, "", func(w *apijson.Writer) { writeBulkTagged(w, tagged, failed) }), nil
	})
}

// writeBulkTagged writes how many orders were tagged, and why the others were not.
func writeBulkTagged(w *apijson.Writer, tagged int, failed []commerce.TagError) {
	w.Record("BulkTagged", "data")
	w.Int("tagged", int64(tagged))
	w.List("errors")
	for _, e := range failed {
		w.Record("TagError", "")
		apijson.ID(w, "orderId", e.Order)
		w.Text("error", e.Error)
		w.Text("code", e.Code)
		w.Int("index", int64(e.Index))
		w.End()
	}
	w.EndList()
	w.End()
}
