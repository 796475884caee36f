package orders

import (
	"fmt"
	"slices"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/base/money"
)

// LineDraft is a caller's input for one line (interface §2.3). Its SKU has been resolved.
type LineDraft struct {
	ID          id.Line // an existing line; only when lines are edited
	SKU         string
	Quantity    int64
	UnitPrice   money.Amount
	Name        string // "" takes the product's name, or leaves that of an existing line
	NoName      bool   // an existing line takes its product's name again
	Description *string
	Metadata    *string
	Product     id.Product
	Variant     id.Variant
}

// Line makes a new line from the draft.
func (d LineDraft) Line() Line {
	l := Line{ID: id.New[id.Line](), Product: d.Product, Variant: d.Variant, SKU: d.SKU, Name: d.Name, Quantity: d.Quantity,
		UnitPrice: d.UnitPrice}
	if d.Description != nil {
		l.Description = *d.Description
	}
	if d.Metadata != nil {
		l.Metadata = *d.Metadata
	}
	return l
}

// Editable returns the 409 for an order whose lines can no longer be edited: the order is past PROCESSING, or something
// was shipped, returned or refunded, as returns and refunds name lines and quantities (interface §3.1).
func (o *Order) Editable() error {
	if o.Status == Pending || o.Status == Processing {
		if len(o.Shipments) == 0 && len(o.Refunds) == 0 && len(o.Returns) == 0 {
			return nil
		}
	}
	return apperr.New(apperr.Conflict, "order_not_editable",
		"lines can be edited only while an order is PENDING or PROCESSING and nothing was shipped, returned or refunded; it is %s", o.Status).
		With("orderId", o.ID)
}

// Edit replaces the lines: a draft with an id changes that line, one without adds a line, lines that no draft names
// are removed. Errors: Invalid for an unknown id, or one named twice.
func (o *Order) Edit(drafts []LineDraft) error {
	old := slices.Clone(o.Lines)
	used := map[id.Line]bool{}
	var details []apperr.Detail
	var lines []Line
	for i, d := range drafts {
		line := d.Line()
		if d.ID != "" {
			at := slices.IndexFunc(old, func(l Line) bool { return l.ID == d.ID })
			if at < 0 || used[d.ID] {
				message := "the order has no such line"
				if at >= 0 {
					message = "is named twice"
				}
				details = append(details, apperr.Detail{Path: fmt.Sprintf("items[%d].id", i), Message: message})
				continue
			}
			used[d.ID] = true
			line = old[at].changed(d)
		}
		lines = append(lines, line)
	}
	if len(details) > 0 {
		return apperr.Validation(details)
	}
	o.Lines = lines
	return nil
}

// changed returns the line with the draft applied; fields that the draft leaves out stay.
func (l Line) changed(d LineDraft) Line {
	if d.SKU != l.SKU {
		l.SKU, l.Product, l.Variant, l.Warehouse = d.SKU, d.Product, d.Variant, ""
		l.Name, l.Fee = "", false
	}
	if d.Name != "" {
		l.Name = d.Name
	}
	if d.Quantity != l.Quantity || d.UnitPrice != l.UnitPrice {
		l.Quantity, l.UnitPrice, l.Total = d.Quantity, d.UnitPrice, 0 // Price computes it
	}
	if d.Description != nil {
		l.Description = *d.Description
	}
	if d.Metadata != nil && !jsonvalue.Same(l.Metadata, *d.Metadata) { // another spelling changes nothing
		l.Metadata = *d.Metadata
	}
	return l
}
