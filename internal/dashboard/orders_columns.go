package dashboard

import (
	"slices"
	"strings"
)

// columnsName is the cookie of a browser that leaves out columns of the list of orders: their names, joined by dots.
const columnsName = "entrepot-columns"

// optionalColumns are the columns that can be left out, by their heads. An order's number and status are always shown.
var optionalColumns = []option{{Value: "placed", Label: "Placed"}, {Value: "customer", Label: "Customer"}, {Value: "lines", Label: "Lines"},
	{Value: "shipped", Label: "Shipped"}, {Value: "channel", Label: "Channel"}, {Value: "total", Label: "Total"}}

// hiddenColumns are the columns that the browser leaves out.
func (r *request) hiddenColumns() (list []string) {
	c, err := r.http.Cookie(columnsName)
	if err != nil {
		return nil
	}
	named := strings.Split(c.Value, ".")
	for _, column := range optionalColumns {
		if slices.Contains(named, column.Value) {
			list = append(list, column.Value)
		}
	}
	return list
}

func (r *request) orderColumnsForm(hidden []string) *form {
	f := r.form("/orders/columns", field{Name: "show", Label: "Columns of the list", Kind: "checks",
		Hint: "The choice is kept in this browser."})
	for _, column := range optionalColumns {
		column.On = !slices.Contains(hidden, column.Value)
		f.Fields[0].Options = append(f.Fields[0].Options, column)
	}
	return f
}

// chooseOrderColumns serves POST /orders/columns: the columns that were ticked are shown from then on, in this browser.
func (d *Dashboard) chooseOrderColumns(r *request) (answer, error) {
	sent := r.http.PostForm
	q, err := r.readOrders(sent)
	if err != nil {
		return answer{}, err
	}
	var hidden []string
	for _, column := range optionalColumns {
		if !slices.Contains(sent["show"], column.Value) {
			hidden = append(hidden, column.Value)
		}
	}
	out := answer{to: q.first()}
	if len(hidden) == 0 {
		out.cookies = append(out.cookies, r.cookie(columnsName, "", -1))
	} else {
		out.cookies = append(out.cookies, r.cookie(columnsName, strings.Join(hidden, "."), imagesTime))
	}
	return out, nil
}
