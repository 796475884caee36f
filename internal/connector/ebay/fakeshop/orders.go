package fakeshop

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector/connectortest/fakeshop"
)

// Bought is a line of an order that a buyer places, at Cents each.
type Bought struct {
	SKU             string
	Quantity, Cents int64
}

// Wish is what a buyer orders. Amounts are cents.
type Wish struct {
	Lines    []Bought
	Unpaid   bool
	Discount int64
	Buyer    string // the buyer's user name; "ada" if it is empty
	Masked   bool   // the buyer's e-mail address is not given
	Market   string // on which it was listed; the account's own if it is empty
	Kept     int64  // tax that eBay collects and keeps, on top
	Abroad   string // the reference for eBay's shipping partner, to whose warehouse the order goes; "" for one that goes to the buyer
}

// Buy places a paid order of one SKU as a buyer does, at cents each; it returns the ids of the order and its line.
func (a *Account) Buy(sku string, quantity, cents int64) (order_, line_ string) {
	id := a.Place(Wish{Lines: []Bought{{sku, quantity, cents}}})
	a.mu.Lock()
	defer a.mu.Unlock()
	return id, a.find(id).lines[0].id
}

// Place places an order as a buyer does, with 4.90 shipping, and subtracts what was bought from the quantities; it
// returns the order's id.
func (a *Account) Place(w Wish) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.Now().UTC()
	o := &order{id: "12-" + a.id(), payment: "PAID", created: now, modified: now, shipped: map[string]int64{}, discount: w.Discount,
		abroad: w.Abroad, kept: w.Kept, market: cmp.Or(w.Market, "EBAY_DE"), buyer: cmp.Or(w.Buyer, "ada"), email: "ada@members.ebay.com"}
	if w.Masked {
		o.email = "Invalid Request"
	}
	if w.Unpaid {
		o.payment = "PENDING"
	}
	for _, l := range w.Lines {
		o.lines = append(o.lines, line{id: a.id(), sku: l.SKU, quantity: l.Quantity, cents: l.Cents})
		a.take(l.SKU, l.Quantity)
	}
	a.orders = append(a.orders, o)
	a.notify("ORDER_CONFIRMATION", o)
	return o.id
}

// take subtracts pieces from the quantity of a SKU.
func (a *Account) take(sku string, quantity int64) {
	o, it := a.offers[sku], a.items[sku]
	if o == nil || it == nil {
		return
	}
	o.quantity = max(0, o.quantity-quantity)
	it["availability"] = object{"shipToLocationAvailability": object{"quantity": o.quantity}}
}

// Change changes an order at eBay: paid, cancelled (which restores the quantities) or returned (all its money is
// refunded).
func (a *Account) Change(id, what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	o := a.find(id)
	o.modified = a.Now().UTC()
	switch what {
	case "paid":
		o.payment = "PAID"
	case "cancelled":
		a.cancelOrder(o)
	case "returned":
		o.payment = "FULLY_REFUNDED"
		o.refunds = append(o.refunds, object{"refundId": a.id(), "refundStatus": "REFUNDED", "amount": euros(o.total()),
			"refundDate": stamp(a.Now())})
	}
}

// Ask has the buyer of an order ask for its cancellation, which the seller may approve.
func (a *Account) Ask(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	o := a.find(id)
	o.asked, o.modified = a.id(), a.Now().UTC()
}

func (a *Account) cancelOrder(o *order) {
	o.cancelled, o.modified = true, a.Now().UTC()
	for _, l := range o.lines {
		a.take(l.sku, o.shipped[l.id]-l.quantity)
	}
}

func (o *order) total() (cents int64) {
	for _, l := range o.lines {
		cents += l.cents * l.quantity
	}
	return cents + 490 - o.discount + o.kept
}

// Total returns what an order costs.
func (a *Account) Total(id string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return fakeshop.Decimal(a.find(id).total())
}

// Numbers returns the tracking numbers of an order's parcels.
func (a *Account) Numbers(id string) (numbers []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.find(id).parcels {
		if number, ok := p["shipmentTrackingNumber"].(string); ok {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// Refund refunds an order on eBay.
func (a *Account) Refund(id string, cents int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	o := a.find(id)
	o.refunds = append(o.refunds, object{"refundId": a.id(), "refundStatus": "REFUNDED", "amount": euros(cents), "refundDate": stamp(a.Now())})
	o.modified = a.Now().UTC()
}

// Send ships pieces of an order's line at eBay, as the seller does there.
func (a *Account) Send(id, line string, quantity int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	o := a.find(id)
	o.shipped[line] += quantity
	o.parcels = append(o.parcels, object{"fulfillmentId": a.id(), "shippedDate": stamp(a.Now()), "shipmentTrackingNumber": "1Z" + a.id(),
		"shippingCarrierCode": "UPS", "lineItems": []object{{"lineItemId": line, "quantity": quantity}}})
	o.modified = a.Now().UTC()
}

// RefundLine refunds a line of an order on eBay. Such a refund is with its line alone, and not in the summary of the
// order's payment.
func (a *Account) RefundLine(id, line string, cents int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	o := a.find(id)
	for i := range o.lines {
		if l := &o.lines[i]; l.id == line {
			l.refunds = append(l.refunds, object{"refundId": a.id(), "amount": euros(cents), "refundDate": stamp(a.Now())})
		}
	}
	o.modified = a.Now().UTC()
}

// Order returns how many parcels and pieces of an order have left, and whether it is cancelled.
func (a *Account) Order(id string) (parcels int, pieces int64, cancelled bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	o := a.find(id)
	for _, n := range o.shipped {
		pieces += n
	}
	return len(o.parcels), pieces, o.cancelled
}

func (a *Account) find(id string) *order {
	for _, o := range a.orders {
		if o.id == id {
			return o
		}
	}
	return nil
}

func euros(cents int64) object {
	return object{"value": fakeshop.Decimal(cents), "currency": "EUR"}
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// progress returns the state of an order, or of a line, of which some was shipped.
func progress(shipped, ordered int64) string {
	switch shipped {
	case 0:
		return "NOT_STARTED"
	case ordered:
		return "FULFILLED"
	}
	return "IN_PROGRESS"
}

func (o *order) show() object {
	var goods, ordered, shipped int64
	lines := []object{}
	for _, l := range o.lines {
		goods, ordered, shipped = goods+l.cents*l.quantity, ordered+l.quantity, shipped+o.shipped[l.id]
		lines = append(lines, object{"lineItemId": l.id, "sku": l.sku, "title": "Article " + l.sku, "quantity": l.quantity,
			"lineItemFulfillmentStatus": progress(o.shipped[l.id], l.quantity), "lineItemCost": euros(l.cents * l.quantity),
			"refunds": l.refunds, "listingMarketplaceId": o.market, "purchaseMarketplaceId": "EBAY_AT"})
	}
	if o.kept > 0 { // eBay shows the same tax in both
		tax := []object{{"taxType": "STATE_SALES_TAX", "amount": euros(o.kept)}}
		lines[0]["taxes"], lines[0]["ebayCollectAndRemitTaxes"] = tax, tax
	}
	state, cancel := progress(shipped, ordered), "NONE_REQUESTED"
	if o.asked != "" {
		cancel = "IN_PROGRESS"
	}
	if o.cancelled {
		cancel = "CANCELED"
	}
	to := object{"fullName": "Ada Lovelace", "email": o.email, "primaryPhone": object{"phoneNumber": "+49 1"},
		"contactAddress": object{"addressLine1": "Weg 1", "city": "Berlin", "postalCode": "10115", "countryCode": "DE"}}
	step := object{"shipTo": to, "shippingServiceCode": "DE_DHLPaket"}
	if o.abroad != "" {
		to["companyName"], step["shipToReferenceId"] = "Shipping Centre", o.abroad
	}
	return object{"orderId": o.id, "creationDate": stamp(o.created), "lastModifiedDate": stamp(o.modified), "orderFulfillmentStatus": state,
		"orderPaymentStatus": o.payment, "cancelStatus": object{"cancelState": cancel}, "buyer": object{"username": o.buyer},
		"fulfillmentStartInstructions": []object{{"shippingStep": step}},
		"pricingSummary": object{"priceSubtotal": euros(goods), "deliveryCost": euros(490), "total": euros(o.total()),
			"priceDiscount": euros(-o.discount)},
		"paymentSummary": object{"refunds": o.refunds,
			"payments": []object{{"paymentStatus": o.payment, "paymentDate": stamp(o.created)}}},
		"lineItems": lines}
}

func (a *Account) list(r *http.Request, _ object) (int, any) {
	q := r.URL.Query()
	limit, _ := strconv.Atoi(q.Get("limit"))
	offset, _ := strconv.Atoi(q.Get("offset"))
	if limit == 0 || offset%limit != 0 {
		return http.StatusBadRequest, problem(30700, "Invalid offset")
	}
	from, to := time.Time{}, a.Now()
	if span, ok := strings.CutPrefix(q.Get("filter"), "lastmodifieddate:["); ok {
		begin, end, _ := strings.Cut(strings.TrimSuffix(span, "]"), "..")
		from, _ = time.Parse(time.RFC3339, begin)
		to, _ = time.Parse(time.RFC3339, end)
	}
	found := []object{}
	if ids := q.Get("orderIds"); ids != "" {
		for _, id := range strings.Split(ids, ",") {
			if o := a.find(id); o != nil {
				found = append(found, o.show())
			}
		}
		return http.StatusOK, object{"total": len(found), "limit": limit, "orders": found}
	}
	for _, o := range a.orders {
		if !o.modified.Before(from) && !o.modified.After(to) {
			found = append(found, o.show())
		}
	}
	total := len(found)
	found = found[min(offset, total):min(offset+limit, total)]
	return http.StatusOK, object{"total": total, "limit": limit, "offset": offset, "orders": found}
}

func (a *Account) order(r *http.Request, _ object) (int, any) {
	if o := a.find(r.PathValue("id")); o != nil {
		out := o.show()
		if state := "REQUESTED"; o.asked != "" { // lists leave the requests out
			if o.cancelled {
				state = "COMPLETED"
			}
			out["cancelStatus"].(object)["cancelRequests"] = []object{{"cancelInitiator": "Buyer", "cancelRequestId": o.asked,
				"cancelReason": "ORDER_MISTAKE", "cancelRequestState": state}}
		}
		return http.StatusOK, out
	}
	return http.StatusNotFound, problem(32100, "Invalid order ID")
}

func (a *Account) parcels(r *http.Request, _ object) (int, any) {
	o := a.find(r.PathValue("id"))
	if o == nil {
		return http.StatusNotFound, problem(32100, "Invalid order ID")
	}
	return http.StatusOK, object{"fulfillments": o.parcels}
}

func (a *Account) ship(r *http.Request, body object) (int, any) {
	o := a.find(r.PathValue("id"))
	if o == nil {
		return http.StatusNotFound, problem(32100, "Invalid order ID")
	}
	if (body["trackingNumber"] == nil) != (body["shippingCarrierCode"] == nil) {
		return http.StatusBadRequest, problem(32300, "carrier and tracking number go together")
	}
	if o.cancelled || o.payment != "PAID" {
		return http.StatusBadRequest, problem(32210, "The order is cancelled or not paid.")
	}
	sent := map[string]int64{}
	for _, one := range body["lineItems"].([]any) {
		l, _ := one.(object)
		name, _ := l["lineItemId"].(string)
		n, _ := l["quantity"].(float64)
		at := slices.IndexFunc(o.lines, func(own line) bool { return own.id == name })
		if sent[name] += int64(n); at < 0 || n < 1 || n != float64(int64(n)) || o.shipped[name]+sent[name] > o.lines[at].quantity {
			return http.StatusBadRequest, problem(32230, "The line item or its quantity is invalid.")
		}
	}
	for name, n := range sent {
		o.shipped[name] += n
	}
	id := a.id()
	parcel := object{"fulfillmentId": id, "lineItems": body["lineItems"], "shippedDate": body["shippedDate"]}
	if number := body["trackingNumber"]; number != nil {
		parcel["shipmentTrackingNumber"], parcel["shippingCarrierCode"] = number, body["shippingCarrierCode"]
	}
	o.parcels, o.modified = append(o.parcels, parcel), a.Now().UTC()
	return http.StatusCreated, object{"Location": "https://api.ebay.com" + r.URL.Path + "/" + id}
}

// cancel cancels an order for the seller. One that cannot be cancelled is no error: the answer says so. What the
// buyer asked for has to be approved.
func (a *Account) cancel(_ *http.Request, body object) (int, any) {
	o := a.find(body["legacyOrderId"].(string))
	switch {
	case o == nil || o.asked != "" || body["buyerPaid"] == true && body["buyerPaidDate"] == nil:
		return http.StatusBadRequest, problem(1500, "The order cannot be cancelled.")
	case o.cancelled || len(o.parcels) > 0:
		return http.StatusOK, object{"orderEligibilityResult": object{"eligible": false, "failureReason": []string{"ORDER_SHIPPED"}}}
	}
	a.cancelOrder(o)
	return http.StatusOK, object{"cancelId": a.id()}
}

func (a *Account) approve(r *http.Request, _ object) (int, any) {
	for _, o := range a.orders {
		if o.asked == r.PathValue("id") && !o.cancelled {
			a.cancelOrder(o)
			return http.StatusOK, nil
		}
	}
	return http.StatusNotFound, problem(1500, "There is no such request.")
}

// OnSale returns the SKUs that a buyer can order, with what one costs in hundredths.
func (a *Account) OnSale() map[string]int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	found := map[string]int64{}
	for sku, o := range a.offers {
		if cents, ok := fakeshop.Cents(o.price); ok && o.listing != "" && o.quantity > 0 {
			found[sku] = cents
		}
	}
	return found
}

// Offered is what eBay shows of a SKU; Listing is "" while it is not on sale.
type Offered struct {
	Price    string
	Quantity int64
	Listing  string
}

// Offers returns what eBay shows of all SKUs.
func (a *Account) Offers() map[string]Offered {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := map[string]Offered{}
	for sku, o := range a.offers {
		all[sku] = Offered{o.price, o.quantity, o.listing}
	}
	return all
}
