package prestashop

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"entrepot/internal/connector"
	"entrepot/internal/orders"
)

// ReadAhead reads the carrier rows of orders. Their states are read one by one right before they change, because the
// shop would let any state replace a cancellation.
func (s *session) ReadAhead(ctx context.Context, externalIDs []string) error {
	s.ahead, s.tracked = map[string][]*node{}, map[string]string{}
	rows, err := s.inChunks(ctx, "order_carriers", "order_carrier", "id_order", externalIDs, full)
	for _, row := range rows {
		s.ahead[row.get("id_order")] = append(s.ahead[row.get("id_order")], row)
	}
	return err
}

// PushShipment writes the tracking numbers of all parcels into the order's carrier row, which is created if missing.
func (s *session) PushShipment(ctx context.Context, order connector.OrderRef, parcel connector.Parcel) error {
	var numbers []string
	for _, p := range append(slices.Clone(order.Shipped), parcel) {
		if p.Number != "" && !slices.Contains(numbers, p.Number) {
			numbers = append(numbers, p.Number)
		}
	}
	if len(numbers) == 0 && !parcel.Corrected {
		return nil
	}
	tracking := connector.Cut(strings.Join(numbers, ", "), 64)
	if s.tracked[order.ExternalID] == tracking {
		return nil
	}
	rows, err := s.carriers(ctx, order.ExternalID)
	if err != nil {
		return err
	}
	if len(rows) == 0 && tracking == "" {
		return nil
	}
	if len(rows) == 0 {
		o, err := s.readOrder(ctx, order.ExternalID)
		if err != nil {
			return err
		}
		_, err = s.create(ctx, "order_carriers", "order_carrier", value("id_order", order.ExternalID), value("id_carrier", o.get("id_carrier")),
			value("weight", "0"), value("shipping_cost_tax_excl", "0"), value("shipping_cost_tax_incl", "0"), value("tracking_number", tracking))
		return err
	}
	last := rows[len(rows)-1]
	if last.get("tracking_number") == tracking {
		return nil
	}
	err = s.patch(ctx, "order_carriers", "order_carrier", last.get("id"), value("tracking_number", tracking))
	if err == nil {
		s.tracked[order.ExternalID] = tracking
	}
	return err
}

// carriers are an order's carrier rows: those that were read ahead, once, or a new read of the shop's.
func (s *session) carriers(ctx context.Context, id string) ([]*node, error) {
	if rows := s.ahead[id]; len(rows) > 0 {
		delete(s.ahead, id)
		return rows, nil
	}
	return s.list(ctx, "order_carriers", "order_carrier", full().any("id_order", id))
}

// target is the shop's state for a status.
var target = map[orders.Status]string{orders.Processing: "PS_OS_PREPARATION", orders.Shipped: "PS_OS_SHIPPING",
	orders.Delivered: "PS_OS_DELIVERED",
	orders.Cancelled: "PS_OS_CANCELED", orders.Returned: "PS_OS_REFUND"}

// PushStatus changes the order's status by adding a state to its history, as the shop itself does. Adding the same
// state again would send its mail again, so the order is read before, and once more if the answer was lost.
func (s *session) PushStatus(ctx context.Context, order connector.OrderRef, to connector.Status) error {
	f, err := s.withStates(ctx)
	if err != nil {
		return err
	}
	id := f.states[target[to]]
	if id == "" {
		return connector.Failf(connector.Cannot, "the shop has no state for %s", to)
	}
	o, err := s.readOrder(ctx, order.ExternalID)
	if err != nil {
		return err
	}
	now, leaves := f.known[o.get("current_state")], to == orders.Shipped || to == orders.Delivered
	switch {
	case o.get("current_state") == id, reached(now.ours, to):
		return nil
	case (now.refund || now.ours == orders.Cancelled) && leaves:
		return connector.Failf(connector.Rejected, "the order has ended in the shop: %s", connector.Line(now.name))
	case now.refund:
		return nil
	}
	_, _, err = s.call(ctx, http.MethodPost, "order_histories", url.Values{"sendemail": {"1"}},
		document("order_history", []field{value("id_order", order.ExternalID), value("id_order_state", id)}))
	if connector.Is(err, connector.Temporary) {
		if o, again := s.readOrder(ctx, order.ExternalID); again == nil && o.get("current_state") == id {
			return nil
		}
	}
	return err
}

// reached reports whether a state of the shop is equivalent to a status or later: merchants have states of their own
// between the usual ones.
func reached(now, to orders.Status) bool {
	return now == to || to == orders.Processing && now != orders.Pending && now != "" || to == orders.Shipped && now == orders.Delivered
}
