package dashboard

import (
	"strings"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/limits"
	"entrepot/internal/orders"
	"entrepot/internal/records"
)

// oneCustomerRoutes are the page of a customer and what is done there.
var oneCustomerRoutes = []*route{
	{method: "GET", path: "/customers/{id}", scope: "read:customers", serve: (*Dashboard).showCustomer},
	{method: "POST", path: "/customers/{id}", scope: "write:customers", serve: (*Dashboard).updateCustomer},
	{method: "POST", path: "/customers/{id}/tags", scope: "write:customers", serve: (*Dashboard).tagCustomer},
	{method: "POST", path: "/customers/{id}/addresses", scope: "write:customers", serve: (*Dashboard).addAddress},
	{method: "POST", path: "/customers/{id}/addresses/delete", scope: "write:customers", serve: (*Dashboard).deleteAddress},
	{method: "POST", path: "/customers/{id}/erase", scope: "write:customers", serve: (*Dashboard).eraseCustomer},
}

// customerView is what templates/customer.html shows.
type customerView struct {
	Name, Email string
	Badge       *badge
	Primary     string // address of the record that this one was merged into
	Writable    bool
	Erased      bool
	Details     *form
	Tags        *form
	TagList     []string
	Segments    []pair
	Addresses   []addressRow
	NewAddress  *form
	Orders      []customerOrder
	OrderCount  string
	AllOrders   string
	Figures     []pair
	Technical   []pair // its id
	Merge       *form
	Erase       ask
	Receipt     *callout // of an erasure
	History     history
}

// addressRow is an entry of the address book.
type addressRow struct {
	Lines   []string
	Marks   []string
	Derived bool // it comes from an order
	Delete  *ask
}

// customerOrder is one of the newest orders.
type customerOrder struct {
	Number, To, Total string
	Status            badge
	At                stamp
}

// newestOrders is how many orders of a customer are shown.
const newestOrders = 10

// customerOf reads the customer of the path, with derived addresses. Errors: NotFound.
func (d *Dashboard) customerOf(r *request) (records.Customer, error) {
	return recordOf(r, "customer", d.Commerce.ReadCustomer)
}

// customerWithOrders is customerOf with the newest orders, if the user may see them, how many there are, and the
// customer's history.
func (d *Dashboard) customerWithOrders(r *request) (c records.Customer, newest []orders.Order, total int64, past history,
	err error) {
	which, err := pathID[id.Customer](r, "customer")
	if err != nil {
		return c, nil, 0, past, err
	}
	err = r.read(func(tx *db.Tx) error {
		return tx.Together(func(tx *db.Tx) (err error) {
			c, err = d.Commerce.ReadCustomer(tx, which)
			return err
		}, func(tx *db.Tx) (err error) {
			if r.caller().May("read:orders") {
				newest, total, err = orders.ListHeads(tx, orders.Filter{RowFilter: orders.RowFilter{Customer: which}, Sort: orders.ByCreatedAt,
					Limit: newestOrders})
			}
			return err
		}, func(tx *db.Tx) (err error) {
			past, err = r.readHistory(tx, string(which))
			return err
		})
	})
	return c, newest, total, past, err
}

// showCustomer serves GET /customers/{id}.
func (d *Dashboard) showCustomer(r *request) (answer, error) {
	c, newest, total, past, err := d.customerWithOrders(r)
	if err != nil {
		return answer{}, err
	}
	view := customerView{Name: c.Name(), Email: c.Email, Badge: customerBadge(&c.Customer), Writable: c.Status == customers.Active,
		Details: detailsForm(r, &c.Customer), Tags: tagsForm(r, &c.Customer), TagList: c.Tags, NewAddress: bookForm(r, c.ID),
		Erase: eraseAsk(r, &c.Customer, newest), AllOrders: prefix + "/orders?customerId=" + string(c.ID)}
	view.Merge = r.form(customerPath(c.ID)+"/merge", field{Name: "with", Label: "The other record", Placeholder: "its e-mail address or id"})
	if view.Name == "" {
		view.Name = c.Email
	}
	view.Erased = c.Status == customers.Erased
	if c.Status == customers.Secondary {
		view.Primary = prefix + customerPath(c.MergedInto)
	}
	if c.Status == customers.Erased {
		said := newCallout("good", "Erased for good",
			r.say("%s, %s. Webhooks heard to forget id %s; run entrepot verify-erasure to look for what may be left.",
				r.format.plural(c.ErasedOrders, "anonymous order", "anonymous orders"), r.format.Stamp(c.ErasedAt).Full, string(c.ID)))
		view.Receipt, view.Name = &said, "Erased customer"
	}
	for _, s := range c.Segments {
		view.Segments = append(view.Segments, pair{Name: s.Name, To: prefix + "/customers?segmentId=" + string(s.ID)})
	}
	for _, a := range c.Addresses {
		view.Addresses = append(view.Addresses, addressOf(r, c.ID, a))
	}
	view.Figures = []pair{{Name: "Orders", Value: r.format.Count(c.OrdersCount)},
		{Name: "Spent", Value: r.format.Money(c.TotalSpent, r.caller().Currency)},
		{Name: "Since", At: r.format.Stamp(c.CreatedAt)}}
	view.Technical = []pair{{Name: "Customer id", Value: string(c.ID), Mono: true}}
	for i := range newest {
		o := &newest[i]
		view.Orders = append(view.Orders, customerOrder{Number: orders.Number(o.Number), To: prefix + "/orders/" + string(o.ID),
			Status: statusWords[o.Status], Total: r.format.Money(o.Total, o.Currency), At: r.format.Stamp(o.CreatedAt)})
	}
	view.History = past
	view.OrderCount = r.format.plural(total, "order", "orders")
	return show(
		screen{Template: "customer", Title: view.Name, Section: "/customers", Crumbs: []crumb{{"Customers", "/customers"}}, Data: view},
	), nil
}

func detailsForm(r *request, c *customers.Customer) *form {
	return r.editing(customerPath(c.ID), append([]field{
		{Name: "email", Label: "E-mail", Kind: "email", Value: c.Email, Required: true, Unique: true}},
		personFields(c)...)...)
}

func tagsForm(r *request, c *customers.Customer) *form {
	return r.editing(
		customerPath(c.ID)+"/tags",
		field{Name: "list", Label: "Tags", Value: commaText(c.Tags), Hint: "separated by commas"},
	)
}

func bookForm(r *request, c id.Customer) *form {
	return r.form(customerPath(c)+"/addresses",
		field{Name: "name", Label: "Name"}, field{Name: "company", Label: "Company"},
		field{Name: "line1", Label: "Street and number", Required: true, Max: apijson.MaxText}, field{Name: "line2", Label: "More"},
		field{Name: "zip", Label: "Postal code", Required: true, Max: limits.MaxZip},
		field{Name: "city", Label: "City", Required: true, Max: limits.MaxCity},
		field{Name: "country", Label: "Country", Required: true, Max: 2, Hint: "two letters: FR"},
		field{Name: "type", Label: "For", Kind: "select", Options: []option{{Label: "anything"}, {Value: "shipping", Label: "shipping"},
			{Value: "billing", Label: "billing"}, {Value: "both", Label: "shipping and billing"}}},
		field{Name: "isDefault", Label: "The usual one", Kind: "checkbox"})
}

// eraseAsk asks before an erasure, which takes the address of orders that are not shipped yet, too.
func eraseAsk(r *request, c *customers.Customer, newest []orders.Order) ask {
	a := newAsk("erase-customer", "Erase this person?", r.say("Name, e-mail, phone, addresses and notes go for good, from the record, "+
		"from the orders and from what is stored of events. Orders keep amounts, lines and the country. You cannot undo this."),
		"Erase for good", eraseForm(r, c))
	var open []string
	for i := range newest {
		if s := newest[i].Status; s == orders.Pending || s == orders.Processing || s == orders.PartiallyShipped {
			open = append(open, orders.Number(newest[i].Number))
		}
	}
	switch len(open) {
	case 0:
	case 1:
		a.Text += r.say(" %s is not shipped yet, and its address goes, too: ship or cancel it first.", open[0])
	default:
		a.Text += r.say(" %s are not shipped yet, and their addresses go, too: ship or cancel them first.", strings.Join(open, ", "))
	}
	return a
}

func eraseForm(r *request, c *customers.Customer) *form {
	return r.form(
		customerPath(c.ID)+"/erase",
		field{Name: "typed", Label: "Type the e-mail address to erase it", Required: true, Complete: "off"},
	)
}

// addressTypes say what an address is for.
var addressTypes = map[customers.AddressType]string{"shipping": "Shipping", "billing": "Billing", "both": "Shipping and billing"}

func addressOf(r *request, c id.Customer, a customers.Address) addressRow {
	row := addressRow{Derived: a.Derived}
	for _, line := range []string{a.Name, a.Company, a.Line1, a.Line2, strings.TrimSpace(a.Zip + " " + a.City), a.State,
		r.format.country(a.Country), a.Phone} {
		if line != "" {
			row.Lines = append(row.Lines, line)
		}
	}
	if a.Type != "" {
		row.Marks = append(row.Marks, addressTypes[a.Type])
	}
	if a.IsDefault {
		row.Marks = append(row.Marks, "Usual")
	}
	if !a.Derived {
		gone := newAsk("delete-"+string(a.ID), "Delete this address?",
			r.say("%s. Orders keep theirs.", strings.Join(row.Lines, ", ")), "Delete address",
			r.another(customerPath(c)+"/addresses/delete", hiddenField("addressId", string(a.ID))))
		row.Delete = &gone
	}
	return row
}

// changeCustomer runs a form of the page in one transaction.
func (d *Dashboard) changeCustomer(r *request, build func(r *request, c *customers.Customer) *form, words string,
	run func(tx *db.Tx, f *form, c id.Customer) error) (answer, error) {
	c, err := d.customerOf(r)
	if err != nil {
		return answer{}, err
	}
	return r.submit(build(r, &c.Customer), d.showCustomer, func(f *form) (answer, error) {
		return d.write(r, func(tx *db.Tx) (answer, error) { return redirect(customerPath(c.ID), words), run(tx, f, c.ID) })
	})
}

// updateCustomer serves POST /customers/{id}.
func (d *Dashboard) updateCustomer(r *request) (answer, error) {
	c, err := d.customerOf(r)
	if err != nil {
		return answer{}, err
	}
	return r.submit(detailsForm(r, &c.Customer), d.showCustomer, func(f *form) (answer, error) {
		o := f.Object()
		change := drafts.ReadCustomer(o, drafts.ToUpdate)
		err := o.Err()
		if err == nil {
			err = d.Commerce.LeaveEmail(r.http.Context(), r.store(), r.caller().Tenant, c.ID, commerce.Expected{}, change)
		}
		if err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			_, err := d.Commerce.UpdateCustomer(tx, c.ID, commerce.Expected{}, change)
			return redirect(customerPath(c.ID), "Saved the customer"), err
		})
	})
}

// tagCustomer serves POST /customers/{id}/tags. Its undo is refused once somebody else has changed the tags. It is
// not stored with the form's key, because tags may name a person.
func (d *Dashboard) tagCustomer(r *request) (answer, error) {
	var before, after []string
	held := func(r *request, c *customers.Customer) *form {
		before = c.Tags
		return tagsForm(r, c)
	}
	out, err := d.changeCustomer(r, held, "Saved the tags", func(tx *db.Tx, f *form, c id.Customer) error {
		tags := customers.Distinct(commaList(f.Value("list")))
		if len(tags) > limits.MaxTags {
			return apperr.At("list", "must be at most %d tags", limits.MaxTags)
		}
		changed, err := d.Commerce.UpdateCustomer(tx, c, commerce.Expected{}, customers.Change{Tags: patch.To(tags)})
		if err == nil {
			after = changed.Tags
		}
		return err
	})
	if after == nil { // the form was sent before
		return out, err
	}
	return out.undo(undo{Action: customerPath(id.Customer(r.http.PathValue("id"))) + "/tags", Fields: map[string]string{
		"list": commaText(before), seenName: seenOf([]field{{Name: "list", Value: commaText(after)}})}}), err
}

// addAddress serves POST /customers/{id}/addresses.
func (d *Dashboard) addAddress(r *request) (answer, error) {
	return d.changeCustomer(r, func(r *request, c *customers.Customer) *form { return bookForm(r, c.ID) }, "Added the address",
		func(tx *db.Tx, f *form, c id.Customer) error {
			o := f.Object()
			draft := drafts.ReadAddress(o, drafts.ToCreate)
			if err := o.Err(); err != nil {
				return err
			}
			_, err := d.Commerce.CreateAddress(tx, c, commerce.Expected{}, draft)
			return err
		})
}

// deleteAddress serves POST /customers/{id}/addresses/delete.
func (d *Dashboard) deleteAddress(r *request) (answer, error) {
	return d.changeCustomer(r, func(r *request, c *customers.Customer) *form { return r.form(customerPath(c.ID) + "/addresses/delete") },
		"Deleted the address", func(tx *db.Tx, _ *form, c id.Customer) error {
			which, ok := id.Parse[id.Address](r.http.PostForm.Get("addressId"))
			if !ok {
				return apperr.Missing("address")
			}
			return d.Commerce.DeleteAddress(tx, c, commerce.Expected{}, which)
		})
}

// eraseCustomer serves POST /customers/{id}/erase; the customer's page is the receipt.
func (d *Dashboard) eraseCustomer(r *request) (answer, error) {
	c, err := d.customerOf(r)
	if err != nil {
		return answer{}, err
	}
	return r.submit(eraseForm(r, &c.Customer), d.showCustomer, func(f *form) (out answer, err error) {
		if customers.EmailKey(f.Value("typed")) != customers.EmailKey(c.Email) {
			return answer{}, apperr.At("typed", "must be the e-mail address of this customer")
		}
		err = d.Commerce.EraseCustomer(
			r.http.Context(),
			r.store(),
			r.caller(),
			c.ID,
			func(erase func(tx *db.Tx) (records.Erasure, error)) (err error) {
				out, err = d.write(r, func(tx *db.Tx) (answer, error) {
					_, err := erase(tx)
					return redirect(customerPath(c.ID), "Erased the customer"), err
				})
				return err
			},
		)
		return out, err
	})
}
