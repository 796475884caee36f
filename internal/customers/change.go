package customers

import (
	"slices"

	"entrepot/internal/apijson"
)

// Change is what a caller says of a customer: absent leaves a field, null empties it, lists and metadata are replaced whole
// (interface §4.4).
type Change struct {
	Email     apijson.Field[string]
	FirstName apijson.Field[string]
	LastName  apijson.Field[string]
	Phone     apijson.Field[string]
	Company   apijson.Field[string]
	Siret     apijson.Field[string]
	VAT       apijson.Field[string]
	Tags      apijson.Field[[]string]
	Metadata  apijson.Field[string] // free JSON
	Addresses apijson.Field[[]AddressChange]
}

// Apply makes the change and reports whether it made a difference.
func (c *Customer) Apply(change Change) bool {
	before := *c
	set(&c.Email, change.Email)
	set(&c.FirstName, change.FirstName)
	set(&c.LastName, change.LastName)
	set(&c.Phone, change.Phone)
	set(&c.Company, change.Company)
	set(&c.Siret, change.Siret)
	set(&c.VAT, change.VAT)
	if change.Tags.Set {
		c.Tags = distinct(change.Tags.Value)
	}
	if change.Metadata.Set {
		c.Metadata = change.Metadata.Value
		if c.Metadata == "" {
			c.Metadata = "{}"
		}
		if sameJSON(c.Metadata, before.Metadata) {
			c.Metadata = before.Metadata
		}
	}
	if change.Addresses.Set {
		c.replaceBook(change.Addresses.Value)
	}
	return !c.Same(&before)
}

// Same reports whether nothing that a caller may change differs between two states of a record.
func (c *Customer) Same(other *Customer) bool {
	return c.row() == other.row() && slices.Equal(c.Tags, other.Tags) && slices.Equal(c.Addresses, other.Addresses)
}

// row is what a customer's own row holds of it, for comparing.
func (c *Customer) row() [9]string {
	return [9]string{c.Email, c.FirstName, c.LastName, c.Phone, c.Company, c.Siret, c.VAT, c.Metadata, c.OrderCountry.Code}
}

// distinct is a list without repetitions, in its order.
func distinct(list []string) []string {
	out := make([]string, 0, len(list))
	for _, v := range list {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// sameJSON reports whether two texts are one value, written differently at most.
func sameJSON(a, b string) bool {
	x, err := apijson.Parse([]byte(a))
	y, err2 := apijson.Parse([]byte(b))
	return err == nil && err2 == nil && x.Fingerprint() == y.Fingerprint()
}
