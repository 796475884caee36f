package orders

import (
	"sort"
	"sync"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/search"
)

const from = ` FROM orders o LEFT JOIN channels c ON c.tenant_id = $1 AND c.id = o.channel_id
	LEFT JOIN customers p ON p.tenant_id = $1 AND p.id = o.customer_id `

// ByID reads a whole order. Errors: NotFound.
func ByID(tx *db.Tx, order id.Order) (*Order, error) { return whole(tx, order, false) }

// Lock reads a whole order and locks it until the transaction ends. Errors: NotFound.
func Lock(tx *db.Tx, order id.Order) (*Order, error) { return whole(tx, order, true) }

func whole(tx *db.Tx, order id.Order, lock bool) (*Order, error) {
	var held []*db.PendingRead
	if lock { // the lock comes first: the other reads then see the changes of its previous holder
		held = append(held, tx.Prefetch(func(db.Rows) error { return nil },
			"SELECT id FROM orders WHERE tenant_id = $1 AND id = $2::UUID FOR UPDATE", tx.Tenant, order))
	}
	var o *Order
	first := Entry{ID: id.History(order)}
	scan := table.Scanner(&first.Status, &first.Source, &first.Actor, &first.At)
	row := prefetchOf(tx, wholeOf(), order, func(r db.Rows) error {
		found, err := scan(r)
		o = &found
		return err
	})
	lines := prefetchLines(tx, []id.Order{order})
	history := prefetchHistory(tx, order)
	shipments, shipped := prefetchShipments(tx, order)
	returns := prefetchReturns(tx, order)
	var refunds *db.Pending[[]Refund]
	var issues *db.Pending[[]Issue]
	if !lock {
		refunds, issues = prefetchRefunds(tx, order), prefetchIssues(tx, order)
	}
	if err := db.WaitAll(append(held, row)); err != nil {
		return nil, err
	}
	if o == nil {
		return nil, table.Missing()
	}
	if err := o.takeLines(lines); err != nil {
		return nil, err
	}
	o.History, o.Shipments = []Entry{first}, []Shipment{}
	if o.UpdatedAt != first.At || o.Status != first.Status || o.AnyShipped() { // every change moves UpdatedAt
		since, err := history.Wait()
		if err != nil {
			return nil, err
		}
		o.History = append(o.History, since...)
		if o.Shipments, err = shipments.Wait(); err != nil {
			return nil, err
		}
		if o.Returns, err = returns.Wait(); err != nil {
			return nil, err
		}
	}
	if len(o.Shipments) > 0 {
		if err := shipped.Wait(); err != nil {
			return nil, err
		}
	}
	if o.PlatformID == "" && o.RefundedAmount == 0 {
		return o, nil
	}
	if lock {
		refunds, issues = prefetchRefunds(tx, order), prefetchIssues(tx, order)
	}
	var err error
	if o.Refunds, err = refunds.Wait(); err != nil {
		return nil, err
	}
	o.Issues, err = issues.Wait()
	return o, err
}

// readLines reads the lines of orders, in the order given at creation.
func readLines(tx *db.Tx, list []Order) error {
	at := make(map[id.Order]*Order, len(list))
	ids := make([]id.Order, len(list))
	for i := range list {
		ids[i], at[list[i].ID] = list[i].ID, &list[i]
	}
	rows, err := waitLines(prefetchLines(tx, ids))
	for i := range rows {
		o := at[rows[i].order]
		if o.Lines == nil {
			o.Lines = make([]Line, 0, o.ItemCount)
		}
		o.Lines = append(o.Lines, rows[i].Line)
	}
	return err
}

// takeLines waits for the order's own lines.
func (o *Order) takeLines(p *db.Pending[[]lineRow]) error {
	rows, err := waitLines(p)
	o.Lines = make([]Line, len(rows))
	for i := range rows {
		o.Lines[i] = rows[i].Line
	}
	return err
}

// waitLines waits for lines and puts those of each order into the order given at creation. Mostly they arrive in this
// order; SQLite would sort whole rows.
func waitLines(p *db.Pending[[]lineRow]) ([]lineRow, error) {
	rows, err := p.Wait()
	sort.Slice(rows, func(i, k int) bool {
		a, b := &rows[i], &rows[k]
		return a.order < b.order || a.order == b.order && a.position < b.position
	})
	return rows, err
}

// prefetchLines prefetches the lines of orders; waitLines waits for them.
func prefetchLines(tx *db.Tx, ids []id.Order) *db.Pending[[]lineRow] {
	p, scan := new(db.Pending[[]lineRow]), lineTable.Scanner()
	return p.Await(db.PrefetchOf(tx, linesOf, ids, func(r db.Rows) error {
		l, err := scan(r)
		p.Value = append(p.Value, l)
		return err
	})...)
}

// The reads of an order by its id.
var (
	// wholeOf reads an order's own row, with the first entry of its history.
	wholeOf = sync.OnceValue(func() *db.Keyed {
		return &db.Keyed{Build: func(n int) string {
			return "SELECT " + table.Columns("o") + ", o.initial_status, o.initial_source, o.initial_actor, coalesce(o.recorded_at, o.created_at)" +
				from + "WHERE o.tenant_id = $1 AND o.id IN " + db.In(n, 2)
		}}
	})
	linesOf         = db.KeyedBy(lineTable.Select(""), "order_id", "")
	historyOf       = db.KeyedBy(entryTable.Select(""), "order_id", " ORDER BY created_at, id")
	shipmentsOf     = db.KeyedBy(shipmentTable.Select(""), "order_id", " ORDER BY created_at, id")
	shipmentLinesOf = db.KeyedBy(shipmentLineTable.Select(""), "order_id", " ORDER BY shipment_id, id")
	refundsOf       = db.KeyedBy(refundTable.Select(""), "order_id", " ORDER BY created_at, id")
	refundLinesOf   = db.KeyedBy(refundLineTable.Select(""), "order_id", " ORDER BY refund_id, line_id")
	issuesOf        = db.KeyedBy(issueTable.Select(""), "order_id", " ORDER BY created_at, code, path")
)

// prefetchOf prefetches what a keyed read finds of one order.
func prefetchOf(r db.Reader, read *db.Keyed, order id.Order, each func(db.Rows) error) *db.PendingRead {
	return db.PrefetchOf(r, read, []id.Order{order}, each)[0]
}

// prefetchHistory prefetches every status change of an order since its creation.
func prefetchHistory(r db.Reader, order id.Order) *db.Pending[[]Entry] {
	p, scan := new(db.Pending[[]Entry]), entryTable.Scanner()
	return p.Await(prefetchOf(r, historyOf, order, func(row db.Rows) error {
		e, err := scan(row)
		p.Value = append(p.Value, e.Entry)
		return err
	}))
}

// prefetchShipments prefetches the shipments of an order; a second read fills their lines.
func prefetchShipments(r db.Reader, order id.Order) (p *db.Pending[[]Shipment], lines *db.PendingRead) {
	p, at := &db.Pending[[]Shipment]{Value: []Shipment{}}, map[id.Shipment]int{}
	scan, scanLine := shipmentTable.Scanner(), shipmentLineTable.Scanner()
	p.Await(prefetchOf(r, shipmentsOf, order, func(row db.Rows) error {
		s, err := scan(row)
		at[s.ID] = len(p.Value)
		p.Value = append(p.Value, s.Shipment)
		return err
	}))
	lines = prefetchOf(r, shipmentLinesOf, order, func(row db.Rows) error {
		l, err := scanLine(row)
		if err != nil {
			return err
		}
		s := &p.Value[at[l.shipment]]
		s.Lines = append(s.Lines, l.ShipmentLine)
		return nil
	})
	return p, lines
}

// ByReference finds the order with an external reference; "" if there is none.
func ByReference(r db.Reader, reference string) (id.Order, error) {
	found, err := PrefetchByReferences(r, []string{reference}).Wait()
	return found[reference], err
}

// PrefetchByReferences finds the orders with some external references, by reference.
func PrefetchByReferences(r db.Reader, references []string) *db.Pending[map[string]id.Order] {
	p := &db.Pending[map[string]id.Order]{Value: map[string]id.Order{}}
	return p.Await(db.PrefetchOf(r, referenced, references, func(row db.Rows) error {
		var reference string
		var order id.Order
		err := row.Scan(&reference, &order)
		p.Value[reference] = order
		return err
	})...)
}

var referenced = db.KeyedBy("SELECT external_reference, id FROM orders", "external_reference", "")

// Named finds the order with a number or, if that is 0, with an external reference; where no order has the reference, the
// one that has it as the number that the buyer sees on its platform, with or without a "#" before it. Errors: NotFound;
// Conflict when orders of several channels have that number.
func Named(r db.Reader, number int64, reference string) (order id.Order, err error) {
	if number == 0 {
		order, err = ByReference(r, reference)
		if err == nil && order == "" {
			order, err = byPlatformNumber(r, reference)
		}
	} else {
		p := new(db.Pending[id.Order])
		order, err = p.Await(r.Prefetch(func(row db.Rows) error { return row.Scan(&p.Value) },
			"SELECT id FROM orders WHERE tenant_id = $1 AND number = $2", r.TenantID(), number)).Wait()
	}
	if err == nil && order == "" {
		err = apperr.Missing("order")
	}
	return order, err
}

// byPlatformNumber finds the order with a number that the buyer sees on the platform; "" if there is none. Errors:
// Conflict for several.
func byPlatformNumber(r db.Reader, number string) (order id.Order, err error) {
	n := 0
	err = r.Each(func(row db.Rows) error {
		n++
		return row.Scan(&order)
	}, "SELECT id FROM orders WHERE tenant_id = $1 AND external_number IN ($2, $3) ORDER BY id LIMIT 2", r.TenantID(), number, "#"+number)
	if err == nil && n > 1 {
		err = apperr.New(apperr.Conflict, "ambiguous_order", "orders of several channels have the number %s: name the order by its ORD number",
			number)
	}
	return order, err
}

// search returns the text that the search of a list matches.
func (o *Order) search() string {
	text := Number(o.Number) + " " + o.ExternalReference + " " + o.CustomerName + " " + o.CustomerEmail
	if o.ExternalNumber != "" {
		text += " " + o.ExternalNumber
	}
	return search.Fold(text)
}

// Insert writes new orders with their lines, the first entries of their histories and their shipments. If an external
// reference is taken meanwhile, the operation runs again. Searches find an order by its event order.received, which
// the operation records.
func Insert(w db.Writer, list ...*Order) {
	rows := make([]Order, len(list))
	var lines []lineRow
	var shipments []shipmentRow
	var shipped []shipmentLineRow
	var refunds []refundRow
	var tags []tagRow
	for i, o := range list {
		o.ItemCount = int64(len(o.Lines))
		rows[i] = *o
		for k, l := range o.Lines {
			lines = append(lines, lineRow{o.ID, int64(k), l})
		}
		for _, s := range o.Shipments {
			shipments = append(shipments, shipmentRow{o.ID, s})
			for _, l := range s.Lines {
				shipped = append(shipped, shipmentLineRow{o.ID, s.ID, l})
			}
		}
		for _, r := range o.Refunds { // refunds of before the order was recorded here: without lines
			refunds = append(refunds, refundRow{o.ID, r})
		}
		tags = append(tags, o.tagRows()...)
	}
	table.Insert(w, rows...)
	lineTable.Insert(w, lines...)
	shipmentTable.Insert(w, shipments...)
	shipmentLineTable.Insert(w, shipped...)
	refundTable.Insert(w, refunds...)
	tagTable.Insert(w, tags...)
	countAll(w, rows, 1)
}

// document returns the order's entry in the index of searches.
func (o *Order) document() search.Document {
	return search.Document{ID: string(o.ID), Sort: o.CreatedAt, Text: o.search()}
}

// InsertUnreported is Insert for orders without events.
func InsertUnreported(tx db.Writer, list []Order) {
	orders := make([]*Order, len(list))
	docs := make([]search.Document, len(list))
	for i := range list {
		orders[i], docs[i] = &list[i], list[i].document()
	}
	Insert(tx, orders...)
	search.Put(tx, search.Orders, docs...)
}

func insertLines(w db.Writer, order id.Order, lines []Line, first int) {
	rows := make([]lineRow, len(lines))
	for i, l := range lines {
		rows[i] = lineRow{order, int64(first + i), l}
	}
	lineTable.Insert(w, rows...)
}

// Retrack changes carrier and tracking of a shipment, and the order's if it is the newest.
func (o *Order) Retrack(tx db.Writer, at int, carrier, number, url string) {
	s := o.Shipments[at]
	s.Carrier, s.TrackingNumber, s.TrackingURL = carrier, number, url
	o.SaveShipment(tx, at, s)
}

// SaveShipment replaces a shipment with its changed version. Changed tracking of the newest shipment is the order's,
// too.
func (o *Order) SaveShipment(tx db.Writer, at int, s Shipment) {
	old := o.Shipments[at]
	o.Shipments[at] = s
	if at == len(o.Shipments)-1 &&
		(s.Carrier != old.Carrier || s.TrackingNumber != old.TrackingNumber || s.TrackingURL != old.TrackingURL) {
		o.copyTracking(s)
	}
	shipmentTable.Update(tx, &shipmentRow{o.ID, s}, "order_id = $2::UUID AND id = $3::UUID", o.ID, s.ID).Rows(1, nil)
}

// InsertShipment writes a shipment with its lines.
func InsertShipment(w db.Writer, order id.Order, s Shipment) {
	shipmentTable.Insert(w, shipmentRow{order, s})
	rows := make([]shipmentLineRow, len(s.Lines))
	for i, l := range s.Lines {
		rows[i] = shipmentLineRow{order, s.ID, l}
	}
	shipmentLineTable.Insert(w, rows...)
}

// DeleteShipment deletes a shipment's rows.
func DeleteShipment(tx db.Writer, order id.Order, shipment id.Shipment) {
	tx.Queue("DELETE FROM shipment_lines WHERE tenant_id = $1 AND order_id = $2::UUID AND shipment_id = $3::UUID", tx.TenantID(), order,
		shipment)
	tx.Queue("DELETE FROM shipments WHERE tenant_id = $1 AND order_id = $2::UUID AND id = $3::UUID", tx.TenantID(), order, shipment).Rows(1,
		nil)
}

// Save writes a locked order's row, its changed lines, and a new history entry if the status changed.
func Save(tx db.Writer, before, o *Order) {
	o.ItemCount = int64(len(o.Lines))
	saveRow(tx, before, o)
	saveLines(tx, before, o)
	if o.Status != before.Status {
		entryTable.Insert(tx, entryRow{o.ID, o.History[len(o.History)-1]})
	}
	count(tx, before, o)
}

// SaveDetails writes a locked order's row, without lines and history. Its status and its total are unchanged.
func SaveDetails(tx db.Writer, before, o *Order) {
	saveRow(tx, before, o)
	saveTags(tx, before, o)
	tallyMove(tx, before, o)
}

func saveRow(tx db.Writer, before, o *Order) {
	table.Update(tx, o, "id = $2::UUID AND status = $3 AND updated_at = $4", o.ID, string(before.Status), before.UpdatedAt).Rows(1, nil)
}

// SaveBuyer writes the buyer of a locked order that had none.
func SaveBuyer(tx db.Writer, o *Order) {
	tx.Queue(`UPDATE orders SET customer_id = $3, customer_name = $4, customer_email = $5, email_key = $6, search = $7
		WHERE tenant_id = $1 AND id = $2::UUID AND customer_id IS NULL`,
		tx.TenantID(), o.ID, db.Null(o.Customer), o.CustomerName, db.Null(o.CustomerEmail), db.Null(EmailKey(o.CustomerEmail)), o.search()).
		Rows(1, nil)
	search.Put(tx, search.Orders, o.document())
}

// saveLines writes the lines that differ.
func saveLines(tx db.Writer, before, o *Order) {
	for position, l := range o.Lines {
		old := before.Line(l.ID)
		switch {
		case old == nil:
			insertLines(tx, o.ID, o.Lines[position:position+1], position)
		case *old != l || before.index(l.ID) != position:
			lineTable.Update(tx, &lineRow{o.ID, int64(position), l}, "order_id = $2::UUID AND id = $3::UUID", o.ID, l.ID).Rows(1, nil)
		}
	}
	for _, old := range before.Lines {
		if o.Line(old.ID) == nil {
			tx.Queue("DELETE FROM order_lines WHERE tenant_id = $1 AND order_id = $2::UUID AND id = $3::UUID", tx.TenantID(), o.ID, old.ID).Rows(1,
				nil)
		}
	}
}
