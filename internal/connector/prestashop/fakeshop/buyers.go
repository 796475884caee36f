package fakeshop

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/connector/connectortest/fakeshop"
)

// Bought is a line of an order that a buyer places: a product, or one of its combinations.
type Bought struct {
	SKU      string
	Quantity int
}

// Wish is what a buyer orders. Amounts are net, in hundredths.
type Wish struct {
	Lines    []Bought
	Email    string
	Unpaid   bool
	Discount int64
	Wrapping int64
	Gift     string // the message of a gift
}

// Buy places an order as a buyer does; paid says whether it is paid at once. It returns the order's id.
func (s *Shop) Buy(email string, paid bool, lines ...Bought) string {
	return s.Place(Wish{Lines: lines, Email: email, Unpaid: !paid})
}

// Place places an order as a buyer does. Only a paid one takes stock. It returns the order's id.
func (s *Shop) Place(w Wish) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	email, paid, lines := w.Email, !w.Unpaid, w.Lines
	customer := s.add("customers", map[string]string{"firstname": "Ada", "lastname": "Lovelace", "email": email})
	address := s.add("addresses", map[string]string{"firstname": "Ada", "lastname": "Lovelace", "address1": "1 rue de la Paix",
		"city":     "Paris",
		"postcode": "75002", "id_country": "1", "id_state": "0", "phone_mobile": "+33 6 00 00 00 00", "company": ""})
	now := s.stamp()
	o := s.add("orders", map[string]string{"id_customer": customer.id, "id_address_delivery": address.id, "id_address_invoice": address.id,
		"id_currency": "1", "id_carrier": "2", "module": "ps_wirepayment", "payment": "Bank wire", "note": "", "shipping_number": "",
		"date_add": now, "date_upd": now, "current_state": "10", "total_discounts_tax_excl": six(w.Discount * 10_000),
		"total_wrapping_tax_excl": six(w.Wrapping * 10_000), "gift_message": w.Gift})
	o.fields["reference"] = fmt.Sprintf("FAKE%05s", o.id)
	for _, l := range lines {
		product, combination, price := s.sold(l.SKU)
		total := price * int64(l.Quantity)
		s.add("order_details", map[string]string{"id_order": o.id, "product_id": product, "product_attribute_id": combination,
			"product_reference": l.SKU,
			"product_name":      "Article " + l.SKU, "product_quantity": strconv.Itoa(l.Quantity), "unit_price_tax_excl": six(price),
			"total_price_tax_excl": six(total), "product_quantity_reinjected": "0"})
	}
	o.fields["total_shipping_tax_excl"] = six(5_000_000)
	s.total(o)
	s.add("order_carriers", map[string]string{"id_order": o.id, "id_carrier": "2", "tracking_number": "", "label_url": ""})
	s.notify("order.created", "id_order", o.id)
	if paid {
		s.move(o, "2")
	}
	return o.id
}

// total adds an order up. Tax is a fifth, but for products without tax rules group, which are sold without.
func (s *Shop) total(o *row) {
	var goods, untaxed int64 // in 1/1,000,000
	var rows []map[string]string
	for _, d := range s.where("order_details", "id_order", o.id) {
		goods += millionths(d.get("total_price_tax_excl"))
		if p := s.find("products", d.get("product_id")); p != nil && !p.taxed() {
			untaxed += millionths(d.get("total_price_tax_excl"))
		}
		row := map[string]string{"id": d.id}
		for _, name := range []string{"product_id", "product_attribute_id", "product_reference", "product_name", "product_quantity",
			"unit_price_tax_excl"} {
			row[name] = d.get(name)
		}
		rows = append(rows, row)
	}
	o.links["order_rows"] = rows
	net := goods + millionths(o.get("total_shipping_tax_excl")) + millionths(o.get("total_wrapping_tax_excl")) -
		millionths(o.get("total_discounts_tax_excl"))
	o.fields["total_products"], o.fields["total_paid_tax_excl"], o.fields["total_paid_tax_incl"] = six(goods), six(net), six(net+(net-untaxed)/5)
}

// taxed reports whether a product has a tax rules group.
func (r *row) taxed() bool {
	return r.get("id_tax_rules_group") != "" && r.get("id_tax_rules_group") != "0"
}

// Edit adds a piece to the first line of an order, as a person in the back office does. Only one that is paid takes
// it from the stock.
func (s *Shop) Edit(order string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.find("orders", order)
	d := s.where("order_details", "id_order", order)[0]
	state := o.get("current_state")
	if o.get("took") == "1" {
		s.move(o, "6")
	}
	quantity, _ := strconv.Atoi(d.get("product_quantity"))
	d.fields["product_quantity"] = strconv.Itoa(quantity + 1)
	d.fields["total_price_tax_excl"] = six(millionths(d.get("unit_price_tax_excl")) * int64(quantity+1))
	s.total(o)
	s.move(o, state)
}

// Write sets a field of an order, as a module of the shop does.
func (s *Shop) Write(order, field, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.find("orders", order)
	o.fields[field], o.fields["date_upd"] = value, s.stamp()
}

// WriteLine sets a field of an order's first line.
func (s *Shop) WriteLine(order, field, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.where("order_details", "id_order", order)[0].fields[field] = value
}

// Total returns what an order costs with tax, to the hundredth.
func (s *Shop) Total(order string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	cents := (millionths(s.find("orders", order).get("total_paid_tax_incl")) + 5_000) / 10_000
	return fakeshop.Decimal(cents)
}

// Item is what the shop shows of a reference. Price is net, in millionths.
type Item struct {
	Quantity, Price int64
	Active          bool
}

// Items returns the things that are sold, and the references that stand twice.
func (s *Shop) Items() (items map[string]Item, doubled []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	items = map[string]Item{}
	quantities := map[string]int64{}
	for _, r := range s.resources["stock_availables"].rows {
		n, _ := strconv.ParseInt(r.get("quantity"), 10, 64)
		quantities[r.get("id_product")+" "+r.get("id_product_attribute")] = n
	}
	add := func(p *row, combination, reference string, price int64) {
		if _, twice := items[reference]; twice {
			doubled = append(doubled, reference)
		}
		items[reference] = Item{quantities[p.id+" "+combination], price, p.get("active") == "1"}
	}
	products, varied := map[string]*row{}, map[string]bool{}
	for _, p := range s.resources["products"].rows {
		products[p.id] = p
	}
	for _, c := range s.resources["combinations"].rows {
		if p := products[c.get("id_product")]; p != nil {
			varied[p.id] = true
			add(p, c.id, c.get("reference"), millionths(p.get("price"))+millionths(c.get("price")))
		}
	}
	for _, p := range s.resources["products"].rows {
		if !varied[p.id] {
			add(p, "0", p.get("reference"), millionths(p.get("price")))
		} else if _, twice := items[p.get("reference")]; twice {
			doubled = append(doubled, p.get("reference"))
		}
	}
	return items, doubled
}

// Reduced returns what a SKU costs and what it cost before a reduction, "" for none, as a buyer is shown it.
func (s *Shop) Reduced(sku string) (price, before string) {
	items, _ := s.Items()
	s.mu.Lock()
	defer s.mu.Unlock()
	product, combination, _ := s.sold(sku)
	full := items[sku].Price
	for _, r := range s.where("specific_prices", "id_product", product) {
		if at := r.get("id_product_attribute"); at == combination || at == "0" {
			return six(full - millionths(r.get("reduction"))), six(full)
		}
	}
	return six(full), ""
}

func six(millionths int64) string {
	return fmt.Sprintf("%d.%06d", millionths/1_000_000, millionths%1_000_000)
}

// sold finds what has a reference, and its price in millionths.
func (s *Shop) sold(sku string) (product, combination string, price int64) {
	if found := s.where("combinations", "reference", sku); len(found) > 0 {
		p := s.find("products", found[0].get("id_product"))
		return p.id, found[0].id, millionths(p.get("price")) + millionths(found[0].get("price"))
	}
	if found := s.where("products", "reference", sku); len(found) > 0 {
		return found[0].id, "0", millionths(found[0].get("price"))
	}
	return "999999", "0", 1_000_000
}

func millionths(text string) int64 {
	f, _ := strconv.ParseFloat(text, 64)
	return int64(f*1e6 + 0.5)
}

// Move sets an order's state, as a person in the back office does.
func (s *Shop) Move(order, state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.find("orders", order); o != nil {
		s.add("order_histories", map[string]string{"id_order": order, "id_order_state": state, "date_add": s.stamp()})
		s.move(o, state)
	}
}

// AddCombination adds a combination to a product, as a person in the back office does.
func (s *Shop) AddCombination(product, reference string, quantity int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.where("products", "reference", product)[0].id
	at := s.add("combinations", map[string]string{"id_product": of, "reference": reference, "price": "0", "minimal_quantity": "1"})
	s.add("stock_availables", map[string]string{"id_product": of, "id_product_attribute": at.id, "quantity": strconv.Itoa(quantity),
		"id_shop": "1"})
}

// Ship enters a tracking number, as a person in the back office does: versions from 1.7 on no longer keep it with the
// order.
func (s *Shop) Ship(order, number string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.where("order_carriers", "id_order", order) {
		r.fields["tracking_number"] = number
	}
}

// move changes an order's state: a paid one takes stock, a cancelled one returns it.
func (s *Shop) move(o *row, state string) {
	to := s.find("order_states", state)
	if to == nil {
		return
	}
	took := o.get("took") == "1"
	takes := to.get("paid") == "1"
	if takes != took && (takes || strings.Contains(" 6 7 8 ", " "+state+" ")) {
		for _, d := range s.where("order_details", "id_order", o.id) {
			n, _ := strconv.Atoi(d.get("product_quantity"))
			if !takes {
				n = -n
			}
			for _, r := range s.where("stock_availables", "id_product", d.get("product_id")) {
				if r.get("id_product_attribute") == d.get("product_attribute_id") && (r.get("id_shop") == "0") == s.shared {
					have, _ := strconv.Atoi(r.get("quantity"))
					r.fields["quantity"] = strconv.Itoa(have - n)
				}
			}
			s.addUp(d.get("product_id"))
			s.notify("stock.updated", "id_product", d.get("product_id"))
		}
		o.fields["took"] = digit(takes)
	}
	o.fields["current_state"], o.fields["date_upd"] = state, s.stamp()
	s.notify("order.status_changed", "id_order", o.id)
}

// Refund writes a credit slip over some of the first line of an order, which changes nothing else of it. Amount is
// with tax.
func (s *Shop) Refund(order string, quantity int, amount string) {
	s.refund(order, quantity, amount, false)
}

// RefundBack is Refund for pieces that the merchant puts into the stock again.
func (s *Shop) RefundBack(order string, quantity int, amount string) {
	s.refund(order, quantity, amount, true)
}

func (s *Shop) refund(order string, quantity int, amount string, back bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	details := s.where("order_details", "id_order", order)
	slip := s.add("order_slip", map[string]string{"id_order": order, "total_products_tax_incl": amount, "total_shipping_tax_incl": "0",
		"date_add": s.stamp(), "date_upd": s.stamp()})
	slip.links["order_slip_details"] = []map[string]string{{"id_order_detail": details[0].id, "product_quantity": strconv.Itoa(quantity),
		"amount_tax_incl": amount}}
	if d := details[0]; back {
		had, _ := strconv.Atoi(d.get("product_quantity_reinjected"))
		d.fields["product_quantity_reinjected"] = strconv.Itoa(had + quantity)
		for _, r := range s.where("stock_availables", "id_product", d.get("product_id")) {
			if r.get("id_product_attribute") == d.get("product_attribute_id") && (r.get("id_shop") == "0") == s.shared {
				have, _ := strconv.Atoi(r.get("quantity"))
				r.fields["quantity"] = strconv.Itoa(have + quantity)
			}
		}
		s.addUp(d.get("product_id"))
	}
}

// Slips returns the amounts of an order's credit slips, oldest first, as they were written.
func (s *Shop) Slips(order string) (amounts []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, slip := range s.where("order_slip", "id_order", order) {
		amounts = append(amounts, slip.get("total_products_tax_incl"))
	}
	return amounts
}

// Credit writes a credit slip that says only how much was given back, of goods and of shipping, as those of other
// software do. It names no lines.
func (s *Shop) Credit(order, amount, shipping string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add("order_slip", map[string]string{"id_order": order, "total_products_tax_incl": "0", "total_shipping_tax_incl": "0",
		"amount": amount, "shipping_cost_amount": shipping, "date_add": s.stamp(), "date_upd": s.stamp()})
}

// Stock returns the quantity that the shop shows of a reference.
func (s *Shop) Stock(sku string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	product, combination, _ := s.sold(sku)
	for _, r := range s.where("stock_availables", "id_product", product) {
		if r.get("id_product_attribute") == combination && (r.get("id_shop") == "0") == s.shared {
			n, _ := strconv.Atoi(r.get("quantity"))
			return n
		}
	}
	return 0
}

// Order returns an order's state, tracking number and how many states its history got after the first.
func (s *Shop) Order(order string) (state, tracking string, histories int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.find("orders", order)
	return o.get("current_state"), o.get("shipping_number"), len(s.where("order_histories", "id_order", order))
}

// Count returns how many things of a resource the shop has; Field is a field of one with a reference.
func (s *Shop) Count(resource string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.resources[resource].rows)
}

// Field returns a field of the product or combination with a reference; a text in the language of that id when one is
// given.
func (s *Shop) Field(sku, field, language string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range []string{"products", "combinations"} {
		if found := s.where(name, "reference", sku); len(found) > 0 {
			if language != "" {
				return found[0].texts[field][language]
			}
			return found[0].get(field)
		}
	}
	return ""
}

// Share has the shop share its stock with others: all quantities are in rows of the group of shops from now on,
// beside the old ones.
func (s *Shop) Share() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range slices.Clone(s.resources["stock_availables"].rows) {
		s.add("stock_availables", map[string]string{"id_product": r.get("id_product"), "id_product_attribute": r.get("id_product_attribute"),
			"quantity": r.get("quantity"), "id_shop": "0", "id_shop_group": "1"})
	}
	s.shared = true
}

// Set sets a field of the product or combination with a reference, as a person in the back office does.
func (s *Shop) Set(sku, field, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	append(s.where("products", "reference", sku), s.where("combinations", "reference", sku)...)[0].fields[field] = value
}

// Delete deletes an order, as modules do.
func (s *Shop) Delete(order string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	res := s.resources["orders"]
	res.rows = slices.DeleteFunc(res.rows, func(r *row) bool { return r.id == order })
}

// AddTaxRules makes a tax rules group, as a person in the back office does, and gives its id.
func (s *Shop) AddTaxRules(name string, active bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addTaxRules(name, active)
}

func (s *Shop) addTaxRules(name string, active bool) string {
	return s.add("tax_rule_groups", map[string]string{"name": name, "active": digit(active), "deleted": "0"}).id
}

// AddProduct makes a product, as a person in the back office does.
func (s *Shop) AddProduct(reference, taxRules string) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.add("products", map[string]string{"reference": reference, "price": "5", "active": "1", "id_tax_rules_group": taxRules})
	at.texts["name"] = map[string]string{"1": reference, "2": reference}
	s.add("stock_availables", map[string]string{"id_product": at.id, "id_product_attribute": "0", "quantity": "0", "id_shop": "1"})
	return at.id
}

// Translate sets a product's name in a language, as a person in the back office does.
func (s *Shop) Translate(sku, language, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.where("products", "reference", sku)[0].texts["name"][language] = name
}

// OnSale returns the references that a buyer can order.
func (s *Shop) OnSale() (references []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	active := map[string]bool{}
	for _, p := range s.where("products", "active", "1") {
		active[p.id] = true
	}
	sold := func(product, combination, reference string) {
		for _, r := range s.where("stock_availables", "id_product", product) {
			if n, _ := strconv.Atoi(r.get("quantity")); active[product] && n > 0 && r.get("id_product_attribute") == combination {
				references = append(references, reference)
			}
		}
	}
	varied := map[string]bool{}
	for _, c := range s.resources["combinations"].rows {
		varied[c.get("id_product")] = true
		sold(c.get("id_product"), c.id, c.get("reference"))
	}
	for _, p := range s.resources["products"].rows {
		if !varied[p.id] {
			sold(p.id, "0", p.get("reference"))
		}
	}
	return references
}

// Categories returns a product's categories, its main one first; add puts it into others before, the last of which
// becomes the main one, as its merchant may.
func (s *Shop) Categories(sku string, add ...string) (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.where("products", "reference", sku)[0]
	for _, id := range add {
		p.links["categories"] = append(p.links["categories"], map[string]string{"id": id})
		p.fields["id_category_default"] = id
	}
	ids = []string{p.get("id_category_default")}
	for _, c := range p.links["categories"] {
		if c["id"] != ids[0] {
			ids = append(ids, c["id"])
		}
	}
	return ids
}
