package prestashop

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/money"
	"entrepot/internal/orders"
)

// pageOrders is how many orders are read at once: a large shop is slow with more.
const pageOrders = 50

// tail is the newest time that a pull leaves out: more may be written in the same second.
const tail = 10 * time.Second

// byID is how many orders are read by their ids at a time.
const byID = 50

const shopTime = "2006-01-02 15:04:05"

// PullOrders returns a page of the orders that changed in a span of the shop's own time, which has no zone. The shop
// counts pages from an offset, so the end of the span is fixed with the first page.
func (s *session) PullOrders(ctx context.Context, cursor connector.Cursor) (connector.OrderPage, error) {
	f, err := s.orderFacts(ctx)
	if err != nil {
		return connector.OrderPage{}, err
	}
	offset, until := 0, time.Time{}
	if at, end, ok := strings.Cut(cursor.Page, "|"); ok {
		offset, _ = strconv.Atoi(at)
		until, _ = time.Parse(time.RFC3339, end)
	}
	if until.IsZero() {
		if until, err = s.clock(ctx); err != nil {
			return connector.OrderPage{}, err
		}
		until = until.Add(-tail)
	}
	page := connector.OrderPage{Until: until}
	since := cursor.Since
	if since.IsZero() {
		since = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if !since.Before(until) {
		page.Until = since
		return page, nil
	}
	from, to := f.local(since), f.local(until)
	if _, before := since.In(f.zone).Zone(); before != f.offset(until) { // an hour of the shop's time was skipped or came twice
		from = f.local(since.Add(-time.Hour))
	}
	rows, err := s.list(ctx, "orders", "order", full().between("date_upd", from, to).page(offset, pageOrders, "date_upd_ASC,id_ASC"))
	if err != nil {
		return connector.OrderPage{}, err
	}
	full := len(rows) == pageOrders
	if offset == 0 {
		slips, err := s.refunded(ctx, from, to)
		if err != nil {
			return connector.OrderPage{}, err
		}
		rows = append(rows, slips...)
	}
	if page.Orders, page.Unreadable, err = s.orders(ctx, f, rows); err != nil {
		return connector.OrderPage{}, err
	}
	if full {
		page.Next = strconv.Itoa(offset+pageOrders) + "|" + until.Format(time.RFC3339)
	}
	return page, nil
}

// refunded are the orders with a credit slip in a span: a credit slip does not change the order itself.
func (s *session) refunded(ctx context.Context, from, to string) ([]*node, error) {
	slips, err := s.list(ctx, "order_slip", "order_slip", display("id", "id_order").between("date_upd", from, to))
	if err != nil || len(slips) == 0 {
		return nil, ignoreForbidden(err)
	}
	var ids []string
	for _, slip := range slips {
		ids = append(ids, slip.get("id_order"))
	}
	return s.inChunks(ctx, "orders", "order", "id", ids, full)
}

// ignoreForbidden lets a key pull orders even if it may not read related resources.
func ignoreForbidden(err error) error {
	if connector.Is(err, connector.Forbidden) {
		return nil
	}
	return err
}

// clock is the shop's time: that of an answer a moment ago, else of one that is asked for.
func (s *session) clock(ctx context.Context) (time.Time, error) {
	if s.date.IsZero() || s.link.Now().Sub(s.dated) > time.Minute {
		if _, _, err := s.call(ctx, http.MethodGet, "orders", url.Values(display("id").page(0, 1, "id_DESC")), nil); err != nil {
			return time.Time{}, err
		}
	}
	if s.date.IsZero() {
		return s.link.Now(), nil
	}
	return s.date, nil
}

func (f *shop) local(at time.Time) string { return at.In(f.zone).Format(shopTime) }

func (f *shop) offset(at time.Time) int {
	_, offset := at.In(f.zone).Zone()
	return offset
}

// moment is a time of the shop; the zero time for none. A time that occurs twice when clocks are set back is the later
// one, unless that is in the future.
func (f *shop) moment(text string, now time.Time) time.Time {
	at, err := time.ParseInLocation(shopTime, text, f.zone)
	if err != nil || at.Year() < 1971 {
		return time.Time{}
	}
	if later := at.Add(time.Hour); f.local(later) == text && !later.After(now) {
		at = later
	} else if earlier := at.Add(-time.Hour); f.local(earlier) == text && at.After(now.Add(time.Minute)) {
		at = earlier
	}
	return at.UTC()
}

// ReadOrders gives orders by their ids.
func (s *session) ReadOrders(ctx context.Context, externalIDs []string) (page connector.OrderPage, err error) {
	f, err := s.orderFacts(ctx)
	if err != nil {
		return page, err
	}
	rows, err := s.list(ctx, "orders", "order", full().any("id", externalIDs...))
	if err != nil {
		return page, err
	}
	page.Orders, page.Unreadable, err = s.orders(ctx, f, rows)
	return page, err
}

// PullOrder gives one order.
func (s *session) PullOrder(ctx context.Context, externalID string) (connector.Order, error) {
	f, err := s.orderFacts(ctx)
	if err != nil {
		return connector.Order{}, err
	}
	rows, err := s.list(ctx, "orders", "order", full().any("id", externalID))
	if err != nil {
		return connector.Order{}, err
	}
	if len(rows) == 0 {
		return connector.Order{}, connector.Failf(connector.Missing, "the shop has no order %s", externalID)
	}
	list, unreadable, err := s.orders(ctx, f, rows[:1])
	if err == nil && len(unreadable) > 0 {
		err = connector.Failf(connector.Rejected, "%s", unreadable[0].Error)
	}
	if err != nil {
		return connector.Order{}, err
	}
	return list[0], nil
}

// beside is the data of some orders in other resources.
type beside struct {
	customers, addresses map[string]*node
	details, slips       map[string][]*node // by order
}

func (s *session) besides(ctx context.Context, rows []*node) (*beside, error) {
	var ids, customers, addresses []string
	for _, r := range rows {
		ids = append(ids, r.get("id"))
		customers = append(customers, r.get("id_customer"))
		addresses = append(addresses, r.get("id_address_delivery"), r.get("id_address_invoice"))
	}
	b := &beside{customers: map[string]*node{}, addresses: map[string]*node{}, details: map[string][]*node{}, slips: map[string][]*node{}}
	for _, part := range []struct {
		resource, kind, field string
		values                []string
		keep                  func(*node)
	}{
		{"customers", "customer", "id", customers, func(n *node) { b.customers[n.get("id")] = n }},
		{"addresses", "address", "id", addresses, func(n *node) { b.addresses[n.get("id")] = n }},
		{"order_details", "order_detail", "id_order", ids,
			func(n *node) { b.details[n.get("id_order")] = append(b.details[n.get("id_order")], n) }},
		{"order_slip", "order_slip", "id_order", ids, func(n *node) { b.slips[n.get("id_order")] = append(b.slips[n.get("id_order")], n) }},
	} {
		found, err := s.inChunks(ctx, part.resource, part.kind, part.field, part.values, full)
		if err = ignoreForbidden(err); err != nil {
			return nil, err
		}
		for _, n := range found {
			part.keep(n)
		}
	}
	return b, s.readCombinations(ctx, b, rows)
}

// readCombinations reads the combinations that the lines of orders name, unless they are known.
func (s *session) readCombinations(ctx context.Context, b *beside, rows []*node) error {
	var ids []string
	for _, r := range rows {
		for _, line := range orderLines(b.details[r.get("id")], r) {
			if id := line.id("product_attribute_id"); id != "" {
				if _, known := s.cache["combinations/"+id]; !known {
					ids = append(ids, id)
				}
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

// orders converts rows to orders.
func (s *session) orders(ctx context.Context, f *shop, rows []*node) (list []connector.Order, unreadable []connector.Unreadable,
	err error) {
	if len(rows) == 0 {
		return nil, nil, nil
	}
	b, err := s.besides(ctx, rows)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range rows {
		o, err := s.order(ctx, f, b, r)
		var failure *connector.Failure
		switch {
		case err == nil:
			list = append(list, o)
		case connector.FailureOf(err).Kind == connector.Rejected:
			failure = connector.FailureOf(err)
			unreadable = append(unreadable, connector.Unreadable{ExternalID: r.get("id"), Error: failure.Error()})
		default:
			return nil, nil, err
		}
	}
	return list, unreadable, nil
}

func (s *session) order(ctx context.Context, f *shop, b *beside, r *node) (connector.Order, error) {
	currency, err := s.iso(ctx, "currencies", "currency", r.get("id_currency"))
	if err != nil {
		return connector.Order{}, err
	}
	if currency == "" {
		return connector.Order{}, connector.Failf(connector.Rejected, "order %s is in a currency that the shop does not have", r.get("id"))
	}
	digits := money.Digits(currency)
	exact := func(name string) money.Amount { return r.amount(name).Round(digits) }
	now := s.link.Now()
	o := connector.Order{ExternalID: r.get("id"), Number: r.get("reference"), Currency: currency, CreatedAt: f.moment(r.get("date_add"), now),
		UpdatedAt: f.moment(r.get("date_upd"), now), Note: r.get("note"), Shipping: exact("total_shipping_tax_excl"),
		Discount: exact("total_discounts_tax_excl"), Total: exact("total_paid_tax_incl"),
		Tax:     exact("total_paid_tax_incl") - exact("total_paid_tax_excl"),
		Payment: map[string]any{"method": r.get("payment"), "module": r.get("module")}}
	at := f.known[r.get("current_state")]
	o.Status, o.Refunded, o.Theirs = at.ours, at.refund, at.name
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
	for _, p := range []*connector.Place{o.ShipTo, o.BillTo} {
		if p != nil && o.Phone == "" {
			o.Phone = p.Phone
		}
		if p != nil && o.Name == "" {
			o.Name = p.Name
		}
	}
	o.Lines = s.lines(b.details[o.ExternalID], r, digits)
	evenOut(o.Lines, exact("total_products"))
	if wrapping := exact("total_wrapping_tax_excl"); wrapping != 0 {
		o.Lines = append(o.Lines, connector.OrderLine{ExternalID: "wrapping", Name: "Gift wrapping", Quantity: 1, Amount: wrapping})
	}
	o.Refunds = refunds(f, b.slips[o.ExternalID], digits, now)
	if number := r.get("shipping_number"); number != "" && (o.Status == orders.Shipped || o.Status == orders.Delivered) {
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
			line.Amount = d.amount("total_price_tax_excl").Round(digits)
		} else {
			total, _ := d.amount("unit_price_tax_excl").Times(line.Quantity)
			line.Amount = total.Round(digits)
		}
		line.SKU = s.reference(line)
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

// evenOut makes separately rounded lines add up to their sum: the difference, a few cents at most, goes to the largest.
func evenOut(lines []connector.OrderLine, sum money.Amount) {
	if len(lines) == 0 || sum == 0 {
		return
	}
	largest := 0
	for i, l := range lines {
		sum -= l.Amount
		if l.Amount > lines[largest].Amount {
			largest = i
		}
	}
	if bound := money.Amount(len(lines)) * money.Scale / 100; sum >= -bound && sum <= bound {
		lines[largest].Amount += sum
	}
}

func refunds(f *shop, slips []*node, digits int, now time.Time) (list []connector.Refund) {
	for _, slip := range slips {
		amount := (slip.amount("total_products_tax_incl") + slip.amount("total_shipping_tax_incl")).Round(digits)
		if amount <= 0 {
			continue
		}
		refund := connector.Refund{ExternalID: slip.get("id"), Amount: amount, CreatedAt: f.moment(slip.get("date_add"), now)}
		for _, d := range slip.at("associations", "order_slip_details").all("order_slip_detail") {
			refund.Lines = append(refund.Lines, connector.RefundLine{ExternalLine: d.get("id_order_detail"), Quantity: d.int("product_quantity"),
				Amount: d.amount("amount_tax_incl").Round(digits)})
		}
		list = append(list, refund)
	}
	return list
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
