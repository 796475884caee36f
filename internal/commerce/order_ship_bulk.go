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
	refuse := func(one OrderToShip, number string, err error) error {
		var refused *apperr.Error
		if !errors.As(err, &refused) || refused.Kind == apperr.Unavailable {
			return err
		}
		failed = append(failed, ShipError{one.Index, number, refused.Message, refused.Code})
		return nil
	}
	var known []OrderToShip
	for _, one := range list {
		var err error
		if one.ID == "" {
			one.ID, err = orders.Named(tx, one.Number, one.Reference)
		}
		if err == nil {
			known = append(known, one)
		} else if err = refuse(one, one.Named, err); err != nil {
			return nil, nil, err
		}
	}
	// Requests that name the same orders lock them in one order, so that they do not wait for each other for ever.
	slices.SortStableFunc(known, func(a, b OrderToShip) int { return cmp.Compare(a.ID, b.ID) })
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
		} else if err = refuse(one, number, err); err != nil {
			return nil, nil, err
		}
	}
	slices.SortFunc(done, func(a, b ShippedOrder) int { return cmp.Compare(a.Index, b.Index) })
	slices.SortFunc(failed, func(a, b ShipError) int { return cmp.Compare(a.Index, b.Index) })
	return done, failed, nil
}

// shipDrafted ships the lines of a draft or, without any, all that remains of a locked order. Errors: Conflict when a
// draft without lines has the tracking number of a shipment that the order has: a list of tracking numbers that is sent
// again ships nothing twice.
func (s *Service) shipDrafted(tx *db.Tx, who accounts.Caller, o *orders.Order, draft orders.ShipmentDraft) (orders.Shipment, error) {
	if len(draft.Lines) == 0 {
		if o.HasParcel(draft.TrackingNumber) {
			return orders.Shipment{}, apperr.New(apperr.Conflict, "already_shipped", "the order has a shipment with this tracking number")
		}
		for _, l := range o.Lines {
			if n := l.Remaining(); n > 0 {
				draft.Lines = append(draft.Lines, orders.DraftLine{Line: l.ID, Quantity: n})
			}
		}
		if len(draft.Lines) == 0 && (o.Status == orders.Shipped || o.Status == orders.Processing || o.Status == orders.PartiallyShipped) {
			return orders.Shipment{}, apperr.New(apperr.Conflict, "nothing_to_ship", "nothing of the order remains to be shipped")
		}
	}
	return s.shipOrder(tx, who, o, draft)
}
