package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/records"
)

// addressRoutes are the address book of interface §4.4.
var addressRoutes = []*route{
	{method: "POST", path: "/api/v1/customers/{id}/addresses", name: "addCustomerAddress", ifMatch: true, section: "4.4",
		summary: "Add an address", scope: "write:customers", status: http.StatusCreated,
		body: func(o *apijson.Object) { drafts.ReadAddress(o, drafts.ToCreate) }, answer: sampleAddress, serve: (*API).addCustomerAddress},
	{method: "PATCH", path: "/api/v1/customers/{id}/addresses/{addressId}", name: "updateCustomerAddress", ifMatch: true, section: "4.4",
		summary: "Change an address", scope: "write:customers",
		body: func(o *apijson.Object) { drafts.ReadAddress(o, drafts.ToUpdate) }, answer: sampleAddress, serve: (*API).updateCustomerAddress},
	{method: "DELETE", path: "/api/v1/customers/{id}/addresses/{addressId}", name: "deleteCustomerAddress", ifMatch: true, section: "4.4",
		summary: "Delete an address", scope: "write:customers",
		answer: data(func(w *apijson.Writer) { writeDeleted(w, records.SampleID[id.Address](257), nil) }), serve: (*API).deleteCustomerAddress},
}

// addCustomerAddress serves POST /api/v1/customers/{id}/addresses: 201; 400, 404, 409, 412.
func (a *API) addCustomerAddress(r *request) (answer, error) {
	body := r.object()
	draft := drafts.ReadAddress(body, drafts.ToCreate)
	return change(a, r, "customer", body, func(tx *db.Tx, customer id.Customer, expected commerce.Expected) (answer, error) {
		made, err := a.Commerce.CreateAddress(tx, customer, expected, draft)
		return addressAnswer(http.StatusCreated, made), err
	})
}

func addressAnswer(status int, address customers.Address) answer {
	return one(status, string(address.ID), func(w *apijson.Writer) { records.WriteAddress(w, "data", &address) })
}

// updateCustomerAddress serves PATCH /api/v1/customers/{id}/addresses/{addressId}: 200; 400, 404, 409, 412.
func (a *API) updateCustomerAddress(r *request) (answer, error) {
	address, err := pathID[id.Address](r, "addressId", "address")
	if err != nil {
		return answer{}, err
	}
	body := r.object()
	update := drafts.ReadAddress(body, drafts.ToUpdate)
	return change(a, r, "customer", body, func(tx *db.Tx, customer id.Customer, expected commerce.Expected) (answer, error) {
		updated, err := a.Commerce.UpdateAddress(tx, customer, expected, address, update)
		return addressAnswer(http.StatusOK, updated), err
	})
}

// deleteCustomerAddress serves DELETE /api/v1/customers/{id}/addresses/{addressId}: 200; 404, 409, 412.
func (a *API) deleteCustomerAddress(r *request) (answer, error) {
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
