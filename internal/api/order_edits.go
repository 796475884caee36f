package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/records"
)

// orderEditRoutes are the changes of an order other than of its status (interface §4.1).
var orderEditRoutes = []*route{
	{method: "GET", path: "/api/v1/orders/{id}/edits", name: "listOrderEdits", section: "4.1", summary: "List what was changed of an order",
		scope: "read:orders", answer: func(w *apijson.Writer) { writeOrderEdits(w, records.SampleOrderEdits()) }, serve: (*API).listOrderEdits},
}

// listOrderEdits serves GET /api/v1/orders/{id}/edits: 200, oldest first; 404.
func (a *API) listOrderEdits(r *request) (answer, error) {
	order, err := pathID[id.Order](r, "id", "order")
	if err != nil {
		return answer{}, err
	}
	var list []orders.Edited
	err = a.read(r, func(tx *db.Tx) error {
		if err := orders.Exists(tx, order); err != nil {
			return err
		}
		list, err = orders.Edits(tx, order)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	w := apijson.NewWriter(1024)
	writeOrderEdits(w, list)
	return answer{status: http.StatusOK, body: w.Bytes()}, nil
}

func writeOrderEdits(w *apijson.Writer, list []orders.Edited) {
	writeWhole(w, list, func(e orders.Edited) { records.WriteOrderEdit(w, &e) })
}
