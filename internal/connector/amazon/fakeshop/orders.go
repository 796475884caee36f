package fakeshop

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector/connectortest/fakeshop"
)

// Wish is an order as a buyer makes it. Amounts are cents; those of lines are of the whole line.
type Wish struct {
	Lines    []Bought
	Shipping int64
	Discount int64
	GiftWrap int64
	Tip      int64
	Tax      int64 // of everything
	Within   bool  // the tax is in the other amounts
	Pending  bool  // it is not paid: there are neither amounts nor names
	FBA      bool  // Amazon ships it
}

// Bought is a line of an order.
type Bought struct {
	SKU      string
	Quantity int64
	Cents    int64
}

type order struct {
	Wish
	id, status       string
	created, updated time.Time
	lines            []string // their ids
	packages         []object
	asked            bool // the buyer wants it to be cancelled
}

// Place creates an order as a buyer does, and subtracts what was bought from the quantities; it returns the order's id.
func (a *Account) Place(w Wish) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.Now().UTC()
	o := &order{Wish: w, id: "304-" + a.id() + "-" + a.id(), status: "UNSHIPPED", created: now, updated: now}
	if w.Pending {
		o.status = "PENDING"
	}
	for _, l := range w.Lines {
		o.lines = append(o.lines, a.id()+"0001")
		if li := a.listings[l.SKU]; li != nil && !w.FBA {
			li.sold(l.Quantity)
		}
	}
	a.orders = append(a.orders, o)
	return o.id
}

// Pay makes a pending order ready to be shipped.
func (a *Account) Pay(id string) {
	a.change(id, func(o *order) { o.status, o.Pending = "UNSHIPPED", false })
}

// Cancel cancels an order at Amazon, whose lines then have no quantities and amounts any more.
func (a *Account) Cancel(id string) { a.change(id, func(o *order) { o.status = "CANCELLED" }) }

// CancelLine cancels a line of an order at Amazon: it has no quantity any more, and what has left may be all that is
// left.
func (a *Account) CancelLine(id string, line int) {
	a.change(id, func(o *order) {
		o.Wish.Lines = slices.Clone(o.Wish.Lines)
		if o.Wish.Lines[line].Quantity, o.Wish.Lines[line].Cents = 0, 0; o.shipped("") == o.ordered() {
			o.status = "SHIPPED"
		}
	})
}

// AskToCancel has the buyer ask for an order's cancellation.
func (a *Account) AskToCancel(id string) { a.change(id, func(o *order) { o.asked = true }) }

// BuyLabel has the seller buy a label at Amazon for some of an order's first line, which confirms the package.
func (a *Account) BuyLabel(id, number string, quantity int64) {
	a.change(id, func(o *order) {
		o.packages = append(o.packages, object{"packageReferenceId": "1", "carrier": "DHL", "trackingNumber": number,
			"packageItems":  []object{{"orderItemId": o.lines[0], "quantity": quantity}},
			"packageStatus": object{"status": "SHIPPED"}})
		if o.status = "PARTIALLY_SHIPPED"; o.shipped("") == o.ordered() {
			o.status = "SHIPPED"
		}
	})
}

// Deliver has the carrier deliver all parcels of an order.
func (a *Account) Deliver(id string) {
	a.change(id, func(o *order) {
		for _, p := range o.packages {
			p["packageStatus"] = object{"status": "DELIVERED"}
		}
	})
}

func (a *Account) change(id string, do func(*order)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if o := a.find(id); o != nil {
		do(o)
		o.updated = a.Now().UTC()
	}
}

func (a *Account) find(id string) *order {
	for _, o := range a.orders {
		if o.id == id {
			return o
		}
	}
	return nil
}

// Order returns how many parcels and pieces of an order have left, and its status.
func (a *Account) Order(id string) (parcels int, pieces int64, status string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.settle()
	o := a.find(id)
	if o == nil {
		return 0, 0, ""
	}
	return len(o.packages), o.shipped(""), o.status
}

// Numbers returns the tracking numbers of an order's parcels.
func (a *Account) Numbers(id string) (numbers []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.find(id).packages {
		number, _ := p["trackingNumber"].(string)
		numbers = append(numbers, number)
	}
	return numbers
}

// Total returns what an order costs, also after it was cancelled, when Amazon no longer says it; nothing while it is
// pending.
func (a *Account) Total(id string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	o := a.find(id)
	if o.Pending {
		return fakeshop.Decimal(0)
	}
	return fakeshop.Decimal(o.total())
}

func (o *order) total() int64 {
	total := o.Shipping + o.GiftWrap + o.Tip - o.Discount
	for _, l := range o.Wish.Lines {
		total += l.Cents
	}
	if !o.Within {
		total += o.Tax
	}
	return total
}

// Lines returns the ids of an order's lines.
func (a *Account) Lines(id string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.find(id).lines)
}

// shipped returns how many pieces of an order have left in parcels other than one.
func (o *order) shipped(without string) (n int64) {
	for _, p := range o.packages {
		if p["packageReferenceId"] == without {
			continue
		}
		for _, l := range p["packageItems"].([]object) {
			n += l["quantity"].(int64)
		}
	}
	return n
}

// left returns how many pieces of a line have left.
func (o *order) left(line string) (n int64) {
	for _, p := range o.packages {
		for _, l := range p["packageItems"].([]object) {
			if l["orderItemId"] == line {
				n += l["quantity"].(int64)
			}
		}
	}
	return n
}

func (o *order) ordered() (n int64) {
	for _, l := range o.Wish.Lines {
		n += l.Quantity
	}
	return n
}

func euros(cents int64) object {
	return object{"amount": fakeshop.Decimal(cents), "currencyCode": "EUR"}
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// show returns the order with the parts that were asked for.
func (o *order) show(parts []string) object {
	out := object{"orderId": o.id, "createdTime": stamp(o.created), "lastUpdatedTime": stamp(o.updated),
		"salesChannel": object{"channelName": "AMAZON", "marketplaceId": MarketplaceID}}
	has := func(part string) bool { return slices.Contains(parts, part) }
	if has("FULFILLMENT") {
		by := "MERCHANT"
		if o.FBA {
			by = "AMAZON"
		}
		out["fulfillment"] = object{"fulfillmentStatus": o.status, "fulfilledBy": by, "fulfillmentServiceLevel": "STANDARD",
			"shipByWindow": object{"latestDateTime": stamp(o.created.Add(48 * time.Hour))}}
	}
	if !o.Pending && has("BUYER") {
		out["buyer"] = object{"buyerName": "Ada Lovelace", "buyerEmail": "abc123@marketplace.amazon.de"}
	}
	if !o.Pending && has("RECIPIENT") {
		out["recipient"] = object{"deliveryAddress": object{"name": "Ada Lovelace", "addressLine1": "Weg 1", "addressLine2": "Hinterhaus",
			"city": "Berlin", "postalCode": "10115", "countryCode": "DE", "phone": "+49 1"}}
	}
	if has("PACKAGES") && len(o.packages) > 0 {
		out["packages"] = o.packages
	}
	amounts := has("PROCEEDS") && !o.Pending && o.status != "CANCELLED"
	items := []object{}
	for i, l := range o.Wish.Lines {
		line := object{"orderItemId": o.lines[i], "quantityOrdered": l.Quantity,
			"product": object{"sellerSku": l.SKU, "title": "Article " + l.SKU, "asin": "B0" + l.SKU}}
		if o.status == "CANCELLED" {
			line["quantityOrdered"] = 0
		}
		if amounts {
			line["proceeds"] = o.lineProceeds(i)
		}
		if has("FULFILLMENT") {
			line["fulfillment"] = object{"quantityFulfilled": o.left(o.lines[i])}
		}
		if o.asked && has("CANCELLATION") {
			line["cancellation"] = object{"cancellationRequest": object{"requester": "BUYER", "cancelReason": "Ordered by mistake"}}
		}
		items = append(items, line)
	}
	out["orderItems"] = items
	if amounts {
		proceeds := object{"grandTotal": euros(o.total())}
		if o.Tip > 0 {
			proceeds["breakdowns"] = []object{{"type": "DELIVERY_TIP", "status": "FINALIZED", "subtotal": euros(o.Tip)}}
		}
		out["proceeds"] = proceeds
	}
	return out
}

// lineProceeds returns the amounts of a line. Amounts that are paid once for the order are in its first line, as is all
// tax.
func (o *order) lineProceeds(i int) object {
	l := o.Wish.Lines[i]
	list := []object{{"type": "ITEM", "subtotal": euros(l.Cents)}}
	total := l.Cents
	if i == 0 {
		for _, p := range []struct {
			kind  string
			cents int64
		}{{"SHIPPING", o.Shipping}, {"GIFT_WRAP", o.GiftWrap}, {"DISCOUNT", -o.Discount}} {
			if p.cents != 0 {
				list, total = append(list, object{"type": p.kind, "subtotal": euros(p.cents)}), total+p.cents
			}
		}
		if o.Tax != 0 {
			list = append(list, object{"type": "TAX", "subtotal": euros(o.Tax),
				"detailedBreakdowns": []object{{"subtype": "ITEM", "value": euros(o.Tax)}}})
		}
	}
	return object{"proceedsTotal": euros(total), "breakdowns": list}
}

// search is what a page token is good for.
type search struct {
	after, end, include string
	before              time.Time
	offset              int
	made                time.Time
}

// late is how long after a change an order is found.
const late = 2 * time.Minute

func (a *Account) search(r *http.Request, _ object) (int, any) {
	q := r.URL.Query()
	parts := strings.Split(q.Get("includedData"), ",")
	if status, out := a.mayRead(parts); status != 0 {
		return status, out
	}
	size, err := strconv.Atoi(q.Get("maxResultsPerPage"))
	after, badTime := time.Parse(time.RFC3339, q.Get("lastUpdatedAfter"))
	at := search{after: q.Get("lastUpdatedAfter"), end: q.Get("lastUpdatedBefore"), include: q.Get("includedData"),
		before: a.Now().Add(-late).UTC(), made: a.Now()}
	if at.end != "" {
		end, badEnd := time.Parse(time.RFC3339, at.end)
		if badEnd != nil || end.After(at.before) {
			return http.StatusBadRequest, problem("InvalidInput", "lastUpdatedBefore must be two minutes ago or earlier.")
		}
		at.before = end
	}
	if token := q.Get("paginationToken"); token != "" {
		known, ok := a.tokens[token]
		if !ok || known.after != at.after || known.end != at.end || known.include != at.include || a.Now().Sub(known.made) > 24*time.Hour {
			return http.StatusBadRequest, problem("InvalidInput", "The pagination token is invalid or has expired.")
		}
		at = known
	}
	if err != nil || size < 1 || size > 100 || badTime != nil || after.After(at.before) || !q.Has("marketplaceIds") {
		return http.StatusBadRequest, problem("InvalidInput", "lastUpdatedAfter must be before lastUpdatedBefore, which is two minutes ago.")
	}
	found := []*order{}
	for _, o := range a.orders {
		if !o.updated.Before(after) && !o.updated.After(at.before) && (q.Get("fulfilledBy") == "" || !o.FBA) {
			found = append(found, o)
		}
	}
	slices.SortStableFunc(found, func(x, y *order) int { return x.updated.Compare(y.updated) })
	if a.Reorder {
		slices.Reverse(found)
	}
	page := []object{}
	for _, o := range found[min(at.offset, len(found)):min(at.offset+size, len(found))] {
		page = append(page, o.show(parts))
		if a.Duplicate {
			page = append(page, o.show(parts))
		}
	}
	until := a.Now().Add(-late) // of this page
	if at.end != "" {
		until = at.before
	}
	out := object{"orders": page, "lastUpdatedBefore": stamp(until)}
	if at.offset += size; at.offset < len(found) {
		token := "token+" + a.id() + "/="
		a.tokens[token] = at
		out["pagination"] = object{"nextToken": token}
	}
	return http.StatusOK, out
}

// mayRead refuses what the app has no role for.
func (a *Account) mayRead(parts []string) (int, any) {
	persons := slices.Contains(parts, "BUYER") || slices.Contains(parts, "RECIPIENT")
	if a.NoOrders || a.NoPersons && persons {
		return http.StatusForbidden, problem("Unauthorized", "Access to requested resource is denied.")
	}
	return 0, nil
}

func (a *Account) order(r *http.Request, _ object) (int, any) {
	parts := strings.Split(r.URL.Query().Get("includedData"), ",")
	if status, out := a.mayRead(parts); status != 0 {
		return status, out
	}
	if o := a.find(r.PathValue("id")); o != nil {
		shown := o.show(parts)
		if packages, _ := shown["packages"].([]object); a.Faults.Sealed {
			shown["packages"] = []object{}
			for _, p := range packages {
				shown["packages"] = append(shown["packages"].([]object), object{"packageReferenceId": p["packageReferenceId"]})
			}
		}
		if a.Faults.Bare {
			return http.StatusOK, shown
		}
		return http.StatusOK, object{"order": shown}
	}
	return http.StatusNotFound, problem("NotFound", "The order does not exist.")
}

func (a *Account) ship(r *http.Request, body object) (int, any) {
	o := a.find(r.PathValue("id"))
	if o == nil || o.FBA {
		return http.StatusNotFound, problem("NotFound", "The order does not exist.")
	}
	detail, _ := body["packageDetail"].(object)
	text := func(name string) string { s, _ := detail[name].(string); return s }
	key, err := strconv.ParseInt(text("packageReferenceId"), 10, 64)
	_, badTime := time.Parse(time.RFC3339, text("shipDate"))
	list, _ := detail["orderItems"].([]any)
	if err != nil || key <= 0 || badTime != nil || text("trackingNumber") == "" || text("carrierCode") == "" || len(list) == 0 ||
		text("carrierCode") == "Other" && text("carrierName") == "" || body["marketplaceId"] != MarketplaceID {
		return http.StatusBadRequest, problem("InvalidInput", "The package is not complete.")
	}
	var items []object
	var pieces int64
	for _, one := range list {
		l, _ := one.(object)
		line, _ := l["orderItemId"].(string)
		n, _ := l["quantity"].(float64)
		if !slices.Contains(o.lines, line) || n < 1 {
			return http.StatusBadRequest, problem("InvalidInput", "The order has no such item.")
		}
		items, pieces = append(items, object{"orderItemId": line, "quantity": int64(n)}), pieces+int64(n)
	}
	shipped := o.shipped(text("packageReferenceId"))
	if o.status == "PENDING" || o.status == "CANCELLED" || shipped+pieces > o.ordered() {
		return http.StatusBadRequest, problem("InvalidInput", "The order cannot be shipped so.")
	}
	o.packages = slices.DeleteFunc(o.packages, func(p object) bool { return p["packageReferenceId"] == text("packageReferenceId") })
	o.packages = append(o.packages, object{"packageReferenceId": text("packageReferenceId"), "carrier": text("carrierName"),
		"trackingNumber": text("trackingNumber"), "shipTime": text("shipDate"), "packageItems": items,
		"packageStatus": object{"status": "SHIPPED"}})
	if o.status = "PARTIALLY_SHIPPED"; shipped+pieces == o.ordered() {
		o.status = "SHIPPED"
	}
	o.updated = a.Now().UTC()
	return http.StatusNoContent, nil
}
