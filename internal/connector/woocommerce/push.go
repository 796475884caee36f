package woocommerce

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"entrepot/internal/connector"
)

// Ways of showing a parcel (setting tracking).
const (
	byNote        = "note"
	byFulfillment = "fulfillment"
	byExtension   = "extension"
)

// extensions are the plugins that keep tracking numbers, which share one interface.
var extensions = []string{"/wc-shipment-tracking/v3", "/wc-ast/v3"}

// PushShipment shows a parcel on the order. A parcel without a tracking number, or with one that is there already, is
// not shown again.
func (s *session) PushShipment(ctx context.Context, order connector.OrderRef, parcel connector.Parcel) error {
	if parcel.Number == "" && parcel.URL == "" {
		return nil
	}
	err := s.showParcel(ctx, order, parcel)
	if isCode(err, noRoute) && s.link.Facts.Fact(trackingFact) != "" { // what showed parcels was switched off since
		s.link.Facts.Keep(trackingFact, "")
		err = s.showParcel(ctx, order, parcel)
	}
	return err
}

func (s *session) showParcel(ctx context.Context, order connector.OrderRef, parcel connector.Parcel) error {
	way, err := s.trackingWay(ctx, order.ExternalID)
	switch {
	case err != nil:
		return err
	case way == byFulfillment:
		return s.pushFulfillment(ctx, order, parcel)
	case strings.HasPrefix(way, byExtension):
		return s.pushTracking(ctx, strings.TrimPrefix(way, byExtension), order, parcel)
	}
	return s.pushNote(ctx, order, parcel)
}

// trackingWay finds out once what the shop offers; the channel's setting takes precedence.
func (s *session) trackingWay(ctx context.Context, order string) (string, error) {
	wanted := s.link.Channel.Settings["tracking"]
	if wanted == byNote || wanted == byFulfillment {
		return wanted, nil
	}
	if known := s.link.Facts.Fact(trackingFact); known != "" && (wanted == "" || strings.HasPrefix(known, wanted)) {
		return known, nil
	}
	probes := []struct{ way, path string }{{byFulfillment, "/wc/v3/orders/" + order + "/fulfillments"}}
	for _, extension := range extensions {
		probes = append(probes, struct{ way, path string }{byExtension + extension, extension + "/orders/" + order + "/shipment-trackings"})
	}
	for _, probe := range probes {
		if wanted == byExtension && probe.way == byFulfillment {
			continue
		}
		_, err := s.call(ctx, http.MethodGet, probe.path, nil, nil, nil)
		switch f := connector.FailureOf(err); {
		case f == nil:
			s.link.Facts.Keep(trackingFact, probe.way)
			return probe.way, nil
		case !f.Lasting():
			return "", err
		}
	}
	s.link.Facts.Keep(trackingFact, byNote)
	return byNote, nil
}

// pushNote writes a note that the buyer gets by mail.
func (s *session) pushNote(ctx context.Context, order connector.OrderRef, parcel connector.Parcel) error {
	path := "/orders/" + order.ExternalID + "/notes"
	mark := parcel.Number
	if mark == "" {
		mark = parcel.URL
	}
	var notes []struct {
		Note string `json:"note"`
	}
	if _, err := s.get(ctx, path, nil, &notes); err != nil && !unlisted(err) {
		return err
	}
	text := "Shipped"
	if parcel.Corrected {
		text = "Tracking corrected: shipped"
	}
	for _, n := range notes { // every order soon has notes of the shop's own
		note := html.UnescapeString(n.Note)
		if names(note, mark) && (!parcel.Corrected || strings.Contains(note, parcel.Carrier) && strings.Contains(note, parcel.URL)) {
			return nil
		}
	}
	if parcel.Carrier != "" {
		text += " with " + parcel.Carrier
	}
	if parcel.Number != "" {
		text += ", tracking number " + parcel.Number
	}
	if parcel.URL != "" {
		text += ": " + parcel.URL
	}
	_, err := s.call(ctx, http.MethodPost, "/wc/v3"+path, nil, map[string]any{"note": text, "customer_note": true}, nil)
	return err
}

// unlisted reports whether the list of an order's existing entries cannot be read, because the shop only accepts new
// ones. The write shows whether the shop has them at all.
func unlisted(err error) bool { return isCode(err, noRoute) || connector.Is(err, connector.Missing) }

// names reports whether a text has a mark that is no part of a longer one: JD1 is not in JD10.
func names(text, mark string) bool {
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for rest := text; ; {
		at := strings.Index(rest, mark)
		if at < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(rest[:at])
		after, _ := utf8.DecodeRuneInString(rest[at+len(mark):])
		if !letter(before) && !letter(after) {
			return true
		}
		_, size := utf8.DecodeRuneInString(rest[at:])
		rest = rest[at+size:]
	}
}

// pushFulfillment uses the shop's own parcels.
func (s *session) pushFulfillment(ctx context.Context, order connector.OrderRef, parcel connector.Parcel) error {
	path := "/orders/" + order.ExternalID + "/fulfillments"
	list, err := s.fulfillments(ctx, order.ExternalID)
	if err != nil && !unlisted(err) {
		return err
	}
	key, mark := "_tracking_number", parcel.Number
	if mark == "" {
		key, mark = "_tracking_url", parcel.URL
	}
	method := http.MethodPost
	for _, f := range list {
		there := f.parcel()
		contents := map[string]int64{}
		for _, l := range there.Lines {
			contents[l.ExternalLine] += l.Quantity
		}
		switch shown := f.text(key) == mark; {
		case f.Deleted != "":
			continue
		case shown && (!parcel.Corrected || there.Carrier == parcel.Carrier && there.URL == parcel.URL && there.Number == parcel.Number):
			return nil
		case shown, order.Replaces(parcel, []string{there.Number}, contents):
			method, path = http.MethodPut, "/orders/"+order.ExternalID+"/fulfillments/"+there.Key
		}
	}
	var items []map[string]any
	for _, l := range parcel.Lines {
		items = append(items, map[string]any{"item_id": flexible(l.ExternalLine).number(), "qty": l.Quantity})
	}
	meta := []map[string]any{{"key": "_tracking_number", "value": parcel.Number}, {"key": "_shipment_provider", "value": parcel.Carrier},
		{"key": "_tracking_url", "value": parcel.URL}, {"key": "_items", "value": items}}
	_, err = s.call(
		ctx,
		method,
		"/wc/v3"+path,
		nil,
		map[string]any{"status": "fulfilled", "is_fulfilled": true, "notify_customer": true, "meta_data": meta},
		nil,
	)
	return err
}

// pushTracking uses a plugin's parcels.
func (s *session) pushTracking(ctx context.Context, extension string, order connector.OrderRef, parcel connector.Parcel) error {
	path := extension + "/orders/" + order.ExternalID + "/shipment-trackings"
	var list []struct {
		ID       flexible `json:"tracking_id"`
		Number   flexible `json:"tracking_number"`
		Provider flexible `json:"tracking_provider"`
		Carrier  flexible `json:"custom_tracking_provider"` // as it was entered
		Link     flexible `json:"tracking_link"`
		Custom   flexible `json:"custom_tracking_link"` // as it was entered
	}
	if _, err := s.call(ctx, http.MethodGet, path, nil, nil, &list); err != nil && !unlisted(err) {
		return err
	}
	for _, t := range list {
		number := string(t.Number)
		shown := number == parcel.Number && (parcel.Number != "" || parcel.URL == string(t.Link) || parcel.URL == string(t.Custom))
		other := t.Provider+t.Carrier != "" && string(t.Provider) != parcel.Carrier && string(t.Carrier) != parcel.Carrier
		switch {
		case shown && !(parcel.Corrected && other && t.ID != ""):
			return nil
		case !shown && !(parcel.Corrected && t.ID != "" && order.Outdated(number)):
			continue
		}
		_, err := s.call(ctx, http.MethodDelete, path+"/"+url.PathEscape(string(t.ID)), nil, nil, nil)
		if err != nil && !unlisted(err) {
			return err
		}
	}
	_, err := s.call(
		ctx,
		http.MethodPost,
		path,
		nil,
		map[string]any{"tracking_number": parcel.Number, "custom_tracking_provider": parcel.Carrier,
			"custom_tracking_link": parcel.URL, "date_shipped": parcel.ShippedAt.Format("2006-01-02")},
		nil,
	)
	return err
}

// PushStatus changes an order's status, unless the order already has it or a later one.
func (s *session) PushStatus(ctx context.Context, order connector.OrderRef, to connector.Status) error {
	switch to {
	case processing:
		return s.move(ctx, order, "processing", "processing", "completed", "cancelled", "refunded")
	case shipped:
		return s.move(ctx, order, "completed", "completed", "refunded")
	case returned:
		return s.move(ctx, order, "refunded", "refunded")
	}
	return connector.Failf(connector.Cannot, "WooCommerce has no status for %s", to)
}

// move sets an order's status unless it has an equivalent one. Setting "refunded" makes the shop create a refund, so
// it must not be set twice.
func (s *session) move(ctx context.Context, order connector.OrderRef, to string, good ...string) error {
	path := "/orders/" + order.ExternalID
	var now struct {
		Status string `json:"status"`
	}
	if _, err := s.get(ctx, path, url.Values{"_fields": {"id,status"}}, &now); err != nil {
		return err
	}
	switch {
	case slices.Contains(good, now.Status):
		return nil
	case now.Status == "trash":
		return connector.Failf(connector.Rejected, "the order is in the shop's bin")
	case to == "completed" && (now.Status == "cancelled" || now.Status == "failed"):
		return connector.Failf(connector.Rejected, "the order is %s in the shop", now.Status)
	}
	_, err := s.call(connector.Repeatable(ctx), http.MethodPut, "/wc/v3"+path, nil, map[string]string{"status": to}, &now)
	return err
}
