package dashboard

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"entrepot/internal/apperr"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/money"
	"entrepot/internal/orders"
)

// sumOrders serves GET /orders/sums: what the orders that are ticked in the list come to, by currency, and how many of their units are to
// ship. Of all that match a filter it gives nothing.
func (d *Dashboard) sumOrders(r *request) (answer, error) {
	sent := r.http.URL.Query()
	var list []orders.Order
	if sent.Get("all") == "" {
		ticked, err := r.tickedIDs(sent, commerce.MaxBulkOrders)
		if err != nil {
			return answer{}, err
		}
		err = r.read(func(tx *db.Tx) (err error) {
			list, err = orders.ByIDs(tx, ticked)
			return err
		})
		if err != nil {
			return answer{}, err
		}
	}
	return show(screen{Template: "orders_sums", Title: "Selected orders", Section: "/orders", Data: r.format.sumOf(list)}), nil
}

// sumOf is what orders come to: "€25.00 + ¥2,400, 6 units to ship".
func (f format) sumOf(list []orders.Order) string {
	sums, left := map[string]money.Total{}, int64(0)
	for i := range list {
		o := &list[i]
		sums[o.Currency] = sums[o.Currency].Plus(money.TotalOf(int64(o.Total), 0))
		left += leftToShip(o.Status, o.Units())
	}
	var words []string
	for _, currency := range slices.Sorted(maps.Keys(sums)) {
		words = append(words, f.Total(sums[currency], currency))
	}
	out := strings.Join(words, " + ")
	if left > 0 {
		out += ", " + f.plural(left, "unit", "units") + " to ship"
	}
	return out
}

// leftToShip are the units of an order that are still to be shipped.
func leftToShip(status orders.Status, units orders.Units) int64 {
	switch status {
	case orders.Pending, orders.Processing, orders.PartiallyShipped:
		return units.Ordered - units.Shipped
	}
	return 0
}

// tickedIDs are the ids of the orders that a form names one by one. Errors: Invalid for what is no id, or for more than most.
func (r *request) tickedIDs(sent url.Values, most int) (list []id.Order, err error) {
	for _, text := range tickedOrders(sent) {
		order, ok := id.Parse[id.Order](text)
		if !ok {
			return nil, apperr.New(apperr.Invalid, "invalid_ids", "an order that was chosen cannot be read")
		}
		list = append(list, order)
	}
	if len(list) > most {
		return nil, r.tooMany(most)
	}
	return list, nil
}
