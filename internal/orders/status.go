package orders

import (
	"fmt"
	"slices"

	"entrepot/internal/base/apperr"
)

// Status is the state of an order (interface §3.1).
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

// moves is the table of interface §3.1 for status changes that callers may request. Shipments cause the other changes.
var moves = map[Status][]Status{
	Pending:          {Processing, Cancelled},
	Processing:       {Shipped, Cancelled},
	PartiallyShipped: {Shipped, Cancelled},
	Shipped:          {Delivered, Returned},
	Delivered:        {Returned},
}

// May is the 422 for a status change outside the table, or nil.
func (s Status) May(to Status) error {
	if slices.Contains(moves[s], to) {
		return nil
	}
	return refusedMove(s, to)
}

// moveRefused is the message of a refused move.
const moveRefused = "an order cannot go from %s to %s"

// ParseRefusedMove reads both statuses from the message of a refused move; ok is false for any other message.
func ParseRefusedMove(message string) (from, to Status, ok bool) {
	_, err := fmt.Sscanf(message, moveRefused, &from, &to)
	return from, to, err == nil
}

func refusedMove(from, to Status) error {
	allowed := moves[from]
	if allowed == nil {
		allowed = []Status{}
	}
	return apperr.New(apperr.Refused, "transition_not_allowed", moveRefused, from, to).
		With("from", from).With("to", to).With("allowed", allowed)
}

// open reports whether unshipped lines reserve stock in this state.
func (s Status) open() bool { return s == Pending || s == Processing || s == PartiallyShipped }

// Counted reports whether the order counts in its customer's total spent: cancelled ones do not, returned ones do.
func (s Status) Counted() bool { return s != Cancelled }

// Moves returns the statuses to which a caller may change an order with this status.
func (s Status) Moves() []Status { return slices.Clone(moves[s]) }
