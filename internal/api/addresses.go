package api

import (
	"net/http"

	"entrepot/internal/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/limits"
	"entrepot/internal/patch"
	"entrepot/internal/records"
)

// addressRoutes are the address book of interface §4.4.
var addressRoutes = []*route{
	{method: "POST", path: "/api/v1/customers/{id}/addresses", name: "addCustomerAddress", ifMatch: true, section: "4.4",
		summary: "Add an address", scope: "write:customers", status: http.StatusCreated,
		body: func(o *apijson.Object) { readAddress(o, true) }, answer: sampleAddress, serve: (*API).createAddress},
	{method: "PATCH", path: "/api/v1/customers/{id}/addresses/{addressId}", name: "updateCustomerAddress", ifMatch: true, section: "4.4",
		summary: "Change an address", scope: "write:customers",
		body: func(o *apijson.Object) { readAddress(o, false) }, answer: sampleAddress, serve: (*API).updateAddress},
	{method: "DELETE", path: "/api/v1/customers/{id}/addresses/{addressId}", name: "deleteCustomerAddress", ifMatch: true, section: "4.4",
		summary: "Delete an address", scope: "write:customers",
		answer: data(func(w *apijson.Writer) { writeDeleted(w, records.SampleID[id.Address](257), nil) }), serve: (*API).deleteAddress},
}

// readAddress reads an address: whole, or what is to change of one. zip and postalCode are two names of one field; zip wins.
func readAddress(o *apijson.Object, whole bool) customers.AddressChange {
	o.Record(choose(whole, "CreateAddress", "UpdateAddress"))
	needed := func(name string, longest int) patch.Field[string] {
		f := o.Text(name, apijson.Text{Required: whole, Max: longest})
		notEmpty(o, name, f, whole)
		return f
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
	if c.Country.Value != "" {
		code, ok := customers.Country(c.Country.Value)
		if !ok {
			o.Fault("country", "%s", customers.BadCountry)
		}
		c.Country.Value = code
	}
	c.Zip = readZip(o, whole)
	return c
}

// readBookEntry reads an entry of a whole address book; the id of an entry that is there keeps it.
func readBookEntry(o *apijson.Object) customers.AddressChange {
	c := readAddress(o, true)
	o.Record("AddressInput")
	c.ID, _ = id.Parse[id.Address](o.Text("id", apijson.Text{}).Value)
	return c
}

// notEmpty refuses a needed member that a change would empty.
func notEmpty(o *apijson.Object, name string, f patch.Field[string], whole bool) {
	if whole || !f.Set || f.Value != "" {
		return
	}
	for _, d := range o.Errors() {
		if d.Path == o.Path(name) {
			return
		}
	}
	o.Fault(name, "must not be empty")
}

func readZip(o *apijson.Object, whole bool) patch.Field[string] {
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
	case whole:
		o.Fault("zip", "is required, or postalCode")
	case zip.Set || postal.Set:
		o.Fault("zip", "must not be empty")
	}
	zip.Null = false
	return zip
}

// createAddress serves POST /api/v1/customers/{id}/addresses: 201; 400, 404, 409, 412.
func (a *API) createAddress(r *request) (answer, error) {
	body := r.object()
	draft := readAddress(body, true)
	return change(a, r, "customer", body, func(tx *db.Tx, customer id.Customer, expected commerce.Expected) (answer, error) {
		made, err := a.Commerce.CreateAddress(tx, customer, expected, draft)
		return addressAnswer(http.StatusCreated, made), err
	})
}

func addressAnswer(status int, address customers.Address) answer {
	return one(status, string(address.ID), func(w *apijson.Writer) { records.WriteAddress(w, "data", &address) })
}

// updateAddress serves PATCH /api/v1/customers/{id}/addresses/{addressId}: 200; 400, 404, 409, 412.
func (a *API) updateAddress(r *request) (answer, error) {
	address, err := pathID[id.Address](r, "addressId", "address")
	if err != nil {
		return answer{}, err
	}
	body := r.object()
	update := readAddress(body, false)
	return change(a, r, "customer", body, func(tx *db.Tx, customer id.Customer, expected commerce.Expected) (answer, error) {
		updated, err := a.Commerce.UpdateAddress(tx, customer, expected, address, update)
		return addressAnswer(http.StatusOK, updated), err
	})
}

// deleteAddress serves DELETE /api/v1/customers/{id}/addresses/{addressId}: 200; 404, 409, 412.
func (a *API) deleteAddress(r *request) (answer, error) {
	address, err := pathID[id.Address](r, "addressId", "address")
	if err != nil {
		return answer{}, err
	}
	return change(a, r, "customer", nil, func(tx *db.Tx, customer id.Customer, expected commerce.Expected) (answer, error) {
		return deleted(address, nil), a.Commerce.DeleteAddress(tx, customer, expected, address)
	})
}

func sampleAddress(w *apijson.Writer) {
	data(func(w *apijson.Writer) { records.WriteAddress(w, "data", &records.SampleCustomer().Addresses[0]) })(w)
}
