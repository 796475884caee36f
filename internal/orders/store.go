package orders

import (
	"strings"

	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

const columns = `o.id, o.number, o.status, o.channel_id, o.customer_id, o.customer_name, o.customer_email, o.external_reference, o.platform_id, o.currency,
	o.shipping_address, o.billing_address, o.payment_metadata, o.notes, o.subtotal, o.shipping_amount, o.discount_amount, o.tax_amount, o.tax_rate, o.total,
	o.item_count, o.tracking_carrier, o.tracking_number, o.tracking_url, o.shipped_told, o.created_at, o.updated_at, c.name, c.platform, p.phone`

const joined = ` FROM orders o LEFT JOIN channels c ON c.tenant_id = $1 AND c.id = o.channel_id
	LEFT JOIN customers p ON p.tenant_id = $1 AND p.id = o.customer_id `

func scan(r db.Rows) (o Order, err error) {
	err = r.Scan(&o.ID, &o.Number, &o.Status, db.Opt(&o.Channel), db.Opt(&o.Customer), &o.CustomerName, db.Opt(&o.CustomerEmail), db.Opt(&o.ExternalReference),
		db.Opt(&o.PlatformID), &o.Currency, db.Opt(&o.ShippingAddress), db.Opt(&o.BillingAddress), db.Opt(&o.PaymentMetadata), db.Opt(&o.Notes),
		&o.Subtotal, &o.ShippingAmount, &o.DiscountAmount, &o.TaxAmount, &o.TaxRate, &o.Total, &o.ItemCount, db.Opt(&o.TrackingCarrier),
		db.Opt(&o.TrackingNumber), db.Opt(&o.TrackingURL), &o.ShippedNotified, &o.CreatedAt, &o.UpdatedAt, db.Opt(&o.ChannelName), db.Opt(&o.ChannelPlatform), db.Opt(&o.CustomerPhone))
	return o, err
}

// ByID reads a whole order. Errors: NotFound.
func ByID(tx *db.Tx, order id.Order) (*Order, error) { return whole(tx, order, false) }

// Lock reads a whole order for changing it: no other act changes it until this one ends. Errors: NotFound.
func Lock(tx *db.Tx, order id.Order) (*Order, error) { return whole(tx, order, true) }

func whole(tx *db.Tx, order id.Order, lock bool) (*Order, error) {
	var held []*db.PendingRead
	if lock { // before the rest, which then sees what the operation that held it before has made
		held = append(held, tx.Prefetch(func(db.Rows) error { return nil }, "SELECT id FROM orders WHERE tenant_id = $1 AND id = $2::UUID FOR UPDATE", tx.Tenant, order))
	}
	var list []Order
	row := tx.Prefetch(func(r db.Rows) error {
		o, err := scan(r)
		list = append(list, o)
		return err
	}, "SELECT "+columns+joined+"WHERE o.tenant_id = $1 AND o.id = $2::UUID", tx.Tenant, order)
	var lines []Line
	rest := prefetchLines(tx, []id.Order{order}, func(_ id.Order, l Line) { lines = append(lines, l) })
	history, shipments := prefetchHistory(tx, order), prefetchShipments(tx, order)
	if err := db.WaitAll(append(held, row)); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, apperr.Missing("order")
	}
	o := &list[0]
	if err := db.WaitAll(rest); err != nil {
		return nil, err
	}
	o.Lines = lines
	var err error
	if o.History, err = history(); err != nil {
		return nil, err
	}
	o.Shipments, err = shipments()
	return o, err
}

// readLines puts the lines into orders, in the order they were given.
func readLines(tx *db.Tx, list []Order) error {
	at := make(map[id.Order]int, len(list))
	ids := make([]id.Order, len(list))
	for i := range list {
		ids[i], at[list[i].ID] = list[i].ID, i
	}
	return db.WaitAll(prefetchLines(tx, ids, func(order id.Order, l Line) {
		o := &list[at[order]]
		o.Lines = append(o.Lines, l)
	}))
}

// prefetchLines asks for the lines of orders, in the order they were given.
func prefetchLines(tx *db.Tx, ids []id.Order, each func(id.Order, Line)) []*db.PendingRead {
	asked := make([]*db.PendingRead, 0, 1)
	for len(ids) > 0 {
		piece := ids[:min(256, len(ids))]
		ids = ids[len(piece):]
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		asked = append(asked, tx.Prefetch(func(r db.Rows) error {
			var order id.Order
			var l Line
			if err := r.Scan(&order, &l.ID, &l.Product, db.Opt(&l.Variant), &l.SKU, &l.Name, db.Opt(&l.Description), db.Opt(&l.Metadata),
				&l.Quantity, &l.Shipped, &l.Reserved, &l.UnitPrice, &l.Total, &l.Warehouse); err != nil {
				return err
			}
			each(order, l)
			return nil
		}, linesText.For(len(args)-1, func(n int) string {
			return `SELECT order_id, id, product_id, variant_id, sku, name, description, metadata, quantity, shipped, reserved, unit_price, line_total, warehouse_code
				FROM order_lines WHERE tenant_id = $1 AND order_id IN ` + db.In(n, 2) + ` ORDER BY order_id, position`
		}), args...))
	}
	return asked
}

var linesText db.Text

// prefetchHistory asks how an order began, from its own row, and for every move since.
func prefetchHistory(tx *db.Tx, order id.Order) func() ([]Entry, error) {
	list := []Entry{}
	asked := tx.Prefetch(func(r db.Rows) error {
		var e Entry
		err := r.Scan(&e.ID, db.Opt(&e.Previous), &e.Status, db.Opt(&e.Note), &e.Source, &e.Actor, &e.At)
		list = append(list, e)
		return err
	}, `SELECT id, NULL AS previous, initial_status, NULL AS note, initial_source, initial_actor, coalesce(recorded_at, created_at) FROM orders WHERE tenant_id = $1 AND id = $2::UUID
		UNION ALL SELECT id, previous_status, status, note, source, actor, created_at FROM order_history WHERE tenant_id = $1 AND order_id = $2::UUID
		ORDER BY 7, 1`, tx.Tenant, order)
	return func() ([]Entry, error) {
		err := asked.Wait()
		return list, err
	}
}

func prefetchShipments(tx *db.Tx, order id.Order) func() ([]Shipment, error) {
	list, at := []Shipment{}, map[id.Shipment]int{}
	asked := tx.Prefetch(func(r db.Rows) error {
		var s Shipment
		err := r.Scan(&s.ID, db.Opt(&s.Carrier), db.Opt(&s.TrackingNumber), db.Opt(&s.TrackingURL), &s.ShippedAt, db.Opt(&s.Notes), &s.Automatic, &s.CreatedAt)
		at[s.ID] = len(list)
		list = append(list, s)
		return err
	}, `SELECT id, carrier, tracking_number, tracking_url, shipped_at, notes, automatic, created_at FROM shipments
		WHERE tenant_id = $1 AND order_id = $2::UUID ORDER BY created_at, id`, tx.Tenant, order)
	lines := tx.Prefetch(func(r db.Rows) error {
		var shipment id.Shipment
		var l ShipmentLine
		if err := r.Scan(&shipment, &l.ID, &l.Line, &l.Quantity); err != nil {
			return err
		}
		s := &list[at[shipment]]
		s.Lines = append(s.Lines, l)
		return nil
	}, "SELECT shipment_id, id, line_id, quantity FROM shipment_lines WHERE tenant_id = $1 AND order_id = $2::UUID ORDER BY shipment_id, id", tx.Tenant, order)
	return func() ([]Shipment, error) {
		if err := asked.Wait(); err != nil || len(list) == 0 {
			return list, err
		}
		err := lines.Wait()
		return list, err
	}
}

// ByReference finds the order that has an external reference; "" when none has.
func ByReference(tx *db.Tx, reference string) (id.Order, error) {
	return PrefetchByReference(tx, reference)()
}

// PrefetchByReference is ByReference as a question.
func PrefetchByReference(tx *db.Tx, reference string) func() (id.Order, error) {
	var order id.Order
	asked := tx.Prefetch(func(r db.Rows) error { return r.Scan(&order) },
		"SELECT id FROM orders WHERE tenant_id = $1 AND external_reference = $2", tx.Tenant, reference)
	return func() (id.Order, error) {
		err := asked.Wait()
		return order, err
	}
}

// search is what a list's search looks through.
func (o *Order) search() string {
	return strings.ToLower(Number(o.Number) + " " + o.ExternalReference + " " + o.CustomerName + " " + o.CustomerEmail)
}

// Insert writes a new order with its lines, the first entry of its history and its shipments. An external reference that is taken
// meanwhile makes the operation run again.
func Insert(tx *db.Tx, o *Order) {
	o.ItemCount = int64(len(o.Lines))
	tx.Queue(`INSERT INTO orders (tenant_id, id, number, status, channel_id, customer_id, customer_name, customer_email, email_key, external_reference, platform_id,
			currency, shipping_address, billing_address, payment_metadata, notes, subtotal, shipping_amount, discount_amount, tax_amount, tax_rate, total,
			item_count, tracking_carrier, tracking_number, tracking_url, shipped_told, search, created_at, updated_at, initial_status, initial_source, initial_actor,
			recorded_at)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21,$22,$23,$24,$25,$26,$27,$28,$29,$30,$31,$32,$33,$34)`,
		tx.Tenant, o.ID, o.Number, string(o.Status), db.Null(o.Channel), db.Null(o.Customer), o.CustomerName, db.Null(o.CustomerEmail), db.Null(emailKey(o.CustomerEmail)),
		db.Null(o.ExternalReference), db.Null(o.PlatformID), o.Currency, db.Null(o.ShippingAddress), db.Null(o.BillingAddress), db.Null(o.PaymentMetadata),
		db.Null(o.Notes), o.Subtotal, o.ShippingAmount, o.DiscountAmount, o.TaxAmount, o.TaxRate, o.Total, o.ItemCount, db.Null(o.TrackingCarrier),
		db.Null(o.TrackingNumber), db.Null(o.TrackingURL), o.ShippedNotified, o.search(), o.CreatedAt, o.UpdatedAt,
		string(o.History[0].Status), string(o.History[0].Source), o.History[0].Actor, recordedAt(o))
	insertLines(tx, o.ID, o.Lines, 0)
	for _, s := range o.Shipments {
		InsertShipment(tx, o.ID, s)
	}
	Count(tx, o, "", o.Status)
}

// recordedAt is when an order was stored, nil when that is its creation.
func recordedAt(o *Order) any {
	if o.RecordedAt == 0 || o.RecordedAt == o.CreatedAt {
		return nil
	}
	return o.RecordedAt
}

func emailKey(email string) string { return strings.ToLower(email) }

func insertLines(tx *db.Tx, order id.Order, lines []Line, first int) {
	position := first
	db.Chunks(lines, func(piece []Line) error {
		args := make([]any, 0, 2+14*len(piece))
		args = append(args, tx.Tenant, order)
		for _, l := range piece {
			args = append(args, position, l.ID, l.Product, db.Null(l.Variant), l.SKU, l.Name, db.Null(l.Description), db.Null(l.Metadata),
				l.Quantity, l.Shipped, l.Reserved, l.UnitPrice, l.Total, l.Warehouse)
			position++
		}
		tx.Queue(insertLinesText.For(len(piece), func(n int) string {
			return `INSERT INTO order_lines (tenant_id, order_id, position, id, product_id, variant_id, sku, name, description, metadata, quantity, shipped, reserved, unit_price, line_total, warehouse_code) VALUES ` +
				db.Repeat(n, 3, "($1,$2,$,$,$,$,$,$,$,$,$,$,$,$,$,$)")
		}), args...)
		return nil
	})
}

var insertLinesText db.Text

func insertEntry(tx *db.Tx, order id.Order, e Entry) {
	tx.Queue(`INSERT INTO order_history (tenant_id, order_id, id, previous_status, status, note, source, actor, created_at) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9)`,
		tx.Tenant, order, e.ID, string(e.Previous), string(e.Status), db.Null(e.Note), string(e.Source), e.Actor, e.At)
}

// InsertShipment writes a shipment with its lines.
func InsertShipment(tx *db.Tx, order id.Order, s Shipment) {
	tx.Queue(`INSERT INTO shipments (tenant_id, order_id, id, carrier, tracking_number, tracking_url, shipped_at, notes, automatic, created_at)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10)`, tx.Tenant, order, s.ID, db.Null(s.Carrier), db.Null(s.TrackingNumber), db.Null(s.TrackingURL), s.ShippedAt,
		db.Null(s.Notes), s.Automatic, s.CreatedAt)
	for _, l := range s.Lines {
		tx.Queue("INSERT INTO shipment_lines (tenant_id, order_id, shipment_id, id, line_id, quantity) VALUES ($1,$2,$3,$4,$5,$6)",
			tx.Tenant, order, s.ID, l.ID, l.Line, l.Quantity)
	}
}

// DeleteShipment takes a shipment's rows away.
func DeleteShipment(tx *db.Tx, order id.Order, shipment id.Shipment) {
	tx.Queue("DELETE FROM shipment_lines WHERE tenant_id = $1 AND order_id = $2::UUID AND shipment_id = $3::UUID", tx.Tenant, order, shipment)
	tx.Queue("DELETE FROM shipments WHERE tenant_id = $1 AND order_id = $2::UUID AND id = $3::UUID", tx.Tenant, order, shipment).Rows(1, nil)
}

// Save writes a locked order's own row, what became of its lines, and its newest history entry when the status moved.
func Save(tx *db.Tx, before, o *Order) {
	o.ItemCount = int64(len(o.Lines))
	tx.Queue(`UPDATE orders SET status = $3, subtotal = $4, shipping_amount = $5, discount_amount = $6, tax_amount = $7, total = $8, item_count = $9,
			tracking_carrier = $10, tracking_number = $11, tracking_url = $12, shipped_told = $13, updated_at = $14
		WHERE tenant_id = $1 AND id = $2::UUID AND status = $15 AND updated_at = $16`,
		tx.Tenant, o.ID, string(o.Status), o.Subtotal, o.ShippingAmount, o.DiscountAmount, o.TaxAmount, o.Total, o.ItemCount, db.Null(o.TrackingCarrier),
		db.Null(o.TrackingNumber), db.Null(o.TrackingURL), o.ShippedNotified, o.UpdatedAt, string(before.Status), before.UpdatedAt).Rows(1, nil)
	saveLines(tx, before, o)
	if o.Status != before.Status {
		insertEntry(tx, o.ID, o.History[len(o.History)-1])
		Count(tx, o, before.Status, o.Status)
	}
}

// SaveDetails writes a locked order's notes, addresses and payment metadata.
func SaveDetails(tx *db.Tx, before, o *Order) {
	tx.Queue(`UPDATE orders SET shipping_address = $3, billing_address = $4, payment_metadata = $5, notes = $6, updated_at = $7
		WHERE tenant_id = $1 AND id = $2::UUID AND status = $8 AND updated_at = $9`, tx.Tenant, o.ID, db.Null(o.ShippingAddress), db.Null(o.BillingAddress),
		db.Null(o.PaymentMetadata), db.Null(o.Notes), o.UpdatedAt, string(before.Status), before.UpdatedAt).Rows(1, nil)
}

// saveLines writes only the lines that differ.
func saveLines(tx *db.Tx, before, o *Order) {
	for position, l := range o.Lines {
		old := before.Line(l.ID)
		switch {
		case old == nil:
			tx.Queue(`INSERT INTO order_lines (tenant_id, order_id, position, id, product_id, variant_id, sku, name, description, metadata, quantity, shipped, reserved, unit_price, line_total, warehouse_code)
				VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16)`, tx.Tenant, o.ID, position, l.ID, l.Product, db.Null(l.Variant), l.SKU, l.Name,
				db.Null(l.Description), db.Null(l.Metadata), l.Quantity, l.Shipped, l.Reserved, l.UnitPrice, l.Total, l.Warehouse)
		case *old != l || before.index(l.ID) != position:
			tx.Queue(`UPDATE order_lines SET position = $4, product_id = $5, variant_id = $6, sku = $7, name = $8, description = $9, metadata = $10, quantity = $11,
					shipped = $12, reserved = $13, unit_price = $14, line_total = $15, warehouse_code = $16
				WHERE tenant_id = $1 AND order_id = $2::UUID AND id = $3::UUID`, tx.Tenant, o.ID, l.ID, position, l.Product, db.Null(l.Variant), l.SKU, l.Name,
				db.Null(l.Description), db.Null(l.Metadata), l.Quantity, l.Shipped, l.Reserved, l.UnitPrice, l.Total, l.Warehouse).Rows(1, nil)
		}
	}
	for _, old := range before.Lines {
		if o.Line(old.ID) == nil {
			tx.Queue("DELETE FROM order_lines WHERE tenant_id = $1 AND order_id = $2::UUID AND id = $3::UUID", tx.Tenant, o.ID, old.ID).Rows(1, nil)
		}
	}
}
