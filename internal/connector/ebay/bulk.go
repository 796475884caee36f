package ebay

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"entrepot/internal/connector"
)

// bulkMost is how many SKUs or offers a request about several of them may name.
const bulkMost = 25

// bulkEntry is eBay's answer about one SKU or offer of a request about several.
type bulkEntry struct {
	StatusCode              int
	SKU, OfferID, ListingID string
	Errors                  []problem
	InventoryItem           itemThere
	failed                  *connector.Failure // of a request about this one alone
}

// itemThere is an item that is on eBay.
type itemThere struct {
	whole                  fields   // as eBay has it
	GroupIDs               []string `json:"groupIds"`
	InventoryItemGroupKeys []string
	Availability           struct {
		ShipToLocationAvailability struct{ Quantity *int64 }
	}
}

// UnmarshalJSON reads an item, including members that are not known here.
func (i *itemThere) UnmarshalJSON(raw []byte) error {
	type known itemThere
	if err := json.Unmarshal(raw, (*known)(i)); err != nil {
		return err
	}
	return json.Unmarshal(raw, &i.whole)
}

// kept is the part of an item that a replacement keeps, such as its condition and the weight of its package.
func (i itemThere) kept() fields {
	return without(i.whole, "sku", "locale", "groupIds", "inventoryItemGroupKeys")
}

// without is a copy of fields without some of them.
func without(all fields, names ...string) fields {
	kept := fields{}
	for name, value := range all {
		if !slices.Contains(names, name) {
			kept[name] = value
		}
	}
	return kept
}

// part is a copy of the fields in a field.
func (f fields) part(name string) fields {
	part, _ := f[name].(map[string]any)
	return without(part)
}

// groups are the keys of the groups of variants that it is in: one at the most.
func (i itemThere) groups() []string { return append(i.GroupIDs, i.InventoryItemGroupKeys...) }

// quantity is the number that eBay shows, 0 if there is none.
func (i itemThere) quantity() int64 {
	if n := i.Availability.ShipToLocationAvailability.Quantity; n != nil {
		return *n
	}
	return 0
}

// failure is why the entry was refused; nil if it was not.
func (e bulkEntry) failure() *connector.Failure {
	switch {
	case e.failed != nil:
		return e.failed
	case e.StatusCode < 400 && (e.StatusCode != 0 || len(e.Errors) == 0):
		return nil
	}
	f := &connector.Failure{Kind: connector.Rejected, Message: "eBay refuses it"}
	if len(e.Errors) > 0 {
		f.Code, f.Message = strconv.FormatInt(e.Errors[0].ErrorID, 10), e.Errors[0].text()
	}
	switch {
	case e.StatusCode == http.StatusNotFound || e.StatusCode == http.StatusBadRequest && notThere[f.Code]:
		f.Kind = connector.Missing
	case e.StatusCode == http.StatusTooManyRequests || e.StatusCode >= 500:
		f.Kind = connector.Temporary
	}
	return f
}

// bulkEntries are answers by SKU, or by offer where eBay names no SKU.
type bulkEntries map[string]bulkEntry

// of is the answer about a SKU or offer.
func (list bulkEntries) of(key string) bulkEntry {
	e, ok := list[key]
	if !ok {
		e.failed = connector.Failf(connector.Temporary, "eBay said nothing about it")
	}
	return e
}

// add notes an answer. eBay may return several about one SKU; a refusal counts.
func (list bulkEntries) add(e bulkEntry) {
	key := cmp.Or(e.SKU, e.OfferID)
	if old, twice := list[key]; !twice || old.failure() == nil {
		list[key] = e
	}
}

// bulk sends a request for each of some SKUs or offers, bulkMost at a time. They may be sent twice without harm. If
// eBay refuses a request as a whole, its halves are sent, so that one SKU does not stop the others.
func (s *session) bulk(ctx context.Context, call string, keys []string, request func(key string) fields) (bulkEntries, error) {
	all := bulkEntries{}
	for piece := range slices.Chunk(keys, bulkMost) {
		if err := s.bulkPiece(ctx, call, piece, request, all); err != nil {
			return all, err
		}
	}
	return all, nil
}

func (s *session) bulkPiece(ctx context.Context, call string, keys []string, request func(key string) fields, all bulkEntries) error {
	requests := make([]fields, len(keys))
	for i, key := range keys {
		requests[i] = request(key)
	}
	var out struct{ Responses []bulkEntry }
	_, err := s.call(connector.Repeatable(ctx), http.MethodPost, inventory+call, fields{"requests": requests}, &out)
	switch {
	case connector.Is(err, connector.Rejected) && len(keys) == 1:
		all[keys[0]] = bulkEntry{failed: connector.FailureOf(err)}
		return nil
	case connector.Is(err, connector.Rejected):
		half := len(keys) / 2
		if err := s.bulkPiece(ctx, call, keys[:half], request, all); err != nil {
			return err
		}
		return s.bulkPiece(ctx, call, keys[half:], request, all)
	case err != nil:
		return err
	}
	for _, e := range out.Responses {
		all.add(e)
	}
	return nil
}

// items reads the items of some SKUs: one by one where the call for several is not there.
func (s *session) items(ctx context.Context, skus []string) (bulkEntries, error) {
	found, err := s.bulk(ctx, "/bulk_get_inventory_item", skus, func(sku string) fields { return fields{"sku": sku} })
	if !connector.Is(err, connector.Missing) {
		return found, err
	}
	found = bulkEntries{}
	for _, sku := range skus {
		e := bulkEntry{SKU: sku, StatusCode: http.StatusOK}
		_, err := s.get(ctx, inventory+"/inventory_item/"+url.PathEscape(sku), nil, &e.InventoryItem)
		if connector.Is(err, connector.Missing) {
			e.StatusCode = http.StatusNotFound
		} else if err != nil {
			return found, err
		}
		found.add(e)
	}
	return found, nil
}
