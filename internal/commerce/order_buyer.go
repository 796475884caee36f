package commerce

import (
	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/webhooks"
)

// takeBuyer stores the buyer of a locked order whose platform did not name one before: marketplaces name nobody while
// an order is unpaid. A known buyer stays. Call it before the order's amounts change, because the customer's totals
// count the order in its present state.
func takeBuyer(tx *db.Tx, o *orders.Order, in connector.Order) (bool, error) {
	if o.Customer != "" || o.CustomerEmail != "" || in.Email == "" && (in.Name == "" || o.CustomerName != "") {
		return false, nil
	}
	named := *o
	named.CustomerName, named.CustomerEmail, named.CustomerPhone = in.Name, in.Email, in.Phone
	takeAddresses(&named, in) // the customer's country is that of the address
	if in.Email != "" {
		buyers := readBuyers(tx, []orderPerson{{email: in.Email}})
		buyer, err := buyers.find(&named, "")
		if apperr.Is(err, apperr.Conflict) { // an erased customer is not stored again
			return false, nil
		}
		if err != nil {
			return false, err
		}
		buyers.take(buyer, &named, nil)
		webhooks.Record(tx, buyers.store(tx)...)
		customers.NoteChange(tx, named.Customer)
	}
	o.Customer, o.CustomerName, o.CustomerEmail, o.CustomerPhone = named.Customer, named.CustomerName, named.CustomerEmail, named.CustomerPhone
	orders.SaveBuyer(tx, o)
	return true, nil
}

// forgotten reports whether an order's customer was erased: personal data from its platform is not stored again.
func forgotten(o *orders.Order) bool { return o.Customer != "" && o.CustomerEmail == "" }
