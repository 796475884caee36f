package commerce

import (
	"entrepot/internal/apperr"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// UpdateAddress changes an address of a locked, writable customer and reports customer.updated; a change that changes nothing writes
// nothing and reports nothing. Errors: NotFound for an address that is not in the book.
func (s *Service) UpdateAddress(tx *db.Tx, c *customers.Customer, address id.Address, change customers.AddressChange) (customers.Address, error) {
	before := c.Copy()
	a := c.Address(address)
	if a == nil {
		return customers.Address{}, apperr.Missing("address")
	}
	c.ChangeAddress(a, change)
	_, err := s.saveCustomer(tx, before, c)
	return *a, err
}
