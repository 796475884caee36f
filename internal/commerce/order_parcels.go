package commerce

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"unicode"

	"entrepot/internal/base/id"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// unknownParcels are the platform's parcels, oldest first, that are not here and were not deleted here.
func unknownParcels(tx *db.Tx, o *orders.Order, all []connector.Parcel) ([]connector.Parcel, error) {
	list := newParcels(o, all, nil)
	if len(list) == 0 {
		return nil, nil
	}
	deleted, _, err := orders.DeletedParcels(tx, o.ID)
	if err != nil || len(deleted) == 0 {
		return list, err
	}
	return newParcels(o, all, deleted), nil
}

// newParcels are the platform's parcels that are not here yet, oldest first. A known one has the key or the tracking
// number of a shipment. A parcel with neither may be a shipment of this service that comes back, because it has no
// number or the merchant has changed it: as much of it as the platform has of such shipments is left out. The same
// holds for parcels that are known by the platform's count alone; and a shipment that was deleted here is not new.
func newParcels(o *orders.Order, all []connector.Parcel, deleted []orders.DeletedParcel) (list []connector.Parcel) {
	ours := slices.Clone(o.Shipments)
	for _, parcel := range all {
		at := slices.IndexFunc(ours, func(s orders.Shipment) bool { return sameParcel(s, parcel) })
		switch {
		case at >= 0:
			ours = slices.Delete(ours, at, at+1)
		case !slices.ContainsFunc(o.Shipments, func(s orders.Shipment) bool { return sameParcel(s, parcel) }) &&
			!knownNumbers(o, parcel, deleted):
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
	list = withoutDeleted(o, list, deleted)
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

// knownNumbers reports whether a parcel is the list of tracking numbers of several known ones: some platforms have
// one field for all.
func knownNumbers(o *orders.Order, parcel connector.Parcel, deleted []orders.DeletedParcel) bool {
	numbers := strings.Split(parcel.Number, ", ")
	return len(parcel.Lines) == 0 && len(numbers) > 1 && !slices.ContainsFunc(numbers, func(number string) bool {
		return !slices.ContainsFunc(o.Shipments, func(s orders.Shipment) bool { return sameParcel(s, connector.Parcel{Number: number}) }) &&
			!slices.ContainsFunc(deleted, func(d orders.DeletedParcel) bool { return d.Mark == numberMark(number) })
	})
}

// deletedParcel identifies a deleted shipment in case its platform returns it; nil if it has no platform.
func deletedParcel(o *orders.Order, s orders.Shipment) *orders.DeletedParcel {
	if o.PlatformID == "" {
		return nil
	}
	d := orders.DeletedParcel{Key: s.ExternalID, Mark: numberMark(s.TrackingNumber), Lines: map[id.Line]int64{}}
	for _, l := range s.Lines {
		d.Lines[l.Line] += l.Quantity
	}
	return &d
}

// numberMark stands for a tracking number where the number itself must not be stored, because it leads to a person;
// "" for none.
func numberMark(number string) string {
	plain := plainNumber(number)
	if plain == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(plain))
	return hex.EncodeToString(sum[:8])
}

// withoutDeleted leaves out parcels that are shipments which were deleted here, each once: those of the same key or
// tracking number, and those of the same lines where either has neither.
func withoutDeleted(o *orders.Order, parcels []connector.Parcel, deleted []orders.DeletedParcel) []connector.Parcel {
	deleted = slices.Clone(deleted)
	for _, same := range []func(orders.DeletedParcel, connector.Parcel) bool{
		func(d orders.DeletedParcel, p connector.Parcel) bool {
			return p.Key != "" && d.Key == p.Key || d.Mark != "" && d.Mark == numberMark(p.Number)
		},
		func(d orders.DeletedParcel, p connector.Parcel) bool {
			return d.Key == "" && (d.Mark == "" || p.Number == "") && len(p.Lines) > 0 && maps.Equal(contents(p), named(o, d.Lines))
		},
	} {
		parcels = slices.DeleteFunc(parcels, func(p connector.Parcel) bool {
			at := slices.IndexFunc(deleted, func(d orders.DeletedParcel) bool { return same(d, p) })
			if at >= 0 {
				deleted = slices.Delete(deleted, at, at+1)
			}
			return at >= 0
		})
	}
	return parcels
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

// sameLines reports whether a parcel holds the same as a shipment.
func sameLines(o *orders.Order, s orders.Shipment, parcel connector.Parcel) bool {
	sent := map[id.Line]int64{}
	for _, l := range s.Lines {
		sent[l.Line] += l.Quantity
	}
	return len(parcel.Lines) > 0 && maps.Equal(contents(parcel), named(o, sent))
}

// contents are the quantities of a parcel by the platform's ids of their lines.
func contents(parcel connector.Parcel) map[string]int64 {
	out := map[string]int64{}
	for _, l := range parcel.Lines {
		out[l.ExternalLine] += l.Quantity
	}
	return out
}

// named are quantities of lines by the platform's ids.
func named(o *orders.Order, quantities map[id.Line]int64) map[string]int64 {
	out := map[string]int64{}
	for line, quantity := range quantities {
		if l := o.Line(line); l != nil {
			out[l.ExternalID] += quantity
		}
	}
	return out
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
