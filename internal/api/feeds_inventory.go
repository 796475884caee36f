package api

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/db"
	"entrepot/internal/records"
	"entrepot/internal/stock"
)

// inventoryFeedRoutes are the change feed of stock levels (interface §4.3).
var inventoryFeedRoutes = []*route{
	{method: "GET", path: "/api/v1/sdk/inventory/changes", name: "listInventoryChanges", section: "4.3", summary: "Stock levels that changed",
		access: keyHeader, scope: "read:inventory",
		query: func(q *apijson.Query) { readFeed(q) }, answer: func(w *apijson.Writer) {
			sampleFeed(w, func(w *apijson.Writer, deleted bool) {
				records.WriteChangedLevel(w, &records.SampleLevels()[0], deleted)
			})
		}, serve: (*API).listInventoryChanges},
}

// levelFeed counts the feed's items.
type levelFeed struct{}

func (levelFeed) Newest(tx *db.Tx) (int64, error) { return stock.Newest(tx) }

func (levelFeed) Count(tx *db.Tx, since, until int64) (int64, error) {
	return stock.Count(tx, since, until)
}

func (levelFeed) Tombstones(tx *db.Tx, since int64) (int64, error) {
	return stock.Tombstones(tx, since)
}

func (levelFeed) All(tx *db.Tx) (int64, error) { return stock.All(tx) }

// listInventoryChanges serves GET /api/v1/sdk/inventory/changes: 200; 400.
func (a *API) listInventoryChanges(r *request) (answer, error) {
	return a.feed(r, "inventory", levelFeed{}, func(tx *db.Tx, p feedPage, w *apijson.Writer) (int, bool, int64, error) {
		return stock.Changes(tx, p.Since, p.Limit, p.Deleted, func(l *stock.Row) { records.WriteChangedLevel(w, l, p.Deleted) })
	})
}
