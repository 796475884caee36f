package orders

import (
	"encoding/json"
	"slices"
	"strconv"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
)

// Edited is one change of an order other than of its status (interface §4.1).
type Edited struct {
	ID      id.History
	Source  Source
	Actor   string
	At      int64
	Changes []Change
}

// Change is one field that was changed. From and To are decimal numbers; both are "" for fields whose values are not
// recorded, because these may contain a person's name.
type Change struct {
	Field string  `json:"field"`
	Line  id.Line `json:"line,omitempty"` // of the changed line
	SKU   string  `json:"sku,omitempty"`  // of that line
	From  string  `json:"from,omitempty"` // "" for a line that was added
	To    string  `json:"to,omitempty"`   // "" for a line that was removed
	// Shipment is the shipment that was deleted or changed. Parcel identifies it as it was in an answer of its
	// platform; Parcel is never shown.
	Shipment id.Shipment    `json:"shipment,omitempty"`
	Parcel   *DeletedParcel `json:"parcel,omitempty"`
}

// DeletedParcel identifies a deleted shipment in its platform's orders.
type DeletedParcel struct {
	Key   string            `json:"key,omitempty"`  // the platform's id of a parcel packed there
	Mark  string            `json:"mark,omitempty"` // stands for the tracking number, which is not stored
	Lines map[id.Line]int64 `json:"lines"`
}

// Changes lists the differences between two states of an order, without its status and what was shipped.
func Changes(before, after *Order) (list []Change) {
	for i := range after.Lines {
		l := &after.Lines[i]
		if old := before.Line(l.ID); old != nil {
			list = append(list, old.changes(l)...)
		} else {
			list = append(list, Change{Field: "quantity", Line: l.ID, SKU: l.SKU, To: strconv.FormatInt(l.Quantity, 10)})
		}
	}
	for i := range before.Lines {
		if l := &before.Lines[i]; after.Line(l.ID) == nil {
			list = append(list, Change{Field: "quantity", Line: l.ID, SKU: l.SKU, From: strconv.FormatInt(l.Quantity, 10)})
		}
	}
	amount := func(field string, was, is money.Amount) {
		if was != is {
			list = append(list, Change{Field: field, From: was.String(), To: is.String()})
		}
	}
	amount("shippingAmount", before.ShippingAmount, after.ShippingAmount)
	amount("discountAmount", before.DiscountAmount, after.DiscountAmount)
	amount("taxAmount", before.Tax(), after.Tax())
	amount("total", before.Total, after.Total)
	for _, text := range []struct{ field, was, is string }{
		{"shippingAddress", before.ShippingAddress, after.ShippingAddress}, {"billingAddress", before.BillingAddress, after.BillingAddress},
		{"paymentMetadata", before.PaymentMetadata, after.PaymentMetadata}, {"notes", before.Notes, after.Notes}} {
		if text.was != text.is {
			list = append(list, Change{Field: text.field})
		}
	}
	if !slices.Equal(before.Tags, after.Tags) {
		list = append(list, Change{Field: "tags"})
	}
	if before.AssignedTo != after.AssignedTo {
		list = append(list, Change{Field: "assignedTo"})
	}
	return list
}

// changes lists the differences between two states of one line.
func (l *Line) changes(is *Line) (list []Change) {
	note := func(field, from, to string) {
		list = append(list, Change{Field: field, Line: l.ID, SKU: is.SKU, From: from, To: to})
	}
	if l.Quantity != is.Quantity {
		note("quantity", strconv.FormatInt(l.Quantity, 10), strconv.FormatInt(is.Quantity, 10))
	}
	if l.UnitPrice != is.UnitPrice {
		note("unitPrice", l.UnitPrice.String(), is.UnitPrice.String())
	}
	for _, text := range []struct{ field, was, is string }{
		{"sku", l.SKU, is.SKU}, {"name", l.Name, is.Name}, {"description", l.Description, is.Description},
		{"metadata", l.Metadata, is.Metadata}} {
		if text.was != text.is {
			note(text.field, "", "")
		}
	}
	return list
}

type editRow struct {
	order id.Order
	Edited
}

var editTable = db.NewTable("order_edits",
	db.Col("order_id", func(e *editRow) any { return &e.order }),
	db.Col("id", func(e *editRow) any { return &e.ID }),
	db.Col("source", func(e *editRow) any { return &e.Source }),
	db.Col("actor", func(e *editRow) any { return &e.Actor }),
	db.Coded("changes", func(e *editRow) string { return encodeChanges(e.Changes) },
		func(e *editRow, text string) error { e.Changes = nil; return json.Unmarshal([]byte(text), &e.Changes) }),
	db.Col("created_at", func(e *editRow) any { return &e.At }),
)

func encodeChanges(list []Change) string {
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings always encode
	}
	return string(text)
}

// RecordEdit records that an order was changed, at its updatedAt; without changes it records nothing.
func RecordEdit(w db.Writer, o *Order, source Source, actor string, changes []Change) {
	if len(changes) > 0 {
		editTable.Insert(w, editRow{o.ID, Edited{id.New[id.History](), source, actor, o.UpdatedAt, changes}})
	}
}

// DeletedParcels reads what identifies an order's deleted shipments and the former numbers of shipments, the oldest
// first, and the shipments whose tracking was changed.
func DeletedParcels(tx *db.Tx, order id.Order) (list []DeletedParcel, corrected []id.Shipment, err error) {
	edits, err := Edits(tx, order)
	for _, e := range edits {
		for _, c := range e.Changes {
			if c.Parcel != nil {
				list = append(list, *c.Parcel)
			}
			if c.Shipment != "" && (c.Field == "carrier" || c.Field == "trackingNumber" || c.Field == "trackingUrl") {
				corrected = append(corrected, c.Shipment)
			}
		}
	}
	return list, corrected, err
}

// maxEdits is how many changes of one order are read.
const maxEdits = 500

// Edits reads the changes of an order, oldest first: the newest 500 if there are more.
func Edits(tx *db.Tx, order id.Order) ([]Edited, error) {
	scan := editTable.Scanner()
	return db.List(tx, func(r db.Rows) (Edited, error) {
		e, err := scan(r)
		return e.Edited, err
	}, "SELECT * FROM (SELECT "+editTable.Columns("")+" FROM order_edits WHERE tenant_id = $1 AND order_id = $2::UUID "+
		"ORDER BY id DESC LIMIT $3::BIGINT) AS newest ORDER BY id", tx.Tenant, order, maxEdits)
}

// Exists returns NotFound if there is no such order.
func Exists(tx *db.Tx, order id.Order) error {
	var n int64
	err := tx.Row("SELECT count(*) FROM orders WHERE tenant_id = $1 AND id = $2::UUID", []any{tx.Tenant, order}, &n)
	if err == nil && n == 0 {
		err = apperr.Missing("order")
	}
	return err
}
