package api

import (
	"entrepot/internal/apijson"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/limits"
)

// bulkPriceRoutes are the price update of interface §4.2.
var bulkPriceRoutes = []*route{
	{method: "PATCH", path: "/api/v1/sdk/prices/bulk-update", name: "bulkUpdatePrices", section: "4.2", summary: "Update prices",
		access: keyHeader, scope: "write:products",
		rate: &limits.BulkPrices, body: func(o *apijson.Object) { readPrices(o) },
		answer: data(func(w *apijson.Writer) {
			writeUpdated(w, commerce.Updated{Updated: 1, NotFound: 1, Errors: sampleItemErrors()})
		}), serve: (*API).updatePrices},
}

// readPrices reads the body: the valid items and the rejected ones.
func readPrices(o *apijson.Object) commerce.PriceUpdate {
	o.Record("UpdatePrices")
	list := []catalog.PriceDraft{}
	var faults []commerce.ItemError
	o.List("updates", apijson.List{Required: true, Min: 1, Max: limits.MaxUpdates, Apart: true}, func(i int, item *apijson.Object) {
		item.Record("PriceUpdate")
		d := catalog.PriceDraft{
			Index:     i,
			SKU:       item.Text("sku", apijson.Text{Required: true}).Value,
			Price:     item.Money("price", apijson.Money{Required: true}).Value,
			CompareAt: item.Money("compareAtPrice", apijson.Money{}),
		}
		if wrong := item.Errors(); len(wrong) > 0 {
			faults = append(faults, drafts.ItemError(i, item.Said("sku"), wrong))
			return
		}
		list = append(list, d)
	})
	return commerce.NewPriceUpdate(list, faults)
}

// updatePrices serves PATCH /api/v1/sdk/prices/bulk-update: 200; 400.
func (a *API) updatePrices(r *request) (answer, error) {
	body := r.object()
	update := readPrices(body)
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	return bulk(a, r, a.Commerce.UpdatePrices(update),
		func(tx *db.Tx, p *commerce.PricePlan) error { p.Apply(tx); return nil },
		func(p *commerce.PricePlan) answer { return updatedAnswer(p.Updated) })
}
