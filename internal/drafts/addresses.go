package drafts

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/customers"
	"entrepot/internal/limits"
)

// Patterns of codes, in any case.
const (
	countryCode  = `^[A-Za-z]{2}$`
	currencyCode = `^[A-Za-z]{3}$`
)

// ReadAddress reads an address to create, or a change of one. zip and postalCode are two names of one field; zip wins.
func ReadAddress(o *apijson.Object, to Purpose) customers.AddressChange {
	o.Record(to.named("CreateAddress", "UpdateAddress"))
	needed := func(name string, longest int) patch.Field[string] {
		return neededText(o, name, to, apijson.Text{Max: longest})
	}
	c := customers.AddressChange{
		Type:      apijson.Enum(o, "type", false, customers.AddressTypes...),
		Name:      o.Text("name", apijson.Text{Max: limits.MaxAddressName}),
		Company:   o.Text("company", apijson.Text{Max: limits.MaxAddressCompany}),
		Line1:     needed("line1", 255),
		Line2:     o.Text("line2", apijson.Text{}),
		City:      needed("city", limits.MaxCity),
		State:     o.Text("state", apijson.Text{}),
		Country:   needed("country", 2),
		Phone:     o.Text("phone", apijson.Text{}),
		IsDefault: o.Bool("isDefault"),
	}
	o.Describe("country", apijson.Like(countryCode))
	if c.Country.Value != "" {
		code, ok := customers.Country(c.Country.Value)
		if !ok {
			o.AddError("country", "%s", customers.BadCountry)
		}
		c.Country.Value = code
	}
	c.Zip = readZip(o, to)
	return c
}

// readBookEntry reads an entry of a whole address book; with its id, an existing entry is kept.
func readBookEntry(o *apijson.Object) customers.AddressChange {
	c := ReadAddress(o, ToCreate)
	o.Record("AddressInput")
	c.ID, _ = id.Parse[id.Address](o.Text("id", apijson.Text{}).Value)
	return c
}

// neededText reads a text that a record needs, and that a change must not empty.
func neededText(o *apijson.Object, name string, to Purpose, rule apijson.Text) patch.Field[string] {
	rule.Required, rule.Filled = to.makes(), true
	f := o.Text(name, rule)
	if !to.makes() {
		o.NotNull(name)
	}
	return f
}

func readZip(o *apijson.Object, to Purpose) patch.Field[string] {
	before := len(o.Errors())
	zip, postal := o.Text("zip", apijson.Text{Max: limits.MaxZip}), o.Text("postalCode", apijson.Text{Max: limits.MaxZip})
	if o.Describing() || len(o.Errors()) > before {
		return zip
	}
	if zip.Value == "" && postal.Value != "" {
		zip = postal
	}
	switch {
	case zip.Value != "":
	case to.makes():
		o.AddError("zip", "is required, or postalCode")
	case zip.Set || postal.Set:
		o.AddError("zip", "must not be empty")
	}
	zip.Null = false
	return zip
}
