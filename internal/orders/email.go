package orders

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/search"
)

// EmailKey folds an e-mail address for comparison.
func EmailKey(email string) string { return search.Fold(email) }

// emailKey is by what an order is found by its address, "" if that is its customer.
func (o *Order) emailKey() string {
	if o.EmailOfCustomer {
		return ""
	}
	return EmailKey(o.CustomerEmail)
}

// emailPart says which orders of an e-mail address are meant: most have that of their customer and are found through it, so that no
// index of addresses grows with every order (decision 244).
type emailPart int

const (
	anyOf       emailPart = iota // both
	ofOrders                     // those that have the address as a key of their own
	ofCustomers                  // those of the customer whose address it is
)

// hasEmail is the condition that an order has the filter's e-mail address.
func (f Filter) hasEmail(bind func(any) string, which emailPart) string {
	key := bind(EmailKey(f.Email))
	own := "o.email_key = " + key
	theirs := "o.email_key IS NULL AND o.customer_id = (SELECT e.id FROM customers e WHERE e.tenant_id = $1 AND e.email_key = " + key + ")"
	switch which {
	case ofOrders:
		return own
	case ofCustomers:
		return theirs
	}
	return own + " OR " + theirs
}

// ownEmail is an order's e-mail address as a key of its own. Until now it may have been found by that of its customer, which must not
// have changed yet.
const ownEmail = `CASE WHEN email_key IS NULL AND customer_email IS NOT NULL
	THEN (SELECT c.email_key FROM customers c WHERE c.tenant_id = $1 AND c.id = orders.customer_id) ELSE email_key END`

// LeaveEmail keeps orders findable by the e-mail address that they have in common with a locked customer, who gets another one.
func LeaveEmail(tx db.Writer, customer id.Customer, email string) {
	tx.Queue(`UPDATE orders SET email_key = $3
		WHERE tenant_id = $1 AND customer_id = $2::UUID AND email_key IS NULL AND customer_email IS NOT NULL`,
		tx.TenantID(), customer, EmailKey(email))
}

// SaveEmailKey queues finding an order by its e-mail address again, whatever its customer's is, unless the order has not the given one any
// more.
func SaveEmailKey(w db.Writer, number int64, email string) {
	w.Queue("UPDATE orders SET email_key = $4 WHERE tenant_id = $1 AND number = $2 AND coalesce(customer_email, '') = $3",
		w.TenantID(), number, email, db.Null(EmailKey(email)))
}
