package api

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/id"
	"entrepot/internal/limits"
	"entrepot/internal/money"
	"entrepot/internal/orders"
	"entrepot/internal/patch"
	"entrepot/internal/records"
)

// orderRoutes are interface §4.1.
var orderRoutes = []*route{
	{method: "GET", path: "/api/v1/orders", name: "listOrders", section: "4.1", summary: "List orders", scope: "read:orders",
		query: func(q *apijson.Query) { readOrderFilter(q) }, answer: sampleOrderList, serve: (*API).listOrders},
	{method: "POST", path: "/api/v1/orders", name: "createOrder", section: "4.1", errors: []int{404}, summary: "Create an order",
		scope: "write:orders", status: http.StatusCreated,
		body: func(o *apijson.Object) { readOrderDraft(o, time.Time{}) }, answer: data(func(w *apijson.Writer) {
			records.WriteOrderReceipt(w, records.SampleOrder(), records.SampleOrder().ShippingAddress)
		}), serve: (*API).createOrder},
	{method: "GET", path: "/api/v1/orders/{id}", name: "getOrder", section: "4.1", summary: "Read an order", scope: "read:orders",
		answer: data(func(w *apijson.Writer) { records.WriteOrder(w, "data", records.SampleOrder()) }), serve: (*API).getOrder},
	{method: "PATCH", path: "/api/v1/orders/{id}", name: "updateOrder", ifMatch: true, section: "4.1",
		summary: "Change an order's notes, addresses and payment metadata", scope: "write:orders",
		body:   func(o *apijson.Object) { readOrderUpdate(o) },
		answer: data(func(w *apijson.Writer) { records.WriteOrder(w, "data", records.SampleOrder()) }), serve: (*API).updateOrder},
	{method: "PATCH", path: "/api/v1/orders/{id}/status", name: "updateOrderStatus", ifMatch: true, section: "4.1",
		summary: "Move an order's status", errors: []int{422}, scope: "write:orders",
		body:   func(o *apijson.Object) { readMove(o) },
		answer: data(func(w *apijson.Writer) { records.WriteOrder(w, "data", records.SampleOrder()) }), serve: (*API).moveOrder},
	{method: "PUT", path: "/api/v1/orders/{id}/items", name: "replaceOrderItems", ifMatch: true, section: "4.1",
		summary: "Replace an order's lines", scope: "write:orders",
		body:   func(o *apijson.Object) { readEdit(o) },
		answer: data(func(w *apijson.Writer) { records.WriteOrder(w, "data", records.SampleOrder()) }), serve: (*API).editOrder},
}

// data describes an answer of {"data": …}.
func data(write func(*apijson.Writer)) func(*apijson.Writer) {
	return func(w *apijson.Writer) {
		w.Object("")
		write(w)
		w.End()
	}
}

// readOrderDraft reads the body of POST /orders, which comes at now.
func readOrderDraft(o *apijson.Object, now time.Time) commerce.OrderDraft {
	o.Record("CreateOrder")
	d := commerce.OrderDraft{
		Given: orders.Given{
			ExternalReference: o.Text("externalReference", apijson.Text{}).Value,
			PaymentMetadata:   o.Free("paymentMetadata", false).Value,
			Notes:             o.Text("notes", apijson.Text{Max: limits.MaxNote}).Value,
		},
		CustomerName:    o.Text("customerName", apijson.Text{Required: true}).Value,
		CustomerID:      apijson.UUID[id.Customer](o, "customerId", false).Value,
		CustomerEmail:   drafts.ReadEmail(o, "customerEmail", false).Value,
		Channel:         apijson.UUID[id.Channel](o, "channelId", false).Value,
		Status:          apijson.Enum(o, "initialStatus", false, orders.Statuses...).Or(orders.Pending),
		Currency:        readCurrency(o, "currency").Or("EUR"),
		ShippingAddress: o.Free("shippingAddress", true).Value,
		BillingAddress:  o.Free("billingAddress", true).Value,
		ShippingAmount:  o.Money("shippingAmount", apijson.Money{}).Value,
		DiscountAmount:  o.Money("discountAmount", apijson.Money{}).Value,
		TaxAmount:       o.Money("taxAmount", apijson.Money{}).Ptr(),
		TaxRate:         o.Money("taxRate", apijson.Money{Max: 1000 * money.Scale}).Ptr(),
		Source:          orders.FromAPI,
		CreatedAt:       readPast(o, "createdAt", now),
	}
	o.List("items", apijson.List{Required: true, Min: 1, Max: limits.MaxOrderLines}, func(_ int, item *apijson.Object) {
		d.Lines = append(d.Lines, readLine(item))
	})
	return d
}

// readPast reads a moment that is over, from 1970 on, in microseconds; 0 when none is given.
func readPast(o *apijson.Object, name string, now time.Time) int64 {
	before := len(o.Errors())
	at := o.Time(name, false)
	switch {
	case !at.Given() || len(o.Errors()) > before:
		return 0
	case at.Value.After(now):
		o.Fault(name, "must not lie in the future")
	case at.Value.UnixMicro() <= 0:
		o.Fault(name, "must not lie before 1970")
	}
	return at.Value.UnixMicro()
}

// readLine reads one order line (interface §2.3).
func readLine(o *apijson.Object) orders.LineDraft {
	o.Record("OrderLineInput")
	d := orders.LineDraft{
		SKU:       o.Text("sku", apijson.Text{Required: true}).Value,
		Quantity:  o.Int("quantity", apijson.Int{Required: true, Min: 1, Max: limits.MaxLineQuantity}).Value,
		UnitPrice: o.Money("unitPrice", apijson.Money{Required: true}).Value,
		Name:      o.Text("name", apijson.Text{}).Value,
	}
	if f := o.Text("description", apijson.Text{Max: limits.MaxNote}); f.Set {
		d.Description = &f.Value
	}
	if f := o.Free("metadata", true); f.Set {
		d.Metadata = &f.Value
	}
	return d
}

func readCurrency(o *apijson.Object, name string) patch.Field[string] {
	f := o.Text(name, apijson.Text{Max: 3})
	f.Value = strings.ToUpper(f.Value)
	if f.Given() && !o.Describing() && !money.KnownCurrency(f.Value) {
		o.Fault(name, "must be an ISO 4217 currency such as EUR")
	}
	return f
}

// createOrder serves POST /api/v1/orders: 201; 400, 404, 409.
func (a *API) createOrder(r *request) (out answer, err error) {
	body := r.object()
	draft := readOrderDraft(body, a.DB.Now())
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	draft.Source = source(r.caller)
	err = a.Commerce.NumberOrder(r.ctx(), a.DB, r.caller.Tenant, func(number int64) (err error) {
		draft.Number = number
		out, err = a.optimisticWrite(r, func(reader db.Reader) func() (func(db.GuardedWriter) answer, error) {
			pending := a.Commerce.PrefetchOrder(reader, draft)
			return func() (func(db.GuardedWriter) answer, error) {
				plan, err := pending.Plan(reader, r.caller)
				if err != nil {
					return nil, err
				}
				return func(w db.GuardedWriter) answer {
					plan.Store(w)
					o := plan.Order
					return one(http.StatusCreated, string(o.ID), func(w *apijson.Writer) { records.WriteOrderReceipt(w, o, draft.ShippingAddress) })
				}, nil
			}
		})
		return err
	})
	return out, err
}

// source says whether a key or a person acts.
func source(who accounts.Caller) orders.Source {
	if who.User != "" {
		return orders.FromDashboard
	}
	return orders.FromAPI
}

// getOrder serves GET /api/v1/orders/{id}: 200; 404.
func (a *API) getOrder(r *request) (answer, error) {
	order, err := pathID[id.Order](r, "id", "order")
	if err != nil {
		return answer{}, err
	}
	var o *orders.Order
	err = a.read(r, func(tx *db.Tx) (err error) {
		tx.Last()
		o, err = orders.ByID(tx, order)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	return fullOrder(http.StatusOK, o), nil
}

func fullOrder(status int, o *orders.Order) answer {
	return one(status, string(o.ID), func(w *apijson.Writer) { records.WriteOrder(w, "data", o) })
}

// changeOrder runs one operation on the order of the path and answers with the full order.
func (a *API) changeOrder(r *request, body *apijson.Object,
	act func(tx *db.Tx, order id.Order, expected commerce.Expected) (*orders.Order, error)) (answer, error) {
	return change(a, r, "order", body, func(tx *db.Tx, order id.Order, expected commerce.Expected) (answer, error) {
		o, err := act(tx, order, expected)
		if err != nil {
			return answer{}, err
		}
		return fullOrder(http.StatusOK, o), nil
	})
}

// readMove reads the body of PATCH status.
func readMove(o *apijson.Object) commerce.Move {
	o.Record("UpdateOrderStatus")
	return commerce.Move{
		To: apijson.Enum(o, "status", true, orders.Statuses...).Value,
		Draft: orders.ShipmentDraft{
			Carrier:        o.Text("carrier", apijson.Text{}).Value,
			TrackingNumber: o.Text("trackingNumber", apijson.Text{}).Value,
			TrackingURL:    o.Text("trackingUrl", apijson.Text{Max: limits.MaxTrackingURL}).Value,
		},
		Note:    o.Text("note", apijson.Text{Max: limits.MaxNote}).Value,
		Restock: o.Bool("restock").Value,
	}
}

// moveOrder serves PATCH /api/v1/orders/{id}/status: 200 with the full order; 400, 404, 412, 422.
func (a *API) moveOrder(r *request) (answer, error) {
	body := r.object()
	move := readMove(body)
	move.Source = source(r.caller)
	return a.changeOrder(r, body, func(tx *db.Tx, order id.Order, expected commerce.Expected) (*orders.Order, error) {
		return a.Commerce.MoveOrder(tx, r.caller, order, expected, move)
	})
}

// readEdit reads the body of PUT items.
func readEdit(o *apijson.Object) commerce.Edit {
	o.Record("ReplaceOrderItems")
	e := commerce.Edit{
		ShippingAmount: o.Money("shippingAmount", apijson.Money{}).Ptr(),
		DiscountAmount: o.Money("discountAmount", apijson.Money{}).Ptr(),
		TaxAmount:      o.Money("taxAmount", apijson.Money{}).Ptr(),
	}
	o.List("items", apijson.List{Required: true, Min: 1, Max: limits.MaxOrderLines}, func(_ int, item *apijson.Object) {
		d := readLine(item)
		item.Record("OrderLineChange")
		d.ID = apijson.UUID[id.Line](item, "id", false).Value
		e.Lines = append(e.Lines, d)
	})
	return e
}

// editOrder serves PUT /api/v1/orders/{id}/items: 200 with the full order; 400, 404, 409, 412.
func (a *API) editOrder(r *request) (answer, error) {
	body := r.object()
	edit := readEdit(body)
	return a.changeOrder(r, body, func(tx *db.Tx, order id.Order, expected commerce.Expected) (*orders.Order, error) {
		return a.Commerce.EditOrder(tx, r.caller, order, expected, edit)
	})
}

// readOrderUpdate reads the body of PATCH /orders/{id}: what is absent stays, null clears.
func readOrderUpdate(o *apijson.Object) commerce.OrderUpdate {
	o.Record("UpdateOrder")
	return commerce.OrderUpdate{
		Notes:           o.Text("notes", apijson.Text{Max: limits.MaxNote}),
		ShippingAddress: o.Free("shippingAddress", true),
		BillingAddress:  o.Free("billingAddress", true),
		PaymentMetadata: o.Free("paymentMetadata", false),
	}
}

// updateOrder serves PATCH /api/v1/orders/{id}: 200 with the full order; 400, 404, 409, 412.
func (a *API) updateOrder(r *request) (answer, error) {
	body := r.object()
	update := readOrderUpdate(body)
	return a.changeOrder(r, body, func(tx *db.Tx, order id.Order, expected commerce.Expected) (*orders.Order, error) {
		return a.Commerce.UpdateOrder(tx, r.caller, order, expected, update)
	})
}

// readOrderFilter reads the parameters of the order list (interface §4.1).
func readOrderFilter(q *apijson.Query) (orders.Filter, page) {
	var f orders.Filter
	f.Statuses = apijson.QueryEnums(q, "status", orders.Statuses...)
	f.Channel = apijson.QueryID[id.Channel](q, "channelId")
	f.Customer = apijson.QueryID[id.Customer](q, "customerId")
	f.Email, f.Search = q.Text("customerEmail"), q.Text("search")
	slices.Sort(f.Statuses)
	f.Statuses = slices.Compact(f.Statuses)
	for _, name := range []string{"createdAtGte", "createdAt[gte]", "dateFrom"} {
		if at, ok := q.Time(name, false); ok {
			f.From = max(f.From, at.UnixMicro())
		}
	}
	for _, name := range []string{"createdAtLte", "createdAt[lte]", "dateTo"} {
		if at, ok := q.Time(name, true); ok && (f.To == 0 || at.UnixMicro() < f.To) {
			f.To = at.UnixMicro()
		}
	}
	f.Country = readCountry(q, "country")
	f.MinTotal, f.MaxTotal = readTotal(q, "minTotal"), readTotal(q, "maxTotal")
	p := readPage(q, 20, 100)
	f.Limit, f.Offset = p.Limit, p.Offset()
	f.Sort, f.Ascending = readSort(q)
	if text := q.Text("cursor"); text != "" {
		cursor, ok := orders.ParseCursor(text)
		if !ok {
			q.Fault("cursor", "must be a meta.nextCursor of an earlier page")
		}
		f.After, f.Offset = cursor, 0
	}
	return f, p
}

// readCountry reads a country by its code of two letters, in any case.
func readCountry(q *apijson.Query, name string) string {
	text := q.Text(name)
	code, ok := orders.CountryCode(text)
	if text != "" && !ok {
		q.Fault(name, "must be an ISO 3166-1 code of two letters such as FR")
	}
	return code
}

// readTotal reads a bound of totals; nil when none is given.
func readTotal(q *apijson.Query, name string) *money.Amount {
	text := q.Text(name)
	if text == "" {
		return nil
	}
	amount, err := money.Parse(text)
	if err != nil || amount < 0 {
		q.Fault(name, "must be an amount such as 49.90")
	}
	return &amount
}

// readSort reads the ways to say a sort: sort=total:desc, or a field (sort, sortBy) and a direction (order, sortOrder).
func readSort(q *apijson.Query) (orders.Sort, bool) {
	field, text := firstGiven(q, "sort", "sortBy")
	direction, way := firstGiven(q, "order", "sortOrder")
	if before, after, ok := strings.Cut(text, ":"); ok {
		text, direction, way = before, field, after
	}
	sort := orders.ByCreatedAt
	switch orders.Sort(text) {
	case "", orders.ByCreatedAt:
	case orders.ByTotal, orders.ByNumber:
		sort = orders.Sort(text)
	default:
		q.Fault(field, "must be one of createdAt, total, orderNumber")
	}
	switch strings.ToLower(way) {
	case "", "desc":
		return sort, false
	case "asc":
		return sort, true
	}
	q.Fault(direction, "the direction must be asc or desc")
	return sort, false
}

// firstGiven reads two parameters that say the same and gives the first one that is there.
func firstGiven(q *apijson.Query, name, other string) (given, text string) {
	first, second := q.Text(name), q.Text(other)
	if first == "" && second != "" {
		return other, second
	}
	return name, first
}

// listOrders serves GET /api/v1/orders: 200; 400.
func (a *API) listOrders(r *request) (answer, error) {
	q := r.query()
	f, p := readOrderFilter(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	return a.orderPage(r, f, p)
}

// orderPage answers one page of orders.
func (a *API) orderPage(r *request, f orders.Filter, p page) (answer, error) {
	return a.paged(r, func(tx *db.Tx, w *apijson.Writer) error {
		w.Object("")
		w.List("data")
		written := false
		write := func(piece []orders.Order) error {
			written = true
			for i := range piece {
				records.WriteOrderRow(w, &piece[i])
				if err := r.cut(w); err != nil {
					return err
				}
			}
			return nil
		}
		list, total, err := orders.List(tx, f, write)
		if err == nil && !written {
			err = write(list)
		}
		if err == nil {
			endOrderList(w, list, f, p, total)
		}
		return err
	})
}

func writeOrderList(w *apijson.Writer, list []orders.Order, f orders.Filter, p page, total int64) {
	w.Object("")
	w.List("data")
	for i := range list {
		records.WriteOrderRow(w, &list[i])
	}
	endOrderList(w, list, f, p, total)
}

// endOrderList writes what follows the orders of a page.
func endOrderList(w *apijson.Writer, list []orders.Order, f orders.Filter, p page, total int64) {
	w.EndList()
	writeMeta(w, p, total, func(w *apijson.Writer) {
		next := ""
		if len(list) == f.Limit {
			next = f.CursorOf(list[len(list)-1]).String()
		}
		w.TextOrNull("nextCursor", next)
	})
	w.End()
}

func sampleOrderList(w *apijson.Writer) {
	writeOrderList(w, []orders.Order{*records.SampleOrder()}, orders.Filter{Limit: 1}, page{1, 20}, 1)
}
