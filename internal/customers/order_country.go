package customers

import (
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
)

// OrderCountry is the shipping country of the newest order with a known country. Segments use it for a customer
// without addresses.
type OrderCountry struct {
	Code string // "" for none
	At   int64  // when that order was created, in microseconds
}

// CountryOfOrder returns the OrderCountry that an order of a time gives.
func CountryOfOrder(shipping string, at int64) OrderCountry {
	if code := countryOf(shipping); code != "" {
		return OrderCountry{code, at}
	}
	return OrderCountry{}
}

// MoveOrder applies a changed shipping address of an order, created at a time, unless a newer order has set its
// customer's country. others reads the countries of the customer's other orders; it is called if this order has no
// country any more, with the customer locked.
func MoveOrder(tx *db.Tx, customer id.Customer, created int64, before, after string, others func() ([]OrderCountry, error)) error {
	was, is := countryOf(before), countryOf(after)
	switch {
	case customer == "" || was == is:
		return nil
	case is != "":
		NoteChange(tx, customer)
		tx.Queue("UPDATE customers SET "+newestCountry+" WHERE tenant_id = $1 AND id = $2::UUID AND status <> $3",
			tx.Tenant, customer, Erased, is, created)
		return nil
	}
	if err := LockRows(tx, []id.Customer{customer}); err != nil {
		return err
	}
	list, err := others()
	if err != nil {
		return err
	}
	newest := NewestCountry(list)
	NoteChange(tx, customer)
	tx.Queue("UPDATE customers SET order_country = $3, order_country_at = $4 WHERE tenant_id = $1 AND id = $2::UUID AND status <> $5",
		tx.Tenant, customer, db.Null(newest.Code), db.Null(newest.At), Erased)
	return nil
}

// LockRows locks records, without reading them, so that no order is added to them until the transaction ends.
func LockRows(tx *db.Tx, customers []id.Customer) error {
	_, err := LockCountries(tx, customers)
	return err
}

// LockCountries is LockRows, and returns when the order was created that gave each record its country; those without are left out.
func LockCountries(tx *db.Tx, customers []id.Customer) (map[id.Customer]int64, error) {
	at := map[id.Customer]int64{}
	return at, db.Chunks(customers, func(piece []id.Customer) error {
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		return tx.Each(func(r db.Rows) error {
			var customer id.Customer
			var created int64
			err := r.Scan(&customer, db.Opt(&created))
			if created != 0 {
				at[customer] = created
			}
			return err
		}, "SELECT id, order_country_at FROM customers WHERE tenant_id = $1 AND id IN "+db.In(len(args)-1, 2)+" ORDER BY id"+
			string(db.ForUpdate), args...)
	})
}

// Withdraw takes deleted orders, the newest among them, and what they cost out of a locked record's totals. country is that of the newest
// order left.
func Withdraw(tx db.Writer, customer id.Customer, orders int64, spent money.Amount, country OrderCountry) {
	NoteChange(tx, customer)
	tx.Queue(`UPDATE customers SET orders_count = orders_count - $3, total_spent = total_spent - $4,
			order_country = CASE WHEN status = $7 THEN NULL ELSE $5::TEXT END, order_country_at = CASE WHEN status = $7 THEN NULL ELSE $6::BIGINT END
		WHERE tenant_id = $1 AND id = $2::UUID`,
		tx.TenantID(), customer, orders, spent, db.Null(country.Code), db.Null(country.At), Erased).Rows(1, nil)
}

// NewestCountry returns the country of the newest order among countries of orders; those that are not in ISO 3166-1 do
// not count.
func NewestCountry(list []OrderCountry) (newest OrderCountry) {
	for _, c := range list {
		if code, known := Country(c.Code); known && c.At > newest.At {
			newest = OrderCountry{code, c.At}
		}
	}
	return newest
}
