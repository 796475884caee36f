package fakeshop

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"entrepot/internal/connector/connectortest/fakeshop"
)

type order struct {
	id, status, shipping string
	created, updated     time.Time
	pieces               []*piece
	shippingCents        int64
	taxCents             int64
	gross, fbt           bool // prices are with the tax; TikTok ships it from its warehouse
	discount             int64
}

type piece struct {
	id, sku, skuID, product, status, parcel, number, carrier string
	cents, tax                                               int64
}

type reversal struct {
	id, order, kind, status, role string
	pieces                        []string
	cents                         int64
	partial                       bool // the buyer keeps what was bought
	back                          bool // what was bought came back
	created, updated              time.Time
}

// Wish is what a buyer orders.
type Wish struct {
	SKUs     map[string]int64 // how many pieces of each, at Cents
	Cents    int64
	Prices   map[string]int64 // of SKUs that cost something else
	Shipping int64
	Tax      int64
	PieceTax int64 // tax of each piece that TikTok states
	Gross    bool  // the tax is in the prices
	Discount int64
	Unpaid   bool
	ByTikTok bool // TikTok's own label
	FBT      bool // from TikTok's own warehouse
}

// Buy places an order and returns its id. It takes stock as a real shop does.
func (s *Shop) Buy(w Wish) (id string) {
	s.change(func() {
		now := s.Now().UTC()
		o := &order{id: s.id(), status: "AWAITING_SHIPMENT", shipping: "SELLER", created: now, updated: now, shippingCents: w.Shipping,
			taxCents: w.Tax, gross: w.Gross, discount: w.Discount, fbt: w.FBT}
		if w.ByTikTok {
			o.shipping = "TIKTOK"
		}
		if w.Unpaid {
			o.status = "UNPAID"
		}
		parcel := s.id()
		names := []string{}
		for name := range w.SKUs {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			for range w.SKUs[name] {
				p := &piece{id: s.id(), sku: name, status: o.status, parcel: parcel, cents: w.Cents, tax: w.PieceTax}
				if cents, other := w.Prices[name]; other {
					p.cents = cents
				}
				if k := s.sku(name); k != nil && w.FBT {
					p.skuID = k.id
				} else if k != nil {
					p.skuID = k.id
					k.stock[Warehouse] = max(0, k.stock[Warehouse]-1)
				}
				o.pieces = append(o.pieces, p)
			}
		}
		s.orders = append(s.orders, o)
		s.changed(o)
		id = o.id
	})
	return id
}

func (s *Shop) order(id string) *order {
	for _, o := range s.orders {
		if o.id == id {
			return o
		}
	}
	return nil
}

// Move sets an order's status on the platform, with its pieces that are not cancelled.
func (s *Shop) Move(id, status string) {
	s.change(func() {
		o := s.order(id)
		for _, p := range o.pieces {
			if p.status != "CANCELLED" {
				p.status = status
			}
		}
		o.status, o.updated = status, s.Now().UTC()
		s.changed(o)
	})
}

// changed notifies of an order.
func (s *Shop) changed(o *order) {
	status := o.status
	if status == "CANCELLED" {
		status = "CANCEL"
	}
	s.notify("ORDER_STATUS_CHANGE", object{"order_id": o.id, "order_status": status, "update_time": o.updated.Unix()})
}

// Order returns how many parcels and pieces of an order are packed or gone, and its status.
func (s *Shop) Order(id string) (parcels, pieces int, status string) {
	s.change(func() {
		o := s.order(id)
		seen := map[string]bool{}
		for _, p := range o.pieces {
			if p.status == "AWAITING_COLLECTION" || p.status == "IN_TRANSIT" || p.status == "DELIVERED" {
				seen[p.parcel] = true
				pieces++
			}
		}
		parcels, status = len(seen), o.status
	})
	return parcels, pieces, status
}

// Numbers returns the tracking numbers of an order's parcels.
func (s *Shop) Numbers(id string) (numbers []string) {
	s.change(func() {
		for _, p := range s.order(id).pieces {
			if p.number != "" && !slices.Contains(numbers, p.number) {
				numbers = append(numbers, p.number)
			}
		}
	})
	return numbers
}

// Total returns what an order costs.
func (s *Shop) Total(id string) (total string) {
	s.change(func() {
		payment, _ := s.order(id).show()["payment"].(object)
		total, _ = payment["total_amount"].(string)
	})
	return total
}

func (o *order) show() object {
	lines := []object{}
	var goods int64
	for _, p := range o.pieces {
		goods += p.cents
		l := object{"id": p.id, "sku_id": p.skuID, "product_id": p.product, "seller_sku": p.sku, "product_name": "Article " + p.sku,
			"sku_name": "Default", "sale_price": fakeshop.Decimal(p.cents), "currency": "EUR", "display_status": p.status, "package_id": p.parcel,
			"tracking_number": p.number, "shipping_provider_name": cmp.Or(providers[p.carrier], p.carrier)}
		if p.tax > 0 {
			l["item_tax"] = []object{{"tax_type": "VAT", "tax_amount": fakeshop.Decimal(p.tax)}}
		}
		lines = append(lines, l)
	}
	total := goods + o.shippingCents - o.discount
	if !o.gross {
		total += o.taxCents
	}
	out := object{"id": o.id, "status": o.status, "create_time": o.created.Unix(), "update_time": o.updated.Unix(),
		"buyer_email": "ada@scs.tiktokw.example", "shipping_type": o.shipping, "fulfillment_type": "FULFILLMENT_BY_SELLER",
		"delivery_option_id": "5", "delivery_option_name": "Express & safe", "packages": []object{{"id": o.pieces[0].parcel}},
		"line_items": lines,
		"payment": object{"currency": "EUR", "sub_total": fakeshop.Decimal(goods), "shipping_fee": fakeshop.Decimal(o.shippingCents),
			"tax": fakeshop.Decimal(o.taxCents), "total_amount": fakeshop.Decimal(total)}}
	if o.fbt {
		out["fulfillment_type"] = "FULFILLMENT_BY_TIKTOK"
	}
	if o.status != "UNPAID" && o.status != "ON_HOLD" {
		out["recipient_address"] = object{"name": "Ada Lovelace", "phone_number": "(+49)151****11", "region_code": "DE", "postal_code": "10115",
			"address_line1": "Weg 1", "district_info": []object{{"address_level_name": "Country", "address_name": "Germany"},
				{"address_level_name": "State", "address_name": "Berlin"}, {"address_level_name": "City", "address_name": "Berlin"}}}
	}
	return out
}

// pageOf returns a page of a list: the token of a page is the index of its first entry.
func pageOf(c call, name string, list []object) reply { return pageWithin(c, name, list, 1, 100) }

// pageWithin is pageOf for a list whose pages have bounds of their own.
func pageWithin(c call, name string, list []object, least, most int) reply {
	size, _ := strconv.Atoi(c.URL.Query().Get("page_size"))
	begin, _ := strconv.Atoi(c.URL.Query().Get("page_token"))
	if size < least || size > most {
		return reply{status: http.StatusBadRequest, code: 36009001, message: "page_size is invalid"}
	}
	end := min(begin+size, len(list))
	next := ""
	if end < len(list) {
		next = strconv.Itoa(end)
	}
	return good(object{name: list[min(begin, len(list)):end], "next_page_token": next, "total_count": len(list)})
}

// within reports whether a time is in the requested span.
func within(c call, at time.Time) bool {
	bound := func(name string, otherwise int64) int64 {
		number, _ := c.body[name].(json.Number)
		if n, err := number.Int64(); err == nil {
			return n
		}
		return otherwise
	}
	return at.Unix() >= bound("update_time_ge", 0) && at.Unix() < bound("update_time_lt", 1<<40)
}

func (s *Shop) searchOrders(c call) reply {
	found := []*order{}
	for _, o := range s.orders {
		if within(c, o.updated) {
			found = append(found, o)
		}
	}
	slices.SortStableFunc(found, func(a, b *order) int { return a.updated.Compare(b.updated) })
	if c.URL.Query().Get("sort_order") != "ASC" {
		slices.Reverse(found)
	}
	list := []object{}
	for _, o := range found {
		list = append(list, o.show())
	}
	return pageOf(c, "orders", list)
}
