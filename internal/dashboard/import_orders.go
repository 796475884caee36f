package dashboard

import (
	"entrepot/internal/base/money"
	"entrepot/internal/importer"
	"entrepot/internal/importer/fileimport"
	"entrepot/internal/orders"
)

// newOrder is an order that an import would create.
type newOrder struct {
	Reference, Customer, Lines, Subtotal string
	Badge                                badge
	At                                   *stamp // nil for the time of the import
}

// orderFigures shows the result of a dry run of orders.
func (v *importView) orderFigures(r *request, c fileimport.Checked) {
	f := r.format
	v.Figures = []figure{countFigure(f, c.Created, "new order", "new orders"), {f.Count(int64(c.Existing)), "there already", false}}
	if c.Moved > 0 {
		v.Figures = append(v.Figures, figure{f.Count(int64(c.Moved)), "taken back by a credit note", false})
	}
	if c.Missing > 0 {
		v.Figures = append(v.Figures, figure{f.Count(int64(c.Missing)), "new products", false})
	}
	v.Figures = append(v.Figures, refusedFigure(f, c.Counts))
	for _, o := range c.Orders {
		line := newOrder{Reference: o.Reference, Customer: o.Customer, Lines: f.plural(int64(o.Lines), "line", "lines"),
			Badge: statusWords[orders.Status(o.Status)]}
		if o.CreatedAt != 0 {
			at := f.Stamp(o.CreatedAt)
			line.At = &at
		}
		if amount, err := money.Parse(o.Subtotal); err == nil {
			line.Subtotal = f.Money(amount, o.Currency)
		}
		v.Orders = append(v.Orders, line)
	}
	if c.Created > len(c.Orders) {
		v.NewWords = r.say("The first %s of %s.", f.Count(int64(len(c.Orders))), f.Count(int64(c.Created)))
	}
}

// orderOutcome shows the results of an import of orders so far.
func orderOutcome(f format, c importer.Counts) []figure {
	list := []figure{{f.Count(int64(c.Created)), "created", false}, {f.Count(int64(c.Existing)), "there already", false}}
	if c.Moved > 0 {
		list = append(list, figure{f.Count(int64(c.Moved)), "taken back by a credit note", false})
	}
	if c.Missing > 0 {
		list = append(list, figure{f.Count(int64(c.Missing)), "products created", false})
	}
	return append(list, notesFigure(f, c), refusedFigure(f, c))
}
