package orders

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
)

// The changes of status that a caller may request, for every pair of statuses (interface §3.1); the row is the old
// status, the column the new one. A refusal names all changes that are allowed.
func TestMovesOfEveryPairOfStates(t *testing.T) {
	columns := []Status{Pending, Processing, PartiallyShipped, Shipped, Delivered, Cancelled, Returned}
	table := map[Status]string{
		Pending:          ". P . . . C .",
		Processing:       ". . . S . C .",
		PartiallyShipped: ". . . S . C .",
		Shipped:          ". . . . D . R",
		Delivered:        ". . . . . . R",
		Cancelled:        ". . . . . . .",
		Returned:         ". . . . . . .",
	}
	if len(table) != len(Statuses) || len(columns) != len(Statuses) {
		t.Fatalf("%d states, %d rows, %d columns", len(Statuses), len(table), len(columns))
	}
	for from, row := range table {
		allowed := []Status{}
		for i, to := range columns {
			if row[2*i] != '.' {
				allowed = append(allowed, to)
			}
		}
		for _, to := range columns {
			err := from.May(to)
			if slices.Contains(allowed, to) {
				if err != nil {
					t.Errorf("%s to %s: %v", from, to, err)
				}
				continue
			}
			want := []apperr.Member{{Name: "from", Value: from}, {Name: "to", Value: to}, {Name: "allowed", Value: allowed}}
			var refused *apperr.Error
			if !errors.As(err, &refused) || refused.Kind != apperr.Refused || refused.Code != "transition_not_allowed" ||
				!reflect.DeepEqual(refused.Members, want) {
				t.Errorf("%s to %s is refused as %+v", from, to, err)
			}
		}
	}
}

// What else depends on the state: shipping, undoing it, editing lines, holding stock and counting as spent. Refusals are given by code.
func TestWhatEveryStateAllows(t *testing.T) {
	for _, c := range []struct {
		status             Status
		ship, unship, edit string
		open, spent        bool
	}{
		{Pending, "transition_not_allowed", "", "", true, true},
		{Processing, "", "", "", true, true},
		{PartiallyShipped, "", "", "order_not_editable", true, true},
		{Shipped, "", "", "order_not_editable", false, true},
		{Delivered, "order_not_shippable", "shipment_locked", "order_not_editable", false, true},
		{Cancelled, "order_not_shippable", "shipment_locked", "order_not_editable", false, false},
		{Returned, "order_not_shippable", "shipment_locked", "order_not_editable", false, true},
	} {
		order := func() *Order {
			return &Order{ID: id.New[id.Order](), Status: c.status, Lines: []Line{{ID: "a", Product: "p", Quantity: 2}}}
		}
		o := order()
		if _, err := o.Ship(ShipmentDraft{Lines: []DraftLine{{"a", 1}}}, 1); errorCode(err) != c.ship {
			t.Errorf("shipping from %s: %v", c.status, err)
		} else if err == nil && o.Status != PartiallyShipped {
			t.Errorf("a part was shipped from %s, the order is %s", c.status, o.Status)
		}
		o = order()
		o.Lines[0].Shipped, o.Shipments = 1, []Shipment{{ID: "s", Lines: []ShipmentLine{{Line: "a", Quantity: 1}}}}
		if _, err := o.Unship("s"); errorCode(err) != c.unship {
			t.Errorf("undoing a shipment from %s: %v", c.status, err)
		} else if err == nil && (o.Status != Processing || o.Lines[0].Shipped != 0) {
			t.Errorf("the only shipment was undone from %s, the order is %s with %d shipped", c.status, o.Status, o.Lines[0].Shipped)
		}
		o = order()
		if err := o.Editable(); errorCode(err) != c.edit {
			t.Errorf("editing in %s: %v", c.status, err)
		}
		o.Shipments = []Shipment{{ID: "s"}}
		if err := o.Editable(); errorCode(err) != "order_not_editable" {
			t.Errorf("editing in %s with a shipment: %v", c.status, err)
		}
		o.Shipments, o.Refunds = nil, []Refund{{ID: "r"}}
		if err := o.Editable(); errorCode(err) != "order_not_editable" {
			t.Errorf("editing in %s with a refund: %v", c.status, err)
		}
		if o := order(); c.status.open() != c.open || c.status.Counted() != c.spent {
			t.Errorf("%s: open %t, counted %t", c.status, c.status.open(), c.status.Counted())
		} else if o.Reserve(); (o.Lines[0].Reserved == 2) != c.open {
			t.Errorf("%s holds %d", c.status, o.Lines[0].Reserved)
		}
	}
}

// errorCode returns the code of a refusal, "" for none.
func errorCode(err error) string {
	var refused *apperr.Error
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}
