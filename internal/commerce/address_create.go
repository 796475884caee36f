package commerce

import (
	"entrepot/internal/apperr"
	"entrepot/internal/customers"
	"entrepot/internal/db"
)

// CreateAddress puts an address into a locked, writable customer's book and reports customer.updated (interface §4.4).
// Errors: Invalid when the book is full.
func (s *Service) CreateAddress(tx *db.Tx, c *customers.Customer, draft customers.AddressChange) (customers.Address, error) {
	if len(c.Addresses) >= customers.MaxAddresses {
		return customers.Address{}, apperr.At("", "a customer has at most %d addresses", customers.MaxAddresses)
	}
	before := c.Copy()
	added := c.AddAddress(draft).ID
	_, err := s.saveCustomer(tx, before, c)
	return *c.Address(added), err
}
