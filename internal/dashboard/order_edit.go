package dashboard

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/base/postal"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/limits"
	"entrepot/internal/orders"
)

// closeIssues serves POST /orders/{id}/issues: a person has seen to what keeps the order from following its platform.
func (d *Dashboard) closeIssues(r *request, o *orders.Order) (answer, error) {
	return r.submit(r.form(r.acting(o, "/issues")), d.showOrder, func(*form) (answer, error) {
		return d.write(r, func(tx *db.Tx) (answer, error) {
			if _, err := d.Commerce.CloseIssues(tx, o.ID); err != nil {
				return answer{}, err
			}
			return redirect(r.acting(o, ""), r.say("Settled %s", orders.Number(o.Number))), nil
		})
	})
}

// moveOrder serves POST /orders/{id}/move.
func (d *Dashboard) moveOrder(r *request, o *orders.Order) (answer, error) {
	f := r.form(r.acting(o, "/move"), field{Name: "status", Kind: "hidden"}, field{Name: "note", Label: "Note"},
		field{Name: "trackingNumber", Label: "Tracking number"}, restock)
	return r.submit(f, d.showOrder, func(f *form) (answer, error) {
		body := f.Object()
		move := drafts.ReadMove(body)
		if err := body.Err(); err != nil {
			return answer{}, err
		}
		move.Source = orders.FromDashboard
		return d.write(r, func(tx *db.Tx) (answer, error) {
			after, err := d.Commerce.MoveOrder(tx, r.caller(), o.ID, commerce.Expected{}, move)
			if err != nil {
				return answer{}, err
			}
			return redirect(r.acting(o, ""), r.movedFlash(after)), nil
		})
	})
}

// editOrder serves POST /orders/{id}/lines.
func (d *Dashboard) editOrder(r *request, o *orders.Order) (answer, error) {
	return r.submit(editForm(r, o), d.showOrder, func(f *form) (answer, error) {
		body, places := f.listed(func(at string) bool {
			if f.Value(at+"id") == "" {
				return strings.TrimSpace(f.Value(at+"sku")) == ""
			}
			return none(f.Value(at + "quantity"))
		}, "id", "sku", "quantity", "unitPrice")
		if len(places) == 0 {
			return answer{}, apperr.New(apperr.Invalid, "no_lines", "an order needs a line: cancel it instead")
		}
		edit := drafts.ReadOrderLines(body)
		if err := body.Err(); err != nil {
			return answer{}, placed(err, places)
		}
		out, err := d.write(r, func(tx *db.Tx) (answer, error) {
			_, err := d.Commerce.EditOrder(tx, r.caller(), o.ID, commerce.Expected{}, edit)
			return redirect(r.acting(o, ""), r.say("Saved the lines of %s", orders.Number(o.Number))), err
		})
		return out, placed(err, places)
	})
}

// changeNote serves POST /orders/{id}/details.
func (d *Dashboard) changeNote(r *request) (answer, error) {
	return d.changeOrder(r, "Saved the note of %s", noteForm, func(_ *orders.Order, f *form) (commerce.OrderUpdate, error) {
		body := f.Object()
		return drafts.ReadOrderUpdate(body), body.Err()
	})
}

// changeAddress serves POST /orders/{id}/address.
func (d *Dashboard) changeAddress(r *request) (answer, error) {
	return d.changeOrder(r, "Saved the shipping address of %s", addressForm, func(o *orders.Order, f *form) (update commerce.OrderUpdate, err error) {
		update.ShippingAddress, err = typedAddress("shippingAddress", o.ShippingAddress, f)
		return update, err
	})
}

// changeBilling serves POST /orders/{id}/billing-address.
func (d *Dashboard) changeBilling(r *request) (answer, error) {
	return d.changeOrder(r, "Saved the billing address of %s", billingForm, func(o *orders.Order, f *form) (update commerce.OrderUpdate, err error) {
		update.BillingAddress, err = typedAddress("billingAddress", o.BillingAddress, f)
		return update, err
	})
}

// typedAddress is the address that a form makes of the one that a member of the order holds.
func typedAddress(member, stored string, f *form) (patch.Field[string], error) {
	if code := f.Value(member + ".country"); code != "" {
		if _, ok := orders.CountryCode(code); !ok {
			return patch.Field[string]{}, apperr.At(member+".country", "must be two letters, such as FR")
		}
	}
	address, err := mergedAddress(member, stored, f)
	return patch.Field[string]{Value: address, Set: true}, err
}

// changeOrder stores what a form about the order's details says; what names it.
func (d *Dashboard) changeOrder(r *request, saved string, build func(*request, *orders.Order) *form,
	read func(*orders.Order, *form) (commerce.OrderUpdate, error)) (answer, error) {
	o, err := r.orderOf()
	if err != nil {
		return answer{}, err
	}
	return r.submit(build(r, o), d.showOrder, func(f *form) (answer, error) {
		update, err := read(o, f)
		if err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			_, err := d.Commerce.UpdateOrder(tx, r.caller(), o.ID, commerce.Expected{}, update)
			return redirect(r.acting(o, ""), r.say(saved, orders.Number(o.Number))), err
		})
	})
}

// editForm is the form of the lines: quantity and price of each, one more line, and the amounts. A quantity of 0
// removes its line.
func editForm(r *request, o *orders.Order) *form {
	var fields []field
	digits := money.Digits(o.Currency)
	for i, l := range o.Lines {
		name, at := lineName(l), "items["+strconv.Itoa(i)+"]"
		fields = append(fields, field{Name: at + ".id", Kind: "hidden", Value: string(l.ID)},
			field{Name: at + ".sku", Kind: "hidden", Value: l.SKU, SendBlank: true},
			field{Name: at + ".quantity", Label: r.say("Quantity of %s", name), Kind: "int", Bare: true, Value: strconv.FormatInt(l.Quantity, 10)},
			field{Name: at + ".unitPrice", Label: r.say("Unit price of %s", name), Kind: "decimal", Digits: digits, Bare: true,
				Value: l.UnitPrice.Text(o.Currency)})
	}
	at := "items[" + strconv.Itoa(len(o.Lines)) + "]"
	fields = append(fields, field{Name: at + ".sku", Label: "Add a SKU", Mono: true},
		field{Name: at + ".quantity", Label: "Quantity", Kind: "int"},
		field{Name: at + ".unitPrice", Label: "Unit price", Kind: "decimal", Digits: digits},
		field{Name: "shippingAmount", Label: "Shipping", Kind: "decimal", Digits: digits, Value: o.ShippingAmount.Text(o.Currency)},
		field{Name: "discountAmount", Label: "Discount", Kind: "decimal", Digits: digits, Value: o.DiscountAmount.Text(o.Currency)},
		taxField(r, o))
	return r.editing(r.acting(o, "/lines"), fields...)
}

// taxField is the input of an order's tax. It has the tax only if no rate gives it: blank leaves the computing to the
// service.
func taxField(r *request, o *orders.Order) field {
	tax := field{Name: "taxAmount", Label: "Tax", Kind: "decimal", Digits: money.Digits(o.Currency)}
	if given := o.GivenTax(); given != nil {
		tax.Value = given.Text(o.Currency)
	}
	if o.TaxRate != nil {
		tax.Hint = r.say("Blank: %s %% of the goods", o.TaxRate)
	}
	return tax
}

// noteForm is the form of the note.
func noteForm(r *request, o *orders.Order) *form {
	return r.editing(r.acting(o, "/details"),
		field{Name: "notes", Label: "Note", Kind: "textarea", Value: o.Notes, ClearBlank: true,
			Max: limits.MaxNote})
}

// addressFields are the inputs of an address, under the member of the order that holds it.
var addressFields = []field{{Name: "name", Label: "Name"}, {Name: "company", Label: "Company"}, {Name: "line1", Label: "Street"},
	{Name: "line2", Label: "Addition"}, {Name: "postalCode", Label: "Postal code"}, {Name: "city", Label: "City"},
	{Name: "state", Label: "State"},
	{Name: "country", Label: "Country", Hint: "Two letters, such as FR", Max: 2}}

// restock asks whether the units of a returned order are on hand again.
var restock = field{Name: "restock", Kind: "checkbox", Label: "Put the shipped units back in stock"}

// orderForms adds what a user may do now.
func (r *request) orderForms(view *orderView, o *orders.Order) {
	view.Note = noteForm(r, o)
	if slices.ContainsFunc(o.OpenIssues(), orders.Issue.Stuck) {
		view.Settle = r.another(r.acting(o, "/issues"))
	}
	for _, to := range o.Status.Moves() {
		if to == orders.Shipped && (view.Ship != nil || view.Edit != nil) {
			continue // the form of the lines does it
		}
		fields := []field{{Name: "status", Kind: "hidden", Value: string(to)}}
		if to == orders.Returned {
			fields = append(fields, restock)
		}
		f := r.another(r.acting(o, "/move"), fields...)
		f.At("status").Value = string(to)
		switch to {
		case orders.Returned:
			asks := newAsk("return", r.say("Mark %s returned?", view.Number), "The channel and your webhooks hear of it. You cannot undo this.",
				moveWords[to], f)
			view.Return = &asks
		case orders.Cancelled:
			asks := newAsk("cancel", r.say("Cancel %s?", view.Number), "Units that have not left go back to stock. The channel and your webhooks "+
				"hear of it. You cannot undo this.", "Cancel order", f)
			view.Cancel = &asks
		default:
			view.Moves = append(view.Moves, move{Label: moveWords[to], To: string(to), Form: f, Primary: to == orders.Processing})
		}
	}
	if !o.AnyShipped() {
		view.AddressForm, view.BillingForm = addressForm(r, o), billingForm(r, o)
	}
}

// addressForm is the form of the shipping address.
func addressForm(r *request, o *orders.Order) *form {
	return r.editing(r.acting(o, "/address"), addressInputs("shippingAddress", o.ShippingAddress)...)
}

// billingForm is the form of the billing address.
func billingForm(r *request, o *orders.Order) *form {
	return r.editing(r.acting(o, "/billing-address"), addressInputs("billingAddress", o.BillingAddress)...)
}

// addressInputs are the inputs of the address that a member of the order holds.
func addressInputs(member, address string) (fields []field) {
	v, err := jsonvalue.Parse([]byte(address))
	if err != nil {
		v, _ = jsonvalue.Parse([]byte("{}"))
	}
	for _, in := range addressFields {
		in.Value = postal.Text(v, in.Name)
		in.Name = member + "." + in.Name
		fields = append(fields, in)
	}
	return fields
}

// mergedAddress is the stored address with what was typed: members that the form does not show, or shows as they are,
// stay.
func mergedAddress(member, stored string, f *form) (string, error) {
	members := map[string]json.RawMessage{}
	if stored != "" {
		if err := json.Unmarshal([]byte(stored), &members); err != nil {
			members = map[string]json.RawMessage{}
		}
	}
	for _, in := range addressInputs(member, stored) {
		typed := strings.TrimSpace(f.Value(in.Name))
		if typed == strings.TrimSpace(in.Value) {
			continue
		}
		in.Name = strings.TrimPrefix(in.Name, member+".")
		for _, name := range postal.Names(in.Name) {
			delete(members, name)
		}
		if typed != "" {
			members[in.Name] = text(typed)
		}
	}
	out, err := json.Marshal(members)
	return string(out), err
}
