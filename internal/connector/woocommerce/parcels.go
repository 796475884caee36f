package woocommerce

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"html"
	"slices"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector"
)

// Members of an order in which the shop or a plugin stores the parcels that have left.
const (
	fulfilledKey = "_fulfillment_status"         // the shop's own parcels are requested separately
	trackedKey   = "_wc_shipment_tracking_items" // of the plugins in extensions
)

// kept is an entry beside an order.
type kept struct {
	Key   flexible        `json:"key"`
	Value json.RawMessage `json:"value"`
}

// unreadParcels stands for the shop's own parcels until Detail reads them.
const unreadParcels = "fulfillments"

// parcels reads an order's parcels. Tracking numbers of plugins mostly do not name the contents of their parcels:
// then they are one parcel of everything once the order is completed.
func (in shopOrder) parcels(out *connector.Order) {
	for _, k := range in.Kept {
		var state flexible
		switch _ = json.Unmarshal(k.Value, &state); {
		case k.Key == fulfilledKey && state != "" && state != "no_fulfillments" && state != "unfulfilled":
			out.Parcels = append(out.Parcels, connector.Parcel{Key: unreadParcels})
		case k.Key == trackedKey:
			out.Parcels = append(out.Parcels, tracked(k.Value, out)...)
		}
	}
}

// tracking is a parcel of a plugin.
type tracking struct {
	ID       flexible `json:"tracking_id"`
	Number   flexible `json:"tracking_number"`
	Carrier  flexible `json:"tracking_provider"`
	Custom   flexible `json:"custom_tracking_provider"`
	Link     flexible `json:"custom_tracking_link"`
	Sent     flexible `json:"date_shipped"` // in seconds
	Products several[struct {
		Item     flexible `json:"item_id"`
		Quantity flexible `json:"qty"`
	}] `json:"products_list"`
}

func tracked(value json.RawMessage, o *connector.Order) (list []connector.Parcel) {
	var all several[tracking]
	if json.Unmarshal(value, &all) != nil {
		return nil
	}
	rest := connector.Parcel{Key: "tracking", ShippedAt: o.ShippedAt}
	var numbers []string
	for _, t := range all {
		number, carrier := strings.TrimSpace(string(t.Number)), html.UnescapeString(string(cmp.Or(t.Custom, t.Carrier)))
		one := connector.Parcel{Key: "tracking " + string(cmp.Or(t.ID, t.Number)), Number: number, Carrier: carrier, URL: string(t.Link)}
		if seconds, err := strconv.ParseInt(string(t.Sent), 10, 64); err == nil {
			one.ShippedAt = time.Unix(seconds, 0).UTC()
		}
		for _, p := range t.Products {
			if item := notZero(p.Item); item != "" && whole(p.Quantity) > 0 {
				one.Lines = append(one.Lines, connector.ParcelLine{ExternalLine: item, Quantity: whole(p.Quantity)})
			}
		}
		switch {
		case len(one.Lines) > 0:
			list = append(list, one)
		case number != "" && !slices.Contains(numbers, number):
			numbers = append(numbers, number)
			rest.Carrier, rest.URL = cmp.Or(rest.Carrier, carrier), cmp.Or(rest.URL, one.URL)
		}
	}
	if len(numbers) > 0 && o.Status == shipped {
		rest.Number = strings.Join(numbers, ", ")
		list = append(list, rest)
	}
	return list
}

// fulfillment is a parcel of the shop's own.
type fulfillment struct {
	ID      flexible `json:"id"`
	Left    bool     `json:"is_fulfilled"`
	Updated flexible `json:"date_updated"`
	Deleted flexible `json:"date_deleted"`
	Kept    []kept   `json:"meta_data"`
}

// text is a text kept with the parcel, under one of some names.
func (f fulfillment) text(names ...string) string {
	for _, k := range f.Kept {
		var value flexible
		if slices.Contains(names, string(k.Key)) && json.Unmarshal(k.Value, &value) == nil && value != "" {
			return string(value)
		}
	}
	return ""
}

// parcel is what has left with it; its lines are empty if it says nothing of them.
func (f fulfillment) parcel() connector.Parcel {
	out := connector.Parcel{Key: string(f.ID), Number: f.text("_tracking_number"), URL: f.text("_tracking_url"),
		Carrier: f.text("_shipment_provider", "_shipping_provider")}
	if name := f.text("_provider_name"); out.Carrier == "other" && name != "" {
		out.Carrier = name
	}
	for _, text := range []string{f.text("_date_fulfilled"), string(f.Updated)} {
		if out.ShippedAt.IsZero() {
			out.ShippedAt = moment(strings.Replace(text, " ", "T", 1))
		}
	}
	for _, k := range f.Kept {
		var items several[struct {
			Item     flexible `json:"item_id"`
			Quantity flexible `json:"qty"`
		}]
		if k.Key != "_items" || json.Unmarshal(k.Value, &items) != nil {
			continue
		}
		for _, i := range items {
			if n := whole(i.Quantity); n > 0 {
				out.Lines = append(out.Lines, connector.ParcelLine{ExternalLine: string(i.Item), Quantity: n})
			}
		}
	}
	return out
}

// fulfillments reads the shop's own parcels of an order.
func (s *session) fulfillments(ctx context.Context, order string) (list []fulfillment, err error) {
	answer, err := s.get(ctx, "/orders/"+order+"/fulfillments", nil, nil)
	if err != nil {
		return nil, err
	}
	if connector.DecodeAnswer(answer, &list) == nil {
		return list, nil
	}
	var wrapped struct {
		Fulfillments []fulfillment `json:"fulfillments"`
	}
	err = connector.DecodeAnswer(answer, &wrapped)
	return wrapped.Fulfillments, err
}

// readParcels replaces the mark of an order's own parcels by the parcels. An order of which everything has left is
// shipped, whatever its status: the shop does not change that by itself.
func (s *session) readParcels(ctx context.Context, o *connector.Order) error {
	unread := func(p connector.Parcel) bool { return p.Key == unreadParcels }
	if !slices.ContainsFunc(o.Parcels, unread) {
		return nil
	}
	o.Parcels = slices.DeleteFunc(o.Parcels, unread)
	list, err := s.fulfillments(ctx, o.ExternalID)
	if unlisted(err) || errors.Is(err, connector.ErrElsewhere) { // switched off since, or not let through
		return nil
	}
	if err != nil {
		return err
	}
	left := map[string]int64{}
	for _, l := range o.Lines {
		if !l.Fee {
			left[l.ExternalID] += l.Quantity
		}
	}
	for _, f := range list {
		parcel := f.parcel()
		if !f.Left || f.Deleted != "" || len(parcel.Lines) == 0 {
			continue
		}
		o.Parcels = append(o.Parcels, parcel)
		for _, l := range parcel.Lines {
			if left[l.ExternalLine] -= l.Quantity; left[l.ExternalLine] <= 0 {
				delete(left, l.ExternalLine)
			}
		}
	}
	switch open := o.Status == pending || o.Status == processing; {
	case !open || len(o.Parcels) == 0:
	case len(left) == 0:
		o.Status = shipped
	default:
		o.Status = processing
	}
	return nil
}
