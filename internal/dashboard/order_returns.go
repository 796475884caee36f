package dashboard

import (
	"strconv"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/limits"
	"entrepot/internal/orders"
)

// orderReturnRoutes are the returns and refunds of an order.
var orderReturnRoutes = []*route{
	{method: "POST", path: "/orders/{id}/returns", scope: "write:orders", serve: on((*request).orderOf, (*Dashboard).announceReturn)},
	{method: "POST", path: "/orders/{id}/returns/move", scope: "write:orders", serve: on((*request).orderOf, (*Dashboard).moveReturn)},
	{method: "POST", path: "/orders/{id}/refunds", scope: "write:orders", serve: on((*request).orderOf, (*Dashboard).refundOrder)},
}

// returnWords are people's words for the states of a return.
var returnWords = map[orders.ReturnStatus]badge{
	orders.ReturnRequested: {"warn", "wait", "Expected"},
	orders.ReturnReceived:  {"info", "returned", "Received"},
	orders.ReturnRefunded:  {"good", "ok", "Refunded"},
	orders.ReturnRejected:  {"", "cancelled", "Rejected"},
}

// returnsCard is the card of an order's page about what comes back.
type returnsCard struct {
	Returns []orderReturn
	Unfold  *unfold // opens the forms; nil when nothing can come back
	New     *form   // of a return, when it is opened; nil when all that was shipped is in returns
	Lines   []returnInput
	Refund  *form  // of money without a return, when it is opened; nil when nothing is left to refund
	Left    string // what is left to refund
}

// orderReturn is a return of an order.
type orderReturn struct {
	ID, Words, Reason, Amount string
	Badge                     badge
	At                        stamp
	Receive, Reject, Refund   *form
}

// returnInput is a line of the form of a return.
type returnInput struct {
	Name, Most        string
	Quantity, Restock *field
}

// orderReturns is the card of returns; nil for an order of which nothing was shipped or refunded.
func (r *request) orderReturns(o *orders.Order) *returnsCard {
	left := o.Total - o.RefundedAmount
	if !o.AnyShipped() && len(o.Returns) == 0 && len(o.Refunds) == 0 {
		return nil
	}
	card := &returnsCard{}
	for i := range o.Returns {
		card.Returns = append(card.Returns, r.orderReturn(o, &o.Returns[i]))
	}
	if !r.caller().May("write:orders") || left <= 0 && o.Status == orders.Returned {
		return card
	}
	if card.Unfold = r.unfold(o, openReturns, "Return or refund"); !card.Unfold.Open {
		return card
	}
	if f := returnForm(r, o); len(f.Fields) > returnHeads && o.Status != orders.Returned {
		card.New = f
		for i, l := range o.Lines {
			at := "items[" + strconv.Itoa(i) + "]."
			if quantity := f.find(at + "quantity"); quantity != nil {
				card.Lines = append(card.Lines, returnInput{Name: lineName(l), Quantity: quantity, Restock: f.At(at + "restock"),
					Most: r.say("of %s", r.format.Count(l.Shipped-o.InReturns(l.ID)))})
			}
		}
	}
	if left > 0 {
		card.Refund, card.Left = refundForm(r, o), r.format.Money(left, o.Currency)
	}
	return card
}

// orderReturn is one return, with what may be done about it.
func (r *request) orderReturn(o *orders.Order, one *orders.Return) orderReturn {
	shown := orderReturn{ID: string(one.ID), Badge: returnWords[one.Status], Words: r.returnedUnits(o, one), Reason: one.Reason,
		At: r.format.Stamp(one.CreatedAt)}
	if one.RefundAmount != nil {
		shown.Amount = r.format.Money(*one.RefundAmount, o.Currency)
	}
	if !r.caller().May("write:orders") {
		return shown
	}
	act := func(to orders.ReturnStatus, more ...field) *form {
		if one.Status.May(to) != nil {
			return nil
		}
		f := r.another(r.acting(o, "/returns/move"), append([]field{{Name: "return", Kind: "hidden"}, {Name: "status", Kind: "hidden"}}, more...)...)
		f.At("return").Value, f.At("status").Value = string(one.ID), string(to)
		return f
	}
	shown.Receive, shown.Reject = act(orders.ReturnReceived), act(orders.ReturnRejected)
	if refund, err := o.RefundOf(*one, 0); err == nil {
		shown.Refund = act(orders.ReturnRefunded, r.amountField(o, "refundAmount", "Refund", refund.Amount))
	}
	return shown
}

// returnedUnits are the units of a return in words.
func (r *request) returnedUnits(o *orders.Order, one *orders.Return) string {
	var words []string
	for _, l := range one.Lines {
		name := ""
		if of := o.Line(l.Line); of != nil {
			name = lineName(*of)
		}
		said := r.format.Count(l.Quantity) + " × " + name
		if !l.Restock {
			said = r.say("%s, not to be sold again", said)
		}
		words = append(words, said)
	}
	return strings.Join(words, " · ")
}

// amountField is the input of an amount in the order's currency.
func (r *request) amountField(o *orders.Order, name, label string, amount money.Amount) field {
	return field{Name: name, Label: label + ", " + o.Currency, Kind: "decimal", Digits: money.Digits(o.Currency), Value: amount.String()}
}

// returnHeads is how many fields a return has besides its lines.
const returnHeads = 1

// returnForm is the form of a return: how many of each shipped line come back.
func returnForm(r *request, o *orders.Order) *form {
	fields := []field{{Name: "reason", Label: "Reason", Max: limits.MaxReason}}
	for i, l := range o.Lines {
		if l.Shipped-o.InReturns(l.ID) <= 0 {
			continue
		}
		at := "items[" + strconv.Itoa(i) + "]."
		fields = append(fields, field{Name: at + "orderItemId", Kind: "hidden", Value: string(l.ID)},
			field{Name: at + "quantity", Label: r.say("Come back: %s", lineName(l)), Kind: "int"},
			field{Name: at + "restock", Label: r.say("Can be sold again: %s", lineName(l)), Kind: "checkbox", Value: "true"})
	}
	return r.form(r.acting(o, "/returns"), fields...)
}

// announceReturn serves POST /orders/{id}/returns.
func (d *Dashboard) announceReturn(r *request, o *orders.Order) (answer, error) {
	return r.submit(returnForm(r, o), d.showOrder, func(f *form) (answer, error) {
		body, places := f.listed(func(at string) bool { return none(f.Value(at + "quantity")) }, "orderItemId", "quantity", "restock")
		if len(places) == 0 {
			return answer{}, apperr.New(apperr.Invalid, "nothing_to_return", "type how many units of a line come back")
		}
		draft := drafts.ReadReturn(body)
		if err := body.Err(); err != nil {
			return answer{}, placed(err, places)
		}
		out, err := d.write(r, func(tx *db.Tx) (answer, error) {
			_, one, err := d.Commerce.CreateReturn(tx, o.ID, commerce.Expected{}, draft)
			return redirect(r.acting(o, ""), r.say("Announced a return: %s", r.returnedUnits(o, &one))), err
		})
		return out, placed(err, places)
	})
}

// moveReturn serves POST /orders/{id}/returns/move: the return that the form names is received, refunded or rejected.
func (d *Dashboard) moveReturn(r *request, o *orders.Order) (answer, error) {
	of, ok := id.Parse[id.Return](r.http.PostForm.Get("return"))
	if !ok {
		return answer{}, apperr.Missing("return")
	}
	f := r.another(r.acting(o, "/returns/move"), field{Name: "status", Kind: "hidden"}, r.amountField(o, "refundAmount", "Refund", 0))
	return r.submit(f, d.showOrder, func(f *form) (answer, error) {
		body := f.Object()
		update := drafts.ReadReturnUpdate(body)
		if err := body.Err(); err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			after, one, err := d.Commerce.UpdateReturn(tx, r.caller(), o.ID, commerce.Expected{}, of, update)
			if err != nil {
				return answer{}, err
			}
			return redirect(r.acting(o, ""), r.returnDone(after, &one)), nil
		})
	})
}

// returnDone says what a return has become, and the order with it.
func (r *request) returnDone(o *orders.Order, one *orders.Return) string {
	number := orders.Number(o.Number)
	switch one.Status {
	case orders.ReturnReceived:
		said := r.say("Received the return of %s", number)
		for _, l := range one.Lines {
			if l.Restock {
				said += ". What can be sold again is back in stock"
				break
			}
		}
		if o.Status == orders.Returned {
			said += ". The whole order has come back"
		}
		return said
	case orders.ReturnRefunded:
		return r.say("Recorded a refund of %s for %s. Pay it back where the customer paid", r.format.Money(*one.RefundAmount, o.Currency), number)
	}
	return r.say("Rejected the return of %s", number)
}

// refundForm is the form of a refund without a return.
func refundForm(r *request, o *orders.Order) *form {
	amount := r.amountField(o, "amount", "Amount", 0)
	amount.Value, amount.Required = "", true
	return r.form(r.acting(o, "/refunds"), amount, field{Name: "reason", Label: "Reason", Max: limits.MaxReason})
}

// refundOrder serves POST /orders/{id}/refunds.
func (d *Dashboard) refundOrder(r *request, o *orders.Order) (answer, error) {
	return r.submit(refundForm(r, o), d.showOrder, func(f *form) (answer, error) {
		body := f.Object()
		draft := drafts.ReadRefund(body)
		if err := body.Err(); err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			after, refund, err := d.Commerce.RefundOrder(tx, r.caller(), o.ID, commerce.Expected{}, draft)
			if err != nil {
				return answer{}, err
			}
			return redirect(r.acting(o, ""),
				r.say("Recorded a refund of %s for %s. Pay it back where the customer paid",
					r.format.Money(refund.Amount, after.Currency), orders.Number(o.Number))), nil
		})
	})
}
