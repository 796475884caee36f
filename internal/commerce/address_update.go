package commerce

import (
	"entrepot/internal/base/id"
	"entrepot/internal/customers"
	"entrepot/internal/db"
)

// UpdateAddress changes an address of a customer's book and emits customer.updated; if nothing changes, it writes and
// emits nothing. Errors: those of holdCustomer; NotFound for an address that is not in the book.
func (s *Service) UpdateAddress(tx *db.Tx, customer id.Customer, expected Expected, address id.Address,
	change customers.AddressChange) (customers.Address, error) {
	c, before, err := s.holdCustomer(tx, customer, expected)
	if err != nil {
		return customers.Address{}, err
	}
	a, err := c.Address(address)
	if err != nil {
		return customers.Address{}, err
	}
	c.ChangeAddress(a, change)
	_, err = saveCustomer(tx, before, c)
	return *a, err
}
