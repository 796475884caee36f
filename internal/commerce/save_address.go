package commerce

import (
	"entrepot/internal/apperr"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// AddAddress puts an address into a locked, writable customer's book and reports customer.updated (interface §4.4).
// Errors: Invalid when the book is full.
func (s *Service) AddAddress(tx *db.Tx, c *customers.Customer, draft customers.AddressChange) (customers.Address, error) {
	if len(c.Addresses) >= customers.MaxAddresses {
		return customers.Address{}, apperr.At("", "a customer has at most %d addresses", customers.MaxAddresses)
	}
	before := c.Copy()
	added := c.AddAddress(draft).ID
	_, err := s.saveCustomer(tx, before, c)
	return *c.Address(added), err
}

// SaveAddress changes an address of a locked, writable customer and reports customer.updated; a change that changes nothing writes
// nothing and reports nothing. Errors: NotFound for an address that is not in the book.
func (s *Service) SaveAddress(tx *db.Tx, c *customers.Customer, address id.Address, change customers.AddressChange) (customers.Address, error) {
	before := c.Copy()
	a := c.Address(address)
	if a == nil {
		return customers.Address{}, apperr.Missing("address")
	}
	c.ChangeAddress(a, change)
	_, err := s.saveCustomer(tx, before, c)
	return *a, err
}

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
