package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/limits"
)

// bulkInventoryRoutes are the stock update of interface §4.2, and that of thresholds (§4.5).
var bulkInventoryRoutes = []*route{
	{method: "PATCH", path: "/api/v1/sdk/inventory/bulk-update", name: "bulkUpdateInventory", section: "4.2", summary: "Update stock",
		access: keyHeader, scope: "write:inventory",
		rate: &limits.BulkInventory, body: func(o *apijson.Object) { drafts.ReadStock(o, "quantity") },
		answer: data(sampleUpdated), serve: (*API).bulkUpdateInventory},
	{method: "PATCH", path: "/api/v1/inventory/thresholds", name: "setStockThresholds", section: "4.5.5", summary: "Set stock thresholds",
		scope: "write:inventory",
		body:  func(o *apijson.Object) { drafts.ReadStock(o, "threshold") }, answer: data(sampleUpdated),
		serve: (*API).setStockThresholds},
}

func sampleUpdated(w *apijson.Writer) {
	writeUpdated(w, commerce.Updated{Updated: 1, NotFound: 1, Errors: sampleItemErrors()})
}

// bulkUpdateInventory serves PATCH /api/v1/sdk/inventory/bulk-update: 200; 400.
func (a *API) bulkUpdateInventory(r *request) (answer, error) {
	body := r.object()
	update := drafts.ReadStock(body, "quantity")
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	return a.updateLevels(r, a.Commerce.UpdateInventory(r.caller, update))
}

// updateLevels stores a bulk update of levels in pieces, and answers with the outcome of all.
func (a *API) updateLevels(r *request, update *commerce.Bulk[*commerce.StockPlan]) (answer, error) {
	return bulk(a, r, update,
		func(tx *db.Tx, p *commerce.StockPlan) error {
			_, err := p.Apply(tx, r.caller)
			return err
		},
		func(p *commerce.StockPlan) answer { return updatedAnswer(p.Updated) })
}

// setStockThresholds serves PATCH /api/v1/inventory/thresholds: 200; 400.
func (a *API) setStockThresholds(r *request) (answer, error) {
	body := r.object()
	update := drafts.ReadStock(body, "threshold")
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	return a.updateLevels(r, a.Commerce.UpdateThresholds(r.caller, update))
}

func updatedAnswer(out commerce.Updated) answer {
	return one(http.StatusOK, "", func(w *apijson.Writer) { writeUpdated(w, out) })
}
