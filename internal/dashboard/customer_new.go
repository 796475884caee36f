package dashboard

import (
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
)

func newCustomerForm(r *request) *form {
	return r.form("/customers/new", append([]field{{Name: "email", Label: "E-mail", Kind: "email", Required: true, Focus: true, Unique: true}},
		personFields(&customers.Customer{})...)...)
}

// personFields are the inputs of a customer's fields other than the e-mail.
func personFields(c *customers.Customer) []field {
	return []field{
		{Name: "firstName", Label: "First name", Value: c.FirstName, ClearBlank: true},
		{Name: "lastName", Label: "Last name", Value: c.LastName, ClearBlank: true},
		{Name: "phone", Label: "Phone", Kind: "tel", Value: c.Phone, ClearBlank: true},
		{Name: "company", Label: "Company", Value: c.Company, ClearBlank: true},
		{Name: "siret", Label: "SIRET", Value: c.Siret, Mono: true, ClearBlank: true, Hint: "14 digits, companies in France"},
		{Name: "vatIntracomNumber", Label: "VAT number", Value: c.VAT, Mono: true, ClearBlank: true},
	}
}

// newCustomer serves GET /customers/new.
func (d *Dashboard) newCustomer(r *request) (answer, error) {
	return show(screen{Template: "form", Title: "New customer", Section: "/customers", Crumbs: []crumb{{"Customers", "/customers"}},
		Data: formView{Form: newCustomerForm(r), Label: "Create customer", Back: prefix + "/customers"}}), nil
}

// createCustomer serves POST /customers/new.
func (d *Dashboard) createCustomer(r *request) (answer, error) {
	return r.submit(newCustomerForm(r), d.newCustomer, func(f *form) (answer, error) {
		o := f.Object()
		draft := drafts.ReadCustomer(o, drafts.ToCreate)
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			c, err := d.Commerce.CreateCustomer(tx, draft)
			return redirect(customerPath(c.ID), "Created the customer"), err
		})
	})
}
