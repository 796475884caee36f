package dashboard

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/orders"
)

// shipOrder serves POST /orders/{id}/ship.
func (d *Dashboard) shipOrder(r *request, o *orders.Order) (answer, error) {
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
			out := redirect(r.acting(o, ""),
				r.say("Shipped %s. %s is %s", r.shipmentWords(&shipment), orders.Number(o.Number), strings.ToLower(r.say(statusWords[after.Status].Word))))
			out = r.remembered(out, shipment.Carrier)
			return out.undo(undo{Action: r.acting(o, "/unship"), Fields: map[string]string{"shipment": string(shipment.ID)}}), nil
		})
		return out, placed(err, places)
	})
}

// trackOrder serves POST /orders/{id}/tracking: it changes carrier and tracking number of the shipment that the form
// names.
func (d *Dashboard) trackOrder(r *request, o *orders.Order) (answer, error) {
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
			return redirect(r.acting(o, ""), "Saved the tracking. The channel and your webhooks hear of it"), err
		})
	})
}

// unshipOrder serves POST /orders/{id}/unship: it deletes the shipment that the form names.
func (d *Dashboard) unshipOrder(r *request, o *orders.Order) (answer, error) {
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
			out := redirect(r.acting(o, ""),
				r.say("Deleted the shipment and put its units back in stock. %s is %s. Webhooks that heard of the shipment hear of this",
					orders.Number(o.Number), strings.ToLower(r.say(statusWords[after.Status].Word))))
			out.flash.Again = shippedAgain(o, shipment)
			return out, nil
		})
	})
}

// shipForm is the form of a shipment: how many of each line leave now, all that remains unless another number is typed.
func shipForm(r *request, o *orders.Order) *form {
	fields := []field{{Name: "carrier", Label: "Carrier", Value: o.TrackingCarrier, Max: apijson.MaxText},
		{Name: "trackingNumber", Label: "Tracking number", Max: apijson.MaxText},
		{Name: "trackingUrl", Label: "Tracking link", Kind: "url", Placeholder: "https://"}}
	for i, l := range o.Lines {
		if l.Remaining() <= 0 {
			continue
		}
		name := lineName(l)
		at := "items[" + strconv.Itoa(i) + "]"
		fields = append(fields, field{Name: at + ".orderItemId", Kind: "hidden", Value: string(l.ID)},
			field{Name: at + ".quantity", Label: r.say("Ship now: %s", name), Kind: "int", Value: strconv.FormatInt(l.Remaining(), 10)})
	}
	f := r.editing(r.acting(o, "/ship"), fields...)
	if r.stale != nil && o.Empty() {
		r.stale = apperr.New(apperr.Precondition, "precondition_failed",
			"meanwhile all of it was shipped: nothing is left to ship, and nothing that you typed is stored")
	}
	return f
}

// carrierName is the cookie of a browser with the carrier of its last parcel: a packer hands most parcels to one
// carrier.
const carrierName = "entrepot-carrier"

// mostCarrier bounds the stored name, in bytes.
const mostCarrier = 100

// proposed fills the form of a new page: with what the shipment had that was just deleted, to be corrected, else with
// the carrier of the last parcel from this browser. What is proposed is no stored value, which others could change
// meanwhile. It reports the former.
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
