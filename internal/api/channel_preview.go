package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
)

// channelPreviewRoutes say what a change of settings would do (interface §4.5.7).
var channelPreviewRoutes = []*route{
	{method: "POST", path: "/api/v1/channels/{id}/settings/preview", name: "previewChannelSettings", section: "4.5",
		summary: "Count what a change of a channel's settings would do", scope: "write:channels",
		body:   func(o *apijson.Object) { drafts.ReadSettingsPreview(o) },
		answer: data(samplePreview), serve: (*API).previewChannelSettings},
}

// previewChannelSettings serves POST /api/v1/channels/{id}/settings/preview: 200; 400, 404.
func (a *API) previewChannelSettings(r *request) (answer, error) {
	channel, err := pathID[id.Channel](r, "id", "channel")
	if err != nil {
		return answer{}, err
	}
	o := r.object()
	settings := drafts.ReadSettingsPreview(o)
	if err := o.Err(); err != nil {
		return answer{}, a.missingFirst(r, (*API).getChannel, err)
	}
	var found commerce.SettingsPreview
	err = a.read(r, func(tx *db.Tx) (err error) {
		found, err = a.Commerce.PreviewSettings(tx, r.caller, channel, settings)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	return a.write(r, func(*db.Tx) (answer, error) { // only the answer is stored, for the Idempotency-Key
		return one(http.StatusOK, string(channel), func(w *apijson.Writer) { writePreview(w, found) }), nil
	})
}

func writePreview(w *apijson.Writer, p commerce.SettingsPreview) {
	w.Record("SettingsPreview", "data")
	apijson.Texts(w, "changed", p.Changed)
	apijson.Texts(w, "notCounted", p.NotCounted)
	w.Int("skus", p.SKUs)
	w.Bool("partial", p.Partial)
	w.Object("stock")
	w.Int("changed", p.Stock)
	w.Int("soldOut", p.SoldOut)
	w.Int("notSent", p.Kept)
	w.List("samples")
	for _, s := range p.Stocks {
		w.Object("")
		w.Text("sku", s.SKU)
		w.IntOrNull("before", s.Before)
		w.IntOrNull("after", s.After)
		w.End()
	}
	w.EndList()
	w.End()
	w.Object("prices")
	w.Int("changed", p.Prices)
	w.List("samples")
	for _, s := range p.Priced {
		w.Object("")
		w.Text("sku", s.SKU)
		w.Money("before", s.Before)
		w.Money("after", s.After)
		w.End()
	}
	w.EndList()
	w.End()
	w.IntOrNull("ordersBefore", p.Older)
	w.End()
}

// samplePreview is the answer to a larger stockBuffer, price factor and ordersFrom.
func samplePreview(w *apijson.Writer) {
	writePreview(w, commerce.SettingsPreview{Changed: []string{"ordersFrom", "priceFactor", "stockBuffer", "unpublish"},
		NotCounted: []string{"unpublish"}, SKUs: 1000, Stock: 612, SoldOut: 14, Prices: 980, Older: new(int64(3)),
		Stocks: []commerce.StockSample{{SKU: "MUG-BLUE", Before: new(int64(7)), After: new(int64(4))}},
		Priced: []commerce.PriceSample{{SKU: "MUG-BLUE", Before: 125000, After: 137500}}})
}
