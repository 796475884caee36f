package customers

import (
	"slices"

	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/base/patch"
)

// Change is a caller's change of a customer: absent fields stay, null clears, lists and metadata are replaced whole
// (interface §4.4).
type Change struct {
	Email     patch.Field[string]
	FirstName patch.Field[string]
	LastName  patch.Field[string]
	Phone     patch.Field[string]
	Company   patch.Field[string]
	Siret     patch.Field[string]
	VAT       patch.Field[string]
	Tags      patch.Field[[]string]
	Metadata  patch.Field[string] // free JSON
	Addresses patch.Field[[]AddressChange]
}

// Apply applies the change and reports whether anything changed.
func (c *Customer) Apply(change Change) bool {
	before := *c
	change.Email.Apply(&c.Email)
	change.FirstName.Apply(&c.FirstName)
	change.LastName.Apply(&c.LastName)
	change.Phone.Apply(&c.Phone)
	change.Company.Apply(&c.Company)
	change.Siret.Apply(&c.Siret)
	change.VAT.Apply(&c.VAT)
	if change.Tags.Set {
		c.Tags = Distinct(change.Tags.Value)
	}
	if change.Metadata.Set {
		c.Metadata = change.Metadata.Value
		if c.Metadata == "" {
			c.Metadata = "{}"
		}
		if jsonvalue.Same(c.Metadata, before.Metadata) {
			c.Metadata = before.Metadata
		}
	}
	if change.Addresses.Set {
		c.replaceBook(change.Addresses.Value)
	}
	return !c.Same(&before)
}

// Same reports whether two states of a record are equal in all that callers may change.
func (c *Customer) Same(other *Customer) bool {
	return c.row() == other.row() && slices.Equal(c.Tags, other.Tags) && slices.Equal(c.Addresses, other.Addresses)
}

// row returns the part of a customer's own row that Same compares.
func (c *Customer) row() [9]string {
	return [9]string{c.Email, c.FirstName, c.LastName, c.Phone, c.Company, c.Siret, c.VAT, c.Metadata, c.OrderCountry.Code}
}

// Distinct returns the list without repetitions, in its order.
func Distinct(list []string) []string {
	out := make([]string, 0, len(list))
	for _, v := range list {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}
