package importer

import (
	"context"
	"fmt"
	"slices"

	"entrepot/internal/limits"
)

// orderMaker builds orders from rows.
type orderMaker struct {
	table       *table
	mapping     *mapping
	format      format
	dates       dateReader
	channel     string
	creditNotes CreditNotes
	split       bool // orders above 500 lines become several
	asIs        bool
	exported    bool // the objects are orders as the API shows them

	reference *expression
	reader    *orderReader
	gather    *gather[*orderRow]
	contacts  *contacts   // customers whose phone or company the file has; nil when it has neither
	missing   *candidates // products to create for unknown SKUs; nil when not wanted
	rows      counter
	body      []byte
	scratch   []byte
}

func (m *orderMaker) prepare() error {
	if m.asIs {
		return nil
	}
	if err := preset(m.mapping, m.table, m.format.columns); err != nil {
		return err
	}
	each := m.mapping.exact["unitPrice"]
	amazon := hasColumns(m.table.header, "order-item-id", "item-price")
	if amazon { // its item-price is that of all pieces of a line
		if err := preset(m.mapping, m.table, [][2]string{{"item-price", "lineTotal"}, {"amazon-order-id", "externalReference"},
			{"order-id", "externalReference"}, {"quantity-purchased", "quantity"}, {"purchase-date", "date"},
			{"buyer-name|recipient-name", "customerName"}, {"buyer-name", "customerName"}, {"recipient-name", "customerName"}}); err != nil {
			return err
		}
	}
	if m.format.known == nil {
		m.mapping.suggest(m.table.header)
	}
	if amazon && each == nil {
		delete(m.mapping.exact, "unitPrice")
	}
	for _, d := range []demand{demandReference, demandSKU, demandQuantity, demandUnitPrice, demandCustomer} {
		if err := d.missing(m.table, m.mapping); err != nil {
			return err
		}
	}
	m.reference = m.mapping.exact["externalReference"]
	return nil
}

func (m *orderMaker) referenceOf(cells [][]byte) []byte {
	m.scratch = m.scratch[:0]
	return m.reference.value(cells, &m.scratch)
}

// survey counts the rows of each order, and collects the products sold.
func (m *orderMaker) survey(ctx context.Context) error {
	if m.asIs {
		return m.surveyOwn(ctx)
	}
	m.gather = newGather[*orderRow]()
	if m.mapping.has("customerEmail") && m.mapping.has("customerPhone", "customerCompany") {
		m.contacts = &contacts{byEmail: map[string]int{}}
	}
	reader := newOrderReader(m.mapping, m.dates)
	return eachRow(ctx, m.table, nil, func(r row) error {
		reference := m.referenceOf(r.cells)
		m.gather.expect(reference)
		if m.contacts != nil && unreadable(m.table, r) == "" {
			m.contacts.add(reader, r.cells)
		}
		if m.missing != nil && len(reference) > 0 && unreadable(m.table, r) == "" {
			if got := reader.read(r, ""); !refuses(got.faults) && (got.quantity > 0 || got.worth() > 0) {
				line := got.lines(4)[0]
				m.missing.add(got.sku, got.name, line.unitPrice)
			}
		}
		return nil
	})
}

func refuses(faults []Fault) bool {
	return slices.ContainsFunc(faults, func(f Fault) bool { return f.Level == Refused })
}

// make reads the file and passes on every order after its last row.
func (m *orderMaker) make(ctx context.Context, out emit) error {
	if m.asIs {
		return m.passOn(ctx, out)
	}
	m.reader = newOrderReader(m.mapping, m.dates)
	err := eachRow(ctx, m.table, &m.rows, func(r row) error {
		at, reference := place{r.number, r.line}, m.referenceOf(r.cells)
		why := unreadable(m.table, r)
		if len(reference) == 0 {
			if why == "" {
				why = "the row has no external reference, so that its order is unknown"
			}
			return out(piece{place: at, faults: []Fault{at.refused("", "externalReference", "unreadable_row", "%s", why)}})
		}
		var got *orderRow
		if why == "" {
			got = m.reader.read(r, string(reference))
		} else {
			got = &orderRow{place: at, faults: []Fault{at.refused(string(reference), "", "unreadable_row", "%s", why)}}
		}
		got.faults, got.dropped = refusal(got.faults)
		rows, whole := m.gather.add(reference, got)
		if !whole {
			return nil
		}
		return m.assemble(string(reference), rows, out)
	})
	if err != nil {
		return err
	}
	for reference, rows := range m.gather.rest() {
		if err := m.assemble(reference, rows, out); err != nil {
			return err
		}
	}
	return nil
}

// assemble builds the orders of one reference: sales as one, or several when they are long, and credit notes
// separately.
func (m *orderMaker) assemble(reference string, rows []*orderRow, out emit) error {
	var faults []Fault
	var kept []*orderRow
	bad := 0
	for _, r := range rows {
		faults = append(faults, r.faults...)
		if r.dropped {
			bad = r.row
		} else {
			kept = append(kept, r)
		}
	}
	if bad > 0 { // without one of its lines it would be a different order
		for _, r := range kept {
			faults = append(faults, r.refused(reference, "", "order_refused", "the order was not stored, as its row %d was refused", bad))
		}
		return out(piece{place: rows[0].place, item: reference, faults: withoutNotes(faults)})
	}
	o := order{reference: reference, head: make([][]byte, len(m.reader.head)), statuses: m.format.statuses}
	if faults = o.settle(kept, m.reader, faults); refuses(faults) {
		return out(piece{place: rows[0].place, item: reference, faults: faults})
	}
	credits, sales := divide(kept)
	if len(credits) == 0 {
		if faults = o.checkTotal(sales, faults); refuses(faults) {
			return out(piece{place: rows[0].place, item: reference, faults: faults})
		}
		o.findRefund()
	}
	if len(sales) > 0 {
		if err := m.sendLines(o, sales, faults, out); err != nil {
			return err
		}
		faults = nil
		o.reference += "/credit"
	}
	if len(credits) > 0 {
		return m.sendCredit(o, credits, faults, out)
	}
	return nil
}

func divide(rows []*orderRow) (credits, sales []*orderRow) {
	for _, r := range rows {
		if r.quantity < 0 {
			credits = append(credits, r)
		} else {
			sales = append(sales, r)
		}
	}
	return credits, sales
}

// sendLines passes on an order, in parts of at most 500 lines.
func (m *orderMaker) sendLines(o order, rows []*orderRow, faults []Fault, out emit) error {
	lines, faults := o.linesOf(rows, faults)
	parts := slices.Collect(slices.Chunk(lines, limits.MaxOrderLines))
	if len(parts) > 1 {
		if !m.split {
			for _, r := range rows {
				faults = append(faults, r.refused(o.reference, "items", "too_many_lines",
					"the order has %d lines; %d is the most, --long-orders split makes several of it", len(lines), limits.MaxOrderLines))
			}
			return out(piece{place: rows[0].place, item: o.reference, faults: faults})
		}
		faults = append(faults, rows[0].note(o.reference, "items", "order_split",
			"the order has %d lines and was stored as %d orders, %s to %s/%d", len(lines), len(parts), o.reference, o.reference, len(parts)))
		if o.refunded > 0 {
			faults = append(faults, rows[0].note(o.reference, "refundedAmount", "refund_left_out",
				"the refund of %v is of several orders and was left out", o.refunded))
			o.refunded = 0
		}
	}
	for i, part := range parts {
		if i > 0 {
			o.part = i + 1
		}
		if err := m.send(o, part, faults, out); err != nil {
			return err
		}
		faults = nil
	}
	return nil
}

// send writes one order.
func (m *orderMaker) send(o order, lines []orderLine, faults []Fault, out emit) error {
	rows := 0
	for _, l := range lines {
		if !l.more {
			rows++
		}
	}
	body, bad := o.appendJSON(m.body[:0], lines, m.reader, m.channel)
	m.body = body
	if bad == nil && len(body) > limits.MaxBody {
		bad = &Fault{Field: "items", Code: "too_large", Message: fmt.Sprintf("the order is longer than %d bytes", limits.MaxBody)}
	}
	name := o.fullReference()
	if bad != nil {
		for _, l := range lines {
			if !l.more {
				faults = append(faults, l.refused(name, bad.Field, bad.Code, "%s", bad.Message))
			}
		}
		return out(piece{place: lines[0].place, item: name, faults: faults})
	}
	return out(piece{place: lines[0].place, body: body, item: name, rows: rows, faults: faults, credit: o.plan(lines)})
}
