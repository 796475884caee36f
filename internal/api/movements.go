package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/records"
	"entrepot/internal/stock"
)

// movementRoutes are the ledger, and callers' movements and transfers (interface §4.5.5).
var movementRoutes = []*route{
	{method: "GET", path: "/api/v1/inventory/{sku}/ledger", name: "listStockMovements", section: "4.5.5",
		summary: "List what moved the stock of a SKU", scope: "read:inventory",
		query:  func(q *apijson.Query) { readLedgerFilter(q) },
		answer: func(w *apijson.Writer) { writeLedger(w, records.SampleMovements(), page{1, 20}, 1) }, serve: (*API).listStockMovements},
	{method: "POST", path: "/api/v1/inventory/movements", name: "createStockMovement", section: "4.5.5", errors: []int{404},
		summary: "Move stock", scope: "write:inventory", status: http.StatusCreated,
		body: func(o *apijson.Object) { drafts.ReadMovement(o) }, answer: data(func(w *apijson.Writer) {
			for _, m := range records.SampleMovements() {
				records.WriteMovement(w, "data", m)
			}
		}), serve: (*API).createStockMovement},
	{method: "POST", path: "/api/v1/inventory/transfers", name: "transferStock", section: "4.5.5", errors: []int{404},
		summary: "Transfer stock between warehouses", scope: "write:inventory", status: http.StatusCreated,
		body:   func(o *apijson.Object) { drafts.ReadTransfer(o) },
		answer: data(func(w *apijson.Writer) { writeTransfer(w, records.SampleMovements()) }),
		serve:  (*API).transferStock},
}

func readLedgerFilter(q *apijson.Query) (warehouse string, p page) {
	return q.Text("warehouseCode"), readPage(q, inventoryPage, maxInventoryPage)
}

// listStockMovements serves GET /api/v1/inventory/{sku}/ledger: 200, newest first; 400, 404.
func (a *API) listStockMovements(r *request) (answer, error) {
	q := r.query()
	warehouse, p := readLedgerFilter(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	var list []stock.Movement
	var total int64
	err := a.read(r, func(tx *db.Tx) error {
		sku := r.http.PathValue("sku")
		item, err := sellable(sku, catalog.PrefetchResolve(tx, []string{sku}))
		if err == nil {
			list, total, err = stock.Ledger(tx, item.SKU, warehouse, p.Limit, p.Offset())
		}
		return err
	})
	if err != nil {
		return answer{}, err
	}
	w := apijson.NewWriter(256 + 360*len(list))
	writeLedger(w, list, p, total)
	return answer{status: http.StatusOK, body: w.Bytes()}, nil
}

func writeLedger(w *apijson.Writer, list []stock.Movement, p page, total int64) {
	w.Object("")
	w.List("data")
	for _, m := range list {
		records.WriteMovement(w, "", m)
	}
	w.EndList()
	writeMeta(w, p, total, nil)
	w.End()
}

// createStockMovement serves POST /api/v1/inventory/movements: 201 with the ledger row; 400, 404.
func (a *API) createStockMovement(r *request) (answer, error) {
	body := r.object()
	in := drafts.ReadMovement(body)
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		m, err := a.Commerce.MoveStock(tx, r.caller, in)
		if err != nil {
			return answer{}, err
		}
		return one(http.StatusCreated, string(m.ID), func(w *apijson.Writer) { records.WriteMovement(w, "data", m) }), nil
	})
}

// transferStock serves POST /api/v1/inventory/transfers: 201 with both ledger rows; 400, 404, 409.
func (a *API) transferStock(r *request) (answer, error) {
	body := r.object()
	in := drafts.ReadTransfer(body)
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		ledger, err := a.Commerce.TransferStock(tx, r.caller, in)
		if err != nil {
			return answer{}, err
		}
		return one(http.StatusCreated, string(ledger[0].ID), func(w *apijson.Writer) { writeTransfer(w, ledger) }), nil
	})
}

func writeTransfer(w *apijson.Writer, ledger []stock.Movement) {
	w.Record("StockTransfer", "data")
	w.List("movements")
	for _, m := range ledger {
		records.WriteMovement(w, "", m)
	}
	w.EndList()
	w.End()
}
