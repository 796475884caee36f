package dashboard

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// returnsRoutes is the list of all returns.
var returnsRoutes = []*route{{method: "GET", path: "/returns", scope: "read:orders", serve: (*Dashboard).showReturns}}

// returnRow is a return in the list.
type returnRow struct {
	ID, Number, To, Customer, Words, Amount string
	Badge                                   badge
	At                                      stamp
}

// showReturns serves GET /returns.
func (d *Dashboard) showReturns(r *request) (answer, error) {
	l := r.listing("/returns", "return", "returns", "status")
	l.tab("All", "status", "")
	for _, s := range orders.ReturnStatuses {
		l.tab(returnWords[s].Word, "status", string(s))
	}
	l.span()
	f := orders.ReturnFilter{Limit: l.size, Statuses: apijson.QueryEnums(l.query, "status", orders.ReturnStatuses...),
		After: apijson.QueryID[id.Return](l.query, "cursor")}
	f.From, f.To = r.moments(l.query)
	l.Heads = []head{{Label: "Order"}, {Label: "Customer"}, {Label: "Status"}, {Label: "Comes back"}, {Label: "Refund", Num: true, Drop: 2},
		{Label: "Announced", Num: true}}
	view := listView[returnRow]{listing: l}
	err := r.read(func(tx *db.Tx) error {
		if l.wrong() {
			return nil
		}
		list, more, err := orders.ListReturns(tx, f)
		for i := range list {
			view.Rows = append(view.Rows, r.returnRow(&list[i]))
		}
		next := ""
		if more {
			next = string(list[len(list)-1].ID)
		}
		if l.rowsAfter(len(list), "cursor", next) {
			l.Pager.Empty = new(r.firstStep("write:orders", empty{Icon: "undo", Head: "No returns yet",
				Text: "Open a shipped order and announce what comes back, or let your shop do it.", Label: "See shipped orders",
				To: prefix + "/orders?status=SHIPPED,DELIVERED", Curl: r.curl("read:orders", "GET", "/returns?limit=10", "")}))
		}
		return err
	})
	return l.show(screen{Template: "returns", Title: "Returns", Section: "/returns", Data: view}), err
}

// returnRow is the row of a return.
func (r *request) returnRow(one *orders.ListedReturn) returnRow {
	o := one.Order
	row := returnRow{ID: string(one.ID), Number: orders.Number(o.Number), To: prefix + "/orders/" + string(o.ID) + "#returns",
		Customer: o.CustomerName, Badge: returnWords[one.Status], Words: r.returnedUnits(o, &one.Return), At: r.format.Stamp(one.CreatedAt)}
	if one.RefundAmount != nil {
		row.Amount = r.format.Money(*one.RefundAmount, o.Currency)
	}
	return row
}
