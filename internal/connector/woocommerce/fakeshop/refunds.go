package fakeshop

import (
	"cmp"
	"math"
	"strconv"
)

// addRefund records a refund that is told over the API, which moves no money unless it is asked to. Without api_restock
// the pieces go into the stock.
func (s *Shop) addRefund(q request, o *order) answer {
	given, _ := text(q.body, "amount")
	amount, err := strconv.ParseFloat(given, 64)
	cents := int64(math.Round(amount * 100))
	if left := o.unrefunded(); err != nil || cents <= 0 || cents > left {
		return answer{status: 500, body: map[string]any{"code": "woocommerce_rest_cannot_create_order_refund",
			"message": "Invalid refund amount.", "data": 500}}
	}
	r := &refund{id: s.id(), amount: cents, at: s.now()}
	r.reason, _ = text(q.body, "reason")
	r.meta, _ = q.body["meta_data"].([]any)
	back, said := q.body["api_restock"].(bool)
	if paid, asked := q.body["api_refund"].(bool); paid || !asked {
		s.paidBack += cents
	}
	for _, item := range objects(q.body, "line_items") {
		id, _ := whole(item, "id")
		quantity, _ := whole(item, "quantity")
		total, _ := text(item, "refund_total")
		net, _ := strconv.ParseFloat(total, 64)
		for _, l := range o.lines {
			if l.id == id {
				r.lines = append(r.lines, orderLine{id: id, quantity: quantity, total: int64(math.Round(net * 100))})
				s.restock(o, l, quantity, back || !said)
			}
		}
	}
	s.refunded(o, r)
	return good(201, showRefund(o, r))
}

// unrefunded returns what of an order's total was not refunded, in cents.
func (o *order) unrefunded() int64 {
	_, _, left := o.sums()
	for _, r := range o.refunds {
		left -= r.amount
	}
	return left
}

// refunded adds a refund to its order, which has the status of one that is refunded once nothing is left.
func (s *Shop) refunded(o *order, r *refund) {
	o.refunds = append(o.refunds, r)
	if o.unrefunded() <= 0 {
		s.setStatus(o, "refunded")
		return
	}
	s.touch(o)
}

// restock puts refunded pieces of a line back into the stock that they were taken from.
func (s *Shop) restock(o *order, l *orderLine, quantity int64, back bool) {
	if !back || !o.reduced {
		return
	}
	l.restocked += quantity
	if p := s.products[cmp.Or(l.variation, l.product)]; p != nil && p.managed {
		p.quantity += quantity
		s.notify("product.updated", p.id)
	}
}

// Refund refunds some of the first line of an order.
func (s *Shop) Refund(id, quantity int64, reason string) { s.refund(id, quantity, reason, false) }

// RefundBack is Refund for pieces that the merchant puts into the stock again.
func (s *Shop) RefundBack(id, quantity int64, reason string) { s.refund(id, quantity, reason, true) }

func (s *Shop) refund(id, quantity int64, reason string, back bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.orders[id]
	l := *o.lines[0]
	r := &refund{id: s.id(), reason: reason, at: s.now()}
	l.total, l.tax, l.quantity = l.total*quantity/l.quantity, l.tax*quantity/l.quantity, quantity
	r.amount, r.lines = l.total+l.tax, []orderLine{l}
	s.restock(o, o.lines[0], quantity, back)
	s.refunded(o, r)
}

// Credit refunds cents of an order without saying for what; a plugin may refund more than the order cost.
func (s *Shop) Credit(id, cents int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.orders[id]
	o.refunds = append(o.refunds, &refund{id: s.id(), amount: cents, at: s.now()})
	s.touch(o)
}

// Refunds returns the refunds of an order in cents, oldest first, and how many cents the shop has paid back itself.
func (s *Shop) Refunds(id int64) (cents []int64, paidBack int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.orders[id].refunds {
		cents = append(cents, r.amount)
	}
	return cents, s.paidBack
}
