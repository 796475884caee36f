package dashboard

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// orderRoutes are the list of orders and what is done from it.
var orderRoutes = []*route{
	{method: "GET", path: "/orders", scope: "read:orders", serve: (*Dashboard).showOrders},
	{method: "GET", path: "/orders/sums", scope: "read:orders", serve: (*Dashboard).sumOrders},
	{method: "GET", path: "/orders/slip", scope: "read:orders", serve: (*Dashboard).showSlips},
	{method: "POST", path: "/orders/columns", scope: "read:orders", serve: (*Dashboard).chooseOrderColumns},
	{method: "POST", path: "/orders/export", scope: "read:orders", serve: (*Dashboard).exportOrders},
	{method: "POST", path: "/orders/bulk", scope: "write:orders", serve: (*Dashboard).moveOrders},
	{method: "POST", path: "/orders/bulk-tag", scope: "write:orders", serve: (*Dashboard).tagOrders},
	{method: "POST", path: "/orders/bulk/{id}/undo", scope: "write:orders", serve: (*Dashboard).undoBulk},
	{method: "GET", path: "/orders/bulk/{id}", scope: "read:orders", serve: (*Dashboard).showBulk},
}

// ordersView is what templates/orders.html shows.
type ordersView struct {
	*listing
	Rows    []orderRow
	List    string // every parameter, for actions on the whole view
	Total   int64
	Count   string // of Total
	Bulk    *form
	Moves   []option
	Save    *form  // nil where there is nothing to save
	SavedID string // of the saved view that is shown, "" for none
	Columns *form
	hidden  []string // columns
}

// Shows reports whether a column is shown.
func (v ordersView) Shows(column string) bool { return !slices.Contains(v.hidden, column) }

// orderRow is one line of the list.
type orderRow struct {
	ID           id.Order
	To           string
	Number       string
	Foreign      string // its number elsewhere, and its tags
	Placed       stamp
	Who, Country string
	First        string
	More         int64
	Badge        badge
	Gauge        gauge
	Channel      string
	Total        string
}

// showOrders serves GET /orders.
func (d *Dashboard) showOrders(r *request) (answer, error) {
	q, err := r.ordersShown()
	if err != nil {
		return answer{}, err
	}
	if r.chooses("channelId", "tag", "assignedTo") {
		return d.choose(r, q.listing, "Orders")
	}
	var list []orders.Summary
	var total int64
	var counts map[orders.Status]int64
	var places []channels.Channel
	var saved []accounts.SavedView
	var names map[id.User]string
	err = r.readWide(func(tx *db.Tx) error {
		return tx.Together(func(tx *db.Tx) (err error) {
			if !q.wrong() {
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
			saved, err = accounts.SavedViews(tx, r.session.User.ID, "/orders")
			return err
		}, func(tx *db.Tx) (err error) {
			names, err = r.userNames(tx)
			return err
		})
	})
	if err != nil {
		return answer{}, err
	}
	shown := field{Name: until, Kind: "hidden", Value: strconv.FormatInt(r.format.now.UnixMicro(), 10)}
	view := ordersView{listing: q.listing, List: q.values.Encode(), Total: total, Count: r.format.Count(total),
		Bulk: r.form("/orders/bulk", shown), Moves: bulkMoves(), hidden: r.hiddenColumns()}
	view.Columns = r.orderColumnsForm(view.hidden)
	q.Swap, q.Ticks = "orders orders-do bulk", "bulk"
	r.orderColumns(q, view)
	r.orderTabs(q, counts)
	r.orderChips(q, places)
	r.orderTagChips(q, names)
	r.orderMenus(q, places)
	r.orderTagMenus(q)
	for i := range list {
		view.Rows = append(view.Rows, r.orderRow(q, &list[i]))
	}
	if view.SavedID = q.savedTabs(saved); view.SavedID == "" && q.narrowed() && !q.wrong() {
		view.Save = r.form("/orders/views")
	}
	if !q.wrong() && q.rows(len(list), total) {
		if q.Pager.Empty, err = r.noOrders(places); err != nil {
			return answer{}, err
		}
	}
	return q.show(screen{Template: "orders", Title: "Orders", Section: "/orders", Data: view}), nil
}

func (r *request) orderRow(q orderList, o *orders.Summary) orderRow {
	row := orderRow{ID: o.ID, To: q.at("/orders/" + string(o.ID)), Number: orders.Number(o.Number),
		Foreign: strings.Join(nonEmpty([]string{foreignNumber(&o.Order), strings.Join(o.Tags, ", ")}), " · "),
		Placed:  r.format.Stamp(o.CreatedAt), Who: orderName(&o.Order), Country: orders.Country(o.ShippingAddress), First: o.FirstLine,
		More: o.ItemCount - 1, Badge: statusWords[o.Status],
		Gauge: r.format.gauge(o.Units.Shipped, o.Units.Ordered, "%s of %s"), Channel: o.ChannelName,
		Total: r.format.Money(o.Order.Total, o.Currency)}
	if o.Status == orders.Cancelled && o.Units.Shipped == 0 {
		row.Gauge = gauge{} // of what was cancelled nothing is to ship
	}
	return row
}

// toShip are the statuses of orders that are to ship: in the views, the chips and the counts.
var toShip = []orders.Status{orders.Processing, orders.PartiallyShipped}

// orderTabs are the views: everything, what is to ship, and each status.
func (r *request) orderTabs(q orderList, counts map[orders.Status]int64) {
	add := func(label string, statuses ...orders.Status) {
		text, n := statusesText(statuses), int64(0)
		for s, count := range counts {
			if text == "" || slices.Contains(statuses, s) {
				n += count
			}
		}
		q.countTab(label, "status", text, n)
	}
	add("All")
	add("To ship", toShip...)
	for _, s := range []orders.Status{orders.Pending, orders.PartiallyShipped, orders.Shipped, orders.Delivered, orders.Cancelled,
		orders.Returned} {
		add(statusWords[s].Word, s)
	}
}

// orderChips are the filters that are set.
func (r *request) orderChips(q orderList, places []channels.Channel) {
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
		words := r.say("Status: %s", strings.Join(in, ", "))
		switch {
		case statusesText(q.Statuses) == statusesText(toShip):
			words = "To ship"
		case len(out) == 1:
			words = r.say("Status: all but %s", out[0])
		}
		q.set(words, "status")
	}
	if text := get("placed"); text != "" {
		q.set(r.say("Placed: %s", r.placedWords(text)), "placed")
	}
	if from, to := get("createdAtGte"), get("createdAtLte"); from != "" || to != "" {
		q.set(r.say("Placed: %s", r.span(r.whenWords("from", from), r.whenWords("to", to))), "createdAtGte", "createdAtLte")
	}
	if q.Channel != "" {
		name := "unknown"
		for _, c := range places {
			if c.ID == q.Channel {
				name = c.Name
			}
		}
		q.set(r.say("Channel: %s", name), "channelId")
	}
	if q.Country != "" {
		q.set(r.say("Country: %s", r.format.country(q.Country)), "country")
	}
	if from, to := q.MinTotal, q.MaxTotal; from != nil || to != nil {
		q.set(r.say("Total: %s", r.span(r.bound(from), r.bound(to))), "minTotal", "maxTotal")
	}
	if q.Stuck {
		q.set("Disagrees with its shop", "stuck")
	}
	if q.Email != "" {
		q.set(r.say("Customer: %s", q.Email), "customerEmail")
	}
	if q.Customer != "" {
		q.set("One customer", "customerId")
	}
}

func (r *request) bound(a *money.Amount) string {
	if a == nil {
		return ""
	}
	return r.format.plain(a.String())
}

// span describes two bounds, of which one may be missing.
func (r *request) span(from, to string) string {
	switch {
	case from == "":
		return r.say("to %s", to)
	case to == "":
		return r.say("from %s", from)
	}
	return r.say("%s to %s", from, to)
}

func (r *request) placedWords(text string) string {
	if text == "today" || text == "1d" {
		return r.say("today")
	}
	return r.say("last %s days", text[:len(text)-1])
}

// amountPattern is what the input of an amount may contain: whether it is clear shows when it is read.
const amountPattern = `[0-9][0-9 .,'’]*`

// orderMenus are the filters that can be set.
func (r *request) orderMenus(q orderList, places []channels.Channel) {
	status := menu{ID: "f-status", Label: "Status"}
	for _, s := range orders.Statuses {
		next := slices.DeleteFunc(slices.Clone(q.Statuses), func(o orders.Status) bool { return o == s })
		on := len(next) < len(q.Statuses)
		if !on {
			next = append(next, s)
		}
		status.Links = append(status.Links, tab{Label: statusWords[s].Word, To: q.with("status", statusesText(next)), Current: on})
	}
	q.menu(status, "status")
	placed := menu{ID: "f-placed", Label: "Placed", Inputs: []field{r.when("createdAtGte", "From", q.values.Get("createdAtGte")),
		r.when("createdAtLte", "To", q.values.Get("createdAtLte"))}}
	for _, text := range []string{"today", "7d", "30d", "90d"} {
		placed.Links = append(placed.Links, tab{Label: sentence(r.placedWords(text)), Current: q.values.Get("placed") == text,
			To: q.with("placed", text, "createdAtGte", "", "createdAtLte", "")})
	}
	q.menu(placed, "placed", "createdAtGte", "createdAtLte")
	channel := menu{ID: "f-channel", Label: "Channel"}
	for _, c := range places {
		channel.Links = append(channel.Links, tab{Label: c.Name, To: q.with("channelId", string(c.ID)), Current: q.Channel == c.ID})
	}
	if len(channel.Links) > mostInMenu {
		channel.All, channel.Links = &chip{Label: channel.Label, To: q.with(choosing, "channelId")}, nil
	}
	if len(places) > 0 {
		q.menu(channel, "channelId")
	}
	q.menu(menu{ID: "f-customer", Label: "Customer", Inputs: []field{
		{Form: "f", Name: "customerEmail", Label: "E-mail", Kind: "email", Value: q.Email},
		{Form: "f", Name: "country", Label: "Country", Hint: "Two letters, such as FR", Max: 2, Value: q.Country}}}, "customerEmail", "country")
	total := menu{ID: "f-total", Label: "Total", Inputs: []field{
		{Form: "f", Name: "minTotal", Label: "At least"}, {Form: "f", Name: "maxTotal", Label: "At most"}}}
	for i := range total.Inputs {
		in := &total.Inputs[i]
		in.Kind, in.Pattern = "decimal", amountPattern
		in.Value = cmp.Or(r.format.typing(q.values.Get(in.Name)), r.http.URL.Query().Get(in.Name))
	}
	q.menu(total, "minTotal", "maxTotal")
}

// orderColumns are the columns that are shown; three of them sort.
func (r *request) orderColumns(q orderList, view ordersView) {
	heads := []head{{Label: "Order", By: string(orders.ByNumber)}, {Label: "Placed", By: string(orders.ByCreatedAt)}, {Label: "Customer"},
		{Label: "Lines", Drop: 2}, {Label: "Status"}, {Label: "Shipped", Drop: 1}, {Label: "Channel", Drop: 3}, {Label: "Total", By: string(orders.ByTotal), Num: true}}
	q.columns(string(q.Sort), !q.Ascending, "desc", slices.DeleteFunc(heads, func(h head) bool { return !view.Shows(strings.ToLower(h.Label)) })...)
}

// noOrders is the message of an empty list.
func (r *request) noOrders(places []channels.Channel) (*empty, error) {
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
