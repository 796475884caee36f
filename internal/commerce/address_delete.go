package commerce

import (
	"entrepot/internal/apperr"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// DeleteAddress takes an address out of a locked, writable customer's book and reports customer.updated. Errors: NotFound.
func (s *Service) DeleteAddress(tx *db.Tx, c *customers.Customer, address id.Address) error {
	before := c.Copy()
	if c.Address(address) == nil {
		return apperr.Missing("address")
	}
	c.RemoveAddress(address)
	_, err := s.saveCustomer(tx, before, c)
	return err
}
