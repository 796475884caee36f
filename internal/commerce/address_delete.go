package commerce

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// DeleteAddress removes an address from a customer's book and emits customer.updated. Errors: those of holdCustomer;
// NotFound for an address that is not in the book.
func (s *Service) DeleteAddress(tx *db.Tx, customer id.Customer, expected Expected, address id.Address) error {
	c, before, err := s.holdCustomer(tx, customer, expected)
	if err != nil {
		return err
	}
	if _, err := c.Address(address); err != nil {
		return err
	}
	c.RemoveAddress(address)
	_, err = saveCustomer(tx, before, c)
	return err
}
