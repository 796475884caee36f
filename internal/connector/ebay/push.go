package ebay

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"entrepot/internal/connector"
	"entrepot/internal/orders"
)

// pushed is an order that is being changed: eBay's state of it, with what this session has shipped since.
type pushed struct {
	order
	id      string
	parcels []connector.Parcel
}

// beforeWrite returns an order before a write: this session's state of it, because parcels of one order follow each
// other, or eBay's. The session is no AheadReader: eBay accepts a second parcel of the same goods and deletes none,
// so nothing would guard a write that follows an old answer.
func (s *session) beforeWrite(ctx context.Context, id string) (*pushed, error) {
	if s.pushed != nil && s.pushed.id == id {
		return s.pushed, nil
	}
	if err := s.spare(ctx, fulfillmentAPI); err != nil {
		return nil, err
	}
	o, err := s.readOrder(ctx, id)
	if err != nil {
		return nil, err
	}
	if o.CancelStatus.CancelState == cancelled {
		return nil, connector.Failf(connector.Rejected, "the order is cancelled on eBay")
	}
	at := &pushed{order: o, id: id}
	if at.parcels, err = s.parcels(ctx, id); err == nil {
		s.pushed = at
	}
	return at, err
}

// PushShipment marks as shipped the quantities of this parcel and all before it, less what is shipped on eBay: so a
// parcel whose answer was lost is not shown twice. eBay can neither change nor delete one.
func (s *session) PushShipment(ctx context.Context, ref connector.OrderRef, parcel connector.Parcel) error {
	o, err := s.beforeWrite(ctx, ref.ExternalID)
	if err != nil {
		return err
	}
	missing := ref.ShippedThrough(parcel.Key)
	for _, p := range o.parcels {
		if parcel.Number != "" && p.Number == plainNumber(parcel.Number) && !ref.SharesNumber(parcel) {
			if parcel.Corrected && parcel.Carrier != "" && connector.Letters(p.Carrier) != connector.Letters(parcel.Carrier) {
				ref.Unsent(firstTracking)
			}
			return nil
		}
		for _, l := range p.Lines {
			missing[l.ExternalLine] -= l.Quantity
		}
	}
	sent := connector.Parcel{Number: plainNumber(parcel.Number), Carrier: cmp.Or(parcel.Carrier, otherCarrier)}
	var lines []fields
	for _, l := range parcel.Lines {
		if n := min(l.Quantity, missing[l.ExternalLine]); n > 0 {
			lines = append(lines, fields{"lineItemId": l.ExternalLine, "quantity": n})
			sent.Lines = append(sent.Lines, connector.ParcelLine{ExternalLine: l.ExternalLine, Quantity: n})
		}
	}
	if len(lines) == 0 {
		if parcel.Corrected {
			ref.Unsent(firstTracking)
		}
		return nil
	}
	at := parcel.ShippedAt
	if at.IsZero() {
		at = s.link.Now()
	}
	body := fields{"lineItems": lines, "shippedDate": at.UTC().Format(ebayTime)}
	if sent.Number != "" { // both or none
		body["trackingNumber"], body["shippingCarrierCode"] = sent.Number, sent.Carrier
	}
	s.pushed = nil
	_, err = s.call(ctx, http.MethodPost, selling+"/order/"+url.PathEscape(ref.ExternalID)+"/shipping_fulfillment", body, nil)
	if err == nil {
		o.parcels = append(o.parcels, sent)
		s.pushed = o
	}
	return err
}

// firstTracking says why a correction of tracking is not sent.
const firstTracking = "eBay goes on showing the tracking that it was sent first: it takes no other for a parcel"

// otherCarrier is eBay's code of carriers without a code.
const otherCarrier = "Other"

// plainNumber is a tracking number in letters and digits: eBay accepts no others.
func plainNumber(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, text)
}

// PushStatus cancels the order, or pushes its shipments: the status of an eBay order follows from its parcels and its
// payment.
func (s *session) PushStatus(ctx context.Context, ref connector.OrderRef, to connector.Status) error {
	switch to {
	case orders.Cancelled:
		return s.PushCancel(ctx, ref, "")
	case orders.Shipped:
		o, err := s.beforeWrite(ctx, ref.ExternalID)
		if err != nil || o.OrderFulfillmentStatus == fulfilled {
			return err
		}
		taken, err := o.takenBack()
		if err != nil {
			return err
		}
		rest := connector.Parcel{Key: "rest"}
		for _, l := range o.LineItems { // the buyer of what was refunded would wait for it
			rest.Lines = append(rest.Lines, connector.ParcelLine{ExternalLine: l.LineItemID, Quantity: l.Quantity - taken[l.LineItemID]})
		}
		whole := ref
		whole.Shipped, whole.Packed = []connector.Parcel{rest}, nil
		return s.PushShipment(ctx, whole, rest)
	case orders.Delivered, orders.Returned:
		return connector.Failf(connector.Cannot, "eBay has no way to say %s", to)
	}
	return nil
}
