package orders

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// table is an order's own row. Save does not write the fixed columns: erasure and merge have statements of their own for them.
var table = db.NewTable("orders",
	db.Col("id", func(o *Order) any { return &o.ID }).Fixed(),
	db.Col("number", func(o *Order) any { return &o.Number }).Fixed(),
	db.Col("status", func(o *Order) any { return &o.Status }),
	db.Col("channel_id", func(o *Order) any { return &o.Channel }).Null().Fixed(),
	db.Col("customer_id", func(o *Order) any { return &o.Customer }).Null().Fixed(),
	db.Col("customer_name", func(o *Order) any { return &o.CustomerName }).Fixed(),
	db.Col("customer_email", func(o *Order) any { return &o.CustomerEmail }).Null().Fixed(),
	db.Derived("email_key", func(o *Order) any { return o.emailKey() }).Null().Fixed(),
	db.Col("external_reference", func(o *Order) any { return &o.ExternalReference }).Null().Fixed(),
	db.Col("platform_id", func(o *Order) any { return &o.PlatformID }).Null().Fixed(),
	db.Col("reopens", func(o *Order) any { return &o.Reopens }).Null().Fixed(),
	db.Col("reopened_by", func(o *Order) any { return &o.ReopenedBy }).Null(),
	db.Col("generation", func(o *Order) any { return &o.Generation }).Fixed(),
	db.Col("currency", func(o *Order) any { return &o.Currency }).Fixed(),
	db.Col("shipping_address", func(o *Order) any { return &o.ShippingAddress }).Null(),
	db.Col("billing_address", func(o *Order) any { return &o.BillingAddress }).Null(),
	db.Col("payment_metadata", func(o *Order) any { return &o.PaymentMetadata }).Null(),
	db.Col("notes", func(o *Order) any { return &o.Notes }).Null(),
	db.Coded("tags", func(o *Order) string { return encodeTags(o.Tags) },
		func(o *Order, text string) (err error) { o.Tags, err = DecodeTags(text); return err }).Null(),
	db.Col("assigned_to", func(o *Order) any { return &o.AssignedTo }).Null(),
	db.Col("subtotal", func(o *Order) any { return &o.Subtotal }),
	db.Col("shipping_amount", func(o *Order) any { return &o.ShippingAmount }),
	db.Col("discount_amount", func(o *Order) any { return &o.DiscountAmount }),
	db.Col("tax_amount", func(o *Order) any { return &o.TaxAmount }),
	db.Col("tax_rate", func(o *Order) any { return &o.TaxRate }).Fixed(),
	db.Col("total", func(o *Order) any { return &o.Total }),
	db.Col("item_count", func(o *Order) any { return &o.ItemCount }),
	db.Col("tracking_carrier", func(o *Order) any { return &o.TrackingCarrier }).Null(),
	db.Col("tracking_number", func(o *Order) any { return &o.TrackingNumber }).Null(),
	db.Col("tracking_url", func(o *Order) any { return &o.TrackingURL }).Null(),
	db.Col("shipped_notified", func(o *Order) any { return &o.ShippedNotified }),
	db.Col("external_number", func(o *Order) any { return &o.ExternalNumber }).Null().Fixed(),
	db.Col("platform_status", func(o *Order) any { return &o.PlatformStatus }).Null(),
	db.Col("platform_updated_at", func(o *Order) any { return &o.PlatformUpdatedAt }).Null(),
	db.Col("sent_status", func(o *Order) any { return &o.SentStatus }).Null(),
	db.Col("refunded_amount", func(o *Order) any { return &o.RefundedAmount }),
	db.Col("channel_sync", func(o *Order) any { return &o.Sync.State }).Null(),
	db.Col("channel_sync_error", func(o *Order) any { return &o.Sync.Error }).Null(),
	db.Col("channel_sync_attempts", func(o *Order) any { return &o.Sync.Attempts }),
	db.Col("channel_sync_at", func(o *Order) any { return &o.Sync.UpdatedAt }).Null(),
	db.Col("created_at", func(o *Order) any { return &o.CreatedAt }).Fixed(),
	db.Col("updated_at", func(o *Order) any { return &o.UpdatedAt }),
	db.Derived("country", func(o *Order) any { return Country(o.ShippingAddress) }).Null(),
	db.Derived("search", func(o *Order) any { return o.search() }).Fixed(),
	db.Derived("initial_status", func(o *Order) any { return o.History[0].Status }).Fixed(),
	db.Derived("initial_source", func(o *Order) any { return o.History[0].Source }).Fixed(),
	db.Derived("initial_actor", func(o *Order) any { return o.History[0].Actor }).Fixed(),
	db.Derived("platform_buyer", func(o *Order) any { return o.PlatformBuyer }).Null().Fixed(),
	db.Derived("recorded_at", func(o *Order) any { return o.recordedLater() }).Null().Fixed(),
	db.Joined("c.name", func(o *Order) any { return &o.ChannelName }),
	db.Joined("c.platform", func(o *Order) any { return &o.ChannelPlatform }),
	db.Joined("p.phone", func(o *Order) any { return &o.CustomerPhone }),
).Of("order")

// recordedLater returns the time when an order was stored, 0 if that is its creation time.
func (o *Order) recordedLater() int64 {
	if o.RecordedAt == o.CreatedAt {
		return 0
	}
	return o.RecordedAt
}

type lineRow struct {
	order    id.Order
	position int64 // among the order's lines, from 0
	Line
}

var lineTable = db.NewTable("order_lines",
	db.Col("order_id", func(l *lineRow) any { return &l.order }).Fixed(),
	db.Col("position", func(l *lineRow) any { return &l.position }),
	db.Col("id", func(l *lineRow) any { return &l.ID }).Fixed(),
	db.Col("product_id", func(l *lineRow) any { return &l.Product }).Null(),
	db.Col("variant_id", func(l *lineRow) any { return &l.Variant }).Null(),
	db.Col("sku", func(l *lineRow) any { return &l.SKU }),
	db.Col("name", func(l *lineRow) any { return &l.Name }),
	db.Col("description", func(l *lineRow) any { return &l.Description }).Null(),
	db.Col("metadata", func(l *lineRow) any { return &l.Metadata }).Null(),
	db.Col("quantity", func(l *lineRow) any { return &l.Quantity }),
	db.Col("shipped", func(l *lineRow) any { return &l.Shipped }),
	db.Col("refunded", func(l *lineRow) any { return &l.Refunded }),
	db.Col("reserved", func(l *lineRow) any { return &l.Reserved }),
	db.Col("unit_price", func(l *lineRow) any { return &l.UnitPrice }),
	db.Col("line_total", func(l *lineRow) any { return &l.Total }),
	db.Col("warehouse_code", func(l *lineRow) any { return &l.Warehouse }),
	db.Col("external_id", func(l *lineRow) any { return &l.ExternalID }).Null(),
	db.Col("fee", func(l *lineRow) any { return &l.Fee }),
)

type entryRow struct {
	order id.Order
	Entry
}

// entryTable has every status change of an order; its first status is in the order's own row.
var entryTable = db.NewTable("order_history",
	db.Col("order_id", func(e *entryRow) any { return &e.order }),
	db.Col("id", func(e *entryRow) any { return &e.ID }),
	db.Col("previous_status", func(e *entryRow) any { return &e.Previous }).Null(),
	db.Col("status", func(e *entryRow) any { return &e.Status }),
	db.Col("note", func(e *entryRow) any { return &e.Note }).Null(),
	db.Col("source", func(e *entryRow) any { return &e.Source }),
	db.Col("actor", func(e *entryRow) any { return &e.Actor }),
	db.Col("created_at", func(e *entryRow) any { return &e.At }),
)

type shipmentRow struct {
	order id.Order
	Shipment
}

var shipmentTable = db.NewTable("shipments",
	db.Col("order_id", func(s *shipmentRow) any { return &s.order }),
	db.Col("id", func(s *shipmentRow) any { return &s.ID }),
	db.Col("carrier", func(s *shipmentRow) any { return &s.Carrier }).Null(),
	db.Col("tracking_number", func(s *shipmentRow) any { return &s.TrackingNumber }).Null(),
	db.Col("tracking_url", func(s *shipmentRow) any { return &s.TrackingURL }).Null(),
	db.Col("shipped_at", func(s *shipmentRow) any { return &s.ShippedAt }),
	db.Col("notes", func(s *shipmentRow) any { return &s.Notes }).Null(),
	db.Col("automatic", func(s *shipmentRow) any { return &s.Automatic }),
	db.Col("external_id", func(s *shipmentRow) any { return &s.ExternalID }).Null(),
	db.Col("created_at", func(s *shipmentRow) any { return &s.CreatedAt }),
)

type shipmentLineRow struct {
	order    id.Order
	shipment id.Shipment
	ShipmentLine
}

var shipmentLineTable = db.NewTable("shipment_lines",
	db.Col("order_id", func(l *shipmentLineRow) any { return &l.order }),
	db.Col("shipment_id", func(l *shipmentLineRow) any { return &l.shipment }),
	db.Col("id", func(l *shipmentLineRow) any { return &l.ID }),
	db.Col("line_id", func(l *shipmentLineRow) any { return &l.Line }),
	db.Col("quantity", func(l *shipmentLineRow) any { return &l.Quantity }),
)
