package commerce

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"entrepot/internal/connector"
	"entrepot/internal/id"
	"entrepot/internal/orders"
)

// newParcels are the platform's parcels that are not here yet, oldest first. A known one has the key or the tracking number of a shipment.
// One that has neither may be a shipment of this service that comes back, because it has no number or the merchant has changed it: as much
// of it as the platform has of such shipments is left out. The same holds for what is known by the platform's count alone.
func newParcels(o *orders.Order, all []connector.Parcel) (list []connector.Parcel) {
	ours := slices.Clone(o.Shipments)
	for _, parcel := range all {
		at := slices.IndexFunc(ours, func(s orders.Shipment) bool { return sameParcel(s, parcel) })
		switch {
		case at >= 0:
			ours = slices.Delete(ours, at, at+1)
		case !slices.ContainsFunc(o.Shipments, func(s orders.Shipment) bool { return sameParcel(s, parcel) }):
			list = append(list, parcel)
		}
	}
	ours = slices.DeleteFunc(ours, func(s orders.Shipment) bool {
		return s.ExternalID != "" && !strings.HasPrefix(s.ExternalID, countedKey)
	})
	there := o.Sync.State == orders.Synced // otherwise the platform need not have all of them
	list = slices.DeleteFunc(list, func(parcel connector.Parcel) bool {
		at := slices.IndexFunc(ours, func(s orders.Shipment) bool {
			return (there || parcel.Number == "" || s.TrackingNumber == "") && sameLines(o, s, parcel)
		})
		if at >= 0 {
			ours = slices.Delete(ours, at, at+1)
		}
		return at >= 0
	})
	if !there {
		ours = slices.DeleteFunc(ours, func(s orders.Shipment) bool { return s.ExternalID == "" })
	}
	list = withoutShipped(o, ours, list)
	slices.SortStableFunc(list, func(a, b connector.Parcel) int { return a.ShippedAt.Compare(b.ShippedAt) })
	return list
}

func sameParcel(s orders.Shipment, parcel connector.Parcel) bool {
	return parcel.Key != "" && (parcel.Key == s.ExternalID || parcel.Key == string(s.ID)) ||
		plainNumber(parcel.Number) != "" && plainNumber(parcel.Number) == plainNumber(s.TrackingNumber)
}

// plainNumber is a tracking number in letters and digits, because platforms store numbers without blanks and dashes.
func plainNumber(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, text)
}

// sameLines reports whether a parcel holds what a shipment does.
func sameLines(o *orders.Order, s orders.Shipment, parcel connector.Parcel) bool {
	has, sent := map[string]int64{}, map[string]int64{}
	for _, l := range parcel.Lines {
		has[l.ExternalLine] += l.Quantity
	}
	for _, l := range s.Lines {
		if line := o.Line(l.Line); line != nil {
			sent[line.ExternalID] += l.Quantity
		}
	}
	return len(has) > 0 && maps.Equal(has, sent)
}

// withoutShipped takes out of parcels what is in shipments.
func withoutShipped(o *orders.Order, shipments []orders.Shipment, parcels []connector.Parcel) (list []connector.Parcel) {
	sent := map[string]int64{} // by the platform's id of the line
	for _, s := range shipments {
		for _, l := range s.Lines {
			if line := o.Line(l.Line); line != nil {
				sent[line.ExternalID] += l.Quantity
			}
		}
	}
	for _, parcel := range parcels {
		if len(parcel.Lines) == 0 {
			list = append(list, parcel)
			continue
		}
		var lines []connector.ParcelLine
		for _, l := range parcel.Lines {
			known := min(l.Quantity, sent[l.ExternalLine])
			sent[l.ExternalLine] -= known
			if l.Quantity -= known; l.Quantity > 0 {
				lines = append(lines, l)
			}
		}
		if parcel.Lines = lines; len(lines) > 0 {
			list = append(list, parcel)
		}
	}
	return list
}

// parcelLines is the part of a parcel that remains to be shipped here; a parcel without lines has all that remains.
func parcelLines(o *orders.Order, parcel connector.Parcel) (lines []orders.DraftLine) {
	left := map[id.Line]int64{}
	for _, l := range o.Lines {
		left[l.ID] = l.Remaining()
	}
	take := func(l *orders.Line, quantity int64) {
		if quantity = min(quantity, left[l.ID]); quantity > 0 {
			left[l.ID] -= quantity
			lines = append(lines, orders.DraftLine{Line: l.ID, Quantity: quantity})
		}
	}
	if len(parcel.Lines) == 0 {
		for i := range o.Lines {
			take(&o.Lines[i], o.Lines[i].Remaining())
		}
	}
	for _, p := range parcel.Lines {
		line := o.LineOf(p.ExternalLine)
		for i := range o.Lines {
			if line == nil && p.SKU != "" && o.Lines[i].SKU == p.SKU {
				line = &o.Lines[i]
			}
		}
		if line != nil {
			take(line, p.Quantity)
		}
	}
	return lines
}
