package customers

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
)

// AddressType says what an address is for; "" is unspecified.
type AddressType string

// The types.
const (
	Shipping AddressType = "shipping"
	Billing  AddressType = "billing"
	Both     AddressType = "both"
)

// AddressTypes lists them.
var AddressTypes = []AddressType{Shipping, Billing, Both}

// Address is one entry of an address book (interface §2.6).
type Address struct {
	ID        id.Address
	Type      AddressType
	Name      string
	Company   string
	Line1     string
	Line2     string
	City      string
	State     string
	Zip       string
	Country   string // ISO 3166-1 alpha-2
	Phone     string
	IsDefault bool
	Derived   bool // built from an order, not stored
}

// AddressChange is a caller's change of an address. In a new address, absent fields are empty.
type AddressChange struct {
	ID        id.Address // of an entry to keep, in a whole book
	Type      patch.Field[AddressType]
	Name      patch.Field[string]
	Company   patch.Field[string]
	Line1     patch.Field[string]
	Line2     patch.Field[string]
	City      patch.Field[string]
	State     patch.Field[string]
	Zip       patch.Field[string]
	Country   patch.Field[string]
	Phone     patch.Field[string]
	IsDefault patch.Field[bool]
}

// With returns the address with a change applied.
func (a Address) With(c AddressChange) Address {
	c.Type.Apply(&a.Type)
	c.Name.Apply(&a.Name)
	c.Company.Apply(&a.Company)
	c.Line1.Apply(&a.Line1)
	c.Line2.Apply(&a.Line2)
	c.City.Apply(&a.City)
	c.State.Apply(&a.State)
	c.Zip.Apply(&a.Zip)
	c.Country.Apply(&a.Country)
	c.Phone.Apply(&a.Phone)
	c.IsDefault.Apply(&a.IsDefault)
	return a
}

// Address finds an entry of the book. Errors: NotFound.
func (c *Customer) Address(address id.Address) (*Address, error) {
	for i := range c.Addresses {
		if c.Addresses[i].ID == address {
			return &c.Addresses[i], nil
		}
	}
	return nil, addressTable.Missing()
}

// AddAddress adds an entry at the end of the book.
func (c *Customer) AddAddress(change AddressChange) *Address {
	c.Addresses = append(c.Addresses, Address{ID: id.New[id.Address]()}.With(change))
	added := &c.Addresses[len(c.Addresses)-1]
	c.keepDefault(added)
	return added
}

// ChangeAddress changes an entry of the book and reports whether anything changed.
func (c *Customer) ChangeAddress(a *Address, change AddressChange) bool {
	changed := a.With(change)
	if changed == *a {
		return false
	}
	*a = changed
	c.keepDefault(a)
	return true
}

// RemoveAddress removes an entry from the book.
func (c *Customer) RemoveAddress(address id.Address) {
	c.Addresses = slices.DeleteFunc(c.Addresses, func(a Address) bool { return a.ID == address })
}

// keepDefault makes an entry the only default of its type, if it is a default.
func (c *Customer) keepDefault(a *Address) {
	if !a.IsDefault {
		return
	}
	for i := range c.Addresses {
		if other := &c.Addresses[i]; other.ID != a.ID && other.Type == a.Type {
			other.IsDefault = false
		}
	}
}

// replaceBook replaces the book with the list. An entry keeps its id if the list names it or has an equal one; the last
// default of a type wins.
func (c *Customer) replaceBook(list []AddressChange) {
	old, taken := c.Addresses, map[id.Address]bool{}
	keep := func(same func(Address) bool) id.Address {
		for _, a := range old {
			if !taken[a.ID] && same(a) {
				taken[a.ID] = true
				return a.ID
			}
		}
		return ""
	}
	book := make([]Address, len(list))
	for i, change := range list { // named entries first, so that no equal entry takes their id
		book[i] = Address{}.With(change)
		if change.ID != "" {
			book[i].ID = keep(func(a Address) bool { return a.ID == change.ID })
		}
	}
	for i := range book {
		if book[i].ID == "" {
			book[i].ID = keep(func(a Address) bool { a.ID = ""; return a == book[i] })
		}
		if book[i].ID == "" {
			book[i].ID = id.New[id.Address]()
		}
	}
	c.Addresses = book
	for i := len(c.Addresses) - 1; i >= 0; i-- {
		c.keepDefault(&c.Addresses[i])
	}
}
