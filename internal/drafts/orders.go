package drafts

import (
	"strconv"
	"strings"
	"time"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/commerce"
	"entrepot/internal/limits"
	"entrepot/internal/orders"
)

// ReadOrder reads the body of POST /orders, which arrives at now.
func ReadOrder(o *apijson.Object, now time.Time) commerce.OrderDraft {
	o.Record("CreateOrder")
	d := commerce.OrderDraft{
		Given: orders.Given{
			ExternalReference: o.Text("externalReference", apijson.Text{}).Value,
			PaymentMetadata:   o.Free("paymentMetadata", false).Value,
			Notes:             o.Text("notes", apijson.Text{Max: limits.MaxNote}).Value,
			Tags:              orders.DistinctTags(readOrderTags(o, "tags").Value),
		},
		CustomerName:    o.Text("customerName", apijson.Text{Required: true}).Value,
		CustomerID:      apijson.UUID[id.Customer](o, "customerId", false).Value,
		CustomerEmail:   readEmail(o, "customerEmail", apijson.Text{}).Value,
		Channel:         apijson.UUID[id.Channel](o, "channelId", false).Value,
		Status:          apijson.Enum(o, "initialStatus", false, orders.Statuses...).Or(orders.Pending),
		Currency:        readCurrency(o).Or("EUR"),
		ShippingAddress: o.Free("shippingAddress", true).Value,
		BillingAddress:  o.Free("billingAddress", true).Value,
		ShippingAmount:  o.Money("shippingAmount", apijson.Money{}).Value,
		DiscountAmount:  o.Money("discountAmount", apijson.Money{}).Value,
		TaxAmount:       o.Money("taxAmount", apijson.Money{}).Ptr(),
		TaxRate:         o.Money("taxRate", apijson.Money{Max: 1000 * money.Scale}).Ptr(),
		RefundedAmount:  o.Money("refundedAmount", apijson.Money{}).Value,
		Source:          orders.FromAPI,
		CreatedAt:       readPast(o, "createdAt", now),
	}
	o.List("items", apijson.List{Required: true, Min: 1, Max: limits.MaxOrderLines}, func(_ int, item *apijson.Object) {
		d.Lines = append(d.Lines, readLine(item, apijson.Text{Required: true}))
	})
	return d
}

// readPast reads a time after the beginning of 1970, which files have where a time is missing, until now, in
// microseconds; 0 if none is given.
func readPast(o *apijson.Object, name string, now time.Time) int64 {
	before := len(o.Errors())
	at := o.Time(name, false)
	switch {
	case !at.Given() || len(o.Errors()) > before:
		return 0
	case at.Value.After(now):
		o.AddError(name, "must not lie in the future")
	case orders.Shown(at.Value.UnixMicro()) <= 0:
		o.AddError(name, "must be later than 1970-01-01T00:00:00Z")
	}
	return at.Value.UnixMicro()
}

// readLine reads one order line (interface §2.3).
func readLine(o *apijson.Object, sku apijson.Text) orders.LineDraft {
	o.Record("OrderLineInput")
	d := orders.LineDraft{
		SKU:       o.Text("sku", sku).Value,
		Quantity:  o.Int("quantity", apijson.Int{Required: true, Min: 1, Max: limits.MaxLineQuantity}).Value,
		UnitPrice: o.Money("unitPrice", apijson.Money{Required: true}).Value,
	}
	name := o.Text("name", apijson.Text{})
	d.Name, d.NoName = name.Value, name.Null
	if f := o.Text("description", apijson.Text{Max: limits.MaxNote}); f.Set {
		d.Description = &f.Value
	}
	if f := o.Free("metadata", true); f.Set {
		d.Metadata = &f.Value
	}
	return d
}

func readCurrency(o *apijson.Object) patch.Field[string] {
	const name = "currency"
	f := o.Text(name, apijson.Text{Max: 3})
	o.Describe(name, apijson.Like(currencyCode))
	f.Value = strings.ToUpper(f.Value)
	if f.Given() && !o.HasError(name) && !o.Describing() && !money.KnownCurrency(f.Value) {
		o.AddError(name, "must be an ISO 4217 currency such as EUR")
	}
	return f
}

// ReadMove reads the body of PATCH status.
func ReadMove(o *apijson.Object) commerce.Move {
	o.Record("UpdateOrderStatus")
	return commerce.Move{
		To: apijson.Enum(o, "status", true, orders.Statuses...).Value,
		Draft: orders.ShipmentDraft{
			Carrier:        o.Text("carrier", apijson.Text{}).Value,
			TrackingNumber: o.Text("trackingNumber", apijson.Text{}).Value,
			TrackingURL:    readTrackingURL(o).Value,
		},
		Note:    o.Text("note", apijson.Text{Max: limits.MaxNote}).Value,
		Restock: o.Bool("restock").Value,
	}
}

// readTrackingURL reads the address that people are shown as a link: no other scheme than http and https, such as
// javascript, is one.
func readTrackingURL(o *apijson.Object) patch.Field[string] {
	address := o.Text("trackingUrl", apijson.Text{Max: limits.MaxTrackingURL, Format: "uri"})
	if address.Value != "" && !isWebAddress(address.Value) {
		o.AddError("trackingUrl", "must be an absolute http or https URL")
	}
	return address
}

// ReadOrderLines reads the body of PUT items. A platform's line without a SKU, such as a fee, is named by its id and
// the SKU "".
func ReadOrderLines(o *apijson.Object) commerce.Edit {
	o.Record("ReplaceOrderItems")
	e := commerce.Edit{
		ShippingAmount: o.Money("shippingAmount", apijson.Money{}).Ptr(),
		DiscountAmount: o.Money("discountAmount", apijson.Money{}).Ptr(),
		TaxAmount:      o.Money("taxAmount", apijson.Money{}).Ptr(),
	}
	o.List("items", apijson.List{Required: true, Min: 1, Max: limits.MaxOrderLines}, func(_ int, item *apijson.Object) {
		d := readLine(item, apijson.Text{Required: true, Blank: true})
		item.Record("OrderLineChange")
		line := apijson.UUID[id.Line](item, "id", false)
		if d.SKU == "" && !line.Given() && !item.HasError("sku") && !item.Describing() {
			item.AddError("sku", "must not be empty")
		}
		d.ID = line.Value
		e.Lines = append(e.Lines, d)
	})
	return e
}

// ReadOrderUpdate reads the body of PATCH /orders/{id}: absent members stay, null clears.
func ReadOrderUpdate(o *apijson.Object) commerce.OrderUpdate {
	o.Record("UpdateOrder")
	return commerce.OrderUpdate{
		Notes:           o.Text("notes", apijson.Text{Max: limits.MaxNote}),
		ShippingAddress: o.Free("shippingAddress", true),
		BillingAddress:  o.Free("billingAddress", true),
		PaymentMetadata: o.Free("paymentMetadata", false),
		Tags:            readOrderTags(o, "tags"),
		AssignedTo:      apijson.UUID[id.User](o, "assignedTo", false),
	}
}

// readOrderTags reads tags of orders. Lists of tags are written with commas, so that no tag has one.
func readOrderTags(o *apijson.Object, name string) patch.Field[[]string] {
	f := o.Texts(name, false, limits.MaxOrderTags, apijson.Text{Max: limits.MaxOrderTag})
	for i, tag := range f.Value {
		if strings.Contains(tag, ",") {
			o.AddError(name+"["+strconv.Itoa(i)+"]", "must not contain a comma")
		}
	}
	return f
}

// ReadOrderTagging reads the members of POST bulk-tag that say what changes.
func ReadOrderTagging(o *apijson.Object) commerce.OrderTagging {
	t := commerce.OrderTagging{Add: readOrderTags(o, "add").Value, Remove: readOrderTags(o, "remove").Value,
		AssignedTo: apijson.UUID[id.User](o, "assignedTo", false)}
	if t.IsEmpty() && !o.Describing() && len(o.Errors()) == 0 {
		o.AddError("add", "must have a tag, unless tags are removed or the orders are assigned")
	}
	return t
}

// ReadBulkTag reads the body of POST bulk-tag.
func ReadBulkTag(o *apijson.Object) ([]id.Order, commerce.OrderTagging) {
	o.Record("BulkTag")
	before := len(o.Errors())
	list := apijson.UUIDs[id.Order](o, "orderIds", true, limits.MaxBulkTag)
	o.Describe("orderIds", apijson.AtLeastOne)
	if list.Given() && len(list.Value) == 0 && len(o.Errors()) == before {
		o.AddError("orderIds", "must have at least 1 entry")
	}
	return list.Value, ReadOrderTagging(o)
}

// ReadShipment reads the body of POST shipments (interface §2.4).
func ReadShipment(o *apijson.Object) orders.ShipmentDraft {
	o.Record("CreateShipment")
	d := readTracking(o)
	d.Notes = o.Text("notes", apijson.Text{Max: limits.MaxNote}).Value
	if at := o.Time("shippedAt", false); at.Given() {
		d.ShippedAt = at.Value.UnixMicro()
	}
	d.Lines = readShipmentLines(o, true)
	return d
}

// readTracking reads carrier and tracking of a shipment.
func readTracking(o *apijson.Object) orders.ShipmentDraft {
	return orders.ShipmentDraft{
		Carrier:        o.Text("carrier", apijson.Text{}).Value,
		TrackingNumber: o.Text("trackingNumber", apijson.Text{}).Value,
		TrackingURL:    readTrackingURL(o).Value,
	}
}

func readShipmentLines(o *apijson.Object, required bool) (lines []orders.DraftLine) {
	least := 0
	if required {
		least = 1
	}
	o.List("items", apijson.List{Required: required, Min: least, Max: limits.MaxOrderLines}, func(_ int, item *apijson.Object) {
		item.Record("ShipmentLineInput")
		lines = append(lines, orders.DraftLine{
			Line:     apijson.UUID[id.Line](item, "orderItemId", true).Value,
			Quantity: item.Int("quantity", apijson.Int{Required: true, Min: 1, Max: limits.MaxLineQuantity}).Value,
		})
	})
	return lines
}

// ReadShipmentUpdate reads the body of PATCH shipments: absent members stay, null clears.
func ReadShipmentUpdate(o *apijson.Object) commerce.ShipmentUpdate {
	o.Record("UpdateShipment")
	d := commerce.ShipmentUpdate{
		Carrier:        o.Text("carrier", apijson.Text{}),
		TrackingNumber: o.Text("trackingNumber", apijson.Text{}),
		TrackingURL:    readTrackingURL(o),
		Notes:          o.Text("notes", apijson.Text{Max: limits.MaxNote}),
	}
	at := o.Time("shippedAt", false)
	d.ShippedAt = patch.Field[int64]{Set: at.Set, Null: at.Null}
	if at.Given() {
		d.ShippedAt.Value = at.Value.UnixMicro()
	}
	return d
}

// ReadBulkShip reads the body of POST bulk-ship: the orders to ship, and those that cannot be read.
func ReadBulkShip(o *apijson.Object) (list []commerce.OrderToShip, failed []commerce.ShipError) {
	o.Record("BulkShip")
	o.List("orders", apijson.List{Required: true, Min: 1, Max: limits.MaxBulkShip, Apart: true}, func(i int, item *apijson.Object) {
		item.Record("OrderToShip")
		one := commerce.OrderToShip{Index: i, ID: apijson.UUID[id.Order](item, "orderId", false).Value, Named: item.Said("orderNumber")}
		number := item.Text("orderNumber", apijson.Text{})
		one.Reference = item.Text("externalReference", apijson.Text{}).Value
		if number.Given() && number.Value != "" {
			var known bool
			if one.Number, known = orders.ParseNumber(number.Value); !known && !item.HasError("orderNumber") {
				item.AddError("orderNumber", "must be an order number such as ORD-000042")
			}
		}
		one.Draft = readTracking(item)
		if at := item.Time("shippedAt", false); at.Given() {
			one.Draft.ShippedAt = at.Value.UnixMicro()
		}
		one.Draft.Lines = readShipmentLines(item, false)
		switch errs := item.Errors(); {
		case len(errs) > 0:
			f := itemError(i, one.Named, errs)
			failed = append(failed, commerce.ShipError{Index: i, OrderNumber: one.Named, Error: f.Error, Code: f.Code})
		case one.ID == "" && one.Number == 0 && one.Reference == "":
			failed = append(failed, commerce.ShipError{Index: i, Code: "required",
				Error: "one of orderId, orderNumber, externalReference is required"})
		default:
			list = append(list, one)
		}
	})
	return list, failed
}
