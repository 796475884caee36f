package ebay

import (
	"strings"
	"time"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
	"entrepot/internal/orders"
)

type amount struct{ Value, Currency string }

type order struct {
	OrderID, OrderFulfillmentStatus, OrderPaymentStatus, BuyerCheckoutNotes string
	CreationDate, LastModifiedDate                                          time.Time
	CancelStatus                                                            cancelStatus
	Buyer                                                                   struct {
		Username                 string
		BuyerRegistrationAddress contact
	}
	FulfillmentStartInstructions []struct {
		ShippingStep struct {
			ShipTo              contact
			ShippingServiceCode string
			ShipToReferenceID   string
		}
	}
	PricingSummary struct {
		DeliveryCost, Tax, Total, PriceDiscount, DeliveryDiscount, Adjustment, Fee amount
	}
	PaymentSummary struct {
		Refunds  []refund
		Payments []struct{ PaymentDate time.Time }
	}
	LineItems []struct {
		LineItemID, SKU, Title, LegacyItemID string
		LineItemFulfillmentStatus            string
		ListingMarketplaceID                 string
		Quantity                             int64
		LineItemCost, DiscountedLineItemCost amount
		Refunds                              []refund
		EbayCollectAndRemitTaxes             []struct{ Amount amount }
		VariationAspects                     []struct{ Name, Value string } // of which variant it is
	}
}

type contact struct {
	FullName, CompanyName, Email string
	PrimaryPhone                 struct{ PhoneNumber string }
	ContactAddress               struct{ AddressLine1, AddressLine2, City, StateOrProvince, PostalCode, CountryCode string }
}

// convert converts an order of an account, all of whose marketplaces eBay lists together. eBay's amounts are of whole
// lines; the discount is the difference to its total.
func (o *order) convert(market string) (connector.Order, error) {
	currency := o.PricingSummary.Total.Currency
	sum, err := connector.NewSums(currency)
	if err != nil {
		return connector.Order{}, err
	}
	out := connector.Order{ExternalID: o.OrderID, Number: o.OrderID, CreatedAt: o.CreationDate, UpdatedAt: o.LastModifiedDate,
		Currency: currency,
		Note:     o.BuyerCheckoutNotes, Theirs: strings.ToLower(o.OrderPaymentStatus + " " + o.OrderFulfillmentStatus),
		Payment:  map[string]any{"buyer": o.Buyer.Username},
		Buyer:    o.Buyer.Username,
		Shipping: sum.Of(o.PricingSummary.DeliveryCost.Value), Tax: sum.Of(o.PricingSummary.Tax.Value),
		Total: sum.Of(o.PricingSummary.Total.Value)}
	out.Status, out.Refunded = o.status()
	out.ToBeCancelled(o.CancelStatus.CancelState == "IN_PROGRESS")
	if o.CancelStatus.CancelState == cancelled {
		out.Theirs = "cancelled"
	}
	if theirs := o.market(); theirs != market {
		out.Market = theirs
	}
	o.buyer(&out)
	o.tax(sum, &out)
	for _, l := range o.LineItems {
		line := connector.OrderLine{ExternalID: l.LineItemID, SKU: l.SKU, Name: l.Title, Quantity: l.Quantity,
			Amount: sum.Of(l.LineItemCost.Value), Item: connector.IDs{Product: l.LegacyItemID}}
		for _, aspect := range l.VariationAspects { // the title is the listing's
			line.Name += ", " + aspect.Value
		}
		out.Lines = append(out.Lines, line)
		if l.LineItemFulfillmentStatus == fulfilled {
			out.Left(l.LineItemID, l.Quantity)
		}
	}
	out.Balance()
	out.Refunds = o.refunds(sum)
	return out, sum.Err()
}

// market is the marketplace on which all of it was listed, "" for several.
func (o *order) market() (id string) {
	for _, l := range o.LineItems {
		if id != "" && l.ListingMarketplaceID != id {
			return ""
		}
		id = l.ListingMarketplaceID
	}
	return id
}

// tax adds the tax that eBay collects from the buyer and pays to the state, if it is in the total and in nothing
// else. It notes that part of the tax, because the seller does not get it.
func (o *order) tax(sum *connector.Sums, out *connector.Order) {
	size := func(a amount) money.Amount { n := sum.Of(a.Value); return max(n, -n) }
	p := o.PricingSummary
	var kept money.Amount
	others := out.Shipping + out.Tax - size(p.PriceDiscount) - size(p.DeliveryDiscount) + sum.Of(p.Adjustment.Value) + size(p.Fee)
	for _, l := range o.LineItems {
		others += sum.Of(l.LineItemCost.Value)
		for _, t := range l.EbayCollectAndRemitTaxes {
			kept += sum.Of(t.Amount.Value)
		}
	}
	if kept == 0 {
		return
	}
	if others+kept == out.Total {
		out.Tax += kept
	}
	out.Payment["taxKeptByEBay"] = kept.Text(out.Currency)
}

// fulfilled is the state of an order, or of a line, that was shipped.
const fulfilled = "FULFILLED"

// status is the meaning of eBay's states; the first that matches.
func (o *order) status() (status orders.Status, refunded bool) {
	switch {
	case o.CancelStatus.CancelState == cancelled:
		return orders.Cancelled, false
	case o.OrderPaymentStatus == "FULLY_REFUNDED" && o.OrderFulfillmentStatus == fulfilled:
		return orders.Shipped, true
	case o.OrderPaymentStatus == "FULLY_REFUNDED":
		return orders.Cancelled, true
	case o.OrderFulfillmentStatus == fulfilled:
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
	way, company := "", ""
	if len(o.FulfillmentStartInstructions) > 0 {
		step := o.FulfillmentStartInstructions[0].ShippingStep
		to, way, company = step.ShipTo, step.ShippingServiceCode, step.ShipTo.CompanyName
		if r := step.ShipToReferenceID; r != "" { // eBay's shipping partner needs it on the label, above the street
			out.Payment["shipToReferenceId"] = r
			company = strings.TrimPrefix(company+", Reference #"+r, ", ")
		}
	}
	out.ShippedBy(way)
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
	if a := to.ContactAddress; a.AddressLine1+a.AddressLine2 != "" { // eBay forgets it after three months
		if a.AddressLine1 == "" {
			a.AddressLine1, a.AddressLine2 = a.AddressLine2, ""
		}
		out.ShipTo = &connector.Place{Name: to.FullName, Company: company, Line1: a.AddressLine1, Line2: a.AddressLine2, City: a.City,
			State: a.StateOrProvince, PostalCode: a.PostalCode, Country: a.CountryCode, Phone: to.PrimaryPhone.PhoneNumber}
	}
}
