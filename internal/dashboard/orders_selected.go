package dashboard

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
)

// sumOrders serves GET /orders/sums: what the orders that are ticked in the list come to, by currency, and how many
// of their units are to ship. Of all that match a filter it gives nothing.
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

// sumOf is the sum of orders: "€25.00 + ¥2,400, 6 units to ship".
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
		out += f.say(", %s to ship", f.plural(left, "unit", "units"))
	}
	return out
}

// leftToShip are the units that are to ship of an order that is released to ship, as the view, the counts and the badges of orders mean it.
func leftToShip(status orders.Status, units orders.Units) int64 {
	switch status {
	case orders.Processing, orders.PartiallyShipped:
		return units.Ordered - units.Shipped
	}
	return 0
}

// tickedIDs are the ids of the orders that a form names one by one. Errors: Invalid for what is no id, or for more
// than most.
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

// until is the hidden input with the time of the list's page, in microseconds since 1970 UTC.
const until = "until"

// chosenOrders are the orders that a form of the list names: those whose ids it has, or all that match its filter and
// were placed when its page was made. Errors: Invalid for more than most.
func (r *request) chosenOrders(tx *db.Tx, sent url.Values, most int) (list []jobs.Order, err error) {
	if sent.Get("all") == "" && len(tickedOrders(sent)) > 0 {
		chosen, err := r.tickedIDs(sent, most)
		if err != nil {
			return nil, err
		}
		whole, err := orders.ByIDs(tx, chosen)
		for i := range whole {
			list = append(list, jobs.Order{ID: whole[i].ID, Number: whole[i].Number})
		}
		return list, err
	}
	q, err := r.readOrders(sent)
	if err != nil {
		return nil, err
	}
	if shown, err := strconv.ParseInt(sent.Get(until), 10, 64); err == nil && (q.To == 0 || shown < q.To) {
		q.To = shown
	}
	err = orders.EachHead(tx, q.Filter, func(page []orders.Order) error {
		for i := range page {
			list = append(list, jobs.Order{ID: page[i].ID, Number: page[i].Number})
		}
		if len(list) > most {
			return r.tooMany(most)
		}
		return nil
	})
	return list, err
}

// tooMany leads back to the list if more orders were chosen than can be, and says so there.
func (q orderList) tooMany(err error) (out answer, many bool) {
	e, _ := apperr.As(err)
	if !errors.Is(err, errTooMany) {
		return answer{}, false
	}
	return answer{to: q.first(), flash: &flash{Tone: "warn", Text: said(e)}}, true
}

// errTooMany marks the error for more orders than can be chosen at once.
var errTooMany = errors.New("too many orders")

func (r *request) tooMany(most int) error {
	return fmt.Errorf("%w: %w", errTooMany, apperr.New(apperr.Invalid, "validation_failed",
		"more than %s orders are chosen; choose fewer with a filter", r.format.Count(int64(most))))
}

// tickedOrders are the ids that a form holds, one by one (id) or joined by commas (ids).
func tickedOrders(sent url.Values) []string {
	return nonEmpty(append(slices.Clone(sent["id"]), strings.Split(sent.Get("ids"), ",")...))
}
