package commerce

import (
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/records"
)

// holdOrder locks and reads an order that an operation changes. Errors: NotFound; those of Expected.
func holdOrder(tx *db.Tx, order id.Order, expected Expected) (*orders.Order, error) {
	o, err := orders.Lock(tx, order)
	if err == nil {
		err = expected.check(func(w *apijson.Writer) { records.WriteOrder(w, "data", o) })
	}
	return o, err
}

// copyOf copies an order before an operation changes it.
func copyOf(o *orders.Order) *orders.Order {
	before := *o
	before.Lines = slices.Clone(o.Lines)
	return &before
}

// step adds a status change to the history of an order that was touched.
func step(o *orders.Order, previous orders.Status, note string, source orders.Source, who accounts.Caller) {
	o.History = append(o.History, orders.Entry{ID: id.New[id.History](), Previous: previous, Status: o.Status, Note: note, Source: source,
		Actor: who.Actor(), At: o.UpdatedAt})
}

// sourceOf is the source of a change: the API, with a key or a login, the dashboard, or the service itself.
func sourceOf(who accounts.Caller) orders.Source {
	switch {
	case who.Key != "" || who.Token:
		return orders.FromAPI
	case who.User != "":
		return orders.FromDashboard
	}
	return orders.FromSystem
}

// moment is the time of the next change of a locked order. It is later than the previous change, so that history and
// shipments are in the order in which they happened: on PostgreSQL a transaction reads the clock before it waits for
// the lock, and the clocks of two nodes differ.
func moment(tx db.Writer, o *orders.Order) int64 { return max(tx.Micros(), o.UpdatedAt+1) }

// touch sets updatedAt; it always grows, so that it detects another writer.
func touch(tx db.Writer, o *orders.Order) { o.UpdatedAt = moment(tx, o) }

// saveOrder writes a locked order that was changed, and adds the difference to its customer's total.
func (s *Service) saveOrder(tx db.Writer, before, o *orders.Order) {
	orders.Save(tx, before, o)
	customers.Spend(tx, o.Customer, 0, spent(o)-spent(before))
}
