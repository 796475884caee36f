package customers

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// OrderCountry is the shipping country of the newest order with a known country. Segments use it for a customer
// without addresses.
type OrderCountry struct {
	Code string // "" for none
	At   int64  // when that order was created, in microseconds
}

// CountryOfOrder is the OrderCountry that an order of a time gives.
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
		tx.Queue("UPDATE customers SET "+newestCountry+" WHERE tenant_id = $1 AND id = $2::UUID AND status <> $3",
			tx.Tenant, customer, Erased, is, created)
		return nil
	}
	if err := tx.Each(func(db.Rows) error { return nil },
		"SELECT id FROM customers WHERE tenant_id = $1 AND id = $2::UUID"+string(db.ForUpdate), tx.Tenant, customer); err != nil {
		return err
	}
	list, err := others()
	if err != nil {
		return err
	}
	var newest OrderCountry
	for _, c := range list {
		if c.Code != "" && c.At > newest.At {
			newest = c
		}
	}
	tx.Queue("UPDATE customers SET order_country = $3, order_country_at = $4 WHERE tenant_id = $1 AND id = $2::UUID AND status <> $5",
		tx.Tenant, customer, db.Null(newest.Code), db.Null(newest.At), Erased)
	return nil
}
