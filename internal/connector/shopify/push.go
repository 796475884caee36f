package shopify

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/orders"
)

// shipping is the shop's view of an order: what is fulfilled and what is still open.
type shipping struct {
	ID                string
	CancelledAt       *time.Time
	Fulfillments      []fulfillment
	FulfillmentOrders struct{ Nodes []fulfillmentOrder }
	written           bool // something was shipped since, of which the fulfillments are not known
}

type fulfillmentOrder struct {
	ID, Status string
	LineItems  orderedLines
}

type orderedLines struct {
	PageInfo pageInfo
	Nodes    []orderedLine
}

// waits reports whether the shop ships the part only later: it is on hold, or scheduled.
func (p fulfillmentOrder) waits() bool { return p.Status == "ON_HOLD" || p.Status == "SCHEDULED" }

// ended reports whether nothing of the part will be shipped any more.
func (p fulfillmentOrder) ended() bool { return p.Status == "CLOSED" || p.Status == "CANCELLED" }

type orderedLine struct {
	ID                string
	RemainingQuantity int64
	LineItem          struct{ ID string }
}

// incomplete reports whether the answer in a size may have only a part of it.
func (sh *shipping) incomplete(z size) bool {
	return len(sh.Fulfillments) >= z.few || len(sh.FulfillmentOrders.Nodes) >= z.few ||
		slices.ContainsFunc(sh.Fulfillments, func(f fulfillment) bool { return len(f.FulfillmentLineItems.Nodes) >= z.lines }) ||
		slices.ContainsFunc(sh.FulfillmentOrders.Nodes, func(part fulfillmentOrder) bool { return len(part.LineItems.Nodes) >= z.lines })
}

// shipped is how many units of each line have left. The parts of an order do not show that: the contents of a
// cancelled parcel are in a new part as well as in the old one.
func (sh *shipping) shipped() map[string]int64 {
	out := map[string]int64{}
	for _, f := range sh.Fulfillments {
		for _, l := range f.FulfillmentLineItems.Nodes {
			if f.stands() {
				out[l.LineItem.ID] += l.Quantity
			}
		}
	}
	return out
}

// ReadAhead reads what is left to ship of several orders.
func (s *session) ReadAhead(ctx context.Context, externalIDs []string) error {
	s.ahead = map[string]*shipping{}
	for len(externalIDs) > 0 {
		var a struct{ Nodes []*shipping }
		var used size
		err := s.inSize(func(z size) error {
			used = z
			ids := externalIDs[:min(z.orders, len(externalIDs))]
			_, err := s.call(reading(ctx), queryShippingOfMany, vars{"ids": ids, "lines": z.lines, "few": z.few}, &a)
			return err
		})
		if err != nil {
			return err
		}
		externalIDs = externalIDs[min(used.orders, len(externalIDs)):]
		for _, at := range a.Nodes {
			if at != nil && at.ID != "" && !at.incomplete(used) {
				s.ahead[at.ID] = at
			}
		}
	}
	return nil
}

// shipping returns the shop's view of an order that is about to be changed, known already or read now.
func (s *session) shipping(ctx context.Context, id string) (*shipping, error) {
	if at := s.ahead[id]; at != nil {
		return at, nil
	}
	var a struct{ Order *shipping }
	for lines, few := 250, 50; ; lines, few = lines/2, few/2 {
		_, err := s.call(reading(ctx), queryShipping, vars{"id": id, "lines": lines, "few": few}, &a)
		if err == nil {
			break
		}
		if !errors.Is(err, errTooDear) || few < 10 {
			return nil, err
		}
	}
	if a.Order == nil {
		return nil, connector.Failf(connector.Missing, "the shop has no order %s", id)
	}
	for i := range a.Order.FulfillmentOrders.Nodes {
		if err := s.readRest(ctx, &a.Order.FulfillmentOrders.Nodes[i]); err != nil {
			return nil, err
		}
	}
	if s.ahead == nil {
		s.ahead = map[string]*shipping{}
	}
	s.ahead[id] = a.Order
	return a.Order, nil
}

// readRest reads the remaining lines of a part.
func (s *session) readRest(ctx context.Context, part *fulfillmentOrder) error {
	for part.LineItems.PageInfo.HasNextPage {
		var more struct {
			FulfillmentOrder *struct{ LineItems orderedLines }
		}
		_, err := s.call(reading(ctx), queryMoreParts, vars{"id": part.ID, "after": part.LineItems.PageInfo.EndCursor}, &more)
		if err != nil {
			return err
		}
		if more.FulfillmentOrder == nil { // the shop has divided it anew
			return connector.Failf(connector.Temporary, "the shop has changed the parts of the order meanwhile")
		}
		part.LineItems.Nodes = append(part.LineItems.Nodes, more.FulfillmentOrder.LineItems.Nodes...)
		part.LineItems.PageInfo = more.FulfillmentOrder.LineItems.PageInfo
	}
	return nil
}

// PushShipment ships in the shop the quantities of this parcel and all before it, less what is shipped there other
// than in parcels that the shop packed: so a parcel whose answer was lost is not shipped twice. One request ships for
// one fulfillment order, which the shop creates for each location. A parcel that replaces a shipment which was
// deleted here gives its tracking to the shop's parcel.
func (s *session) PushShipment(ctx context.Context, order connector.OrderRef, parcel connector.Parcel) error {
	at, err := s.shipping(ctx, order.ExternalID)
	if err != nil {
		return err
	}
	missing, own := order.ShippedThrough(parcel.Key), map[string]int64{}
	for line, through := range missing {
		own[line] = through - order.Packed[line]
	}
	for line, n := range at.shipped() {
		missing[line] -= n
	}
	left := false
	err = s.ship(ctx, at, func(line string, remaining int64) int64 {
		n := max(0, min(missing[line], own[line], remaining))
		missing[line], own[line] = missing[line]-n, own[line]-n
		left = left || n > 0
		return n
	}, parcel)
	if err != nil || left {
		return err
	}
	return s.retrack(ctx, at, order, parcel)
}

// retrack gives a parcel whose shipment was deleted here the tracking of its replacement, and a corrected parcel its
// new tracking.
func (s *session) retrack(ctx context.Context, at *shipping, order connector.OrderRef, parcel connector.Parcel) error {
	replaced := -1
	for i, f := range at.Fulfillments {
		if !f.stands() {
			continue
		}
		if slices.Contains(f.numbers(), parcel.Number) {
			if !parcel.Corrected || f.shows(parcel) || f.ID == "" {
				return nil
			}
			replaced = i
			break
		}
		contents := map[string]int64{}
		for _, l := range f.FulfillmentLineItems.Nodes {
			contents[l.LineItem.ID] += l.Quantity
		}
		if replaced < 0 && f.ID != "" && order.Replaces(parcel, f.numbers(), contents) {
			replaced = i
		}
	}
	if replaced < 0 {
		return nil
	}
	delete(s.ahead, at.ID)
	var a struct {
		FulfillmentTrackingInfoUpdate struct{ UserErrors userErrors }
	}
	v := vars{"id": at.Fulfillments[replaced].ID, "tracking": tracking(parcel)}
	if _, err := s.call(reading(ctx), mutateTracking, v, &a); err != nil {
		return err
	}
	return a.FulfillmentTrackingInfoUpdate.UserErrors.err()
}

// shows reports whether the shop's parcel has the known carrier and address of a parcel.
func (f fulfillment) shows(parcel connector.Parcel) bool {
	return slices.ContainsFunc(f.TrackingInfo, func(t trackingInfo) bool {
		return t.Number == parcel.Number && (parcel.Carrier == "" || strings.EqualFold(t.Company, parcel.Carrier)) &&
			(parcel.URL == "" || t.URL == parcel.URL)
	})
}

// tracking is a parcel's tracking as the shop takes it.
func tracking(parcel connector.Parcel) vars {
	known := vars{}
	for name, value := range map[string]string{"company": parcel.Carrier, "number": parcel.Number, "url": parcel.URL} {
		if value != "" {
			known[name] = value
		}
	}
	return known
}

// ship fulfils, of every open part, as much as take says. Unless all of it was accepted, the order is read again
// before its next change. Errors: Failure Underway for what the shop holds back.
func (s *session) ship(ctx context.Context, at *shipping, take func(line string, remaining int64) int64, parcel connector.Parcel) error {
	if at.CancelledAt != nil {
		return connector.Failf(connector.Rejected, "the order is cancelled in the shop")
	}
	delete(s.ahead, at.ID)
	for i := range at.FulfillmentOrders.Nodes {
		if part := &at.FulfillmentOrders.Nodes[i]; !part.waits() && !part.ended() {
			if err := s.shipPart(ctx, at, part, take, parcel); err != nil {
				return err
			}
		}
	}
	for _, part := range at.FulfillmentOrders.Nodes {
		for _, l := range part.LineItems.Nodes {
			if part.waits() && take(l.LineItem.ID, l.RemainingQuantity) > 0 {
				return connector.Failf(connector.Underway, "the shop holds back what was shipped here: release it in the shop")
			}
		}
	}
	s.ahead[at.ID] = at
	return nil
}

// shipPart fulfils of one part as much as take says.
func (s *session) shipPart(ctx context.Context, at *shipping, part *fulfillmentOrder, take func(line string, remaining int64) int64,
	parcel connector.Parcel) error {
	var of []vars
	sent := fulfillment{Status: success, TrackingInfo: []trackingInfo{{Number: parcel.Number}}}
	for k := range part.LineItems.Nodes {
		l := &part.LineItems.Nodes[k]
		if n := take(l.LineItem.ID, l.RemainingQuantity); n > 0 {
			of = append(of, vars{"id": l.ID, "quantity": n})
			l.RemainingQuantity -= n
			sent.FulfillmentLineItems.Nodes = append(sent.FulfillmentLineItems.Nodes, fulfilledLine{Quantity: n, LineItem: l.LineItem})
		}
	}
	if len(of) == 0 {
		return nil
	}
	fulfillment := vars{"notifyCustomer": true, "trackingInfo": tracking(parcel),
		"lineItemsByFulfillmentOrder": []vars{{"fulfillmentOrderId": part.ID, "fulfillmentOrderLineItems": of}}}
	var a struct {
		FulfillmentCreate struct{ UserErrors userErrors }
	}
	if _, err := s.call(ctx, mutateShip, vars{"fulfillment": fulfillment}, &a); err != nil {
		return err
	}
	if err := a.FulfillmentCreate.UserErrors.err(); err != nil {
		return err
	}
	at.Fulfillments, at.written = append(at.Fulfillments, sent), true
	return nil
}

// PushStatus changes the order in the shop, which has no status of its own: SHIPPED ships what has left here,
// DELIVERED adds an event to each parcel.
func (s *session) PushStatus(ctx context.Context, order connector.OrderRef, to connector.Status) error {
	switch to {
	case orders.Shipped, orders.Delivered:
	case orders.Cancelled:
		return s.PushCancel(ctx, order, "")
	case orders.Returned:
		return connector.Failf(connector.Cannot, "returns are made in Shopify")
	default:
		return nil
	}
	if at := s.ahead[order.ExternalID]; to == orders.Delivered && at != nil && at.written {
		delete(s.ahead, order.ExternalID)
	}
	at, err := s.shipping(ctx, order.ExternalID)
	if err != nil {
		return err
	}
	if to == orders.Shipped {
		return s.ship(ctx, at, rest(order, at), connector.Parcel{})
	}
	delete(s.ahead, order.ExternalID)
	for _, f := range at.Fulfillments {
		if f.Status != success || f.DisplayStatus == "DELIVERED" {
			continue
		}
		var a struct {
			FulfillmentEventCreate struct{ UserErrors userErrors }
		}
		event := vars{"fulfillmentId": f.ID, "status": "DELIVERED", "happenedAt": s.link.Now().UTC().Format(time.RFC3339)}
		if _, err := s.call(reading(ctx), mutateDelivered, vars{"event": event}, &a); err != nil {
			return err
		}
		if err := a.FulfillmentEventCreate.UserErrors.err(); err != nil {
			return err
		}
	}
	return nil
}

// rest is how many units of each line are to leave so that the shop has shipped what was shipped here, or all if no
// parcel is known. More may remain in the shop: units that were refunded there without being removed from the order.
func rest(order connector.OrderRef, at *shipping) func(line string, remaining int64) int64 {
	if len(order.Shipped) == 0 && len(order.Packed) == 0 {
		return func(_ string, remaining int64) int64 { return remaining }
	}
	missing := order.ShippedThrough("")
	for line, n := range at.shipped() {
		missing[line] -= n
	}
	return func(line string, remaining int64) int64 {
		n := max(0, min(missing[line], remaining))
		missing[line] -= n
		return n
	}
}
