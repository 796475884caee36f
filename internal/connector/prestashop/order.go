package prestashop

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
	"entrepot/internal/orders"
)

// beside is the data of some orders in other resources.
type beside struct {
	customers, addresses map[string]*node
	details, slips       map[string][]*node // by order
	numbers              map[string][]string
	sent                 map[string]time.Time // when orders that are refunded now were shipped before that
}

// detailFields are the members read of lines: with all members of a line, orders of some hundred lines would be too
// large.
func detailFields() query {
	return display("id", "id_order", "product_id", "product_attribute_id", "product_reference", "product_name", "product_quantity",
		"unit_price_tax_excl", "total_price_tax_excl", "product_quantity_reinjected")
}

func (s *session) besides(ctx context.Context, f *shop, rows []*node) (*beside, error) {
	var ids, sent, refunded, customers, addresses []string
	for _, r := range rows {
		ids = append(ids, r.get("id"))
		if f.known[r.get("current_state")].refund {
			refunded = append(refunded, r.get("id"))
		}
		if f.left(r) && r.get("shipping_number") == "" {
			sent = append(sent, r.get("id"))
		}
		customers = append(customers, r.get("id_customer"))
		addresses = append(addresses, r.get("id_address_delivery"), r.get("id_address_invoice"))
	}
	b := &beside{customers: map[string]*node{}, addresses: map[string]*node{}, details: map[string][]*node{}, slips: map[string][]*node{},
		numbers: map[string][]string{}, sent: map[string]time.Time{}}
	for _, part := range []struct {
		resource, kind, field string
		values                []string
		fields                func() query
		keep                  func(*node)
	}{
		{"customers", "customer", "id", customers, full, func(n *node) { b.customers[n.get("id")] = n }},
		{"addresses", "address", "id", addresses, full, func(n *node) { b.addresses[n.get("id")] = n }},
		{"order_details", "order_detail", "id_order", ids, detailFields,
			func(n *node) { b.details[n.get("id_order")] = append(b.details[n.get("id_order")], n) }},
		{"order_slip", "order_slip", "id_order", ids, full,
			func(n *node) { b.slips[n.get("id_order")] = append(b.slips[n.get("id_order")], n) }},
		{"order_carriers", "order_carrier", "id_order", sent, full, func(n *node) {
			if number := n.get("tracking_number"); number != "" {
				b.numbers[n.get("id_order")] = append(b.numbers[n.get("id_order")], number)
			}
		}},
		{"order_histories", "order_history", "id_order", refunded, full, func(n *node) {
			at, of := f.moment(n.get("date_add"), s.link.Now()), n.get("id_order")
			if first, before := b.sent[of]; f.shipped(n.get("id_order_state")) && (!before || at.Before(first)) {
				b.sent[of] = at
			}
		}},
	} {
		found, err := s.inChunks(ctx, part.resource, part.kind, part.field, part.values, part.fields)
		if err = ignoreForbidden(err); err != nil {
			return nil, err
		}
		for _, n := range found {
			part.keep(n)
		}
	}
	if err := s.readCombinations(ctx, b, rows); err != nil {
		return nil, err
	}
	return b, s.readOwners(ctx, b, rows)
}

// left reports whether the shop says that an order has left.
func (f *shop) left(order *node) bool { return f.shipped(order.get("current_state")) }

// shipped reports whether orders in a state, by its id, have left.
func (f *shop) shipped(state string) bool {
	at := f.known[state].ours
	return at == orders.Shipped || at == orders.Delivered
}

// readCombinations reads the combinations that the lines of orders name, unless they are known.
func (s *session) readCombinations(ctx context.Context, b *beside, rows []*node) error {
	var ids []string
	for _, r := range rows {
		for _, line := range orderLines(b.details[r.get("id")], r) {
			id := line.id("product_attribute_id")
			if _, known := s.cache["combinations/"+id]; id != "" && !known {
				ids = append(ids, id)
			}
		}
	}
	found, err := s.inChunks(ctx, "combinations", "combination", "id", ids, func() query { return display("id", "reference") })
	if err = ignoreForbidden(err); err != nil {
		return err
	}
	for _, id := range ids {
		s.cache["combinations/"+id] = nil
	}
	for _, n := range found {
		s.cache["combinations/"+n.get("id")] = n
	}
	return nil
}

// orderLines are the rows of an order's lines: those with the shop's own amounts if the key may read them.
func orderLines(details []*node, order *node) []*node {
	if len(details) > 0 {
		return details
	}
	return order.at("associations", "order_rows").all("order_row")
}

// convertAll converts rows to the orders of a page.
func (s *session) convertAll(ctx context.Context, f *shop, rows []*node, page *connector.OrderPage) error {
	if len(rows) == 0 {
		return nil
	}
	b, err := s.besides(ctx, f, rows)
	if err != nil {
		return err
	}
	for _, r := range rows {
		o, err := s.convert(ctx, f, b, r)
		if err := page.Take(r.get("id"), o, err); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) convert(ctx context.Context, f *shop, b *beside, r *node) (connector.Order, error) {
	currency, err := s.iso(ctx, "currencies", "currency", r.get("id_currency"))
	if err != nil {
		return connector.Order{}, err
	}
	if currency == "" {
		return connector.Order{}, connector.Failf(connector.Rejected, "order %s is in a currency that the shop does not have", r.get("id"))
	}
	digits := money.Digits(currency)
	exact := func(name string) money.Amount { return r.sum(digits, name) }
	now := s.link.Now()
	o := connector.Order{ExternalID: r.get("id"), Number: r.get("reference"), Undivided: true, Currency: currency,
		CreatedAt: f.moment(r.get("date_add"), now), UpdatedAt: f.moment(r.get("date_upd"), now), Note: r.get("note"),
		Shipping: exact("total_shipping_tax_excl"),
		Discount: exact("total_discounts_tax_excl"), Total: exact("total_paid_tax_incl"),
		Tax:     exact("total_paid_tax_incl") - exact("total_paid_tax_excl"),
		Payment: map[string]any{"method": r.get("payment"), "module": r.get("module")}}
	if gift := r.get("gift_message"); gift != "" {
		o.Note = strings.TrimSpace(o.Note + "\nGift message: " + gift)
	}
	carrier, err := s.carrier(ctx, r.get("id_carrier"))
	if err != nil {
		return o, err
	}
	o.ShippedBy(carrier)
	at := f.known[r.get("current_state")]
	o.Status, o.Refunded, o.Theirs, o.ShippedAt = at.ours, at.refund, at.name, b.sent[r.get("id")]
	if o.Theirs == "" {
		o.Theirs = r.get("current_state")
	}
	if c := b.customers[r.get("id_customer")]; c != nil {
		o.Name, o.Email = strings.TrimSpace(c.get("firstname")+" "+c.get("lastname")), c.get("email")
	}
	if o.ShipTo, err = s.place(ctx, b.addresses[r.get("id_address_delivery")]); err != nil {
		return o, err
	}
	if o.BillTo, err = s.place(ctx, b.addresses[r.get("id_address_invoice")]); err != nil {
		return o, err
	}
	o.Complete()
	o.Lines = s.lines(b.details[o.ExternalID], r, digits)
	if goods := exact("total_products"); goods != 0 {
		o.EvenOut(goods-o.Goods(), money.Unit(digits)*money.Amount(len(o.Lines)))
	}
	if wrapping := exact("total_wrapping_tax_excl"); wrapping != 0 {
		o.Lines = append(o.Lines,
			connector.OrderLine{ExternalID: "wrapping", Name: "Gift wrapping", Quantity: 1, Amount: wrapping, Fee: true})
	}
	evenTax(&o, digits)
	o.Refunds, o.Restocked = refunds(f, b.slips[o.ExternalID], digits, now), restocked(b.details[o.ExternalID])
	if number := cmp.Or(r.get("shipping_number"), strings.Join(b.numbers[o.ExternalID], ", ")); number != "" && f.left(r) {
		o.Parcels = []connector.Parcel{{Key: "order " + o.ExternalID, Number: number}}
	}
	return o, nil
}

// lines reads the lines, with the shop's own amount of each if the key may read it.
func (s *session) lines(details []*node, r *node, digits int) (list []connector.OrderLine) {
	for _, d := range orderLines(details, r) {
		line := connector.OrderLine{ExternalID: d.get("id"), SKU: d.get("product_reference"), Name: d.get("product_name"),
			Quantity: d.int("product_quantity"),
			Item:     connector.IDs{Product: d.id("product_id"), Variant: d.id("product_attribute_id")}}
		if d.at("total_price_tax_excl") != nil {
			line.Amount = d.sum(digits, "total_price_tax_excl")
		} else {
			total, _ := d.amount("unit_price_tax_excl").Times(line.Quantity)
			line.Amount = total.Round(digits)
		}
		if line.SKU = s.reference(line); s.owners[line.SKU] > 1 {
			line.Unclear = fmt.Sprintf("the shop has %d products with the reference %s: which one was sold is not known here", s.owners[line.SKU], line.SKU)
			line.SKU = "" // if the product is one of here, its number in the shop says which
		}
		list = append(list, line)
	}
	return list
}

// reference is a line's SKU. If a combination has no reference, the shop stores the product's, so the combination
// itself was read.
func (s *session) reference(line connector.OrderLine) string {
	if line.Item.Variant == "" {
		return line.SKU
	}
	return cmp.Or(s.cache["combinations/"+line.Item.Variant].get("reference"), line.SKU)
}

// evenTax makes separately rounded amounts add up to their total: a difference of a unit or two goes to the tax,
// which the shop does not return.
func evenTax(o *connector.Order, digits int) {
	rest := -o.Excess()
	if bound := 2 * money.Unit(digits); rest >= -bound && rest <= bound && o.Tax+rest >= 0 {
		o.Tax += rest
	}
}

func (s *session) place(ctx context.Context, n *node) (*connector.Place, error) {
	if n == nil {
		return nil, nil
	}
	p := &connector.Place{Name: strings.TrimSpace(n.get("firstname") + " " + n.get("lastname")), Company: n.get("company"),
		Line1: n.get("address1"),
		Line2: n.get("address2"), City: n.get("city"), PostalCode: n.get("postcode"), Phone: n.get("phone_mobile")}
	if p.Phone == "" {
		p.Phone = n.get("phone")
	}
	var err error
	if p.Country, err = s.iso(ctx, "countries", "country", n.get("id_country")); ignoreForbidden(err) != nil {
		return nil, err
	}
	if p.State, err = s.iso(ctx, "states", "state", n.get("id_state")); ignoreForbidden(err) != nil {
		return nil, err
	}
	return p, nil
}
