package dashboard

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/apijson"
	"entrepot/internal/apperr"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/id"
	"entrepot/internal/jsonvalue"
	"entrepot/internal/orders"
	"entrepot/internal/patch"
)

// orderOf reads the order of the path, on which the form is based.
func (r *request) orderOf() (o *orders.Order, err error) {
	which, err := pathID[id.Order](r, "order")
	if err != nil {
		return nil, err
	}
	return o, r.read(func(tx *db.Tx) error {
		o, err = orders.ByID(tx, which)
		return err
	})
}

// listOf is the list that the page of an order was opened from, all orders for none.
func (r *request) listOf() orderList {
	q, err := r.readOrders(r.http.URL.Query())
	if err != nil {
		q, _ = r.readOrders(nil)
	}
	return q
}

// acting is the address of an action on the order, or with "" of its page, with the list that it was opened from: who works through a
// list stays in it.
func (r *request) acting(o *orders.Order, what string) string {
	return strings.TrimPrefix(r.listOf().at("/orders/"+string(o.ID)+what), prefix)
}

// listed is a form's list items[] in the API's structure, without entries that skip selects, and the index of each
// entry in the form.
func (f *form) listed(skip func(at string) bool, members ...string) (o *apijson.Object, places []int) {
	document := map[string]any{}
	asked := map[string]string{} // what is unclear, by the member's path
	for _, in := range f.Fields {
		if !strings.HasPrefix(in.Name, "items[") {
			if value, given := f.member(in); given {
				document[in.Name] = value
			}
			asked[in.Name] = f.unclear[in.Name]
		}
	}
	items := []map[string]json.RawMessage{}
	for i := 0; ; i++ {
		at := "items[" + strconv.Itoa(i) + "]."
		if !slices.ContainsFunc(f.Fields, func(in *field) bool { return strings.HasPrefix(in.Name, at) }) {
			if i > 500 {
				break
			}
			continue
		}
		if skip(at) {
			continue
		}
		item := map[string]json.RawMessage{}
		for _, name := range members {
			if k := slices.IndexFunc(f.Fields, func(in *field) bool { return in.Name == at+name }); k >= 0 {
				if value, given := f.member(f.Fields[k]); given {
					item[name] = value
				}
				asked["items["+strconv.Itoa(len(items))+"]."+name] = f.unclear[at+name]
			}
		}
		items, places = append(items, item), append(places, i)
	}
	document["items"] = items
	v, err := jsonvalue.Parse(text(document))
	if err != nil {
		v, _ = jsonvalue.Parse([]byte("{}"))
	}
	o = apijson.Read(v)
	for _, path := range slices.Sorted(maps.Keys(asked)) {
		if asked[path] != "" {
			o.AddError(path, "%s", asked[path])
		}
	}
	return o, places
}

var itemPath = regexp.MustCompile(`^items\[(\d+)\]`)

// placed moves errors of list entries to the inputs that they came from.
func placed(err error, places []int) error {
	e, ok := apperr.As(err)
	if !ok || len(e.Details) == 0 {
		return err
	}
	moved := *e
	moved.Details = slices.Clone(e.Details)
	for i, d := range moved.Details {
		found := itemPath.FindStringSubmatch(d.Path)
		if found == nil {
			continue
		}
		if n, err := strconv.Atoi(found[1]); err == nil && n < len(places) {
			moved.Details[i].Path = "items[" + strconv.Itoa(places[n]) + "]" + d.Path[len(found[0]):]
		}
	}
	return &moved
}

// none reports whether a typed quantity means zero.
func none(text string) bool {
	text = strings.TrimSpace(text)
	return text == "" || strings.Trim(text, "0") == ""
}

// shipOrder serves POST /orders/{id}/ship.
func (d *Dashboard) shipOrder(r *request) (answer, error) {
	o, err := r.orderOf()
	if err != nil {
		return answer{}, err
	}
	f := shipForm(r, o)
	return r.submit(f, d.showOrder, func(f *form) (answer, error) {
		body, places := f.listed(func(at string) bool { return none(f.Value(at + "quantity")) }, "orderItemId", "quantity")
		if len(places) == 0 {
			return answer{}, apperr.New(apperr.Invalid, "nothing_to_ship", "type how many units of a line leave now")
		}
		draft := drafts.ReadShipment(body)
		if draft.TrackingNumber == "" && orders.CarrierOf(draft.Carrier) != "" {
			body.AddError("carrier", "is a tracking number: type it there")
		}
		if err := body.Err(); err != nil {
			return answer{}, placed(err, places)
		}
		if draft.Carrier == "" || draft.Carrier == strings.TrimSpace(r.http.PostForm.Get("proposedCarrier")) {
			draft.Carrier = cmp.Or(orders.CarrierOf(draft.TrackingNumber), draft.Carrier)
		}
		out, err := d.write(r, func(tx *db.Tx) (answer, error) {
			after, shipment, err := d.Commerce.ShipOrder(tx, r.caller(), o.ID, commerce.Expected{}, draft)
			if err != nil {
				return answer{}, err
			}
			out := redirect(r.acting(o, ""), orders.Number(o.Number)+": "+r.shipmentWords(&shipment)+" shipped; it is "+
				strings.ToLower(statusWords[after.Status].Word))
			out = r.remembered(out, shipment.Carrier)
			return out.undo(undo{Action: r.acting(o, "/unship"), Fields: map[string]string{"shipment": string(shipment.ID)}}), nil
		})
		return out, placed(err, places)
	})
}

// trackOrder serves POST /orders/{id}/tracking: it changes carrier and tracking number of the shipment that the form names.
func (d *Dashboard) trackOrder(r *request) (answer, error) {
	o, err := r.orderOf()
	if err != nil {
		return answer{}, err
	}
	shipment, ok := id.Parse[id.Shipment](r.http.PostForm.Get("shipment"))
	if !ok {
		return answer{}, apperr.Missing("shipment")
	}
	f := r.another(r.acting(o, "/tracking"), field{Name: "trackingNumber", Label: "Tracking number", SendBlank: true},
		field{Name: "carrier", Label: "Carrier", SendBlank: true})
	return r.submit(f, d.showOrder, func(f *form) (answer, error) {
		body := f.Object()
		update := drafts.ReadShipmentUpdate(body)
		if err := body.Err(); err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			_, _, err := d.Commerce.UpdateShipment(tx, r.caller(), o.ID, commerce.Expected{}, shipment, update)
			return redirect(r.acting(o, ""), "The tracking is changed; the channel and webhook receivers are notified"), err
		})
	})
}

// unshipOrder serves POST /orders/{id}/unship: it deletes the shipment that the form names.
func (d *Dashboard) unshipOrder(r *request) (answer, error) {
	o, err := r.orderOf()
	if err != nil {
		return answer{}, err
	}
	shipment, ok := id.Parse[id.Shipment](r.http.PostForm.Get("shipment"))
	if !ok {
		return answer{}, apperr.Missing("shipment")
	}
	f := r.form(r.acting(o, "/unship"), field{Name: "shipment", Kind: "hidden"})
	return r.submit(f, d.showOrder, func(*form) (answer, error) {
		return d.write(r, func(tx *db.Tx) (answer, error) {
			after, err := d.Commerce.UnshipOrder(tx, r.caller(), o.ID, commerce.Expected{}, shipment)
			if err != nil {
				return answer{}, err
			}
			out := redirect(r.acting(o, ""), "The shipment is deleted and its units are back in stock; "+orders.Number(o.Number)+" is "+
				strings.ToLower(statusWords[after.Status].Word)+". Receivers that heard of the shipment are notified")
			out.flash.Again = shippedAgain(o, shipment)
			return out, nil
		})
	})
}

// closeIssues serves POST /orders/{id}/issues: a person has seen to what keeps the order from following its platform.
func (d *Dashboard) closeIssues(r *request) (answer, error) {
	o, err := r.orderOf()
	if err != nil {
		return answer{}, err
	}
	return r.submit(r.form(r.acting(o, "/issues")), d.showOrder, func(*form) (answer, error) {
		return d.write(r, func(tx *db.Tx) (answer, error) {
			if _, err := d.Commerce.CloseIssues(tx, o.ID); err != nil {
				return answer{}, err
			}
			return redirect(r.acting(o, ""), orders.Number(o.Number)+" is settled"), nil
		})
	})
}

// moveOrder serves POST /orders/{id}/move.
func (d *Dashboard) moveOrder(r *request) (answer, error) {
	o, err := r.orderOf()
	if err != nil {
		return answer{}, err
	}
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
			return redirect(r.acting(o, ""), orders.Number(o.Number)+" is "+strings.ToLower(statusWords[after.Status].Word)), nil
		})
	})
}

// editOrder serves POST /orders/{id}/lines.
func (d *Dashboard) editOrder(r *request) (answer, error) {
	o, err := r.orderOf()
	if err != nil {
		return answer{}, err
	}
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
			return redirect(r.acting(o, ""), "The lines of "+orders.Number(o.Number)+" are changed"), err
		})
		return out, placed(err, places)
	})
}

// changeNote serves POST /orders/{id}/details.
func (d *Dashboard) changeNote(r *request) (answer, error) {
	return d.changeOrder(r, "note", noteForm, func(_ *orders.Order, f *form) (commerce.OrderUpdate, error) {
		body := f.Object()
		return drafts.ReadOrderUpdate(body), body.Err()
	})
}

// changeAddress serves POST /orders/{id}/address.
func (d *Dashboard) changeAddress(r *request) (answer, error) {
	return d.changeOrder(r, "shipping address", addressForm, func(o *orders.Order, f *form) (update commerce.OrderUpdate, err error) {
		update.ShippingAddress, err = typedAddress("shippingAddress", o.ShippingAddress, f)
		return update, err
	})
}

// changeBilling serves POST /orders/{id}/billing-address.
func (d *Dashboard) changeBilling(r *request) (answer, error) {
	return d.changeOrder(r, "billing address", billingForm, func(o *orders.Order, f *form) (update commerce.OrderUpdate, err error) {
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
func (d *Dashboard) changeOrder(r *request, what string, build func(*request, *orders.Order) *form,
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
			return redirect(r.acting(o, ""), "The "+what+" of "+orders.Number(o.Number)+" is changed"), err
		})
	})
}
