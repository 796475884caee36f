package dashboard

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/money"
	"entrepot/internal/orders"
	"entrepot/internal/views"
)

// orderRoutes are the list of orders and what is done from it.
var orderRoutes = []*route{
	{method: "GET", path: "/orders", scope: "read:orders", serve: (*Dashboard).showOrders},
	{method: "GET", path: "/orders/sums", scope: "read:orders", serve: (*Dashboard).sumOrders},
	{method: "GET", path: "/orders/slip", scope: "read:orders", serve: (*Dashboard).showSlips},
	{method: "POST", path: "/orders/columns", scope: "read:orders", serve: (*Dashboard).chooseOrderColumns},
	{method: "POST", path: "/orders/export", scope: "read:orders", serve: (*Dashboard).exportOrders},
	{method: "POST", path: "/orders/bulk", scope: "write:orders", serve: (*Dashboard).moveOrders},
	{method: "POST", path: "/orders/bulk/{id}/undo", scope: "write:orders", serve: (*Dashboard).undoBulk},
	{method: "GET", path: "/orders/bulk/{id}", scope: "read:orders", serve: (*Dashboard).showBulk},
}

// ordersView is what templates/orders.html shows.
type ordersView struct {
	Tabs         []tab
	Search       string
	Kept         []pair // parameters that the search keeps
	List         string // every parameter, for actions on the whole view
	Chips        []chip
	Menus        []orderMenu
	Heads        []head
	Rows         []orderRow
	Words, Count string
	Total        int64
	Pager        pager
	Bulk         *form
	Moves        []option
	Save         *form  // nil where there is nothing to save
	SavedID      string // of the saved view that is shown, "" for none
	Columns      *form
	hidden       []string // columns
}

// Shows reports whether a column is shown.
func (v ordersView) Shows(column string) bool { return !slices.Contains(v.hidden, column) }

// orderMenu is a filter that can be set: a list of links, or inputs, or a page.
type orderMenu struct {
	ID, Label string
	All       *chip // what leads to the page of its many choices, in place of a menu
	Links     []tab
	Inputs    []field
	Kept      []pair
}

// orderRow is one line of the list.
type orderRow struct {
	ID              id.Order
	To              string
	Number, Foreign string
	Placed          stamp
	Who, Country    string
	First           string
	More            int64
	Badge           badge
	Gauge           gauge
	Channel         string
	Total           string
}

// showOrders serves GET /orders.
func (d *Dashboard) showOrders(r *request) (answer, error) {
	if r.chooses("channelId") {
		return d.choose(r, "/orders", "Orders")
	}
	q, wrong, err := r.ordersShown()
	if err != nil {
		return answer{}, err
	}
	var list []orders.Summary
	var total int64
	var counts map[orders.Status]int64
	var places []channels.Channel
	var saved []views.View
	err = r.readWide(func(tx *db.Tx) error {
		return tx.Together(func(tx *db.Tx) (err error) {
			if wrong == "" {
				list, total, err = orders.ListSummaries(tx, q.Filter)
			}
			return err
		}, func(tx *db.Tx) (err error) {
			counts, err = orders.StatusCounts(tx)
			return err
		}, func(tx *db.Tx) (err error) {
			places, _, err = channels.List(tx, maxChoices, 0)
			return err
		}, func(tx *db.Tx) (err error) {
			saved, err = views.List(tx, r.session.User.ID, "/orders")
			return err
		})
	})
	if err != nil {
		return answer{}, err
	}
	shown := field{Name: until, Kind: "hidden", Value: strconv.FormatInt(r.format.now.UnixMicro(), 10)}
	view := ordersView{Search: q.Search, Kept: q.hidden("search"), List: q.query(), Total: total, Tabs: r.orderTabs(q, counts),
		Chips: r.orderChips(q, places), Menus: r.orderMenus(q, places), Bulk: r.form("/orders/bulk", shown),
		Words: r.format.plural(total, "order", "orders"), Count: r.format.Count(total),
		hidden: r.hiddenColumns()}
	view.Columns, view.Heads = r.orderColumnsForm(view.hidden), view.shownHeads(orderHeads(q))
	for _, s := range []orders.Status{orders.Processing, orders.Delivered, orders.Returned, orders.Cancelled} {
		move := option{Value: string(s), Label: movedWords[s]}
		switch s {
		case orders.Cancelled:
			move.Label = "Cancel orders…"
		case orders.Returned:
			move.Label += "…"
		}
		view.Moves = append(view.Moves, move)
	}
	for i := range list {
		view.Rows = append(view.Rows, r.orderRow(q, &list[i]))
	}
	tabs, now := savedTabs(q, saved)
	view.Tabs = append(view.Tabs, tabs...)
	if now != nil {
		view.SavedID = now.ID
		for i := range view.Tabs[:len(view.Tabs)-len(tabs)] {
			view.Tabs[i].Current = false
		}
	} else if q.filtered() && wrong == "" {
		view.Save = r.form("/orders/views")
	}
	view.Pager = r.ordersPager(q, total)
	if total == 0 && wrong == "" {
		if view.Pager.Empty, err = r.noOrders(q, places); err != nil {
			return answer{}, err
		}
	}
	view.Pager.Wrong = wrong
	out := view.Pager.after(show(screen{Template: "orders", Title: "Orders", Section: "/orders", Data: view}))
	if wrong != "" {
		out.status = http.StatusBadRequest
	}
	return out, nil
}

func (r *request) orderRow(q ordersQuery, o *orders.Summary) orderRow {
	row := orderRow{ID: o.ID, To: q.at("/orders/" + string(o.ID)), Number: orders.Number(o.Number), Foreign: foreignNumber(&o.Order),
		Placed: r.format.Stamp(o.CreatedAt), Who: orderName(&o.Order), Country: orders.Country(o.ShippingAddress), First: o.FirstLine,
		More: o.ItemCount - 1, Badge: statusWords[o.Status],
		Gauge: r.format.gauge(o.Units.Shipped, o.Units.Ordered, "of"), Channel: o.ChannelName,
		Total: r.format.Money(o.Order.Total, o.Currency)}
	if o.Status == orders.Cancelled && o.Units.Shipped == 0 {
		row.Gauge = gauge{} // of what was cancelled nothing is to ship
	}
	return row
}

// orderTabs are the views: everything, what is to ship, and each status, each with how many there are, unless another filter leaves
// fewer.
func (r *request) orderTabs(q ordersQuery, counts map[orders.Status]int64) (list []tab) {
	now := statusesText(q.Statuses)
	add := func(label string, statuses ...orders.Status) {
		of := statuses
		if of == nil {
			of = orders.Statuses
		}
		var n int64
		for _, s := range of {
			n += counts[s]
		}
		one := tab{Label: label, To: q.at("/orders", "status", statusesText(statuses)), Current: now == statusesText(statuses)}
		if !q.filtered("status") {
			one.Count = r.format.Count(n)
		}
		list = append(list, one)
	}
	add("All")
	add("To ship", orders.Processing, orders.PartiallyShipped)
	for _, s := range []orders.Status{orders.Pending, orders.PartiallyShipped, orders.Shipped, orders.Delivered, orders.Cancelled,
		orders.Returned} {
		add(statusWords[s].Word, s)
	}
	return list
}

// orderChips are the filters that are set; each leads to the list without it.
func (r *request) orderChips(q ordersQuery, places []channels.Channel) (list []chip) {
	on := func(words string, names ...string) {
		var change []string
		for _, name := range names {
			change = append(change, name, "")
		}
		list = append(list, chip{Label: words, To: q.at("/orders", change...), On: true})
	}
	get := q.values.Get
	if len(q.Statuses) > 0 {
		var in, out []string
		for _, s := range orders.Statuses {
			if slices.Contains(q.Statuses, s) {
				in = append(in, statusWords[s].Word)
			} else {
				out = append(out, statusWords[s].Word)
			}
		}
		words := strings.Join(in, ", ")
		if len(out) == 1 {
			words = "all but " + out[0]
		}
		on("Status: "+words, "status")
	}
	if text := get("placed"); text != "" {
		on("Placed: "+placedWords(text), "placed")
	}
	if from, to := get("createdAtGte"), get("createdAtLte"); from != "" || to != "" {
		on("Placed: "+span(r.whenWords("from", from), r.whenWords("to", to)), "createdAtGte", "createdAtLte")
	}
	if q.Channel != "" {
		name := "unknown"
		for _, c := range places {
			if c.ID == q.Channel {
				name = c.Name
			}
		}
		on("Channel: "+name, "channelId")
	}
	if q.Country != "" {
		on("Country: "+countryName(q.Country), "country")
	}
	if from, to := q.MinTotal, q.MaxTotal; from != nil || to != nil {
		on("Total: "+span(r.bound(from), r.bound(to)), "minTotal", "maxTotal")
	}
	if q.Stuck {
		on("Disagrees with its shop", "stuck")
	}
	if q.Email != "" {
		on("Customer: "+q.Email, "customerEmail")
	}
	if q.Customer != "" {
		on("One customer", "customerId")
	}
	return list
}

func (r *request) bound(a *money.Amount) string {
	if a == nil {
		return ""
	}
	return r.format.plain(a.String())
}

// span describes two bounds, of which one may be missing.
func span(from, to string) string {
	switch {
	case from == "":
		return "to " + to
	case to == "":
		return "from " + from
	}
	return from + " to " + to
}

func placedWords(text string) string {
	if text == "today" || text == "1d" {
		return "today"
	}
	return "last " + text[:len(text)-1] + " days"
}

// amountPattern is what the input of an amount may contain: whether it is clear is said when it is read.
const amountPattern = `[0-9][0-9 .,'’]*`

// orderMenus are the filters that can be set.
func (r *request) orderMenus(q ordersQuery, places []channels.Channel) []orderMenu {
	status := orderMenu{ID: "f-status", Label: "Status"}
	for _, s := range orders.Statuses {
		next := slices.DeleteFunc(slices.Clone(q.Statuses), func(o orders.Status) bool { return o == s })
		on := len(next) < len(q.Statuses)
		if !on {
			next = append(next, s)
		}
		status.Links = append(status.Links, tab{Label: statusWords[s].Word, To: q.at("/orders", "status", statusesText(next)), Current: on})
	}
	placed := orderMenu{ID: "f-placed", Label: "Placed", Kept: q.hidden("placed", "createdAtGte", "createdAtLte"), Inputs: []field{
		r.when("createdAtGte", "From", q.values.Get("createdAtGte")), r.when("createdAtLte", "To", q.values.Get("createdAtLte"))}}
	for _, text := range []string{"today", "7d", "30d", "90d"} {
		placed.Links = append(placed.Links, tab{Label: sentence(placedWords(text)), Current: q.values.Get("placed") == text,
			To: q.at("/orders", "placed", text, "createdAtGte", "", "createdAtLte", "")})
	}
	channel := orderMenu{ID: "f-channel", Label: "Channel"}
	for _, c := range places {
		channel.Links = append(channel.Links, tab{Label: c.Name, To: q.at("/orders", "channelId", string(c.ID)), Current: q.Channel == c.ID})
	}
	if len(channel.Links) > mostInMenu {
		channel.All, channel.Links = &chip{Label: channel.Label, To: q.at("/orders", choosing, "channelId")}, nil
	}
	customer := orderMenu{ID: "f-customer", Label: "Customer", Kept: q.hidden("customerEmail", "country"), Inputs: []field{
		{Form: "f", Name: "customerEmail", Label: "E-mail", Kind: "email", Value: q.Email},
		{Form: "f", Name: "country", Label: "Country", Hint: "Two letters, such as FR", Max: 2, Value: q.Country}}}
	total := orderMenu{ID: "f-total", Label: "Total", Kept: q.hidden("minTotal", "maxTotal"), Inputs: []field{
		{Form: "f", Name: "minTotal", Label: "At least"}, {Form: "f", Name: "maxTotal", Label: "At most"}}}
	for i := range total.Inputs {
		in := &total.Inputs[i]
		in.Kind, in.Pattern, in.Value = "decimal", amountPattern, cmp.Or(r.format.typing(q.values.Get(in.Name)), r.query().Text(in.Name))
	}
	list := []orderMenu{status, placed, customer, total}
	if len(places) > 0 {
		list = slices.Insert(list, 2, channel)
	}
	return list
}

// orderHeads are the columns; three of them sort.
func orderHeads(q ordersQuery) []head {
	sorted := func(label string, by orders.Sort, num bool) head {
		h, next := head{Label: label, Num: num}, ":desc"
		if q.Sort == by {
			if h.Sort = "descending"; q.Ascending {
				h.Sort = "ascending"
			} else {
				next = ":asc"
			}
		}
		h.To = q.at("/orders", "sort", string(by)+next)
		return h
	}
	return []head{sorted("Order", orders.ByNumber, false), sorted("Placed", orders.ByCreatedAt, false), {Label: "Customer"}, {Label: "Lines"},
		{Label: "Status"}, {Label: "Shipped"}, {Label: "Channel"}, sorted("Total", orders.ByTotal, true)}
}

func (r *request) ordersPager(q ordersQuery, total int64) pager {
	from, to := int64(q.Offset)+1, min(int64(q.Offset)+ordersPage, total)
	p := pager{Words: r.format.Count(from) + "–" + r.format.Count(to) + " of " + r.format.Count(total)}
	if total == 0 {
		p.Words = "No orders"
	}
	if from > total && total > 0 {
		p.Last = strings.TrimPrefix(q.at("/orders", "page", strconv.FormatInt((total+ordersPage-1)/ordersPage, 10)), prefix)
	}
	if q.Page > 1 {
		p.First, p.Newer = q.at("/orders"), q.at("/orders", "page", strconv.Itoa(q.Page-1))
		if q.Page == 2 {
			p.Newer = p.First
		}
	}
	if to < total {
		p.Older = q.at("/orders", "page", strconv.Itoa(q.Page+1))
	}
	return p
}

// noOrders is the message of an empty list.
func (r *request) noOrders(q ordersQuery, places []channels.Channel) (*empty, error) {
	if q.filtered() {
		none := noMatch("/orders", "order", "orders")
		return &none, nil
	}
	channel := ""
	if i := slices.IndexFunc(places, func(c channels.Channel) bool { return c.Platform == channels.Custom }); i >= 0 {
		channel = string(places[i].ID)
	}
	var newest catalog.Sold
	if err := r.read(func(tx *db.Tx) (err error) { newest, err = newestProduct(tx); return err }); err != nil {
		return nil, err
	}
	e := r.firstStep("write:channels", empty{Icon: "order", Head: "No orders yet",
		Text:  "Orders appear here as soon as a channel or an API key sends one.",
		Label: "Add a channel", To: prefix + "/channels/new", Curl: r.curl(firstCall(newest, channel))})
	if newest.SKU == "" {
		e = r.firstStep("write:products", empty{Icon: "order", Head: "No orders yet",
			Text:  "An order needs a product. Enter one first, or import a list of them.",
			Label: "New product", To: prefix + "/products/new", File: prefix + importsPath,
			Curl: r.curl(firstCall(newest, channel))})
	}
	return &e, nil
}
