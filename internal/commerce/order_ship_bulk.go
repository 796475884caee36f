package commerce

import (
	"cmp"
	"errors"
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// OrderToShip is one order of a bulk shipment, named by its id, its number or its external reference.
type OrderToShip struct {
	Index     int // in the request, from 0
	ID        id.Order
	Number    int64
	Reference string
	Named     string // the order number as it was sent, "" for none
	Draft     orders.ShipmentDraft
}

// ShippedOrder is an order of a bulk shipment with the shipment that was made.
type ShippedOrder struct {
	Index    int
	Order    *orders.Order
	Shipment orders.Shipment
}

// ShipError says why an order of a bulk shipment was not shipped.
type ShipError struct {
	Index       int
	OrderNumber string // "" if the order is unknown and was not named by its number
	Error       string
	Code        string
}

// ShipOrders ships several orders, each with the lines of its draft or, without any, all that remains of it
// (interface §4.1). An order that cannot be shipped changes nothing and is among the errors; invalid has the errors
// that were found before.
func (s *Service) ShipOrders(tx *db.Tx, who accounts.Caller, list []OrderToShip, invalid []ShipError) ([]ShippedOrder, []ShipError,
	error) {
	failed := slices.Clone(invalid) // the operation may run again
	known, err := nameOrders(tx, list, &failed)
	if err != nil {
		return nil, nil, err
	}
	// All are locked before the first is written, which takes the clock: whoever holds one of the others may wait for it.
	slices.SortStableFunc(known, func(a, b OrderToShip) int { return cmp.Compare(a.ID, b.ID) })
	ids := make([]id.Order, len(known))
	for i, one := range known {
		ids[i] = one.ID
	}
	if _, err := orders.LockSome(tx, slices.Compact(ids)); err != nil {
		return nil, nil, err
	}
	var done []ShippedOrder
	for _, one := range known {
		o, err := orders.Lock(tx, one.ID)
		number := one.Named
		var shipment orders.Shipment
		if err == nil {
			number = orders.Number(o.Number)
			shipment, err = s.shipDrafted(tx, who, o, one.Draft)
		}
		if err == nil {
			done = append(done, ShippedOrder{one.Index, o, shipment})
		} else if err = refuseToShip(&failed, one, number, err); err != nil {
			return nil, nil, err
		}
	}
	slices.SortFunc(done, func(a, b ShippedOrder) int { return cmp.Compare(a.Index, b.Index) })
	slices.SortFunc(failed, func(a, b ShipError) int { return cmp.Compare(a.Index, b.Index) })
	return done, failed, nil
}

// TryShipping reports how many orders ShipOrders would ship, and the errors of the others. An order that is in the list
// twice is tried as it is stored, both times.
func (s *Service) TryShipping(tx *db.Tx, list []OrderToShip, invalid []ShipError) (n int, failed []ShipError, err error) {
	failed = slices.Clone(invalid)
	known, err := nameOrders(tx, list, &failed)
	if err != nil {
		return 0, nil, err
	}
	for _, one := range known {
		number := one.Named
		o, err := orders.ByID(tx, one.ID)
		if err == nil {
			number = orders.Number(o.Number)
			if err = withRest(o, &one.Draft); err == nil {
				_, err = o.Ship(one.Draft, tx.Micros())
			}
		}
		if err == nil {
			n++
		} else if err = refuseToShip(&failed, one, number, err); err != nil {
			return 0, nil, err
		}
	}
	slices.SortFunc(failed, func(a, b ShipError) int { return cmp.Compare(a.Index, b.Index) })
	return n, failed, nil
}

// nameOrders finds the ids of the orders that a list names; failed gets those that it does not find.
func nameOrders(tx *db.Tx, list []OrderToShip, failed *[]ShipError) (known []OrderToShip, err error) {
	for _, one := range list {
		if one.ID == "" {
			one.ID, err = orders.Named(tx, one.Number, one.Reference)
		}
		if err == nil {
			known = append(known, one)
		} else if err = refuseToShip(failed, one, one.Named, err); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// refuseToShip adds the error of an order to failed; an error that is not of the order is returned.
func refuseToShip(failed *[]ShipError, one OrderToShip, number string, err error) error {
	var refused *apperr.Error
	if !errors.As(err, &refused) || refused.Kind == apperr.Unavailable {
		return err
	}
	*failed = append(*failed, ShipError{one.Index, number, refused.Message, refused.Code})
	return nil
}

// shipDrafted ships the lines of a draft or, without any, all that remains of a locked order.
func (s *Service) shipDrafted(tx *db.Tx, who accounts.Caller, o *orders.Order, draft orders.ShipmentDraft) (orders.Shipment, error) {
	if err := withRest(o, &draft); err != nil {
		return orders.Shipment{}, err
	}
	return s.shipOrder(tx, who, o, draft)
}

// withRest gives a draft without lines all that remains of the order. Errors: Conflict when nothing remains, with a code of
// its own when the order has a shipment with the draft's tracking number, as after a list that is sent again.
func withRest(o *orders.Order, draft *orders.ShipmentDraft) error {
	if len(draft.Lines) > 0 {
		return nil
	}
	for _, l := range o.Lines {
		if n := l.Remaining(); n > 0 {
			draft.Lines = append(draft.Lines, orders.DraftLine{Line: l.ID, Quantity: n})
		}
	}
	switch {
	case len(draft.Lines) > 0:
	case o.HasParcel(draft.TrackingNumber):
		return apperr.New(apperr.Conflict, "already_shipped", "nothing of the order remains, and it has a shipment with this tracking number")
	case o.Status == orders.Shipped || o.Status == orders.Processing || o.Status == orders.PartiallyShipped:
		return apperr.New(apperr.Conflict, "nothing_to_ship", "nothing of the order remains to be shipped")
	}
	return nil
}
