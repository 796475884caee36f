package orders

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// Personal is the part of an order that may identify its customer. Its notes, tags and payment metadata are deleted
// in any case and not read.
type Personal struct {
	ID                id.Order
	Number            int64
	CreatedAt         int64
	Name              string
	Email             string
	ExternalReference string
	Shipping          string // free JSON
	Billing           string
	TrackingCarrier   string
	TrackingNumber    string
	TrackingURL       string
}

// PersonalLine is the part of an order line that may identify the customer: callers may have written anything there.
type PersonalLine struct {
	Order       id.Order
	ID          id.Line
	Name        string
	Description string
	Metadata    string // free JSON
}

// PersonalShipment is the part of a shipment that may identify the customer. Its notes are deleted in any case.
type PersonalShipment struct {
	Order          id.Order
	ID             id.Shipment
	Carrier        string
	TrackingNumber string
	TrackingURL    string
}

// personal reads rows of some orders with a statement that ends in "IN ".
func personal[T any](tx *db.Tx, orders []id.Order, scan func(db.Rows) (T, error), sql string) (list []T, err error) {
	return list, db.Chunks(orders, func(piece []id.Order) error {
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		found, err := db.List(tx, scan, sql+db.In(len(args)-1, 2), args...)
		list = append(list, found...)
		return err
	})
}

// PersonalOf reads the identifying parts of some orders.
func PersonalOf(tx *db.Tx, orders []id.Order) ([]Personal, error) {
	return personal(tx, orders, func(r db.Rows) (p Personal, err error) {
		return p, r.Scan(&p.ID, &p.Number, &p.CreatedAt, &p.Name, db.Opt(&p.Email), db.Opt(&p.ExternalReference), db.Opt(&p.Shipping),
			db.Opt(&p.Billing),
			db.Opt(&p.TrackingCarrier), db.Opt(&p.TrackingNumber), db.Opt(&p.TrackingURL))
	}, `SELECT id, number, created_at, customer_name, customer_email, external_reference, shipping_address, billing_address,
		tracking_carrier, tracking_number, tracking_url
		FROM orders WHERE tenant_id = $1 AND id IN `)
}

// PersonalLines reads the identifying parts of the lines of some orders.
func PersonalLines(tx *db.Tx, orders []id.Order) ([]PersonalLine, error) {
	return personal(tx, orders, func(r db.Rows) (p PersonalLine, err error) {
		return p, r.Scan(&p.Order, &p.ID, &p.Name, db.Opt(&p.Description), db.Opt(&p.Metadata))
	}, "SELECT order_id, id, name, description, metadata FROM order_lines WHERE tenant_id = $1 AND order_id IN ")
}

// PersonalShipments reads the identifying parts of the shipments of some orders.
func PersonalShipments(tx *db.Tx, orders []id.Order) ([]PersonalShipment, error) {
	return personal(tx, orders, func(r db.Rows) (p PersonalShipment, err error) {
		return p, r.Scan(&p.Order, &p.ID, db.Opt(&p.Carrier), db.Opt(&p.TrackingNumber), db.Opt(&p.TrackingURL))
	}, "SELECT order_id, id, carrier, tracking_number, tracking_url FROM shipments WHERE tenant_id = $1 AND order_id IN ")
}

// Anonymise writes locked orders as given, without name, e-mail, notes, tags and payment metadata. It deletes the notes of
// their history, shipments and returns and the reasons of their refunds and returns. Searches then find only the
// remaining texts.
func Anonymise(tx *db.Tx, list []Personal) error {
	all := make([]string, len(list))
	for i, p := range list {
		all[i] = string(p.ID)
	}
	if err := search.Erase(tx, search.Orders, all); err != nil {
		return err
	}
	return db.Chunks(list, func(piece []Personal) error {
		args := []any{tx.Tenant, tx.Micros()}
		ids := make([]id.Order, 0, len(piece))
		for _, p := range piece {
			text := search.Fold(Number(p.Number) + " " + p.ExternalReference)
			search.Put(tx, search.Orders, search.Document{ID: string(p.ID), Sort: p.CreatedAt, Text: text})
			args = append(args, p.ID, db.Null(p.ExternalReference), db.Null(p.Shipping), db.Null(p.Billing), db.Null(p.TrackingCarrier),
				db.Null(p.TrackingNumber), db.Null(p.TrackingURL), text)
			ids = append(ids, p.ID)
		}
		tx.Queue(anonymise.For(len(piece), func(n int) string {
			return `WITH v(id, reference, shipping, billing, carrier, tracking, url, search) AS (VALUES ` +
				db.Values(n, 8, 3, "::UUID", "::TEXT", "::TEXT", "::TEXT", "::TEXT", "::TEXT", "::TEXT", "::TEXT") + `)
				UPDATE orders SET customer_name = '', customer_email = NULL, email_key = NULL, external_reference = v.reference,
					shipping_address = v.shipping,
					billing_address = v.billing, payment_metadata = NULL, notes = NULL, tags = NULL, platform_buyer = NULL,
					channel_sync_error = NULL, tracking_carrier = v.carrier,
						tracking_number = v.tracking,
					tracking_url = v.url, search = v.search, ` + later + `
				FROM v WHERE orders.tenant_id = $1 AND orders.id = v.id`
		}), args...)
		args = append([]any{tx.Tenant}, db.Padded(ids)...)
		of := db.In(len(args)-1, 2)
		tx.Queue("DELETE FROM order_tags WHERE tenant_id = $1 AND order_id IN "+of, args...)
		tx.Queue("UPDATE order_history SET note = NULL WHERE tenant_id = $1 AND note IS NOT NULL AND order_id IN "+of, args...)
		tx.Queue("UPDATE order_refunds SET reason = NULL WHERE tenant_id = $1 AND reason IS NOT NULL AND order_id IN "+of, args...)
		tx.Queue("UPDATE order_returns SET reason = NULL, notes = NULL WHERE tenant_id = $1 AND (reason IS NOT NULL OR notes IS NOT NULL) "+
			"AND order_id IN "+of, args...)
		tx.Queue("UPDATE shipments SET notes = NULL WHERE tenant_id = $1 AND notes IS NOT NULL AND order_id IN "+of, args...)
		return nil
	})
}

var anonymise db.Text

// SaveLines writes lines of locked orders as given.
func SaveLines(tx db.Writer, list []PersonalLine) {
	savePersonal(tx, list, personalLines, func(p PersonalLine) []any {
		return []any{p.Order, p.ID, p.Name, db.Null(p.Description), db.Null(p.Metadata)}
	})
}

// SaveShipments writes shipments of locked orders as given.
func SaveShipments(tx db.Writer, list []PersonalShipment) {
	savePersonal(tx, list, personalShipments, func(p PersonalShipment) []any {
		return []any{p.Order, p.ID, db.Null(p.Carrier), db.Null(p.TrackingNumber), db.Null(p.TrackingURL)}
	})
}

// personalColumns are three columns of a table whose key is an order and an id.
type personalColumns struct {
	table   string
	columns [3]string
	text    db.Text
}

var (
	personalLines     = &personalColumns{table: "order_lines", columns: [3]string{"name", "description", "metadata"}}
	personalShipments = &personalColumns{table: "shipments", columns: [3]string{"carrier", "tracking_number", "tracking_url"}}
)

// savePersonal writes personal columns of rows; values are a row's order, its id, and what is in the columns.
func savePersonal[T any](tx db.Writer, list []T, in *personalColumns, values func(T) []any) {
	db.Chunks(list, func(piece []T) error {
		args := append(make([]any, 0, 1+5*len(piece)), tx.TenantID())
		for _, one := range piece {
			args = append(args, values(one)...)
		}
		tx.Queue(in.text.For(len(piece), in.update), args...).Rows(int64(len(piece)), nil)
		return nil
	})
}

// update returns the statement for n rows.
func (in *personalColumns) update(n int) string {
	t, c := in.table, in.columns
	return "WITH v(order_id, id, a, b, c) AS (VALUES " + db.Values(n, 5, 2, "::UUID", "::UUID", "::TEXT", "::TEXT", "::TEXT") + `)
		UPDATE ` + t + " SET " + c[0] + " = v.a, " + c[1] + " = v.b, " + c[2] + ` = v.c
		FROM v WHERE ` + t + ".tenant_id = $1 AND " + t + ".order_id = v.order_id AND " + t + ".id = v.id"
}
