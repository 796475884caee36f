package dashboard

import (
	"entrepot/internal/analytics"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
	"entrepot/internal/sales"
)

// bestShown is how many of the best sellers the overview shows.
const bestShown = 5

// bestRow is a product that sold well.
type bestRow struct {
	Name, SKU, To, Units, Revenue string
	Value, Max                    int64
}

// today are the figures of today beside those of the same weekday a week ago, which has ended: nil for a period that
// does not have both. orderList is the list of today's orders.
func (r *request) today(p *period, o analytics.Overview, currency, orderList string) []kpi {
	all := append(o.Before.Points, o.Now.Points...)
	if !p.current() || len(all) < 8 {
		return nil
	}
	now, then := all[len(all)-1], all[len(all)-8]
	weekday := r.format.write(p.dayAt(p.to.In(p.f.zone), -8), "Monday")
	f := r.format
	return []kpi{
		{Label: "Orders today", Value: f.Count(now.Orders), From: r.say("%s last %s", f.Count(then.Orders), weekday), To: orderList},
		{Label: "Revenue today", Value: f.Whole(now.Revenue, currency), From: r.say("%s last %s", f.Whole(then.Revenue, currency), weekday), To: orderList},
	}
}

// toShipToday is the work that is left for today.
func (r *request) toShipToday(work *openWork) kpi {
	k := kpi{Label: "To ship", Value: r.format.Count(work.toShip), From: "Nothing waits", To: r.page("/orders", "/orders?status="+statusesText(toShip)+
		"&sort=createdAt:asc")}
	if work.oldest != 0 {
		k.From, k.At = "The oldest came", r.format.Stamp(work.oldest)
	}
	return k
}

// readBest reads the products that sold best in a period.
func (v *overviewView) readBest(tx *db.Tx, r *request, currency string, p *period) error {
	list, err := sales.Best(tx, currency, p.from.UnixMicro(), p.to.UnixMicro(), bestShown)
	for i := range list {
		s := &list[i]
		sum := money.TotalOf(s.Big, 8).Plus(money.TotalOf(s.Small, 0))
		row := bestRow{Name: s.Name, SKU: s.SKU, Units: r.format.plural(s.Quantity, "unit", "units"), Revenue: r.format.Whole(sum, currency),
			Value: int64(units(sum))}
		row.Max = row.Value
		if i > 0 {
			row.Max = v.Best[0].Value
		}
		if s.Product != "" {
			row.To = r.page("/products/{id}", "/products/"+string(s.Product))
		}
		v.Best = append(v.Best, row)
	}
	return err
}
