package dashboard

import (
	"net/url"
	"slices"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/customers"
	"entrepot/internal/db"
)

// customerRoutes are the people and companies that order; customer_page.go has the page of one, merge.go and
// segments.go the rest.
var customerRoutes = slices.Concat([]*route{
	{method: "GET", path: "/customers", scope: "read:customers", serve: (*Dashboard).listCustomers},
	{method: "GET", path: "/customers/new", scope: "write:customers", serve: (*Dashboard).newCustomer},
	{method: "POST", path: "/customers/new", scope: "write:customers", serve: (*Dashboard).createCustomer},
}, oneCustomerRoutes, mergeRoutes, segmentRoutes)

// customerRow is a customer in the list.
type customerRow struct {
	ID, To, Name, Email, Company, Country string
	Tags                                  []string
	Orders, Spent                         string
	Since                                 stamp
	Badge                                 *badge // unless active
}

// customerListOf is the list of customers that parameters are about, and what it is to show.
func (r *request) customerListOf(given url.Values) (*listing, customers.Filter, id.Segment) {
	l := r.listingOf(given, "/customers", "customer", "customers", "search", "segmentId", "tag")
	l.search("search", "Search customers", "Name, e-mail, company, phone")
	l.Heads = []head{{Label: "Name"}, {Label: "E-mail"}, {Label: "Country", Drop: 3}, {Label: "Tags", Drop: 1}, {Label: "Since", Drop: 2}, {Label: "Orders", Num: true},
		{Label: "Spent", Num: true}}
	f := customers.Filter{Search: l.query.Text("search"), Tag: l.query.Text("tag"), Limit: l.size, Offset: l.offset()}
	return l, f, apijson.QueryID[id.Segment](l.query, "segmentId")
}

// listCustomers serves GET /customers.
func (d *Dashboard) listCustomers(r *request) (answer, error) {
	l, f, segment := r.customerListOf(r.http.URL.Query())
	view := listView[customerRow]{listing: l}
	err := r.readWide(func(tx *db.Tx) error {
		segments, err := customers.Segments(tx)
		if err != nil {
			return err
		}
		var options []option
		for i := range segments {
			options = append(options, option{Value: string(segments[i].ID), Label: segments[i].Name})
			if segments[i].ID == segment {
				f.Segment = &segments[i]
			}
		}
		gone := segment != "" && f.Segment == nil // deleted, as bookmarks do not know
		if gone {
			options = append(options, option{Value: string(segment), Label: "a segment that is gone"})
		}
		if len(options) > 0 {
			l.choice("segmentId", "Segment", "Any segment", options...)
		}
		var list []customers.Customer
		var total int64
		switch {
		case l.wrong():
			return nil
		case !gone:
			list, total, err = customers.List(tx, f)
		}
		for i := range list {
			view.Rows = append(view.Rows, r.customerRow(&list[i]))
		}
		if l.rows(len(list), total) {
			l.Empty = new(r.firstStep("write:customers", empty{Icon: "people", Head: "No customers yet",
				Text:  "They come with orders that name an e-mail address, or are entered here.",
				Label: "New customer", To: prefix + "/customers/new",
				Curl: r.curl("write:customers", "POST", "/customers", `{"email":"ada@example.com","firstName":"Ada","lastName":"Lovelace"}`)}))
		}
		return err
	})
	l.input("tag", "Tag")
	l.clear("")
	return l.show(screen{Template: "customers", Title: "Customers", Section: "/customers", Data: view}), err
}

func customerPath(c id.Customer) string { return "/customers/" + string(c) }

func (r *request) customerRow(c *customers.Customer) customerRow {
	row := customerRow{ID: "c-" + string(c.ID), To: prefix + customerPath(c.ID), Name: c.Name(), Email: c.Email, Country: c.OrderCountry.Code,
		Tags: c.Tags, Orders: r.format.Count(c.OrdersCount), Spent: r.format.Money(c.TotalSpent, r.caller().Currency),
		Since: r.format.Moment(c.CreatedAt, "2 Jan 2006"), Badge: customerBadge(c)}
	if row.Name != c.Company {
		row.Company = c.Company
	}
	if len(c.Addresses) > 0 {
		row.Country = c.Addresses[0].Country
	}
	if row.Name == "" {
		row.Name = c.Email
	}
	return row
}

// customerBadge is the badge of a customer's status, nil for an active one.
func customerBadge(c *customers.Customer) *badge {
	switch c.Status {
	case customers.Erased:
		return &badge{"", "cancelled", "Erased"}
	case customers.Secondary:
		return &badge{"", "returned", "Merged"}
	}
	return nil
}
