package dashboard

import (
	"net/http"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/records"
)

// mergeRoutes merge two records of one person.
var mergeRoutes = []*route{
	{method: "GET", path: "/customers/{id}/merge", scope: "write:customers", serve: (*Dashboard).previewMerge},
	{method: "POST", path: "/customers/{id}/merge", scope: "write:customers", serve: (*Dashboard).mergeCustomers},
}

// mergeView is what templates/merge.html shows: the record that stays, the one that is merged into it, and the result.
type mergeView struct {
	Rows    []mergeRow
	Moves   string
	Form    *form
	Swap    string // address with the records the other way round
	Back    string
	Problem string
	Search  *form
}

// mergeRow is one member of both records, and of what they would be together.
type mergeRow struct{ Label, Stays, Goes, Together string }

// otherRecord finds the record that a person named by its id or e-mail. Errors: Invalid.
func otherRecord(tx *db.Tx, named string, not id.Customer) (*customers.Customer, error) {
	named = strings.TrimSpace(named)
	var found *customers.Customer
	var err error
	if which, ok := id.Parse[id.Customer](named); ok {
		found, err = customers.ByID(tx, which)
	} else {
		found, err = customers.ByEmail(tx, named)
	}
	if err == nil && (found == nil || found.ID == not) {
		err = apperr.At("with", "is no other customer's e-mail address or id")
	}
	return found, err
}

// previewMerge serves GET /customers/{id}/merge?with=…
func (d *Dashboard) previewMerge(r *request) (answer, error) {
	c, err := d.customerOf(r)
	if err != nil {
		return answer{}, err
	}
	home := customerPath(c.ID)
	named := r.http.URL.Query().Get("with")
	if r.http.Method == http.MethodPost {
		named = r.http.PostForm.Get("with")
	}
	view := mergeView{Back: prefix + home, Search: r.form(home+"/merge", field{Name: "with", Label: "The other record", Value: named,
		Placeholder: "its e-mail address or id"})}
	err = r.read(func(tx *db.Tx) error {
		if named == "" {
			return nil
		}
		found, err := otherRecord(tx, named, c.ID)
		if err != nil {
			return err
		}
		other, err := d.Commerce.ReadCustomer(tx, found.ID)
		if err != nil {
			return err
		}
		merged, err := d.Commerce.PreviewMerge(tx, c.ID, []id.Customer{other.ID})
		if err != nil {
			return err
		}
		view.Rows = r.mergeRows(c, other, merged.Primary)
		view.Moves = r.format.plural(int64(merged.OrdersMoved), "order moves", "orders move")
		view.Form = mergeForm(r, c.ID, other.ID)
		view.Swap = prefix + customerPath(other.ID) + "/merge?with=" + string(c.ID)
		return nil
	})
	if e, ok := apperr.As(err); ok && (e.Kind == apperr.Invalid || e.Kind == apperr.Conflict) {
		view.Problem, err = said(e), nil
		if len(e.Details) > 0 {
			words := restated(e.Details[0].Message)
			view.Problem, view.Search.At("with").Error = "“"+named+"” "+words, sentence(words)
		}
	}
	return show(screen{Template: "merge", Title: "Merge", Section: "/customers", Crumbs: []crumb{{"Customers", "/customers"},
		{c.Name(), home}}, Data: view}), err
}

func mergeForm(r *request, stays, goes id.Customer) *form {
	return r.form(customerPath(stays)+"/merge", hiddenField("with", string(goes)))
}

func (r *request) mergeRows(stays, goes, together records.Customer) []mergeRow {
	row := func(label string, of func(c records.Customer) string) mergeRow {
		return mergeRow{label, of(stays), of(goes), of(together)}
	}
	return []mergeRow{
		row("E-mail", func(c records.Customer) string { return c.Email }),
		row("Name", func(c records.Customer) string { return c.Name() }),
		row("Company", func(c records.Customer) string { return c.Company }),
		row("Phone", func(c records.Customer) string { return c.Phone }),
		row("Tags", func(c records.Customer) string { return strings.Join(c.Tags, ", ") }),
		row("Orders", func(c records.Customer) string { return r.format.Count(c.OrdersCount) }),
		row("Spent", func(c records.Customer) string { return r.format.Money(c.TotalSpent, r.caller().Currency) }),
		row("Addresses", func(c records.Customer) string {
			n := 0
			for _, a := range c.Addresses {
				if !a.Derived {
					n++
				}
			}
			return r.format.Count(int64(n))
		}),
	}
}

// mergeCustomers serves POST /customers/{id}/merge.
func (d *Dashboard) mergeCustomers(r *request) (answer, error) {
	c, err := d.customerOf(r)
	if err != nil {
		return answer{}, err
	}
	other, ok := id.Parse[id.Customer](r.http.PostForm.Get("with"))
	if !ok || other == c.ID {
		return d.previewMerge(r)
	}
	return r.submit(mergeForm(r, c.ID, other), d.previewMerge, func(*form) (answer, error) {
		finish := func() error {
			return d.Commerce.FinishMerges(r.http.Context(), r.store(), r.caller().Tenant, c.ID, other)
		}
		if err := finish(); err != nil {
			return answer{}, err
		}
		out, err := d.write(r, func(tx *db.Tx) (answer, error) {
			merged, err := d.Commerce.MergeCustomers(tx, r.caller(), c.ID, []id.Customer{other})
			return redirect(customerPath(c.ID),
				r.say("Merged the records and moved %s", r.format.plural(int64(merged.OrdersMoved), "order", "orders"))), err
		})
		if err == nil {
			err = finish()
		}
		return out, err
	})
}
