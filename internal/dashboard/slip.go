package dashboard

import (
	"slices"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
)

// maxSlips is how many packing slips are printed at once.
const maxSlips = 100

// slipView is one packing slip: no prices.
type slipView struct {
	Number, Foreign string
	Placed          stamp
	Channel         string
	Address         []string
	Lines           []slipLine
}

type slipLine struct {
	SKU, Name string
	Quantity  string // what remains to be packed; for an order that is completely shipped, what was
}

// slipStatuses are the statuses of orders that have a packing slip.
var slipStatuses = []orders.Status{orders.Pending, orders.Processing, orders.PartiallyShipped, orders.Shipped, orders.Delivered}

// showSlips serves GET /orders/slip: the packing slips of the orders ids, or of the view. Cancelled and returned
// orders have none.
func (d *Dashboard) showSlips(r *request) (answer, error) {
	var list []slipView
	given := r.http.URL.Query()
	err := r.read(func(tx *db.Tx) error {
		chosen, err := r.chosenOrders(tx, given, maxSlips)
		if err != nil {
			return err
		}
		whole, err := orders.ByIDs(tx, ids(chosen))
		for i := range whole {
			if slices.Contains(slipStatuses, whole[i].Status) {
				list = append(list, r.slip(&whole[i]))
			}
		}
		if err == nil && len(whole) == 0 && len(tickedOrders(given)) > 0 {
			err = apperr.Missing("order")
		}
		return err
	})
	if q, bad := r.readOrders(given); bad == nil {
		if out, many := q.tooMany(err); many {
			return out, nil
		}
	}
	if err != nil {
		return answer{}, err
	}
	return show(screen{Template: "slip", Title: "Packing slips", Section: "/orders",
		Crumbs: []crumb{{"Orders", "/orders"}, {"Packing slips", ""}}, Data: list}), nil
}

func ids(list []jobs.Order) (all []id.Order) {
	for _, o := range list {
		all = append(all, o.ID)
	}
	return slices.Compact(all)
}

func (r *request) slip(o *orders.Order) slipView {
	s := slipView{Number: orders.Number(o.Number), Foreign: foreignNumber(o), Placed: r.format.Moment(o.CreatedAt, "2 January 2006"),
		Channel: o.ChannelName, Address: r.format.addressLines(o.ShippingAddress, o.CustomerName)}
	if s.Address == nil && o.CustomerName != "" { // it is fetched
		s.Address = []string{o.CustomerName}
	}
	units := o.Units()
	for _, l := range o.Lines {
		n := l.Remaining()
		if units.Shipped == units.Ordered {
			n = l.Shipped
		}
		if n > 0 {
			s.Lines = append(s.Lines, slipLine{SKU: l.SKU, Name: l.Name, Quantity: r.format.Count(n)})
		}
	}
	return s
}
