package importer

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/money"
)

// order has the common fields of the rows of one reference.
type order struct {
	reference string
	part      int // 2, 3 … of a long order
	credit    CreditNotes
	head      [][]byte
	decimals  [headFree]byte    // of the amounts in head
	statuses  map[string]string // the format's own words for statuses, before orderStatuses
	refunded  money.Amount      // what was paid back

	fitted        bool // checkTotal has found how the total comes about:
	discount, tax money.Amount
	includedTax   money.Amount // inside the prices
}

func (o *order) fullReference() string {
	if o.part > 0 {
		return fmt.Sprintf("%s/%d", o.reference, o.part)
	}
	return o.reference
}

// settle takes each field from the first row that has it, and reports if a later row differs; the date may differ,
// because systems write a time for each row.
func (o *order) settle(rows []*orderRow, r *orderReader, faults []Fault) []Fault {
	noted := make([]bool, len(o.head))
	for _, row := range rows {
		for i, value := range row.head {
			switch {
			case len(value) == 0:
			case o.head[i] == nil:
				o.head[i] = value
				if i < headFree {
					o.decimals[i] = row.decimals[i]
				}
			case i != headDate && !noted[i] && !bytes.Equal(value, o.head[i]):
				noted[i] = true
				faults = append(faults, row.note(o.reference, r.headName(i), "conflicting_rows", "the rows of the order differ; %q was taken, not %q",
					clip(o.head[i]), clip(value)))
			}
		}
	}
	if date := o.head[headDate]; len(date) > 0 {
		if _, read := r.dates.read(date); !read && r.dates.soon(date) {
			faults = append(faults, rows[0].note(o.reference, "date", "bad_date",
				"%q is not in the past; the order has the date of the import, and the text is kept in paymentMetadata.date", clip(date)))
		} else if !read {
			return o.refuse(rows, "date", "bad_date", faults, "%q is no date of the past", clip(date))
		}
	} else if r.head[headDate] != nil && r.head[headDate].readsColumn() {
		faults = append(faults, rows[0].note(o.reference, "date", "missing_date", "the order has no date, so that it has that of the import"))
	}
	if code := countryOf(o, r); code != nil {
		faults = append(faults, rows[0].note(o.reference, "shippingAddress.country", "unknown_country",
			"%q is no country of ISO 3166-1; it was stored as countryName only", clip(code)))
	}
	return faults
}

func (r *orderReader) headName(i int) string {
	if i < headFree {
		return headFields[i]
	}
	return r.free[i-headFree].family + r.free[i-headFree].name
}

// countryOf returns a country that has no code.
func countryOf(o *order, r *orderReader) []byte {
	for i, member := range r.free {
		if value := o.head[headFree+i]; member.family == "shippingAddress." && member.name == "country" && len(value) > 0 &&
			countryCode(value) == "" {
			return value
		}
	}
	return nil
}

// linesOf builds the lines, and divides totals that have no exact unit price.
func (o *order) linesOf(rows []*orderRow, faults []Fault) ([]orderLine, []Fault) {
	digits := money.Digits(o.currency())
	var lines []orderLine
	for _, r := range rows {
		made := r.lines(digits)
		if len(made) > 1 {
			faults = append(faults, r.noteSplit(o.reference, r.total.String(), strconv.FormatInt(max(r.quantity, -r.quantity), 10)))
		}
		lines = append(lines, made...)
	}
	return lines, faults
}

// noteSplit is the note about a line that was stored as two.
func (p place) noteSplit(reference, total, quantity string) Fault {
	return p.note(reference, "lineTotal", "line_split", "a total of %s over %s pieces has no unit price; the line was stored as two", total,
		quantity)
}

func (o *order) currency() string {
	if currency := o.head[headCurrency]; len(currency) > 0 {
		return strings.ToUpper(string(currency))
	}
	return "EUR"
}

// orderStatuses translates what exports write into the statuses of interface §3.1.
var orderStatuses = map[string]string{
	"pending": "PENDING", "open": "PENDING", "unpaid": "PENDING", "new": "PENDING", "on-hold": "PENDING", "unfulfilled": "PENDING",
	"authorized": "PENDING", "partially_paid": "PENDING", "expired": "PENDING", "scheduled": "PENDING", "on_hold": "PENDING",
	"processing": "PROCESSING", "paid": "PROCESSING", "partially_refunded": "PROCESSING",
	"partially_shipped": "PARTIALLY_SHIPPED", "partially shipped": "PARTIALLY_SHIPPED", "partial": "PARTIALLY_SHIPPED",
	"shipped": "SHIPPED", "fulfilled": "SHIPPED", "delivered": "DELIVERED", "complete": "DELIVERED", "completed": "DELIVERED",
	"cancelled": "CANCELLED", "canceled": "CANCELLED", "voided": "CANCELLED", "returned": "RETURNED", "refunded": "RETURNED",
}

var uuid = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

// appendJSON appends the order in the form of POST /orders (interface §4.1). The order of the members is fixed, so
// that the same rows always give the same bytes, and so the same idempotency key.
func (o *order) appendJSON(b []byte, lines []orderLine, r *orderReader, channel string) ([]byte, *Fault) {
	name := o.head[headCustomer]
	if len(name) == 0 {
		name = o.head[headEmail]
	}
	if len(name) == 0 {
		return b, &Fault{Field: "customerName", Code: "missing_name", Message: `the order has neither customer name nor e-mail; --map 'COLUMN|` +
			`"Guest"=customerName' names such customers`}
	}
	if !money.KnownCurrency(o.currency()) {
		return b, &Fault{Field: "currency", Code: "bad_currency", Message: fmt.Sprintf("%q is no currency of ISO 4217", o.currency())}
	}
	j := openObject(b)
	j.text("customerName", name)
	j.textIf("customerEmail", o.head[headEmail])
	if id := o.head[headCustomerID]; uuid.Match(id) {
		j.text("customerId", id)
	}
	if channel != "" {
		j.text("channelId", []byte(channel))
	}
	j.text("externalReference", []byte(o.fullReference()))
	status, fault := o.status()
	if fault != nil {
		return b, fault
	}
	j.textIf("initialStatus", []byte(status))
	j.text("currency", []byte(o.currency()))
	j.key("items")
	for i, l := range lines {
		j.b = appendNext(j.b, i)
		line := openObject(j.b)
		line.text("sku", l.sku)
		line.textIf("name", l.name)
		line.integer("quantity", l.quantity)
		line.key("unitPrice")
		line.b = l.unitPrice.AppendTo(line.b)
		j.b = line.close()
	}
	j.b = append(j.b, ']')
	if fault := o.appendAmounts(&j); fault != nil {
		return b, fault
	}
	j.pairs("shippingAddress", o.withContact(o.free(r, "shippingAddress.")))
	j.pairs("billingAddress", o.free(r, "billingAddress."))
	j.pairs("paymentMetadata", o.bookNotes(r))
	j.textIf("notes", o.head[headNotes])
	j.words("tags", o.head[headTags])
	if at, read := r.dates.read(o.head[headDate]); read {
		j.text("createdAt", []byte(apiTime(at)))
	}
	return j.close(), nil
}

func (o *order) status() (string, *Fault) {
	text := o.head[headStatus]
	if o.credit != "" {
		return o.credit.status(), nil
	}
	word := bytes.ToLower(text)
	if status := wordOr(o.statuses[string(word)], orderStatuses[string(word)]); status != "" || len(text) == 0 {
		return o.statusAfterRefund(status), nil
	}
	return "", &Fault{Field: "initialStatus", Code: "bad_status", Message: fmt.Sprintf("%q is no order status; known are PENDING, "+
		"PROCESSING, PARTIALLY_SHIPPED, SHIPPED, DELIVERED, CANCELLED, RETURNED", clip(text))}
}

// appendAmounts appends what concerns the whole order; of a long order in parts the first carries it.
func (o *order) appendAmounts(j *object) *Fault {
	for i := headShipping; i <= headTaxRate; i++ {
		cell := o.head[i]
		switch {
		case o.part > 0 && i != headTaxRate, o.includedTax > 0 && i >= headTax:
			continue
		case o.fitted && (i == headDiscount || i == headTax):
			fitted := map[int]money.Amount{headDiscount: o.discount, headTax: o.tax}[i]
			if fitted > 0 || len(cell) > 0 {
				j.key(headFields[i])
				j.b = fitted.AppendTo(j.b)
			}
			continue
		case len(cell) == 0:
			continue
		}
		cell = bytes.TrimSuffix(cell, []byte("%"))
		amount, err := parseAmount(cell, o.decimals[i])
		if err == nil && amount.value < 0 {
			err = errNegative
		}
		if err != nil {
			return &Fault{Field: headFields[i], Code: "bad_amount", Message: fmt.Sprintf("%q %v", clip(cell), err)}
		}
		j.key(headFields[i])
		j.b = amount.value.AppendTo(j.b)
	}
	if o.refunded > 0 && o.part == 0 {
		j.key("refundedAmount")
		j.b = o.refunded.AppendTo(j.b)
	}
	return nil
}

// free are the members of a free object. A country given by its name becomes its code, and the name is stored with
// it.
func (o *order) free(r *orderReader, family string) []pair {
	var pairs []pair
	for i, member := range r.free {
		value := o.head[headFree+i]
		if member.family != family || len(value) == 0 {
			continue
		}
		if member.name == "country" {
			code := countryCode(value)
			if code != "" {
				pairs = append(pairs, pair{"country", []byte(code)})
			}
			if strings.EqualFold(code, string(value)) {
				continue
			}
			member.name = "countryName"
		}
		pairs = append(pairs, pair{member.name, value})
	}
	return pairs
}

// withContact keeps phone and company in the address of an order without an e-mail, which has no customer record for
// them.
func (o *order) withContact(address []pair) []pair {
	if len(o.head[headEmail]) > 0 {
		return address
	}
	for _, contact := range []pair{{"phone", o.head[headPhone]}, {"company", o.head[headCompany]}} {
		if len(contact.value) > 0 && !hasMember(address, contact.name) {
			address = append(address, contact)
		}
	}
	return address
}

// bookNotes is the order's paymentMetadata: the mapped columns, and fields that the API does not have.
func (o *order) bookNotes(r *orderReader) []pair {
	pairs := o.free(r, "paymentMetadata.")
	add := func(name string, value []byte) {
		if len(value) > 0 && !slices.ContainsFunc(pairs, func(p pair) bool { return p.name == name }) {
			pairs = append(pairs, pair{name, value})
		}
	}
	if _, read := r.dates.read(o.head[headDate]); !read {
		add("date", o.head[headDate])
	}
	if id := o.head[headCustomerID]; !uuid.Match(id) {
		add("customerReference", id)
	}
	if o.includedTax > 0 {
		add("includedTax", []byte(o.includedTax.String()))
	}
	add("cancelledAt", o.head[headCancelled])
	if o.credit != "" {
		add("creditNote", []byte(o.credit))
		add("creditNoteFor", o.head[headOriginal])
	}
	return pairs
}
