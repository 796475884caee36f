package fakeshop

import (
	"cmp"
	"html"
	"maps"
	"slices"
	"strconv"

	"entrepot/internal/connector/connectortest/fakeshop"
)

// Wish is what a buyer orders.
type Wish struct {
	SKUs     map[string]int64 // quantity by SKU
	Unknown  int64            // a line of goods whose product the shop no longer has
	Fee      int64            // net cents
	Discount int64            // percent
	Shipping int64            // net cents
	Status   string           // "": processing
	Email    string
	Name     string

	Engraving string // what the buyer enters for each line of goods
}

// Place puts an order into the shop.
func (s *Shop) Place(w Wish) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := &order{id: s.id(), status: "pending", created: s.now(), modified: s.now(), email: w.Email, name: cmp.Or(w.Name, "Jörg O'Neil"),
		phone: "+49 30 1", city: "Berlin", shipping: w.Shipping,
		summed: s.Habits.RoundSums}
	for _, sku := range slices.Sorted(maps.Keys(w.SKUs)) {
		if p := s.owner(sku, 0); p != nil {
			o.lines = append(o.lines, s.lineOf(p, sku, w))
		}
	}
	if n := w.Unknown; n > 0 {
		o.lines = append(o.lines, of(&orderLine{id: s.id(), name: "Gone mug", quantity: n, sub: 100 * n, total: 100 * n, tax: 19 * n}))
	}
	if w.Fee != 0 {
		o.fees = append(o.fees, of(&orderLine{id: s.id(), name: "Gift wrap", quantity: 1, sub: w.Fee, total: w.Fee, tax: (w.Fee*19 + 50) / 100}))
	}
	s.orders[o.id] = o
	s.notify("order.created", o.id)
	if w.Status != "pending" {
		s.setStatus(o, cmp.Or(w.Status, "processing"))
	}
	return o.id
}

// lineOf returns the line of an order for a product or variation.
func (s *Shop) lineOf(p *product, sku string, w Wish) *orderLine {
	l := &orderLine{id: s.id(), product: p.id, sku: html.UnescapeString(p.sku), name: p.name, quantity: w.SKUs[sku], engraving: w.Engraving}
	if p.parent != 0 {
		l.product, l.variation = p.parent, p.id
	}
	each, _ := strconv.ParseFloat(cmp.Or(p.sale, p.regular), 64)
	l.exact.sub = net(int64(each*100+0.5) * l.quantity * 10_000)
	l.exact.total = l.exact.sub - (l.exact.sub*w.Discount+50)/100
	l.exact.tax = (l.exact.total*19 + 50) / 100
	l.round()
	return l
}

// of are lines of whole cents.
func of(l *orderLine) *orderLine {
	l.exact = exact{l.sub * 10_000, l.total * 10_000, l.tax * 10_000}
	return l
}

// Raise has the first line of an order cost more than it did, in net cents, as a merchant may. The shop keeps the
// higher price as that before the discount, too, and the difference as a discount below zero.
func (s *Shop) Raise(id, total int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.orders[id]
	l := o.lines[0]
	o.raised += total - l.sub
	l.sub, l.total, l.tax = total, total, (total*19+50)/100
	of(l)
	s.touch(o)
}

// Move sets an order's status as the shop's merchant would.
func (s *Shop) Move(id int64, status string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setStatus(s.orders[id], status)
}

// Trash puts an order into the bin. With webhooks for products it also notifies of a product of that number.
func (s *Shop) Trash(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.orders[id]
	o.status, o.modified = "trash", s.now()
	s.notify("order.deleted", id)
	s.notify("product.deleted", id)
}

// Restore takes an order out of the bin.
func (s *Shop) Restore(id int64, status string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setStatus(s.orders[id], status)
}

// Delete deletes orders for good, all at the same moment. The shop says nothing of it.
func (s *Shop) Delete(ids ...int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		delete(s.orders, id)
	}
}

// Break makes an order one that the shop cannot load any more, as when the plugin that made it is gone. Lists count
// it and leave it out.
func (s *Shop) Break(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.orders[id].broken = true
}

// Fulfil packs a quantity of an order's first line in the shop, which does not move the order.
func (s *Shop) Fulfil(id, quantity int64, number string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.orders[id]
	entry := func(key string, value any) any { return map[string]any{"key": key, "value": value} }
	s.fulfil(o, map[string]any{"status": "fulfilled", "is_fulfilled": true, "meta_data": []any{
		entry("_items", []any{map[string]any{"item_id": o.lines[0].id, "qty": quantity}}),
		entry("_tracking_number", number), entry("_shipment_provider", "dhl")}})
}

// Track enters a tracking number in a plugin.
func (s *Shop) Track(id int64, number string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.orders[id]
	o.tracking = append(o.tracking, map[string]any{"tracking_id": "t" + number, "tracking_number": number, "tracking_provider": "dhl",
		"custom_tracking_link": "", "date_shipped": s.now().Unix()})
	s.touch(o)
}

// Parcels returns how many parcels of the shop's own an order has.
func (s *Shop) Parcels(id int64) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.orders[id].parcels)
}

// Edit changes the city an order goes to and the quantity of its first line; as the shop does, without touching the
// line's amounts.
func (s *Shop) Edit(id int64, city string, quantity int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.orders[id]
	o.city, o.lines[0].quantity = city, quantity
	s.touch(o)
}

// Order is an order as a test sees it.
type Order struct {
	ID      int64
	Status  string
	Total   string
	Notes   []string // to the buyer
	Parcels int
	Refunds int
	Units   int64
	Lines   []int64 // their ids
}

// Orders returns all orders, by id.
func (s *Shop) Orders() map[int64]Order {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[int64]Order{}
	for id, o := range s.orders {
		_, _, total := o.sums()
		shown := Order{ID: id, Status: o.status, Total: fakeshop.Decimal(total), Parcels: len(o.parcels), Refunds: len(o.refunds)}
		for _, l := range o.lines {
			shown.Units, shown.Lines = shown.Units+l.quantity, append(shown.Lines, l.id)
		}
		for _, n := range o.notes {
			if n.customer {
				shown.Notes = append(shown.Notes, n.text)
			}
		}
		all[id] = shown
	}
	return all
}
