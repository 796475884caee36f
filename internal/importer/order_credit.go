package importer

import "entrepot/internal/importer/client"

// CreditNotes says what becomes of rows with a negative quantity.
type CreditNotes string

// Credit notes become orders of their own with positive quantities, which reserve nothing, or are only reported.
const (
	CreditReturn CreditNotes = "return" // status RETURNED
	CreditCancel CreditNotes = "cancel" // status CANCELLED, which no customer total counts
	CreditReport CreditNotes = "report"
)

func (c CreditNotes) status() string {
	if c == CreditCancel {
		return "CANCELLED"
	}
	return "RETURNED"
}

// creditPlan is a credit note that names the order it cancels. If that order exists and the note covers all of it, the
// status of the order itself is changed; otherwise the note is stored as an order of its own.
type creditPlan struct {
	original string
	status   string
	note     string
	pieces   map[string]int // by SKU
}

// covers reports whether the note has exactly the order's lines.
func (p *creditPlan) covers(o client.OrderRead) bool {
	left := map[string]int{}
	for _, line := range o.Items {
		left[line.SKU] += line.Quantity
	}
	if len(left) != len(p.pieces) {
		return false
	}
	for sku, n := range p.pieces {
		if left[sku] != n {
			return false
		}
	}
	return true
}

func (o *order) plan(lines []orderLine) *creditPlan {
	if o.credit == "" || len(o.head[headOriginal]) == 0 || o.part > 0 {
		return nil
	}
	plan := &creditPlan{
		original: string(o.head[headOriginal]), status: o.credit.status(),
		note: "credit note " + o.reference, pieces: map[string]int{},
	}
	for _, l := range lines {
		plan.pieces[string(l.sku)] += int(l.quantity)
	}
	return plan
}

// sendCredit passes on the rows with negative quantities. Rows with a price of 0 credit nothing: they are stock
// adjustments, which are no orders.
func (m *orderMaker) sendCredit(o order, rows []*orderRow, faults []Fault, out emit) error {
	worth := false
	for _, r := range rows {
		worth = worth || r.worth() > 0
	}
	code, why := "credit_note", "the row is a credit note; --credit-notes return or cancel stores it as an order"
	if !worth {
		code, why = "stock_adjustment", "the quantity is below zero at price 0: a stock adjustment, no order"
	}
	if !worth || m.creditNotes == CreditReport {
		for _, r := range rows {
			faults = append(faults, r.refused(o.reference, "quantity", code, "%s", why))
		}
		return out(piece{place: rows[0].place, item: o.reference, faults: faults})
	}
	o.credit = m.creditNotes
	return m.sendLines(o, rows, faults, out)
}
