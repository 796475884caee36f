package importer

import (
	"slices"

	"entrepot/internal/base/money"
	"entrepot/internal/limits"
)

// orderRow is one row of an order file: a line, and what the row says about its order.
type orderRow struct {
	place
	sku, name []byte
	quantity  int64 // below zero on credit notes
	unitPrice money.Amount
	total     money.Amount // of the line, when byTotal
	byTotal   bool
	discount  money.Amount   // of this line; it is part of the order's
	head      [][]byte       // the order's fields, as orderReader lists them
	decimals  [headFree]byte // of the amounts among them
	faults    []Fault
	dropped   bool
}

// worth is the value of the line without its sign.
func (r *orderRow) worth() money.Amount {
	if r.byTotal {
		return r.total
	}
	value, _ := r.unitPrice.Times(max(r.quantity, -r.quantity)) // too large a product is refused when the row is read
	return value
}

// headFields are the fields of an order that stand in its rows; the families follow them.
var headFields = []string{
	"originalReference", "customerName", "customerEmail", "customerId", "currency", "initialStatus", "date", "notes", "tags",
	"customerPhone", "customerCompany", "shippingAmount", "discountAmount", "taxAmount", "taxRate",
	"subtotal", "total", "dutiesAmount", "refundedAmount", "cancelledAt", "paymentStatus",
}

const (
	headOriginal = iota
	headCustomer
	headEmail
	headCustomerID
	headCurrency
	headStatus
	headDate
	headNotes
	headTags
	headPhone
	headCompany
	headShipping
	headDiscount
	headTax
	headTaxRate
	headSubtotal
	headTotal
	headDuties
	headRefunded
	headCancelled
	headPayment
	headFree // the first of the families' members
)

// orderReader turns a row into an orderRow by the mapping. It is used by one goroutine.
type orderReader struct {
	sku, name, quantity, unitPrice, lineTotal *expression
	lineDiscount                              *expression
	head                                      []*expression
	free                                      []headMember
	usual                                     usualCurrency
	dates                                     dateReader
	scratch                                   []byte
}

// headMember says where a free field belongs: shippingAddress., city.
type headMember struct{ family, name string }

func newOrderReader(m *mapping, dates dateReader) *orderReader {
	r := &orderReader{
		sku: m.exact["sku"], name: m.exact["name"], quantity: m.exact["quantity"],
		unitPrice: m.exact["unitPrice"], lineTotal: m.exact["lineTotal"], lineDiscount: m.exact["lineDiscount"], dates: dates,
	}
	for _, name := range headFields {
		r.head = append(r.head, m.exact[name])
	}
	for _, family := range []string{"shippingAddress.", "billingAddress.", "paymentMetadata."} {
		for _, member := range m.families[family] {
			r.head = append(r.head, member.expression)
			r.free = append(r.free, headMember{family, member.name})
		}
	}
	return r
}

func (r *orderReader) value(e *expression, cells [][]byte) []byte {
	if e == nil {
		return nil
	}
	return e.value(cells, &r.scratch)
}

// read makes a row of the file one of an order; nothing in it belongs to the file's buffer.
func (r *orderReader) read(line row, reference string) *orderRow {
	r.scratch = r.scratch[:0]
	at, cells := place{line.number, line.line}, line.cells
	got := &orderRow{
		place: at, sku: slices.Clone(r.value(r.sku, cells)), name: slices.Clone(r.value(r.name, cells)),
		head: make([][]byte, len(r.head)),
	}
	for i, e := range r.head {
		if e == nil {
			continue
		}
		value, decimal := e.amount(cells, &r.scratch)
		got.head[i] = slices.Clone(value)
		if i < headFree {
			got.decimals[i] = decimal
		}
	}
	refuse := func(field, code, format string, arguments ...any) {
		got.faults = append(got.faults, at.refused(reference, field, code, format, arguments...))
	}
	if len(got.sku) == 0 {
		refuse("sku", "missing_sku", "the row has no SKU; map a column with --map COLUMN=sku")
	}
	r.readQuantity(got, cells, refuse)
	r.readPrice(got, cells, reference, refuse)
	if r.lineDiscount != nil {
		cell, decimal := r.lineDiscount.amount(cells, &r.scratch)
		if off, err := parseAmount(cell, decimal); err == nil {
			got.discount = off.value
		}
	}
	return got
}

type refuse func(field, code, format string, arguments ...any)

func (r *orderReader) readQuantity(got *orderRow, cells [][]byte, refuse refuse) {
	cell, decimal := r.quantity.amount(cells, &r.scratch)
	n, err := parseQuantity(cell, decimal)
	switch {
	case len(cell) == 0:
		refuse("quantity", "missing_quantity", "the row has no quantity")
	case err != nil:
		refuse("quantity", "bad_quantity", "%q %v", clip(cell), err)
	case n == 0 || n > limits.MaxLineQuantity || n < -limits.MaxLineQuantity:
		refuse("quantity", "bad_quantity", "a line has from 1 to %d pieces, not %d", limits.MaxLineQuantity, n)
	}
	got.quantity = n
}

func (r *orderReader) readPrice(got *orderRow, cells [][]byte, reference string, refuse refuse) {
	name, cell, decimal := "unitPrice", []byte(nil), byte('.')
	if r.unitPrice != nil {
		cell, decimal = r.unitPrice.amount(cells, &r.scratch)
	}
	if len(cell) == 0 && r.lineTotal != nil {
		if cell, decimal = r.lineTotal.amount(cells, &r.scratch); len(cell) > 0 {
			name, got.byTotal = "lineTotal", true
		}
	}
	if len(cell) == 0 {
		refuse("unitPrice", "missing_price", "the row has neither unitPrice nor lineTotal")
		return
	}
	price, err := parseAmount(cell, decimal)
	if err == nil && got.byTotal && got.quantity < 0 && price.value < 0 {
		price.value = -price.value // a credit note's total has the sign of its quantity
	}
	switch {
	case err != nil:
		refuse(name, "bad_amount", "%q %v", clip(cell), err)
		return
	case price.value < 0:
		refuse(name, "negative_amount", "%q is below zero", clip(cell))
		return
	case price.rounded:
		got.faults = append(got.faults, got.note(reference, name, "rounded", "%q has more than 4 decimals and was stored as %v", clip(cell),
			price.value))
	}
	if !r.usual.same(price.currency) {
		got.faults = append(got.faults,
			got.note(reference, name, "other_currency", "%q names another currency than the rows before it; the number was stored as it is",
				clip(cell)))
	}
	got.unitPrice, got.total = price.value, price.value
	if _, ok := price.value.Times(max(got.quantity, -got.quantity)); !ok && !got.byTotal {
		refuse(name, "bad_amount", "the line's total has more than 11 integer digits")
	}
}

// orderLine is a line as it is sent.
type orderLine struct {
	*orderRow
	quantity  int64
	unitPrice money.Amount
	more      bool // the second line of one row
}

// lines is the row as one line, or as two when its total over its quantity is no unit price: then
// whole minor units are shared out, so that the lines add up to the total. digits are the minor
// digits of the currency.
func (r *orderRow) lines(digits int) []orderLine {
	quantity := max(r.quantity, -r.quantity)
	if !r.byTotal {
		return []orderLine{{orderRow: r, quantity: quantity, unitPrice: r.unitPrice}}
	}
	total := r.total.Round(digits)
	unit := r.total / money.Amount(quantity)
	for _, candidate := range []money.Amount{unit, unit + 1} {
		if product, ok := candidate.Times(quantity); ok && product.Round(digits) == total {
			return []orderLine{{orderRow: r, quantity: quantity, unitPrice: candidate}}
		}
	}
	step := money.Amount(1)
	for range 4 - digits {
		step *= 10
	}
	each := total / step / money.Amount(quantity)
	dearer := int64(total/step) - int64(each)*quantity
	return []orderLine{
		{orderRow: r, quantity: quantity - dearer, unitPrice: each * step},
		{orderRow: r, quantity: dearer, unitPrice: (each + 1) * step, more: true},
	}
}
