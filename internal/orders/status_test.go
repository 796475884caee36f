package orders

import (
	"errors"
	"testing"

	"entrepot/internal/apperr"
	"entrepot/internal/id"
)

// Which moves a caller may ask for, for every pair of states (interface §3.1); from is the row, to the column.
func TestMovesOfEveryPairOfStates(t *testing.T) {
	to := []Status{Pending, Processing, PartiallyShipped, Shipped, Delivered, Cancelled, Returned}
	table := map[Status]string{
		Pending:          ". P . . . C .",
		Processing:       ". . . S . C .",
		PartiallyShipped: ". . . S . C .",
		Shipped:          ". . . . D . R",
		Delivered:        ". . . . . . R",
		Cancelled:        ". . . . . . .",
		Returned:         ". . . . . . .",
	}
	if len(table) != len(Statuses) || len(to) != len(Statuses) {
		t.Fatalf("%d states, %d rows, %d columns", len(Statuses), len(table), len(to))
	}
	for from, row := range table {
		for i, to := range to {
			err := from.May(to)
			if allowed := row[2*i] != '.'; allowed != (err == nil) {
				t.Errorf("%s to %s: %v", from, to, err)
			}
			var refused *apperr.Error
			if err != nil && (!errors.As(err, &refused) || refused.Kind != apperr.Refused || refused.Code != "transition_not_allowed") {
				t.Errorf("%s to %s is refused as %v", from, to, err)
			}
		}
	}
}

// What else depends on the state: shipping, undoing it, editing lines, holding stock and counting as spent.
func TestWhatEveryStateAllows(t *testing.T) {
	for _, c := range []struct {
		status                          Status
		ship, unship, edit, open, spent bool
	}{
		{Pending, false, true, true, true, true},
		{Processing, true, true, true, true, true},
		{PartiallyShipped, true, true, false, true, true},
		{Shipped, true, true, false, false, true},
		{Delivered, false, false, false, false, true},
		{Cancelled, false, false, false, false, false},
		{Returned, false, false, false, false, true},
	} {
		order := func() *Order {
			return &Order{ID: id.New[id.Order](), Status: c.status, Lines: []Line{{ID: "a", Product: "p", Quantity: 2}}}
		}
		o := order()
		if _, err := o.Ship(ShipmentDraft{Lines: []DraftLine{{"a", 1}}}, 1); (err == nil) != c.ship {
			t.Errorf("shipping from %s: %v", c.status, err)
		} else if err == nil && o.Status != PartiallyShipped {
			t.Errorf("a part was shipped from %s, the order is %s", c.status, o.Status)
		}
		o = order()
		o.Lines[0].Shipped, o.Shipments = 1, []Shipment{{ID: "s", Lines: []ShipmentLine{{Line: "a", Quantity: 1}}}}
		if _, err := o.Unship("s"); (err == nil) != c.unship {
			t.Errorf("undoing a shipment from %s: %v", c.status, err)
		} else if err == nil && (o.Status != Processing || o.Lines[0].Shipped != 0) {
			t.Errorf("the only shipment was undone from %s, the order is %s with %d shipped", c.status, o.Status, o.Lines[0].Shipped)
		}
		if err := order().Editable(); (err == nil) != c.edit {
			t.Errorf("editing in %s: %v", c.status, err)
		}
		if o := order(); c.status.open() != c.open || c.status.Counted() != c.spent {
			t.Errorf("%s: open %t, counted %t", c.status, c.status.open(), c.status.Counted())
		} else if o.Reserve(); (o.Lines[0].Reserved == 2) != c.open {
			t.Errorf("%s holds %d", c.status, o.Lines[0].Reserved)
		}
	}
}
