package orders

import (
	"cmp"
	"fmt"
	"slices"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
)

// ReturnStatus is the state of a return (interface §3.2).
type ReturnStatus string

// The states of a return; ReturnRefunded and ReturnRejected are final.
const (
	ReturnRequested ReturnStatus = "requested"
	ReturnReceived  ReturnStatus = "received"
	ReturnRefunded  ReturnStatus = "refunded"
	ReturnRejected  ReturnStatus = "rejected"
)

// ReturnStatuses lists the states in the order of a return's life.
var ReturnStatuses = []ReturnStatus{ReturnRequested, ReturnReceived, ReturnRefunded, ReturnRejected}

// returnMoves are the states that may follow a state.
var returnMoves = map[ReturnStatus][]ReturnStatus{
	ReturnRequested: {ReturnReceived, ReturnRejected},
	ReturnReceived:  {ReturnRefunded, ReturnRejected},
}

// May returns the 409 for a change of a return's state outside the table, or nil.
func (s ReturnStatus) May(to ReturnStatus) error {
	if slices.Contains(returnMoves[s], to) {
		return nil
	}
	allowed := returnMoves[s]
	if allowed == nil {
		allowed = []ReturnStatus{}
	}
	return apperr.New(apperr.Conflict, "return_transition_not_allowed", "a return cannot go from %s to %s", s, to).
		With("from", s).With("to", to).With("allowed", allowed)
}

// Return is the units that a buyer sends back after they were shipped.
type Return struct {
	ID           id.Return
	ExternalID   string // the platform's id, or that of its refund, "" for one that was recorded here
	Status       ReturnStatus
	Reason       string
	Notes        string
	RefundAmount *money.Amount // nil: what its units cost, until it is refunded
	Refund       string        // the id of the refund that it ended in, "" for none
	CreatedAt    int64
	UpdatedAt    int64
	Lines        []ReturnLine
}

// ReturnLine is an order line and its quantity in a return.
type ReturnLine struct {
	Line     id.Line
	Quantity int64
	Restock  bool // the units are put on hand when they are received
}

// back reports whether the units of the return have been received.
func (r *Return) back() bool { return r.Status == ReturnReceived || r.Status == ReturnRefunded }

// ReturnDraft is a caller's input for a return (interface §4.1).
type ReturnDraft struct {
	Reason       string
	Notes        string
	RefundAmount *money.Amount
	Lines        []ReturnLine
}

// AddReturn adds a requested return to the order. Quantities of a line named twice are added; such a line is restocked
// if one of the two entries says so. Errors: Conflict when the order is returned already; Invalid for unknown lines,
// for more units than were shipped and are in no other return, and for a refund above what is left of the total.
func (o *Order) AddReturn(draft ReturnDraft, now int64) (Return, error) {
	r := Return{ID: id.New[id.Return](), Status: ReturnRequested, Reason: draft.Reason, Notes: draft.Notes, CreatedAt: now, UpdatedAt: now}
	if o.Status == Returned {
		return r, apperr.New(apperr.Conflict, "order_not_returnable", "the order is RETURNED already").With("orderId", o.ID)
	}
	var details []apperr.Detail
	for i, l := range draft.Lines {
		at := slices.IndexFunc(r.Lines, func(known ReturnLine) bool { return known.Line == l.Line })
		if at < 0 {
			at, r.Lines = len(r.Lines), append(r.Lines, ReturnLine{Line: l.Line})
		}
		r.Lines[at].Quantity += l.Quantity
		r.Lines[at].Restock = r.Lines[at].Restock || l.Restock
		of := o.Line(l.Line)
		if of == nil {
			details = append(details, apperr.Detail{Path: fmt.Sprintf("items[%d].orderItemId", i), Message: "the order has no such line"})
		} else if most := of.Shipped - o.InReturns(l.Line); r.Lines[at].Quantity > most {
			details = append(details, apperr.Detail{Path: fmt.Sprintf("items[%d].quantity", i),
				Message: fmt.Sprintf("Cannot return %d of %s only %d shipped and not returned", r.Lines[at].Quantity, of.SKU, most)})
		}
	}
	if len(details) > 0 {
		return r, apperr.Validation(details)
	}
	if draft.RefundAmount != nil {
		amount, err := o.refundable("refundAmount", *draft.RefundAmount)
		if err != nil {
			return r, err
		}
		r.RefundAmount = &amount
	}
	o.Returns = append(slices.Clone(o.Returns), r)
	return r, nil
}

// refundable returns an amount to pay back, rounded to the currency's minor unit. Error: Invalid, about the member at
// path, for more than is left of the order's total.
func (o *Order) refundable(path string, amount money.Amount) (money.Amount, error) {
	amount = amount.Round(money.Digits(o.Currency))
	if left := o.Total - o.RefundedAmount; amount > left {
		return 0, apperr.At(path, "must not be above what is left to refund, %s", max(0, left))
	}
	return amount, nil
}

// InReturns returns how many units of a line are in returns that were not rejected.
func (o *Order) InReturns(line id.Line) (n int64) {
	return o.returned(line, func(r *Return, _ ReturnLine) bool { return r.Status != ReturnRejected })
}

// Back returns how many units of a line were received in returns.
func (o *Order) Back(line id.Line) int64 {
	return o.returned(line, func(r *Return, _ ReturnLine) bool { return r.back() })
}

// ReturnedWholly reports whether something was shipped and all of it has been received back.
func (o *Order) ReturnedWholly() bool {
	any := false
	for i := range o.Lines {
		l := &o.Lines[i]
		if l.Shipped > o.Back(l.ID) && !l.Fee {
			return false
		}
		any = any || l.Shipped > 0
	}
	return any
}

// returned adds up the units of a line in some returns.
func (o *Order) returned(line id.Line, counts func(*Return, ReturnLine) bool) (n int64) {
	for i := range o.Returns {
		for _, l := range o.Returns[i].Lines {
			if l.Line == line && counts(&o.Returns[i], l) {
				n += l.Quantity
			}
		}
	}
	return n
}

// RefundOf returns the refund of a received return: the agreed amount, otherwise the price of its units, at most what
// is left of the total. Error: Invalid when the agreed amount is more than is left.
func (o *Order) RefundOf(r Return, now int64) (Refund, error) {
	refund, sum := Refund{ID: id.New[string](), Reason: r.Reason, CreatedAt: now}, money.Amount(0)
	for _, l := range r.Lines {
		price := o.priceOf(l.Line, l.Quantity)
		refund.Lines = append(refund.Lines, RefundLine{Line: l.Line, Quantity: l.Quantity, Amount: price})
		sum += price
	}
	if r.RefundAmount == nil {
		refund.Amount = max(0, min(sum, o.Total-o.RefundedAmount))
		return refund, nil
	}
	var err error
	refund.Amount, err = o.refundable("refundAmount", *r.RefundAmount)
	return refund, err
}

// priceOf returns the price of some units of a line, rounded to the currency's minor unit.
func (o *Order) priceOf(line id.Line, quantity int64) money.Amount {
	l := o.Line(line)
	if quantity == l.Quantity {
		return l.Total
	}
	price, _ := l.Total.Per(l.Quantity).Times(quantity)
	return price.Round(money.Digits(o.Currency))
}

// RefundDraft is a caller's input for a refund without a return (interface §4.1).
type RefundDraft struct {
	Amount money.Amount
	Reason string
	Lines  []RefundLineDraft
}

// RefundLineDraft is a refunded part of a line; without an amount the units are refunded at their price in the order.
type RefundLineDraft struct {
	Line     id.Line
	Quantity int64
	Amount   *money.Amount
}

// NewRefund checks a draft and creates a refund from it. Errors: Invalid for unknown lines, for a line named twice, for
// more units than the line has unrefunded, and for more money than is left of the total.
func (o *Order) NewRefund(draft RefundDraft, now int64) (Refund, error) {
	refund := Refund{ID: id.New[string](), Reason: draft.Reason, CreatedAt: now}
	var details []apperr.Detail
	for i, l := range draft.Lines {
		of := o.Line(l.Line)
		known := slices.ContainsFunc(refund.Lines, func(k RefundLine) bool { return k.Line == l.Line })
		switch {
		case of == nil:
			details = append(details, apperr.Detail{Path: fmt.Sprintf("items[%d].orderItemId", i), Message: "the order has no such line"})
			continue
		case known:
			details = append(details, apperr.Detail{Path: fmt.Sprintf("items[%d].orderItemId", i), Message: "is named twice"})
		case l.Quantity > of.Quantity-o.refundedUnits(l.Line):
			details = append(details, apperr.Detail{Path: fmt.Sprintf("items[%d].quantity", i),
				Message: fmt.Sprintf("Cannot refund %d of %s only %d not refunded", l.Quantity, of.SKU, of.Quantity-o.refundedUnits(l.Line))})
		}
		amount := o.priceOf(l.Line, l.Quantity)
		if l.Amount != nil {
			amount = l.Amount.Round(money.Digits(o.Currency))
		}
		refund.Lines = append(refund.Lines, RefundLine{Line: l.Line, Quantity: l.Quantity, Amount: amount})
	}
	if len(details) > 0 {
		return refund, apperr.Validation(details)
	}
	var err error
	refund.Amount, err = o.refundable("amount", draft.Amount)
	return refund, err
}

// refundedUnits returns how many units of a line the refunds of the order name.
func (o *Order) refundedUnits(line id.Line) (n int64) {
	for _, r := range o.Refunds {
		for _, l := range r.Lines {
			if l.Line == line {
				n += l.Quantity
			}
		}
	}
	return n
}

// ReturnFrom adds a return that a platform names, with what of its lines was shipped and is in no other return, and
// returns it: refunded if its refund, by the platform's id, is one of the order's, else received. nil: nothing is left
// of it.
func (o *Order) ReturnFrom(r Return, refund string, now int64) *Return {
	lines := r.Lines
	r.Lines = nil
	for _, l := range lines {
		of := o.Line(l.Line)
		at, taken := slices.IndexFunc(r.Lines, func(known ReturnLine) bool { return known.Line == l.Line }), int64(0)
		if at >= 0 {
			taken = r.Lines[at].Quantity
		}
		switch l.Quantity = min(l.Quantity, of.Shipped-o.InReturns(l.Line)-taken); {
		case l.Quantity <= 0:
		case at >= 0: // a return has one entry for a line
			r.Lines[at].Quantity += l.Quantity
			r.Lines[at].Restock = r.Lines[at].Restock || l.Restock
		default:
			r.Lines = append(r.Lines, l)
		}
	}
	if len(r.Lines) == 0 {
		return nil
	}
	r.ID, r.Status, r.UpdatedAt = id.New[id.Return](), ReturnReceived, now
	if r.CreatedAt == 0 {
		r.CreatedAt = now
	}
	r.settle(o.RefundFrom(refund))
	o.Returns = append(slices.Clone(o.Returns), r)
	return &r
}

// settle ends a received return in a refund; nil leaves it.
func (r *Return) settle(refund *Refund) {
	if refund != nil {
		r.Status, r.Refund, r.RefundAmount = ReturnRefunded, refund.ID, &refund.Amount
	}
}

// ReturnedAs reports whether the order has the return with a platform's id.
func (o *Order) ReturnedAs(externalID string) bool {
	return slices.ContainsFunc(o.Returns, func(r Return) bool { return externalID != "" && r.ExternalID == externalID })
}

// OpenReturn finds the return in a state that was recorded here and has just these units, by line; -1 if there is none.
func (o *Order) OpenReturn(status ReturnStatus, units map[id.Line]int64) int {
	return slices.IndexFunc(o.Returns, func(r Return) bool {
		if r.Status != status || r.ExternalID != "" || len(r.Lines) != len(units) {
			return false
		}
		return !slices.ContainsFunc(r.Lines, func(l ReturnLine) bool { return units[l.Line] != l.Quantity })
	})
}

// SettleReturn ends a received return of a locked order in a refund that its platform made.
func (o *Order) SettleReturn(tx db.Writer, at int, refund Refund, now int64) {
	r := o.Returns[at]
	r.ExternalID, r.UpdatedAt = refund.ExternalID, now
	r.settle(&refund)
	o.SaveReturn(tx, at, r)
}

// ReceiveReturn receives a requested return of a locked order, which its platform has under an id. With restock all of
// its units can be sold again. It returns the return.
func (o *Order) ReceiveReturn(tx db.Writer, at int, externalID string, restock bool, now int64) Return {
	r := o.Returns[at]
	r.Status, r.ExternalID, r.UpdatedAt = ReturnReceived, externalID, now
	if restock {
		r.restockAll(tx, o.ID)
	}
	o.SaveReturn(tx, at, r)
	return r
}

// restockAll queues that all units of a return can be sold again.
func (r *Return) restockAll(tx db.Writer, order id.Order) {
	r.Lines = slices.Clone(r.Lines)
	for i := range r.Lines {
		r.Lines[i].Restock = true
	}
	tx.Queue("UPDATE order_return_lines SET restock = TRUE WHERE tenant_id = $1 AND order_id = $2::UUID AND return_id = $3::UUID",
		tx.TenantID(), order, r.ID)
}

// Restocked returns how many units of a line were received in returns that are a platform's, or that put them on hand.
func (o *Order) Restocked(line id.Line) int64 {
	return o.returned(line, func(r *Return, l ReturnLine) bool { return r.back() && (l.Restock || r.ExternalID != "") })
}

type returnRow struct {
	order id.Order
	Return
}

var returnTable = db.NewTable("order_returns",
	db.Col("order_id", func(r *returnRow) any { return &r.order }),
	db.Col("id", func(r *returnRow) any { return &r.ID }),
	db.Col("status", func(r *returnRow) any { return &r.Status }),
	db.Col("reason", func(r *returnRow) any { return &r.Reason }).Null(),
	db.Col("notes", func(r *returnRow) any { return &r.Notes }).Null(),
	db.Col("refund_amount", func(r *returnRow) any { return &r.RefundAmount }),
	db.Col("refund_id", func(r *returnRow) any { return &r.Refund }).Null(),
	db.Col("created_at", func(r *returnRow) any { return &r.CreatedAt }),
	db.Col("updated_at", func(r *returnRow) any { return &r.UpdatedAt }),
	db.Col("external_id", func(r *returnRow) any { return &r.ExternalID }).Null(),
)

type returnLineRow struct {
	order id.Order
	of    id.Return
	ReturnLine
}

var returnLineTable = db.NewTable("order_return_lines",
	db.Col("order_id", func(l *returnLineRow) any { return &l.order }),
	db.Col("return_id", func(l *returnLineRow) any { return &l.of }),
	db.Col("line_id", func(l *returnLineRow) any { return &l.Line }),
	db.Col("quantity", func(l *returnLineRow) any { return &l.Quantity }),
	db.Col("restock", func(l *returnLineRow) any { return &l.Restock }),
)

var (
	returnsOf     = db.KeyedBy(returnTable.Select(""), "order_id", " ORDER BY created_at, id")
	returnLinesOf = db.KeyedBy(returnLineTable.Select(""), "order_id", " ORDER BY return_id, line_id")
)

// prefetchReturns prefetches the returns of an order, oldest first.
func prefetchReturns(r db.Reader, order id.Order) *db.Pending[[]Return] {
	p, lines := new(db.Pending[[]Return]), map[id.Return][]ReturnLine{}
	scan, scanLine := returnTable.Scanner(), returnLineTable.Scanner()
	below := prefetchOf(r, returnLinesOf, order, func(row db.Rows) error {
		l, err := scanLine(row)
		lines[l.of] = append(lines[l.of], l.ReturnLine)
		return err
	})
	return p.Await(below, prefetchOf(r, returnsOf, order, func(row db.Rows) error {
		head, err := scan(row)
		head.Lines = lines[head.ID]
		p.Value = append(p.Value, head.Return)
		return err
	}))
}

// InsertReturn writes a new return of a locked order.
func InsertReturn(w db.Writer, order id.Order, r Return) {
	returnTable.Insert(w, returnRow{order, r})
	rows := make([]returnLineRow, len(r.Lines))
	for i, l := range r.Lines {
		rows[i] = returnLineRow{order, r.ID, l}
	}
	slices.SortFunc(rows, func(a, b returnLineRow) int { return cmp.Compare(a.Line, b.Line) })
	returnLineTable.Insert(w, rows...)
}

// SaveReturn replaces a return of a locked order with its changed version.
func (o *Order) SaveReturn(tx db.Writer, at int, r Return) {
	o.Returns = slices.Clone(o.Returns)
	o.Returns[at] = r
	returnTable.Update(tx, &returnRow{o.ID, r}, "order_id = $2::UUID AND id = $3::UUID", o.ID, r.ID).Rows(1, nil)
}

// ReceiveReturns receives the requested returns of a locked order, all of whose units can be sold again, and returns them.
func (o *Order) ReceiveReturns(tx db.Writer, now int64) (received []Return) {
	for at, r := range o.Returns {
		if r.Status != ReturnRequested {
			continue
		}
		r.Status, r.UpdatedAt = ReturnReceived, now
		r.restockAll(tx, o.ID)
		o.SaveReturn(tx, at, r)
		received = append(received, r)
	}
	return received
}
