package commerce

import (
	"entrepot/internal/apperr"
	"entrepot/internal/connector"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/webhooks"
)

// takeBuyer takes over who bought a locked order, where its platform did not say so before: marketplaces name nobody while an order is not
// paid. A buyer who is known stays. It comes before the order's amounts change, since the customer's totals count the order as it is.
func takeBuyer(tx *db.Tx, o *orders.Order, in connector.Order) (bool, error) {
	if o.Customer != "" || o.CustomerEmail != "" || in.Email == "" && (in.Name == "" || o.CustomerName != "") {
		return false, nil
	}
	named := *o
	named.CustomerName, named.CustomerEmail, named.CustomerPhone = in.Name, in.Email, in.Phone
	takeAddresses(&named, in) // the customer's country is that of the address
	if in.Email != "" {
		buyer := PendingOrder{draft: OrderDraft{CustomerEmail: in.Email}, customer: customers.PrefetchByEmail(tx, in.Email),
			segments: customers.PrefetchSegments(tx)}
		made, err := buyer.linkCustomer(tx, &named)
		if apperr.Is(err, apperr.Conflict) { // who was erased stays forgotten
			return false, nil
		}
		if err != nil {
			return false, err
		}
		webhooks.Record(tx, countCustomer(tx, made, &named)...)
	}
	o.Customer, o.CustomerName, o.CustomerEmail, o.CustomerPhone = named.Customer, named.CustomerName, named.CustomerEmail, named.CustomerPhone
	orders.SaveBuyer(tx, o)
	return true, nil
}

// forgotten reports whether an order's customer was erased: what its platform still says of the person is not taken over again.
func forgotten(o *orders.Order) bool { return o.Customer != "" && o.CustomerEmail == "" }
