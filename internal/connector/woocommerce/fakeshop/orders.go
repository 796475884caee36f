package fakeshop

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector/connectortest/fakeshop"
)

// order is an order; amounts are cents.
type order struct {
	id       int64
	status   string
	created  time.Time
	modified time.Time
	email    string
	name     string
	phone    string
	city     string
	lines    []*orderLine
	fees     []*orderLine
	shipping int64
	refunds  []*refund
	notes    []note
	parcels  []map[string]any
	tracking []any // of a plugin
	reduced  bool  // stock was taken
	broken   bool  // the shop cannot load it
	raised   int64 // by how much lines were raised: a discount below zero
	summed   bool  // lines are rounded when they are added up, not each
}

type orderLine struct {
	id         int64
	product    int64
	variation  int64
	sku, name  string
	quantity   int64
	sub, total int64 // net, before and after discount
	tax        int64
	exact      exact
	engraving  string // what the buyer entered for it
	restocked  int64  // refunded pieces that are in stock again
}

// exact are a line's amounts as the shop calculates them, in 1/1,000,000.
type exact struct{ sub, total, tax int64 }

// cents are millionths, rounded.
func cents(millionths int64) int64 {
	if millionths < 0 {
		return -cents(-millionths)
	}
	return (millionths + 5_000) / 10_000
}

// amount returns an amount with as many decimals as a request wants.
func amount(q request, cents, millionths int64) string {
	if q.query.Get("dp") != "6" {
		return fakeshop.Decimal(cents)
	}
	sign := ""
	if millionths < 0 {
		sign, millionths = "-", -millionths
	}
	return fmt.Sprintf("%s%d.%06d", sign, millionths/1_000_000, millionths%1_000_000)
}

// round sets a line's amounts from the exact ones.
func (l *orderLine) round() {
	l.sub, l.total, l.tax = cents(l.exact.sub), cents(l.exact.total), cents(l.exact.tax)
}

type refund struct {
	id     int64
	amount int64
	reason string
	at     time.Time
	meta   []any
	lines  []orderLine // quantity and amounts above 0; id is that of the order's line
}

type note struct {
	id       int64
	text     string
	customer bool
}

// net returns what of a gross price at 19 % is not tax.
func net(gross int64) int64 { return (gross*200 + 119) / 238 }

func (o *order) sums() (discount, tax, total int64) {
	var exactTax, exactTotal, exactDiscount int64
	for _, l := range slices.Concat(o.lines, o.fees) {
		tax, exactTax = tax+l.tax, exactTax+l.exact.tax
		total, exactTotal = total+l.total+l.tax, exactTotal+l.exact.total
	}
	for _, l := range o.lines {
		discount, exactDiscount = discount+l.sub-l.total, exactDiscount+l.exact.sub-l.exact.total
	}
	shippingTax := (o.shipping*19 + 50) / 100
	if o.summed {
		discount, tax = cents(exactDiscount), cents(exactTax)
		total = cents(exactTotal + tax*10_000)
	}
	return discount - o.raised, tax + shippingTax, total + o.shipping + shippingTax
}

func (s *Shop) serveOrders(q request) answer {
	if len(q.path) == 1 {
		return s.listOrders(q)
	}
	id, _ := strconv.ParseInt(q.path[1], 10, 64)
	o := s.orders[id]
	if o == nil || o.broken {
		return bad(404, "woocommerce_rest_shop_order_invalid_id", "Invalid ID.")
	}
	if len(q.path) == 2 {
		if q.method == http.MethodGet {
			return good(200, fields(q, s.showOrder(q, o)))
		}
		if status, ok := text(q.body, "status"); ok {
			s.setStatus(o, status)
		}
		return good(200, fields(q, s.showOrder(q, o)))
	}
	switch q.path[2] {
	case "refunds":
		if q.method == http.MethodPost {
			return s.addRefund(q, o)
		}
		list := []map[string]any{}
		for _, r := range slices.Backward(o.refunds) {
			list = append(list, showRefund(o, r))
		}
		return good(200, list)
	case "notes":
		return s.serveNotes(q, o)
	case "fulfillments":
		if !s.Habits.Fulfillments {
			break
		}
		if q.method == http.MethodPost {
			s.fulfil(o, q.body)
			return good(201, q.body)
		}
		if q.method == http.MethodPut && len(q.path) == 4 {
			for i, p := range o.parcels {
				if fmt.Sprint(p["id"]) == q.path[3] {
					q.body["id"], q.body["date_deleted"], q.body["date_updated"] = p["id"], nil, s.now().Format(gmt)
					o.parcels[i] = q.body // what is not named is gone
					return good(200, q.body)
				}
			}
			return bad(404, "woocommerce_rest_fulfillment_invalid_id", "Fulfillment not found.")
		}
		return good(200, append([]map[string]any{}, o.parcels...))
	}
	return bad(404, "rest_no_route", "No route was found matching the URL and request method.")
}

func (s *Shop) serveNotes(q request, o *order) answer {
	show := func(n note) map[string]any {
		return map[string]any{"id": n.id, "note": escaped(n.text), "customer_note": n.customer}
	}
	if q.method == http.MethodPost {
		n := note{id: s.id()}
		n.text, _ = text(q.body, "note")
		n.customer, _ = q.body["customer_note"].(bool)
		o.notes = append(o.notes, n)
		return good(201, show(n))
	}
	list := []map[string]any{}
	for _, n := range o.notes {
		list = append(list, show(n))
	}
	return good(200, list)
}

// listOrders lists orders; those in the bin only where they are asked for.
func (s *Shop) listOrders(q request) answer {
	status, after := q.query.Get("status"), time.Time{}
	if text := q.query.Get("modified_after"); text != "" {
		var err error
		if after, err = time.Parse(gmt, strings.TrimSuffix(text, "Z")); err != nil || q.query.Get("dates_are_gmt") != "true" {
			return bad(400, "rest_invalid_param", "Invalid parameter(s): modified_after")
		}
	}
	var list []*order
	for _, o := range s.orders {
		if (o.status == "trash") != (status == "trash") || !o.modified.After(after) {
			continue
		}
		if ids := q.query.Get("include"); ids != "" && !slices.Contains(strings.Split(ids, ","), strconv.FormatInt(o.id, 10)) {
			continue
		}
		if status == "" || status == "any" || status == o.status {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b *order) int {
		if c := a.modified.Compare(b.modified); c != 0 && q.query.Get("orderby") == "modified" {
			return c
		}
		return int(a.id - b.id)
	})
	return page(q, list, func(o *order) map[string]any {
		if o.broken {
			return nil
		}
		return s.showOrder(q, o)
	})
}

// meta returns what the shop keeps beside a line: its own, and what the buyer entered.
func (l *orderLine) meta() []any {
	reduced := strconv.FormatInt(l.quantity-l.restocked, 10)
	list := []any{map[string]any{"id": 1, "key": "_reduced_stock", "value": reduced, "display_key": "_reduced_stock",
		"display_value": reduced}}
	if l.restocked > 0 {
		list = append(list, map[string]any{"id": 3, "key": "_restock_refunded_items", "value": strconv.FormatInt(l.restocked, 10)})
	}
	if l.engraving != "" {
		list = append(list, map[string]any{"id": 2, "key": "engraving", "value": l.engraving, "display_key": "Engraving",
			"display_value": escaped(l.engraving)})
	}
	return list
}

func (s *Shop) showOrder(q request, o *order) map[string]any {
	discount, tax, total := o.sums()
	lines, fees, refunds, coupons := []any{}, []any{}, []any{}, []any{}
	for _, l := range o.lines {
		lines = append(lines, l.show(q))
	}
	for _, l := range o.fees {
		fees = append(fees, map[string]any{"id": l.id, "name": l.name, "total": fakeshop.Decimal(l.total), "total_tax": fakeshop.Decimal(l.tax),
			"taxes": []any{map[string]any{"id": 1, "total": fakeshop.Decimal(l.tax + 1)}}})
	}
	for _, r := range o.refunds {
		refunds = append(refunds, map[string]any{"id": r.id, "reason": r.reason, "total": fakeshop.Decimal(-r.amount)})
	}
	if discount > 0 {
		coupons = append(coupons, map[string]any{"id": o.id, "code": "ten", "discount": fakeshop.Decimal(discount)})
	}
	local := o.created.Add(time.Hour) // a zone that the shop does not name
	return map[string]any{
		"id":                 o.id,
		"number":             strconv.FormatInt(o.id, 10),
		"status":             o.status,
		"currency":           "EUR",
		"prices_include_tax": true,
		"date_created":       local.Format(gmt),
		"date_created_gmt":   o.created.Format(gmt),
		"date_modified_gmt":  o.modified.Format(gmt),
		"date_paid_gmt":      nil,
		"discount_total":     amount(q, discount, discount*10_000),
		"shipping_total":     amount(q, o.shipping, o.shipping*10_000),
		"shipping_lines": []any{map[string]any{"id": 9, "method_title": "Express &amp; safe", "method_id": "flat_rate",
			"total": fakeshop.Decimal(o.shipping)}},
		"total_tax":            amount(q, tax, tax*10_000),
		"total":                amount(q, total, total*10_000),
		"billing":              o.address(map[string]any{"email": o.email}),
		"shipping":             o.address(map[string]any{}),
		"payment_method":       "bacs",
		"payment_method_title": "Bank",
		"customer_note":        "",
		"line_items":           lines,
		"fee_lines":            fees,
		"coupon_lines":         coupons,
		"refunds":              refunds,
		"meta_data":            o.kept(),
	}
}

// show returns a line of goods.
func (l *orderLine) show(q request) map[string]any {
	var sku any = escaped(l.sku)
	if l.sku == "" {
		sku = nil
	}
	return map[string]any{"id": l.id, "name": escaped(l.name), "product_id": l.product, "variation_id": l.variation, "quantity": l.quantity,
		"sku": sku, "subtotal": amount(q, l.sub, l.exact.sub), "total": amount(q, l.total, l.exact.total),
		"total_tax": amount(q, l.tax, l.exact.tax), "price": float64(l.total) / 100 / float64(max(l.quantity, 1)),
		"image": map[string]any{"id": "", "src": ""}, "meta_data": l.meta()}
}

// address adds the buyer's address to members.
func (o *order) address(to map[string]any) map[string]any {
	first, last, _ := strings.Cut(o.name, " ")
	maps.Copy(to, map[string]any{"first_name": first, "last_name": last, "company": "", "address_1": "Straße 1", "address_2": "",
		"city": o.city, "state": "", "postcode": "10115", "country": "DE", "phone": o.phone})
	return to
}

func showRefund(o *order, r *refund) map[string]any {
	lines := []any{}
	for _, l := range r.lines {
		lines = append(
			lines,
			map[string]any{"id": l.id + 100000, "quantity": -l.quantity, "total": fakeshop.Decimal(-l.total), "total_tax": fakeshop.Decimal(-l.tax),
				"meta_data": []any{map[string]any{"key": "_refunded_item_id", "value": strconv.FormatInt(l.id, 10)}}},
		)
	}
	return map[string]any{
		"id":               r.id,
		"amount":           fakeshop.Decimal(r.amount),
		"reason":           r.reason,
		"date_created_gmt": r.at.Format(gmt),
		"line_items":       lines,
		"meta_data":        append([]any{map[string]any{"id": 1, "key": "_refund_type", "value": "partial"}}, r.meta...),
	}
}

// setStatus moves an order, with what the shop does to stock and refunds by itself.
func (s *Shop) setStatus(o *order, status string) {
	if status == o.status {
		s.touch(o)
		return
	}
	o.status = status
	switch status {
	case "processing", "on-hold", "completed":
		s.reduce(o, true)
	case "cancelled", "failed":
		s.reduce(o, false)
	case "refunded": // it writes a refund of the rest, without lines
		_, _, total := o.sums()
		for _, r := range o.refunds {
			total -= r.amount
		}
		if total > 0 {
			o.refunds = append(o.refunds, &refund{id: s.id(), amount: total, reason: "Order fully refunded.", at: s.now()})
		}
	}
	o.notes = append(o.notes, note{id: s.id(), text: "Order status changed to " + status + "."})
	s.touch(o)
}

// reduce takes the stock of an order, or gives it back, unless that is done.
func (s *Shop) reduce(o *order, reduced bool) {
	if o.reduced == reduced {
		return
	}
	o.reduced = reduced
	for _, l := range o.lines {
		p := s.products[cmp.Or(l.variation, l.product)]
		if p == nil || !p.managed {
			continue
		}
		if p.quantity += l.quantity; reduced {
			p.quantity -= 2 * l.quantity
		}
		s.notify("product.updated", p.id)
	}
}

// fulfil adds a parcel of the shop's own, and notes beside the order whether all has left.
func (s *Shop) fulfil(o *order, parcel map[string]any) {
	parcel["id"], parcel["date_deleted"], parcel["date_updated"] = s.id(), nil, s.now().Format(gmt)
	o.parcels = append(o.parcels, parcel)
	s.touch(o)
}

// kept returns what the shop and its plugins keep beside an order.
func (o *order) kept() []any {
	list := []any{map[string]any{"id": 1, "key": "_wc_order_attribution_source_type", "value": "typein"}}
	if len(o.parcels) > 0 {
		list = append(list, map[string]any{"id": 2, "key": "_fulfillment_status", "value": o.fulfilment()})
	}
	if o.tracking != nil {
		list = append(list, map[string]any{"id": 3, "key": "_wc_shipment_tracking_items", "value": o.tracking})
	}
	return list
}

// fulfilment returns how much of an order is in its parcels.
func (o *order) fulfilment() string {
	sent := map[int64]int64{}
	for _, p := range o.parcels {
		for _, item := range itemsOf(p) {
			sent[item.ID] += item.Quantity
		}
	}
	if slices.ContainsFunc(o.lines, func(l *orderLine) bool { return sent[l.id] < l.quantity }) {
		return "partially_fulfilled"
	}
	return "fulfilled"
}

type fulfilledItem struct {
	ID       int64 `json:"item_id"`
	Quantity int64 `json:"qty"`
}

// itemsOf returns the lines in a parcel.
func itemsOf(parcel map[string]any) (items []fulfilledItem) {
	all, _ := parcel["meta_data"].([]any)
	for _, m := range all {
		if one, _ := m.(map[string]any); one["key"] == "_items" {
			text, _ := json.Marshal(one["value"])
			_ = json.Unmarshal(text, &items)
		}
	}
	return items
}

// touch moves an order's time on and queues its notification.
func (s *Shop) touch(o *order) {
	o.modified = s.now()
	s.notify("order.updated", o.id)
}
