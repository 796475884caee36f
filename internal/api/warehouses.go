package api

import (
	"cmp"
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/records"
	"entrepot/internal/stock"
)

// warehouseRoutes are interface §4.5.3.
var warehouseRoutes = []*route{
	{method: "GET", path: "/api/v1/warehouses", name: "listWarehouses", section: "4.5.3", summary: "List warehouses", scope: "read:inventory",
		query: func(q *apijson.Query) { readPage(q, maxInventoryPage, maxInventoryPage) },
		answer: func(w *apijson.Writer) {
			sampleList(w, func(w *apijson.Writer) { records.WriteWarehouse(w, "", records.SampleWarehouse()) })
		}, serve: (*API).listWarehouses},
	{method: "POST", path: "/api/v1/warehouses", name: "createWarehouse", section: "4.5.3", summary: "Create a warehouse",
		scope: "write:inventory", status: http.StatusCreated,
		body: func(o *apijson.Object) { drafts.ReadWarehouse(o, drafts.ToCreate) }, answer: data(sampleWarehouseData),
		serve: (*API).createWarehouse},
	{method: "GET", path: "/api/v1/warehouses/{id}", name: "getWarehouse", section: "4.5.3", summary: "Read a warehouse",
		scope: "read:inventory", answer: data(sampleWarehouseData), serve: (*API).getWarehouse},
	{method: "PATCH", path: "/api/v1/warehouses/{id}", name: "updateWarehouse", put: "putWarehouse", ifMatch: true, section: "4.5.3",
		summary: "Change a warehouse", scope: "write:inventory",
		body: func(o *apijson.Object) { drafts.ReadWarehouse(o, drafts.ToUpdate) }, answer: data(sampleWarehouseData),
		serve: (*API).updateWarehouse},
	{method: "DELETE", path: "/api/v1/warehouses/{id}", name: "deleteWarehouse", ifMatch: true, section: "4.5.3",
		summary: "Delete a warehouse", errors: []int{409}, scope: "write:inventory",
		answer: data(func(w *apijson.Writer) { writeDeleted(w, records.SampleWarehouse().ID, nil) }), serve: (*API).deleteWarehouse},
}

// listWarehouses serves GET /api/v1/warehouses: 200, oldest first; 400.
func (a *API) listWarehouses(r *request) (answer, error) {
	q := r.query()
	p := readPage(q, maxInventoryPage, maxInventoryPage)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	return listFew(a, r, p, func(tx *db.Tx) ([]stock.Warehouse, int64, error) { return stock.Warehouses(tx, p.Limit, p.Offset()) },
		func(w *apijson.Writer, s *stock.Warehouse) { records.WriteWarehouse(w, "", *s) })
}

// getWarehouse serves GET /api/v1/warehouses/{id}: 200; 404.
func (a *API) getWarehouse(r *request) (answer, error) {
	return get(a, r, "warehouse", func(tx *db.Tx, warehouse id.Warehouse) (answer, error) {
		s, err := stock.WarehouseByID(tx, warehouse)
		return warehouseAnswer(http.StatusOK, s), err
	})
}

func warehouseAnswer(status int, s stock.Warehouse) answer {
	return one(status, string(s.ID), func(w *apijson.Writer) { records.WriteWarehouse(w, "data", s) })
}

// createWarehouse serves POST /api/v1/warehouses: 201; 400, 409.
func (a *API) createWarehouse(r *request) (answer, error) {
	body := r.object()
	draft := drafts.ReadWarehouse(body, drafts.ToCreate)
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		s, err := a.Commerce.CreateWarehouse(tx, r.caller, draft)
		if err != nil {
			return answer{}, err
		}
		return warehouseAnswer(http.StatusCreated, s), nil
	})
}

// updateWarehouse serves PATCH and PUT /api/v1/warehouses/{id}: 200; 400, 404, 409, 412.
func (a *API) updateWarehouse(r *request) (answer, error) {
	body := r.object()
	draft := drafts.ReadWarehouse(body, drafts.ToUpdate)
	return change(a, r, "warehouse", body, func(tx *db.Tx, warehouse id.Warehouse, expected commerce.Expected) (answer, error) {
		s, err := a.Commerce.UpdateWarehouse(tx, r.caller, warehouse, expected, draft)
		return warehouseAnswer(http.StatusOK, s), err
	})
}

// deleteWarehouse serves DELETE /api/v1/warehouses/{id}: 200; 404, 409, 412.
func (a *API) deleteWarehouse(r *request) (answer, error) {
	which, err := pathID[id.Warehouse](r, "id", "warehouse")
	if err == nil {
		err = a.Commerce.EmptyWarehouse(r.ctx(), a.store(r), r.caller.Tenant, which, r.expected(nil))
	}
	if err != nil {
		return answer{}, err
	}
	out, err := change(a, r, "warehouse", nil, func(tx *db.Tx, warehouse id.Warehouse, expected commerce.Expected) (answer, error) {
		return deleted(warehouse, nil), a.Commerce.DeleteWarehouse(tx, r.caller, warehouse, expected)
	})
	return out, cmp.Or(err, a.Commerce.FinishWarehouse(r.ctx(), a.store(r), r.caller.Tenant, which))
}

func sampleWarehouseData(w *apijson.Writer) {
	records.WriteWarehouse(w, "data", records.SampleWarehouse())
}
