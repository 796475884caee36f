package commerce

import (
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/limits"
)

// CreateAddress adds an address to a customer's book and emits customer.updated (interface §4.4). Errors: those of
// holdCustomer; Invalid when the book is full.
func (s *Service) CreateAddress(tx *db.Tx, customer id.Customer, expected Expected, draft customers.AddressChange) (customers.Address,
	error) {
	c, before, err := s.holdCustomer(tx, customer, expected)
	if err != nil {
		return customers.Address{}, err
	}
	if len(c.Addresses) >= limits.MaxAddresses {
		return customers.Address{}, apperr.At("", "a customer has at most %d addresses", limits.MaxAddresses)
	}
	made := *c.AddAddress(draft)
	_, err = saveCustomer(tx, before, c)
	return made, err
}
