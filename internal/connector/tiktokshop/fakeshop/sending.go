package fakeshop

import (
	"fmt"
	"slices"
	"strings"

	"entrepot/internal/connector/connectortest/fakeshop"
)

func (s *Shop) namedOrders(c call) reply {
	list := []object{}
	for _, id := range strings.Split(c.URL.Query().Get("ids"), ",") {
		if o := s.order(id); o != nil {
			list = append(list, o.show())
		}
	}
	return good(object{"orders": list})
}

// settleOrder sets an order's status from its pieces.
func (s *Shop) settleOrder(o *order) {
	waiting, packed := 0, 0
	for _, p := range o.pieces {
		switch p.status {
		case "AWAITING_SHIPMENT":
			waiting++
		case "AWAITING_COLLECTION", "IN_TRANSIT":
			packed++
		}
	}
	switch {
	case packed > 0 && waiting > 0:
		o.status = "PARTIALLY_SHIPPING"
	case packed > 0:
		o.status = "AWAITING_COLLECTION"
	}
	o.updated = s.Now().UTC()
	s.changed(o)
}

// ship hands over a package: with a number of the seller's, or with TikTok's own.
func (s *Shop) ship(c call) reply {
	id := c.PathValue("id")
	for _, o := range s.orders {
		own, _ := c.body["self_shipment"].(object)
		shipped := false
		for _, p := range o.pieces {
			if p.parcel != id || p.status != "AWAITING_SHIPMENT" {
				continue
			}
			if (o.shipping == "SELLER") != (own != nil) {
				return refused(21011001, "The way of shipping is not that of the order")
			}
			shipped, p.status, p.number, p.carrier = true, "AWAITING_COLLECTION", "TT"+id, "TikTok"
			if own != nil {
				p.number, p.carrier = fmt.Sprint(own["tracking_number"]), fmt.Sprint(own["shipping_provider_id"])
			}
		}
		if shipped {
			s.settleOrder(o)
			return good(object{"package_id": id})
		}
	}
	return refused(21011002, "The package cannot be shipped")
}

// shipPart packs some pieces of an order and ships them. Asked twice, it ships once only because the pieces are gone.
func (s *Shop) shipPart(c call) reply {
	o, wanted := s.order(c.PathValue("id")), c.texts("order_line_item_ids")
	if o == nil || o.shipping != "SELLER" {
		return refused(21011003, "The order cannot be shipped in parts")
	}
	parcel := s.id()
	for _, p := range o.pieces {
		if !slices.Contains(wanted, p.id) {
			continue
		}
		if p.status != "AWAITING_SHIPMENT" {
			return refused(21011004, "A piece is shipped already")
		}
		p.status, p.parcel, p.number, p.carrier = "AWAITING_COLLECTION", parcel, fmt.Sprint(c.body["tracking_number"]),
			fmt.Sprint(c.body["shipping_provider_id"])
	}
	s.settleOrder(o)
	return good(object{"package_id": parcel})
}

func (s *Shop) split(c call) reply {
	o := s.order(c.PathValue("id"))
	if o == nil {
		return refused(21011003, "The order does not exist")
	}
	packages := []object{}
	for _, one := range c.list("splittable_groups") {
		group, _ := one.(object)
		wanted := call{body: group}.texts("order_line_item_ids")
		parcel := s.id()
		for _, p := range o.pieces {
			if slices.Contains(wanted, p.id) {
				p.parcel = parcel
			}
		}
		packages = append(packages, object{"splittable_group_id": group["id"], "id": parcel})
	}
	return good(object{"packages": packages})
}

// pending is the status of a cancellation that its buyer has asked for.
const pending = "CANCELLATION_REQUEST_PENDING"

// AskToCancel has the buyer ask for the cancellation of an order's first pieces, which the seller must answer. The
// order does not change by it.
func (s *Shop) AskToCancel(id string, pieces int) {
	s.change(func() {
		r := &reversal{id: s.id(), order: id, kind: "cancellations", status: pending, role: "BUYER", created: s.Now(), updated: s.Now()}
		for _, p := range s.order(id).pieces[:pieces] {
			r.pieces, r.cents = append(r.pieces, p.id), r.cents+p.cents
		}
		s.reversed = append(s.reversed, r)
		s.notify("CANCELLATION_STATUS_CHANGE", object{"order_id": id, "cancel_status": pending})
	})
}

// Withdraw has the buyer withdraw what was asked for.
func (s *Shop) Withdraw(id string) {
	s.change(func() {
		for _, r := range s.reversed {
			if r.order == id && r.status == pending {
				r.status, r.updated = "CANCELLATION_REQUEST_CANCEL", s.Now()
			}
		}
	})
}

// approve grants a buyer's request for a cancellation.
func (s *Shop) approve(c call) reply {
	for _, r := range s.reversed {
		if r.id != c.PathValue("id") || r.status != pending {
			continue
		}
		o := s.order(r.order)
		r.status, r.updated = "CANCELLATION_REQUEST_SUCCESS", s.Now()
		left := false
		for _, p := range o.pieces {
			if slices.Contains(r.pieces, p.id) {
				p.status = "CANCELLED"
			}
			left = left || p.status != "CANCELLED"
		}
		if o.updated = s.Now().UTC(); !left {
			o.status = "CANCELLED"
		}
		s.changed(o)
		return good(object{})
	}
	return refused(25001003, "There is no such request")
}

// cancel cancels an order wholly.
func (s *Shop) cancel(c call) reply {
	o := s.order(fmt.Sprint(c.body["order_id"]))
	if o == nil || o.status == "CANCELLED" || c.body["cancel_reason"] == nil {
		return refused(25001001, "The order cannot be cancelled")
	}
	if slices.ContainsFunc(s.reversed, func(r *reversal) bool { return r.order == o.id && r.status == pending }) {
		return refused(25001002, "A request of the buyer waits for an answer")
	}
	r := &reversal{id: s.id(), order: o.id, kind: "cancellations", status: "CANCELLATION_REQUEST_SUCCESS", role: "SELLER", created: s.Now(),
		updated: s.Now()}
	for _, p := range o.pieces {
		p.status = "CANCELLED"
		r.pieces, r.cents = append(r.pieces, p.id), r.cents+p.cents
	}
	o.status, o.updated = "CANCELLED", s.Now().UTC()
	s.changed(o)
	s.reversed = append(s.reversed, r)
	return good(object{"cancel_id": r.id, "cancel_status": r.status})
}

// Return refunds the first pieces of an order, which came back. The order itself does not change by it.
func (s *Shop) Return(id string, pieces int, cents int64) {
	s.change(func() {
		o := s.order(id)
		r := &reversal{id: s.id(), order: id, kind: "returns", status: "RETURN_OR_REFUND_REQUEST_COMPLETE", cents: cents, created: s.Now(),
			updated: s.Now(), back: true}
		for _, p := range o.pieces[:pieces] {
			r.pieces = append(r.pieces, p.id)
		}
		s.reversed = append(s.reversed, r)
		s.notify("RETURN_STATUS_CHANGE", object{"order_id": id, "return_id": r.id, "return_status": r.status})
	})
}

// Settle ends a buyer's complaint about all pieces of an order in another way than by a return: with a status, such
// as that of a replacement, or with a part of the price, for which the buyer keeps them.
func (s *Shop) Settle(id, status string, cents int64, partial bool) {
	s.change(func() {
		r := &reversal{id: s.id(), order: id, kind: "returns", status: status, cents: cents, partial: partial, created: s.Now(), updated: s.Now()}
		for _, p := range s.order(id).pieces {
			r.pieces = append(r.pieces, p.id)
		}
		s.reversed = append(s.reversed, r)
		s.notify("RETURN_STATUS_CHANGE", object{"order_id": id, "return_id": r.id, "return_status": r.status})
	})
}

// CancelPart cancels the last piece of an order, as a buyer asked for and the merchant agreed to.
func (s *Shop) CancelPart(id string, cents int64) {
	s.change(func() {
		o := s.order(id)
		p := o.pieces[len(o.pieces)-1]
		p.status = "CANCELLED"
		s.reversed = append(s.reversed, &reversal{id: s.id(), order: id, kind: "cancellations", status: "CANCELLATION_REQUEST_COMPLETE",
			pieces: []string{p.id}, cents: cents, created: s.Now(), updated: s.Now()})
		o.updated = s.Now().UTC()
		s.notify("CANCELLATION_STATUS_CHANGE", object{"order_id": id, "cancel_status": "CANCELLATION_REQUEST_COMPLETE"})
	})
}

func (s *Shop) searchReversed(c call) reply {
	wanted, list := c.texts("order_ids"), []object{}
	kind, one, name := c.PathValue("kind"), "return", "return_orders"
	if kind == "cancellations" {
		one, name = "cancel", "cancellations"
	}
	for _, r := range s.reversed {
		if r.kind != kind || !within(c, r.updated) || len(wanted) > 0 && !slices.Contains(wanted, r.order) {
			continue
		}
		lines := []object{}
		for _, id := range r.pieces {
			lines = append(lines, object{"order_line_item_id": id,
				"refund_amount": object{"refund_total": fakeshop.Decimal(r.cents / int64(len(r.pieces)))}})
		}
		shown := object{one + "_id": r.id, "order_id": r.order, one + "_status": r.status, one + "_reason_text": "No longer needed",
			"role": r.role, one + "_line_items": lines, "create_time": r.created.Unix(), "update_time": r.updated.Unix()}
		if r.back {
			shown["return_type"] = "RETURN_AND_REFUND"
		}
		if r.partial {
			shown["partial_refund"] = object{"currency": "EUR", "amount": fakeshop.Decimal(r.cents)}
		} else {
			shown["refund_amount"] = object{"currency": "EUR", "refund_total": fakeshop.Decimal(r.cents)}
		}
		list = append(list, shown)
	}
	return pageWithin(c, name, list, 10, 50)
}

// renumber corrects the number and carrier of a package that its seller has shipped.
func (s *Shop) renumber(c call) reply {
	for _, o := range s.orders {
		found := false
		for _, p := range o.pieces {
			if p.parcel == c.PathValue("id") && o.shipping == "SELLER" && p.status != "AWAITING_SHIPMENT" {
				found, p.number, p.carrier = true, fmt.Sprint(c.body["tracking_number"]), fmt.Sprint(c.body["shipping_provider_id"])
			}
		}
		if found {
			s.settleOrder(o)
			return good(object{})
		}
	}
	return refused(21011005, "The package was not shipped by its seller")
}
