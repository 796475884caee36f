package orders

import (
	"slices"

	"entrepot/internal/apperr"
)

// Status is where an order stands (interface §3.1).
type Status string

// The seven states; Cancelled and Returned are final.
const (
	Pending          Status = "PENDING"
	Processing       Status = "PROCESSING"
	PartiallyShipped Status = "PARTIALLY_SHIPPED"
	Shipped          Status = "SHIPPED"
	Delivered        Status = "DELIVERED"
	Cancelled        Status = "CANCELLED"
	Returned         Status = "RETURNED"
)

// Statuses lists them in the order of an order's life.
var Statuses = []Status{Pending, Processing, PartiallyShipped, Shipped, Delivered, Cancelled, Returned}

// moves is the table of interface §3.1 for moves that a caller asks for. Shipments make the rest.
var moves = map[Status][]Status{
	Pending:          {Processing, Cancelled},
	Processing:       {Shipped, Cancelled},
	PartiallyShipped: {Shipped, Cancelled},
	Shipped:          {Delivered, Returned},
	Delivered:        {Returned},
}

// May is the 422 for a move outside the table, or nil.
func (s Status) May(to Status) error {
	if slices.Contains(moves[s], to) {
		return nil
	}
	return refusedMove(s, to)
}

func refusedMove(from, to Status) error {
	allowed := moves[from]
	if allowed == nil {
		allowed = []Status{}
	}
	return apperr.New(apperr.Refused, "transition_not_allowed", "an order cannot go from %s to %s", from, to).
		With("from", from).With("to", to).With("allowed", allowed)
}

// open reports whether unshipped lines hold stock in this state.
func (s Status) open() bool { return s == Pending || s == Processing || s == PartiallyShipped }

// Counted reports whether the order counts in its customer's total spent: cancelled ones do not, returned ones do.
func (s Status) Counted() bool { return s != Cancelled }

// Moves are the statuses that a caller may move an order to from this one.
func (s Status) Moves() []Status { return slices.Clone(moves[s]) }
