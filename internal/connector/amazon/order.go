package amazon

import (
	"slices"
	"strings"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/orders"
)

// Who ships an order.
const (
	merchant = "MERCHANT"
	amazon   = "AMAZON"
)

type cash struct{ Amount, CurrencyCode string }

// part is one kind of amount: ITEM, SHIPPING, GIFT_WRAP, COD_FEE, OTHER, TAX, DISCOUNT or DELIVERY_TIP.
type part struct {
	Type, Status       string
	Subtotal           cash
	DetailedBreakdowns []struct {
		Subtype string
		Value   cash
	}
}

// order is an order as Amazon has it. Members that the app may not see, and members that do not exist yet while the
// order is PENDING, are empty.
type order struct {
	OrderID                      string
	CreatedTime, LastUpdatedTime time.Time
	Programs                     []string
	Buyer                        struct{ BuyerName, BuyerEmail, BuyerCompanyName, BuyerPurchaseOrderNumber string }
	Recipient                    struct{ DeliveryAddress address }
	Proceeds                     struct {
		GrandTotal cash
		Breakdowns []part
	}
	Fulfillment struct {
		FulfillmentStatus, FulfilledBy, FulfillmentServiceLevel string
		ShipByWindow                                            struct{ LatestDateTime time.Time }
	}
	OrderItems []item
	Packages   []parcel
}

type address struct {
	Name, CompanyName, AddressLine1, AddressLine2, AddressLine3, City, StateOrRegion, DistrictOrCounty, PostalCode, CountryCode, Phone string
}

type item struct {
	OrderItemID     string
	QuantityOrdered int64
	Product         struct {
		Asin, Title, SellerSKU string
		Price                  struct{ UnitPrice cash }
	}
	Proceeds struct {
		ProceedsTotal cash
		Breakdowns    []part
	}
	Cancellation struct {
		CancellationRequest *struct{ Requester, CancelReason string }
	}
	Fulfillment struct {
		QuantityFulfilled int64
		Packing           struct{ GiftOption struct{ GiftMessage string } }
	}
}

type parcel struct {
	PackageReferenceID, Carrier, TrackingNumber string
	PackageStatus                               struct{ Status string }
	ShipTime                                    time.Time
	PackageItems                                []packageItem
}

type packageItem struct {
	OrderItemID string
	Quantity    int64
}

func (o *order) byAmazon() bool { return o.Fulfillment.FulfilledBy == amazon }

// status translates Amazon's states, and returns Amazon's word. Amazon has no state for delivered, which is a state
// of its parcels.
func (o *order) status() (ours orders.Status, theirs string) {
	theirs = o.Fulfillment.FulfillmentStatus
	switch theirs {
	case "PENDING_AVAILABILITY", "PENDING":
		return orders.Pending, theirs
	case "UNSHIPPED":
		return orders.Processing, theirs
	case "PARTIALLY_SHIPPED":
		return orders.PartiallyShipped, theirs
	case "SHIPPED":
		if o.delivered() {
			return orders.Delivered, "DELIVERED"
		}
		return orders.Shipped, theirs
	case "CANCELLED", "UNFULFILLABLE":
		return orders.Cancelled, theirs
	}
	return "", theirs
}

func (o *order) delivered() bool {
	arrived := 0
	for _, p := range o.Packages {
		switch p.PackageStatus.Status {
		case "DELIVERED":
			arrived++
		case "CANCELLED":
		default:
			return false
		}
	}
	return arrived > 0
}

// convert converts an order. Lines of an order that Amazon ships have no SKU: the stock is in Amazon's warehouses, so
// nothing of it is reserved.
func (s *session) convert(o *order) (connector.Order, error) {
	out := connector.Order{ExternalID: o.OrderID, Number: o.OrderID, CreatedAt: o.CreatedTime, UpdatedAt: o.LastUpdatedTime,
		Name: o.Recipient.DeliveryAddress.Name, Email: o.Buyer.BuyerEmail, Phone: o.Recipient.DeliveryAddress.Phone,
		ShipTo: o.shipTo(), Payment: o.extras()}
	out.ShippedBy(o.Fulfillment.FulfillmentServiceLevel)
	out.ToBeCancelled(o.toBeCancelled())
	if out.Name == "" {
		out.Name = o.Buyer.BuyerName
	}
	if !strings.Contains(out.Email, "@") {
		out.Email = ""
	}
	out.Status, out.Theirs = o.status()
	var notes []string
	for _, it := range o.OrderItems {
		if text := strings.TrimSpace(it.Fulfillment.Packing.GiftOption.GiftMessage); text != "" {
			notes = append(notes, text)
		}
		if it.QuantityOrdered <= 0 { // it was cancelled
			continue
		}
		line := connector.OrderLine{ExternalID: it.OrderItemID, SKU: it.Product.SellerSKU, Name: it.Product.Title, Quantity: it.QuantityOrdered}
		if o.byAmazon() {
			line.SKU, line.Name = "", strings.TrimSpace(line.Name+" ("+it.Product.SellerSKU+")")
		}
		out.Lines = append(out.Lines, line)
		out.Left(it.OrderItemID, it.Fulfillment.QuantityFulfilled)
	}
	out.Note = strings.Join(notes, "\n")
	if err := s.amounts(o, &out); err != nil {
		return connector.Order{}, err
	}
	for _, p := range o.Packages {
		if p.PackageStatus.Status == "CANCELLED" {
			continue
		}
		sent := connector.Parcel{Key: p.PackageReferenceID, Carrier: p.Carrier, Number: p.TrackingNumber, ShippedAt: p.ShipTime}
		for _, l := range p.PackageItems {
			sent.Lines = append(sent.Lines, connector.ParcelLine{ExternalLine: l.OrderItemID, Quantity: l.Quantity})
		}
		// its contents are unknown, and it is not all that remains
		if len(sent.Lines) == 0 && out.Status == orders.PartiallyShipped {
			continue
		}
		out.Parcels = append(out.Parcels, sent)
	}
	return out, nil
}

// shipTo is the shipping address; nil if Amazon does not give it.
func (o *order) shipTo() *connector.Place {
	a := o.Recipient.DeliveryAddress
	if a.AddressLine1 == "" && a.AddressLine2 == "" && a.PostalCode == "" {
		return nil
	}
	var lines []string
	for _, l := range []string{a.AddressLine1, a.AddressLine2, a.AddressLine3} {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	place := connector.Place{Name: a.Name, Company: a.CompanyName, City: a.City, State: a.StateOrRegion, PostalCode: a.PostalCode,
		Country: strings.ToUpper(a.CountryCode), Phone: a.Phone}
	if place.State == "" {
		place.State = a.DistrictOrCounty
	}
	if len(lines) > 0 {
		place.Line1, place.Line2 = lines[0], strings.Join(lines[1:], ", ")
	}
	return &place
}

// extras are further facts about an order, for people.
func (o *order) extras() map[string]any {
	all := map[string]any{}
	if o.byAmazon() {
		all["fulfilledBy"] = amazon
	}
	if len(o.Programs) > 0 {
		all["programs"] = o.Programs
	}
	if at := o.Fulfillment.ShipByWindow.LatestDateTime; !at.IsZero() {
		all["shipBy"] = at.UTC().Format(time.RFC3339)
	}
	if o.Buyer.BuyerPurchaseOrderNumber != "" {
		all["purchaseOrderNumber"] = o.Buyer.BuyerPurchaseOrderNumber
	}
	return all
}

// toBeCancelled reports whether the buyer has asked for the cancellation of something that was not cancelled.
func (o *order) toBeCancelled() bool {
	return slices.ContainsFunc(o.OrderItems, func(it item) bool {
		return it.Cancellation.CancellationRequest != nil && it.QuantityOrdered > 0
	})
}
