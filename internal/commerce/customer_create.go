package commerce

import (
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// CreateCustomer stores a new customer and emits customer.created (interface §4.4). Errors: Conflict when a customer
// has the e-mail.
func (s *Service) CreateCustomer(tx *db.Tx, draft customers.Change) (records.Customer, error) {
	if err := freeEmail(tx, draft.Email.Value); err != nil {
		return records.Customer{}, err
	}
	c := &customers.Customer{ID: id.New[id.Customer](), Metadata: "{}", Status: customers.Active, CreatedAt: tx.Micros(),
		UpdatedAt: tx.Micros(),
		Tags:      []string{}, Addresses: []customers.Address{}}
	c.Apply(draft)
	r, err := customerRecord(tx, c)
	if err != nil {
		return r, err
	}
	customers.Insert(tx, *c)
	webhooks.Record(tx, customerEvent(webhooks.CustomerCreated, r))
	return r, nil
}

// freeEmail is the 409 for an e-mail that a record has; it names the customer to which the e-mail leads.
func freeEmail(tx *db.Tx, email string) error {
	taken, err := customers.ByEmail(tx, email)
	if err != nil || taken == nil {
		return err
	}
	return emailTaken(tx, taken)
}

func emailTaken(tx *db.Tx, by *customers.Customer) error {
	by, err := customers.Primary(tx, by)
	if err != nil {
		return err
	}
	return apperr.New(apperr.Conflict, "customer_exists", "a customer with this e-mail exists already").With("customerId", by.ID)
}
