package dashboard

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// orderPageRoutes are one order and the actions on it.
var orderPageRoutes = []*route{
	{method: "GET", path: "/orders/{id}", scope: "read:orders", serve: (*Dashboard).showOrder},
	{method: "POST", path: "/orders/{id}/ship", scope: "write:orders", serve: on((*request).orderOf, (*Dashboard).shipOrder)},
	{method: "POST", path: "/orders/{id}/tracking", scope: "write:orders", serve: on((*request).orderOf, (*Dashboard).trackOrder)},
	{method: "POST", path: "/orders/{id}/unship", scope: "write:orders", serve: on((*request).orderOf, (*Dashboard).unshipOrder)},
	{method: "POST", path: "/orders/{id}/move", scope: "write:orders", serve: on((*request).orderOf, (*Dashboard).moveOrder)},
	{method: "POST", path: "/orders/{id}/issues", scope: "write:orders", serve: on((*request).orderOf, (*Dashboard).closeIssues)},
	{method: "POST", path: "/orders/{id}/lines", scope: "write:orders", serve: on((*request).orderOf, (*Dashboard).editOrder)},
	{method: "POST", path: "/orders/{id}/details", scope: "write:orders", serve: (*Dashboard).changeNote},
	{method: "POST", path: "/orders/{id}/address", scope: "write:orders", serve: (*Dashboard).changeAddress},
	{method: "POST", path: "/orders/{id}/billing-address", scope: "write:orders", serve: (*Dashboard).changeBilling},
}

// Bounds of what the page shows of an order.
const (
	shownMovements  = 200
	shownDeliveries = 200
)

// orderFacts is all that the page reads: one snapshot.
type orderFacts struct {
	order      *orders.Order
	levels     map[string][]stock.Level // of the lines' SKUs
	edits      []orders.Edited
	movements  []stock.Movement
	heard      []webhooks.Heard
	endpoints  map[id.Endpoint]string
	customer   *customers.Customer
	actors     map[string]string // names of users and keys
	authors    map[int64]string  // who made the changes of a time, from the event log
	newer, old id.Order
	linked     map[id.Order]int64 // numbers of the orders that it reopens and that reopened it
}

// orderView is what templates/order.html shows.
type orderView struct {
	ID, Number, Foreign string
	Badge               badge
	Channel, ChannelTo  string
	Placed              stamp
	Rail                []step
	Newer, Older, List  string
	Slip                string
	Moves               []move
	Return, Cancel      *ask
	Note                *form
	Noted               string
	Reopens, ReopenedBy linkTo
	Issues              []callout
	Settle              *form // closes them; nil where there is nothing to decide
	Lines               []orderLine
	LineWords           string
	Ship                *form
	ShipWords           string
	ShipAgain           bool     // the form has the values of the shipment that was just deleted
	Edit                *form    // of the lines, when they are being edited
	EditMore            []*field // its inputs that are of no line there is
	Unfold              *unfold  // the button that opens it
	NoEdit              string   // why lines cannot be edited
	Folded              *unfold  // instead of the lines: the button that shows them
	Shipments           []orderShipment
	Returns             *returnsCard
	Trail               []trailEntry
	Movements           []movementRow // when they are opened
	UnfoldMovements     *unfold       // nil where there are none
	Sums                []pair
	Total               string
	Customer            customerCard
	Tags                tagsCard
	Addresses           []addressCard
	AddressForm         *form
	BillingForm         *form
	Payment             []pair
	PaymentJSON         []token
	Deliveries          []endpointCard
	Heard               string
	JSON                []token // when it is opened
	UnfoldJSON          *unfold
	Technical           string // ids and event codes, line by line
}

// linkTo is a link; the zero value is no link.
type linkTo struct{ Label, To string }

// move is a button that moves the order.
type move struct {
	Label, To string
	Form      *form
	Primary   bool
}

// orderLine is one line with its shipped and its remaining quantity.
type orderLine struct {
	Name, SKU, To    string
	Ordered          string
	Gauge            gauge
	Field            *field   // ship now; nil when nothing is left or nothing may be shipped
	Edited           []*field // while the lines are edited: quantity and price
	Short, ShortTo   string   // why what is left cannot be shipped whole, and the SKU's stock; "" where it can
	Done             bool
	Price, LineTotal string
}

type orderShipment struct {
	Carrier, Tracking, URL string
	Words, Notes           string
	At                     stamp
	Automatic              bool
	Undo                   *form
	Track                  *form // changes carrier and tracking number
	ID, By                 string
}

type customerCard struct {
	Name, To      string
	Tags          []string
	Pairs         []pair
	Email, Orders string
}

type addressCard struct {
	Label string
	Lines []string
}

type movementRow struct {
	SKU, Words, Delta, Balance string
	At                         stamp
}

// readOrder reads all that the page shows.
func (r *request) readOrder(which id.Order) (f orderFacts, err error) {
	q := r.listOf()
	err = r.read(func(tx *db.Tx) error {
		return tx.Together(func(tx *db.Tx) (err error) {
			if f.order, err = orders.ByID(tx, which); err != nil {
				return err
			}
			return tx.Together(f.readMovements, func(tx *db.Tx) (err error) {
				if r.caller().May("read:inventory") {
					f.levels, err = stock.OfSKUs(tx, f.open())
				}
				return err
			}, func(tx *db.Tx) (err error) {
				if f.order.Customer != "" && r.caller().May("read:customers") {
					f.customer, err = customers.ByID(tx, f.order.Customer)
				}
				return err
			}, func(tx *db.Tx) (err error) {
				f.newer, f.old, err = orders.Neighbours(tx, q.Filter, f.order)
				return err
			}, func(tx *db.Tx) (err error) {
				if f.order.Reopens != "" || f.order.ReopenedBy != "" {
					f.linked, err = orders.NumbersOf(tx, nonZero(f.order.Reopens, f.order.ReopenedBy))
				}
				return err
			})
		}, func(tx *db.Tx) (err error) {
			if r.caller().May("read:users") {
				f.actors, err = actorNames(tx)
			}
			return err
		}, func(tx *db.Tx) (err error) {
			f.authors, err = r.readAuthors(tx, string(which))
			return err
		}, func(tx *db.Tx) (err error) {
			if r.caller().May("read:webhooks") {
				f.heard, err = webhooks.OfResource(tx, string(which), shownDeliveries)
			}
			return err
		}, func(tx *db.Tx) (err error) {
			if r.caller().May("read:webhooks") {
				f.endpoints, err = webhooks.Addresses(tx)
			}
			return err
		})
	})
	return f, err
}

func nonZero(list ...id.Order) []id.Order {
	return slices.DeleteFunc(list, func(order id.Order) bool { return order == "" })
}

// readMovements reads the changes of the order, and the stock movements of it and of its shipments, deleted ones
// included.
func (f *orderFacts) readMovements(tx *db.Tx) (err error) {
	if f.edits, err = orders.Edits(tx, f.order.ID); err != nil {
		return err
	}
	references := []string{string(f.order.ID)}
	for _, s := range f.order.Shipments {
		references = append(references, string(s.ID))
	}
	for _, r := range f.order.Returns {
		references = append(references, string(r.ID))
	}
	for _, e := range f.edits {
		for _, c := range e.Changes {
			if c.Shipment != "" {
				references = append(references, string(c.Shipment))
			}
		}
	}
	f.movements, err = stock.OfReferences(tx, references[:min(len(references), 256)], shownMovements)
	return err
}

// showOrder serves GET /orders/{id}.
func (d *Dashboard) showOrder(r *request) (answer, error) {
	which, err := pathID[id.Order](r, "order")
	if err != nil {
		return answer{}, err
	}
	f, err := r.readOrder(which)
	if err != nil {
		return answer{}, err
	}
	q, o := r.listOf(), f.order
	view := orderView{ID: string(o.ID), Number: orders.Number(o.Number), Foreign: foreignNumber(o), Badge: statusWords[o.Status],
		Channel: o.ChannelName, Placed: r.format.Moment(o.CreatedAt, "2 January 2006, 15:04"), Rail: rail(o), List: q.with(),
		Noted: o.Notes, Total: r.format.Money(o.Total, o.Currency), Sums: r.sums(o),
		Customer: r.customerCard(&f), PaymentJSON: nil}
	if slices.Contains(slipStatuses, o.Status) {
		view.Slip = prefix + "/orders/slip?ids=" + string(o.ID)
	}
	if f.newer != "" {
		view.Newer = q.at("/orders/" + string(f.newer))
	}
	if f.old != "" {
		view.Older = q.at("/orders/" + string(f.old))
	}
	if o.Channel != "" {
		view.ChannelTo = r.page("/channels/{id}", "/channels/"+string(o.Channel))
	}
	view.Addresses = addressCards(r, o)
	if o.PaymentMetadata != "" {
		view.Payment = paymentPairs(o.PaymentMetadata)
		if view.Payment == nil {
			view.PaymentJSON = colour(o.PaymentMetadata)
		}
	}
	for _, i := range o.OpenIssues() {
		view.Issues = append(view.Issues, newCallout("warn", "The channel disagrees", sentence(i.Message)))
	}
	view.Reopens, view.ReopenedBy = f.linkTo(o.Reopens), f.linkTo(o.ReopenedBy)
	r.orderLines(&view, &f)
	r.orderShipments(&view, o)
	view.Returns = r.orderReturns(o)
	view.Tags = r.tagsCard(o, f.users(r))
	view.Trail = r.trail(&f)
	if len(f.movements) > 0 {
		view.UnfoldMovements = r.unfold(o, openMovements, "Stock movements")
	}
	for i := 0; r.opened(openMovements) && i < len(f.movements); i++ {
		m := &f.movements[i]
		view.Movements = append(view.Movements, movementRow{SKU: m.SKU, Words: m.Warehouse + ", " + strings.ReplaceAll(string(m.Cause), "_", " "),
			Delta: signed(r.format, m.Delta), Balance: r.format.Count(m.Balance), At: r.format.Stamp(m.At)})
	}
	view.Deliveries = r.endpointCards(&f)
	view.Heard = r.format.plural(int64(len(f.heard)), "notification", "notifications")
	view.Technical = technical(o, view.Trail)
	if view.UnfoldJSON = r.unfold(o, openJSON, "Show JSON"); view.UnfoldJSON.Open {
		view.JSON = orderJSON(o, mostColoured-4*len(o.Lines)-20)
	}
	if r.caller().May("write:orders") {
		r.orderForms(&view, o)
	}
	return show(screen{Template: "order", Title: view.Number, Section: "/orders", Data: view}), nil
}

// shownEvents is how many entries of an order's history have their event codes on the page.
const shownEvents = 20

// technical are what an integrator looks up about an order: its id, and the codes of its newest events.
func technical(o *orders.Order, trail []trailEntry) string {
	lines := []string{"Order id: " + string(o.ID)}
	for _, e := range trail {
		if e.Events != "" && len(lines) <= shownEvents {
			lines = append(lines, e.At.Words+": "+e.Events)
		}
	}
	return strings.Join(lines, "\n")
}

// users are the names of the account's users that were read, and of the user of the session.
func (f *orderFacts) users(r *request) map[id.User]string {
	names := map[id.User]string{r.session.User.ID: r.session.User.Name}
	for actor, name := range f.actors {
		if user, is := strings.CutPrefix(actor, "user:"); is {
			names[id.User(user)] = name
		}
	}
	return names
}

// linkTo links to an order whose number was read.
func (f *orderFacts) linkTo(order id.Order) linkTo {
	if f.linked[order] == 0 {
		return linkTo{}
	}
	return linkTo{orders.Number(f.linked[order]), prefix + "/orders/" + string(order)}
}

// rail is the sequence of an order's states, with the present one.
func rail(o *orders.Order) (list []step) {
	way := []orders.Status{orders.Pending, orders.Processing, orders.PartiallyShipped, orders.Shipped, orders.Delivered}
	switch o.Status {
	case orders.Cancelled:
		way = []orders.Status{orders.Pending, orders.Cancelled}
	case orders.Returned:
		way = append(way, orders.Returned)
	}
	passed := true
	for _, s := range way {
		one := step{Label: statusWords[s].Word, State: "done"}
		switch {
		case s == o.Status:
			one.State, passed = "at", false
		case !passed:
			one.State = ""
		}
		list = append(list, one)
	}
	return list
}

// open are the SKUs of lines with units still to ship.
func (f *orderFacts) open() (skus []string) {
	if f.order.Status == orders.Cancelled || f.order.Status == orders.Returned {
		return nil
	}
	for _, l := range f.order.Lines {
		if l.Product != "" && l.Remaining() > 0 && !slices.Contains(skus, l.SKU) {
			skus = append(skus, l.SKU)
		}
	}
	return skus
}

// short says why what is left of a line cannot be shipped whole, or may not be: "" where there is enough for all
// orders.
func (f *orderFacts) short(words format, l orders.Line) string {
	if l.Remaining() <= 0 {
		return ""
	}
	for _, level := range f.levels[l.SKU] {
		switch {
		case level.Warehouse != l.Warehouse:
		case level.OnHand < l.Remaining():
			return words.say("Only %s on hand", words.Count(max(level.OnHand, 0)))
		case level.Available() < 0:
			return words.say("Oversold by %s", words.Count(-level.Available()))
		}
	}
	return ""
}

func (r *request) orderLines(view *orderView, f *orderFacts) {
	o := f.order
	units := o.Units()
	left := units.Ordered - units.Shipped
	view.LineWords = r.format.plural(int64(len(o.Lines)), "line", "lines") + ", " + r.format.plural(units.Ordered, "unit", "units")
	if toShip := leftToShip(o.Status, units); toShip > 0 {
		view.LineWords += r.say(", %s to ship", r.format.Count(toShip))
	}
	if r.foldLines(view, f) {
		return
	}
	if r.caller().May("write:orders") {
		r.editableLines(view, o)
	}
	if view.Edit == nil && r.caller().May("write:orders") && left > 0 &&
		(o.Status == orders.Processing || o.Status == orders.PartiallyShipped) {
		view.Ship = shipForm(r, o)
		view.ShipWords = r.say("Ship %s", r.format.plural(left, "unit", "units"))
		if view.ShipAgain = r.proposed(view.Ship); view.ShipAgain {
			view.ShipWords = "Ship again"
		}
	}
	for i, l := range o.Lines {
		line := orderLine{Name: lineName(l), SKU: l.SKU, Ordered: r.format.Count(l.Quantity),
			Gauge: r.format.gauge(l.Shipped, l.Shipped+l.Remaining(), "%s of %s"),
			Done:  l.Remaining() == 0, Price: r.format.Money(l.UnitPrice, o.Currency), LineTotal: r.format.Money(l.Total, o.Currency)}
		if l.Product != "" {
			line.To = r.page("/products/{id}", "/products/"+string(l.Product))
		}
		at := "items[" + strconv.Itoa(i) + "]."
		switch {
		case view.Edit != nil:
			line.Edited = []*field{view.Edit.At(at + "quantity"), view.Edit.At(at + "unitPrice")}
		case view.Ship != nil && l.Remaining() > 0:
			line.Field = view.Ship.At(at + "quantity")
		}
		if line.Short = f.short(r.format, l); line.Short != "" {
			line.ShortTo = stockPath(l.SKU) + "#held"
		}
		view.Lines = append(view.Lines, line)
	}
}

// lineName is the name of a line, or its SKU if it has none.
func lineName(l orders.Line) string {
	if l.Name != "" {
		return l.Name
	}
	return l.SKU
}

func (r *request) orderShipments(view *orderView, o *orders.Order) {
	undoable := r.caller().May("write:orders") && (o.Status == orders.PartiallyShipped || o.Status == orders.Shipped)
	for _, s := range o.Shipments {
		shown := orderShipment{ID: string(s.ID), Carrier: s.Carrier, Tracking: s.TrackingNumber, Notes: s.Notes, At: r.format.Stamp(s.ShippedAt),
			Automatic: s.Automatic, By: s.Carrier}
		if strings.HasPrefix(s.TrackingURL, "https://") || strings.HasPrefix(s.TrackingURL, "http://") {
			shown.URL = s.TrackingURL
		}
		if shown.Carrier == "" {
			shown.Carrier = "Parcel"
		}
		var words []string
		for _, part := range s.Lines {
			name := ""
			if l := o.Line(part.Line); l != nil {
				name = lineName(*l)
			}
			words = append(words, r.format.Count(part.Quantity)+" × "+name)
		}
		shown.Words = strings.Join(words, " · ")
		if r.caller().May("write:orders") && o.Status != orders.Cancelled && o.Status != orders.Returned {
			shown.Track = r.another(r.acting(o, "/tracking"))
		}
		if undoable {
			shown.Undo = r.form(r.acting(o, "/unship"), field{Name: "shipment", Kind: "hidden", Value: string(s.ID)})
		}
		view.Shipments = append(view.Shipments, shown)
	}
}

// sums are the amounts that add up to the total.
func (r *request) sums(o *orders.Order) []pair {
	list := []pair{{Name: "Subtotal", Value: r.format.Money(o.Subtotal, o.Currency)}}
	if o.DiscountAmount != 0 {
		list = append(list, pair{Name: "Discount", Value: "−" + r.format.Money(o.DiscountAmount, o.Currency)})
	}
	list = append(list, pair{Name: "Shipping", Value: r.format.Money(o.ShippingAmount, o.Currency)})
	tax := "Tax"
	if o.TaxRate != nil {
		tax += ", " + r.format.plain(o.TaxRate.String()) + " %"
	}
	list = append(list, pair{Name: tax, Value: r.format.Money(o.Tax(), o.Currency)})
	if o.RefundedAmount != 0 {
		list = append(list, pair{Name: "Refunded", Value: "−" + r.format.Money(o.RefundedAmount, o.Currency)})
	}
	return list
}

func (r *request) customerCard(f *orderFacts) customerCard {
	o := f.order
	card := customerCard{Name: orderName(o), Email: o.CustomerEmail}
	if o.CustomerEmail != "" {
		card.Pairs = append(card.Pairs, pair{Name: "E-mail", Value: o.CustomerEmail})
	}
	if o.CustomerPhone != "" {
		card.Pairs = append(card.Pairs, pair{Name: "Phone", Value: o.CustomerPhone})
	}
	if c := f.customer; c != nil {
		if card.Tags = c.Tags; r.d.has("/customers/{id}") {
			card.To = prefix + "/customers/" + string(c.ID)
		}
		card.Pairs = append(card.Pairs, pair{Name: "Orders", Value: r.format.Count(c.OrdersCount) + ", " +
			r.format.Money(c.TotalSpent, r.session.Account.Currency), To: prefix + "/orders?customerId=" + string(c.ID)})
	}
	return card
}

func addressCards(r *request, o *orders.Order) (list []addressCard) {
	if lines := r.format.addressLines(o.ShippingAddress, o.CustomerName); lines != nil {
		list = append(list, addressCard{"Ship to", lines})
	}
	if lines := r.format.addressLines(o.BillingAddress, o.CustomerName); lines != nil {
		list = append(list, addressCard{"Bill to", lines})
	}
	return list
}

// orderOf reads the order of the path, on which the form is based. Errors: NotFound.
func (r *request) orderOf() (*orders.Order, error) { return recordOf(r, "order", orders.ByID) }

// listOf is the list that the page of an order was opened from, all orders for none.
func (r *request) listOf() orderList {
	q, err := r.readOrders(r.http.URL.Query())
	if err != nil {
		q, _ = r.readOrders(nil)
	}
	return q
}

// acting is the address of an action on the order, or with "" of its page, with the list that it was opened from: who
// works through a list stays in it.
func (r *request) acting(o *orders.Order, what string) string {
	return strings.TrimPrefix(r.listOf().at("/orders/"+string(o.ID)+what), prefix)
}

// paymentPairs are the members of an object of plain values, without those that are null; nil for anything else.
func paymentPairs(metadata string) (list []pair) {
	decoder := json.NewDecoder(bytes.NewReader([]byte(metadata)))
	decoder.UseNumber()
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	list = []pair{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil
		}
		value, err := decoder.Token()
		if _, nested := value.(json.Delim); nested || err != nil || len(list) == 50 {
			return nil
		}
		if value != nil {
			list = append(list, pair{Name: name.(string), Value: plainValue(value), Mono: true})
		}
	}
	return list
}

func plainValue(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// orderJSON is the order as the API shows it, with so many coloured tokens.
func orderJSON(o *orders.Order, most int) []token {
	w := apijson.NewWriter(4096)
	w.Object("")
	records.WriteOrder(w, "data", o)
	w.End()
	return colourTo(string(w.Bytes()), most)
}

func signed(f format, n int64) string {
	if n > 0 {
		return "+" + f.Count(n)
	}
	return f.Count(n)
}
