package api

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/limits"
)

// bulkPriceRoutes are the price update of interface §4.2.
var bulkPriceRoutes = []*route{
	{method: "PATCH", path: "/api/v1/sdk/prices/bulk-update", name: "bulkUpdatePrices", section: "4.2", summary: "Update prices",
		access: keyHeader, scope: "write:products",
		rate: &limits.BulkPrices, body: func(o *apijson.Object) { drafts.ReadPrices(o) },
		answer: data(sampleUpdated), serve: (*API).bulkUpdatePrices},
}

// bulkUpdatePrices serves PATCH /api/v1/sdk/prices/bulk-update: 200; 400.
func (a *API) bulkUpdatePrices(r *request) (answer, error) {
	body := r.object()
	update := drafts.ReadPrices(body)
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	if err := a.read(r, update.Group); err != nil {
		return answer{}, err
	}
	return bulk(a, r, a.Commerce.UpdatePrices(update),
		func(tx *db.Tx, p *commerce.PricePlan) error { p.Apply(tx); return nil },
		func(p *commerce.PricePlan) answer { return updatedAnswer(p.Updated) })
}
