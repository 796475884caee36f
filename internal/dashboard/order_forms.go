package dashboard

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"entrepot/internal/apijson"
	"entrepot/internal/apperr"
	"entrepot/internal/id"
	"entrepot/internal/jsonvalue"
	"entrepot/internal/limits"
	"entrepot/internal/money"
	"entrepot/internal/orders"
	"entrepot/internal/postal"
	"entrepot/internal/records"
)

// shipForm is the form of a shipment: how many of each line leave now, all that remains unless another number is typed.
func shipForm(r *request, o *orders.Order) *form {
	fields := []field{{Name: "carrier", Label: "Carrier", Value: o.TrackingCarrier, Max: apijson.MaxText},
		{Name: "trackingNumber", Label: "Tracking number", Max: apijson.MaxText},
		{Name: "trackingUrl", Label: "Tracking link", Kind: "url", Placeholder: "https://"}}
	for i, l := range o.Lines {
		if l.Remaining() <= 0 {
			continue
		}
		name := l.Name
		if name == "" {
			name = l.SKU
		}
		at := "items[" + strconv.Itoa(i) + "]"
		fields = append(fields, field{Name: at + ".orderItemId", Kind: "hidden", Value: string(l.ID)},
			field{Name: at + ".quantity", Label: "Ship now: " + name, Kind: "int", Value: strconv.FormatInt(l.Remaining(), 10)})
	}
	f := r.editing(r.acting(o, "/ship"), fields...)
	if r.stale != nil && o.Empty() {
		r.stale = apperr.New(apperr.Precondition, "precondition_failed",
			"meanwhile all of it was shipped: nothing is left to ship, and nothing that you typed is stored")
	}
	return f
}

// carrierName is the cookie of a browser with the carrier of its last parcel: whoever packs hands most parcels to one.
const carrierName = "entrepot-carrier"

// mostCarrier bounds the name that is kept there, in bytes.
const mostCarrier = 100

// proposed fills the form of a new page: with what the shipment had that was just deleted, to be corrected, else with the carrier of the
// last parcel from this browser. What is proposed is no stored value, which others could change meanwhile. It reports the former.
func (r *request) proposed(f *form) (again bool) {
	if r.http.Method == http.MethodPost {
		return false
	}
	if c, err := r.http.Cookie(flashName); err == nil {
		for name, value := range flashOf(c.Value).Again {
			if in := f.find(name); in != nil {
				in.Value, again = value, true
			}
		}
	}
	if f.At("carrier").Value == "" {
		f.At("carrier").Value = r.lastCarrier()
	}
	return again
}

// lastCarrier is the carrier of the last parcel from this browser, "" for none.
func (r *request) lastCarrier() string {
	c, err := r.http.Cookie(carrierName)
	if err != nil {
		return ""
	}
	name, err := url.QueryUnescape(c.Value)
	if err != nil || len(name) > mostCarrier || !utf8.ValidString(name) {
		return ""
	}
	return name
}

// remembered adds the carrier of a parcel to an answer, for the next one.
func (r *request) remembered(out answer, carrier string) answer {
	if carrier != "" && len(carrier) <= mostCarrier {
		out.cookies = append(out.cookies, r.cookie(carrierName, url.QueryEscape(carrier), imagesTime))
	}
	return out
}

// shippedAgain are the inputs of the form that would ship what a shipment has, by their names.
func shippedAgain(o *orders.Order, which id.Shipment) map[string]string {
	at := slices.IndexFunc(o.Shipments, func(s orders.Shipment) bool { return s.ID == which })
	if at < 0 {
		return nil
	}
	s := &o.Shipments[at]
	again := map[string]string{"carrier": s.Carrier, "trackingNumber": s.TrackingNumber, "trackingUrl": s.TrackingURL}
	for i, l := range o.Lines {
		quantity := int64(0)
		for _, part := range s.Lines {
			if part.Line == l.ID {
				quantity += part.Quantity
			}
		}
		again["items["+strconv.Itoa(i)+"].quantity"] = strconv.FormatInt(quantity, 10)
	}
	return again
}

// editForm is the form of the lines: quantity and price of each, one more line, and the amounts. A quantity of 0 removes its line.
func editForm(r *request, o *orders.Order) *form {
	var fields []field
	digits := money.Digits(o.Currency)
	for i, l := range o.Lines {
		name, at := l.Name, "items["+strconv.Itoa(i)+"]"
		if name == "" {
			name = l.SKU
		}
		fields = append(fields, field{Name: at + ".id", Kind: "hidden", Value: string(l.ID)},
			field{Name: at + ".sku", Kind: "hidden", Value: l.SKU, SendBlank: true},
			field{Name: at + ".quantity", Label: "Quantity of " + name, Kind: "int", Bare: true, Value: strconv.FormatInt(l.Quantity, 10)},
			field{Name: at + ".unitPrice", Label: "Unit price of " + name, Kind: "decimal", Digits: digits, Bare: true,
				Value: l.UnitPrice.Text(o.Currency)})
	}
	at := "items[" + strconv.Itoa(len(o.Lines)) + "]"
	fields = append(fields, field{Name: at + ".sku", Label: "Add a SKU", Mono: true},
		field{Name: at + ".quantity", Label: "Quantity", Kind: "int"},
		field{Name: at + ".unitPrice", Label: "Unit price", Kind: "decimal", Digits: digits},
		field{Name: "shippingAmount", Label: "Shipping", Kind: "decimal", Digits: digits, Value: o.ShippingAmount.Text(o.Currency)},
		field{Name: "discountAmount", Label: "Discount", Kind: "decimal", Digits: digits, Value: o.DiscountAmount.Text(o.Currency)},
		taxField(o))
	return r.editing(r.acting(o, "/lines"), fields...)
}

// taxField is the input of an order's tax. It has the tax only if no rate gives it: blank leaves the computing to the service.
func taxField(o *orders.Order) field {
	tax := field{Name: "taxAmount", Label: "Tax", Kind: "decimal", Digits: money.Digits(o.Currency)}
	if given := o.GivenTax(); given != nil {
		tax.Value = given.Text(o.Currency)
	}
	if o.TaxRate != nil {
		tax.Hint = "Blank: " + o.TaxRate.String() + " % of the goods"
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
var restock = field{Name: "restock", Kind: "checkbox", Label: "What was shipped is back and on hand again"}

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
			asks := newAsk("return", view.Number+" came back?", "The channel and webhook receivers are notified. This cannot be taken back.",
				moveWords[to], f)
			view.Return = &asks
		case orders.Cancelled:
			asks := newAsk("cancel", "Cancel "+view.Number+"?", "What is not shipped yet is released to stock. The channel and webhook "+
				"receivers are notified. This cannot be taken back.", "Cancel order", f)
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

// mergedAddress is the stored address with what was typed: members that the form does not show, or shows as they are, stay.
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

// paymentPairs are the members of an object of plain values, without those that are null; nil for anything else.
func paymentPairs(metadata string) (list []pair) {
	decoder := json.NewDecoder(bytes.NewReader([]byte(metadata)))
	decoder.UseNumber()
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	list = []pair{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil
		}
		value, err := decoder.Token()
		if _, nested := value.(json.Delim); nested || err != nil || len(list) == 50 {
			return nil
		}
		if value != nil {
			list = append(list, pair{Name: name.(string), Value: plainValue(value), Mono: true})
		}
	}
	return list
}

func plainValue(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// orderJSON is the order as the API shows it, with so many coloured tokens.
func orderJSON(o *orders.Order, most int) []token {
	w := apijson.NewWriter(4096)
	w.Object("")
	records.WriteOrder(w, "data", o)
	w.End()
	return colourTo(string(w.Bytes()), most)
}

func signed(f format, n int64) string {
	if n > 0 {
		return "+" + f.Count(n)
	}
	return f.Count(n)
}
