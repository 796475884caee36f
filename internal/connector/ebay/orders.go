package ebay

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/orders"
)

// Bounds of a pull: eBay's offset must be a multiple of the page size, eBay has the last two years, and is a little behind.
const (
	pageOrders = 100
	longest    = 2 * 365 * 24 * time.Hour
	tail       = time.Minute
	byID       = 50 // orders of one request that names them
)

const ebayTime = "2006-01-02T15:04:05.000Z"

type amount struct{ Value, Currency string }

type order struct {
	OrderID, OrderFulfillmentStatus, OrderPaymentStatus, BuyerCheckoutNotes string
	CreationDate, LastModifiedDate                                          time.Time
	CancelStatus                                                            struct{ CancelState string }
	Buyer                                                                   struct {
		Username                 string
		BuyerRegistrationAddress contact
	}
	FulfillmentStartInstructions []struct{ ShippingStep struct{ ShipTo contact } }
	PricingSummary               struct{ PriceSubtotal, DeliveryCost, Tax, Total amount }
	PaymentSummary               struct {
		Refunds []struct {
			RefundID, RefundStatus string
			Amount                 amount
			RefundDate             time.Time
		}
	}
	LineItems []struct {
		LineItemID, SKU, Title, LegacyItemID string
		Quantity                             int64
		LineItemCost                         amount
	}
}

type contact struct {
	FullName, Email string
	PrimaryPhone    struct{ PhoneNumber string }
	ContactAddress  struct{ AddressLine1, AddressLine2, City, StateOrProvince, PostalCode, CountryCode string }
}

// PullOrders gives a page of the orders that changed in a closed span.
func (s *session) PullOrders(ctx context.Context, cursor connector.Cursor) (connector.OrderPage, error) {
	offset, until := 0, time.Time{}
	if at, end, ok := strings.Cut(cursor.Page, " "); ok {
		offset, _ = strconv.Atoi(at)
		until, _ = time.Parse(time.RFC3339, end)
	}
	if until.IsZero() {
		answer, err := s.get(ctx, selling+"/order", url.Values{"limit": {"1"}}, nil)
		if err != nil {
			return connector.OrderPage{}, err
		}
		if until = answer.Date(); until.IsZero() {
			until = s.link.Now()
		}
		until = until.Add(-tail)
	}
	since := cursor.Since
	if oldest := until.Add(-longest); since.Before(oldest) {
		since = oldest
	}
	page := connector.OrderPage{Until: until}
	if !since.Before(until) {
		page.Until = cursor.Since
		return page, nil
	}
	var out struct {
		Total  int
		Orders []order
	}
	query := url.Values{"limit": {strconv.Itoa(pageOrders)}, "offset": {strconv.Itoa(offset)},
		"filter": {"lastmodifieddate:[" + since.UTC().Format(ebayTime) + ".." + until.UTC().Format(ebayTime) + "]"}}
	if _, err := s.get(ctx, selling+"/order", query, &out); err != nil {
		return connector.OrderPage{}, err
	}
	takeAll(out.Orders, &page)
	if offset+pageOrders < out.Total {
		page.Next = strconv.Itoa(offset+pageOrders) + " " + until.UTC().Format(time.RFC3339)
	}
	return page, nil
}

// takeAll adds orders to a page.
func takeAll(list []order, page *connector.OrderPage) {
	for i := range list {
		o, err := list[i].take()
		if err != nil {
			page.Unreadable = append(page.Unreadable, connector.Unreadable{ExternalID: list[i].OrderID, Error: err.Error()})
			continue
		}
		page.Orders = append(page.Orders, o)
	}
}

// ReadOrders gives orders by their ids.
func (s *session) ReadOrders(ctx context.Context, externalIDs []string) (page connector.OrderPage, err error) {
	var out struct{ Orders []order }
	query := url.Values{"orderIds": {strings.Join(externalIDs, ",")}, "limit": {strconv.Itoa(byID)}}
	if _, err := s.get(ctx, selling+"/order", query, &out); err != nil {
		return page, err
	}
	takeAll(out.Orders, &page)
	return page, nil
}

// PullOrder gives one order.
func (s *session) PullOrder(ctx context.Context, externalID string) (connector.Order, error) {
	var o order
	if _, err := s.get(ctx, selling+"/order/"+url.PathEscape(externalID), nil, &o); err != nil {
		return connector.Order{}, err
	}
	return o.take()
}

// take converts an order. eBay's amounts are of whole lines; the discount is the difference to its total.
func (o *order) take() (connector.Order, error) {
	currency := o.PricingSummary.Total.Currency
	sum, err := connector.NewSums(currency)
	if err != nil {
		return connector.Order{}, err
	}
	out := connector.Order{ExternalID: o.OrderID, Number: o.OrderID, CreatedAt: o.CreationDate, UpdatedAt: o.LastModifiedDate,
		Currency: currency,
		Note:     o.BuyerCheckoutNotes, Theirs: strings.ToLower(o.OrderPaymentStatus + " " + o.OrderFulfillmentStatus),
		Payment:  map[string]any{"buyer": o.Buyer.Username},
		Shipping: sum.Of(o.PricingSummary.DeliveryCost.Value), Tax: sum.Of(o.PricingSummary.Tax.Value),
		Total: sum.Of(o.PricingSummary.Total.Value)}
	out.Status, out.Refunded = o.status()
	if o.CancelStatus.CancelState == "CANCELED" {
		out.Theirs = "cancelled"
	}
	o.buyer(&out)
	rest := out.Shipping + out.Tax - out.Total
	for _, l := range o.LineItems {
		line := connector.OrderLine{ExternalID: l.LineItemID, SKU: l.SKU, Name: l.Title, Quantity: l.Quantity,
			Amount: sum.Of(l.LineItemCost.Value), Item: connector.IDs{Product: l.LegacyItemID}}
		rest += line.Amount
		out.Lines = append(out.Lines, line)
	}
	if out.Discount = max(rest, 0); rest < 0 {
		out.Lines = append(out.Lines, connector.OrderLine{ExternalID: "fees", Name: "Fees", Quantity: 1, Amount: -rest})
	}
	for _, r := range o.PaymentSummary.Refunds {
		if r.RefundStatus == "REFUNDED" || r.RefundStatus == "" {
			out.Refunds = append(out.Refunds, connector.Refund{ExternalID: r.RefundID, Amount: sum.Of(r.Amount.Value), CreatedAt: r.RefundDate})
		}
	}
	return out, sum.Err()
}

// Detail reads the parcels of an order of which something was shipped.
func (s *session) Detail(ctx context.Context, o *connector.Order) (err error) {
	if strings.HasSuffix(o.Theirs, " fulfilled") || strings.HasSuffix(o.Theirs, " in_progress") {
		o.Parcels, err = s.parcels(ctx, o.ExternalID)
	}
	return err
}

// status is the meaning of eBay's states; the first that matches.
func (o *order) status() (status orders.Status, refunded bool) {
	fulfilled := o.OrderFulfillmentStatus == "FULFILLED"
	switch {
	case o.CancelStatus.CancelState == "CANCELED":
		return orders.Cancelled, false
	case o.OrderPaymentStatus == "FULLY_REFUNDED":
		return orders.Returned, true
	case fulfilled:
		return orders.Shipped, false
	case o.OrderFulfillmentStatus == "IN_PROGRESS":
		return orders.PartiallyShipped, false
	case o.OrderPaymentStatus == "PENDING" || o.OrderPaymentStatus == "FAILED":
		return orders.Pending, false
	}
	return orders.Processing, false
}

func (o *order) buyer(out *connector.Order) {
	var to contact
	if len(o.FulfillmentStartInstructions) > 0 {
		to = o.FulfillmentStartInstructions[0].ShippingStep.ShipTo
	}
	out.Name, out.Email, out.Phone = to.FullName, to.Email, to.PrimaryPhone.PhoneNumber
	if out.Name == "" {
		out.Name = o.Buyer.Username
	}
	if out.Email == "" {
		out.Email = o.Buyer.BuyerRegistrationAddress.Email
	}
	if !strings.Contains(out.Email, "@") { // masked, or gone after two weeks
		out.Email = ""
	}
	if a := to.ContactAddress; a.AddressLine1 != "" { // eBay forgets it after three months
		out.ShipTo = &connector.Place{Name: to.FullName, Line1: a.AddressLine1, Line2: a.AddressLine2, City: a.City, State: a.StateOrProvince,
			PostalCode: a.PostalCode, Country: a.CountryCode, Phone: to.PrimaryPhone.PhoneNumber}
	}
}

// fulfillment is a parcel that eBay knows.
type fulfillment struct {
	FulfillmentID, ShipmentTrackingNumber, ShippingCarrierCode string
	ShippedDate                                                time.Time
	LineItems                                                  []struct {
		LineItemID string
		Quantity   int64
	}
}

func (s *session) parcels(ctx context.Context, id string) ([]connector.Parcel, error) {
	var out struct{ Fulfillments []fulfillment }
	if _, err := s.get(ctx, selling+"/order/"+url.PathEscape(id)+"/shipping_fulfillment", nil, &out); err != nil {
		return nil, err
	}
	var list []connector.Parcel
	for _, f := range out.Fulfillments {
		parcel := connector.Parcel{Key: f.FulfillmentID, Carrier: f.ShippingCarrierCode, Number: f.ShipmentTrackingNumber,
			ShippedAt: f.ShippedDate}
		for _, l := range f.LineItems {
			parcel.Lines = append(parcel.Lines, connector.ParcelLine{ExternalLine: l.LineItemID, Quantity: l.Quantity})
		}
		list = append(list, parcel)
	}
	return list, nil
}

// PushShipment marks as shipped the quantities of this parcel and all before it, less what is shipped on eBay: so a
// parcel whose answer was lost is not shown twice. eBay can neither change nor delete one.
func (s *session) PushShipment(ctx context.Context, ref connector.OrderRef, parcel connector.Parcel) error {
	known, err := s.parcels(ctx, ref.ExternalID)
	if err != nil {
		return err
	}
	missing := map[string]int64{}
	for _, p := range ref.Shipped {
		for _, l := range p.Lines {
			missing[l.ExternalLine] += l.Quantity
		}
		if p.Key == parcel.Key {
			break
		}
	}
	for _, p := range known {
		if parcel.Number != "" && p.Number == plainNumber(parcel.Number) {
			return nil
		}
		for _, l := range p.Lines {
			missing[l.ExternalLine] -= l.Quantity
		}
	}
	var lines []fields
	for _, l := range parcel.Lines {
		if n := min(l.Quantity, missing[l.ExternalLine]); n > 0 {
			lines = append(lines, fields{"lineItemId": l.ExternalLine, "quantity": n})
		}
	}
	if len(lines) == 0 {
		return nil
	}
	at := parcel.ShippedAt
	if at.IsZero() {
		at = s.link.Now()
	}
	body := fields{"lineItems": lines, "shippedDate": at.UTC().Format(ebayTime)}
	if parcel.Number != "" && parcel.Carrier != "" { // both or none
		body["trackingNumber"], body["shippingCarrierCode"] = plainNumber(parcel.Number), parcel.Carrier
	}
	_, err = s.call(ctx, http.MethodPost, selling+"/order/"+url.PathEscape(ref.ExternalID)+"/shipping_fulfillment", body, nil)
	return err
}

// plainNumber is a tracking number in letters and digits: eBay accepts no others.
func plainNumber(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, text)
}

// PushStatus cancels the order, or pushes its shipments: the status of an eBay order follows from its parcels and its payment.
func (s *session) PushStatus(ctx context.Context, ref connector.OrderRef, to connector.Status) error {
	switch to {
	case orders.Cancelled:
		return s.PushCancel(ctx, ref, "")
	case orders.Shipped:
		var o order
		if _, err := s.get(ctx, selling+"/order/"+url.PathEscape(ref.ExternalID), nil, &o); err != nil ||
			o.OrderFulfillmentStatus == "FULFILLED" {
			return err
		}
		rest := connector.Parcel{Key: "rest"}
		for _, l := range o.LineItems {
			rest.Lines = append(rest.Lines, connector.ParcelLine{ExternalLine: l.LineItemID, Quantity: l.Quantity})
		}
		whole := ref
		whole.Shipped = []connector.Parcel{rest}
		return s.PushShipment(ctx, whole, rest)
	case orders.Delivered, orders.Returned:
		return connector.Failf(connector.Cannot, "eBay has no way to say %s", to)
	}
	return nil
}

// PushCancel asks eBay to cancel the whole order. Requests of some sellers need an additional signature, which the
// service does not make: then the merchant must cancel manually.
func (s *session) PushCancel(ctx context.Context, ref connector.OrderRef, _ string) error {
	var o order
	if _, err := s.get(ctx, selling+"/order/"+url.PathEscape(ref.ExternalID), nil, &o); err != nil ||
		o.CancelStatus.CancelState == "CANCELED" {
		return err
	}
	body := fields{"legacyOrderId": ref.ExternalID, "cancelReason": "OUT_OF_STOCK_OR_CANNOT_FULFILL",
		"buyerPaid": o.OrderPaymentStatus == "PAID"}
	_, err := s.call(ctx, http.MethodPost, "/post-order/v2/cancellation", body, nil)
	if f := connector.FailureOf(err); f != nil && f.Lasting() && f.Kind != connector.Unauthorized {
		return connector.Failf(connector.Rejected, "eBay did not cancel the order, please cancel it there: %s", f)
	}
	return err
}
