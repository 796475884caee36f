package ebay

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"entrepot/internal/connector"
)

// listing is one product on its way to eBay.
type listing struct {
	*connector.Product
	forms    []connector.Variant
	there    map[string]itemThere // items that eBay has, by SKU
	offers   map[string]offer     // by SKU
	category string
	id       string // eBay's, once it is on sale
	failed   *connector.Failure
	again    bool      // a later try may succeed
	rests    time.Time // with failed and again: when
}

// shown is the listing of it that buyers see, by what is known of the last push; "" for none.
func (l *listing) shown() string {
	for _, f := range l.forms {
		if shown := listingOf(connector.Item{SKU: f.SKU, IDs: f.Known}); shown != "" {
			return shown
		}
	}
	return ""
}

// rest leaves the listing as it is until a time.
func (l *listing) rest(until time.Time, why string) {
	l.fail(&connector.Failure{Kind: connector.Throttled, Message: why}, true)
	l.rests = until
}

func (l *listing) fail(f *connector.Failure, again bool) {
	if l.failed == nil {
		l.failed, l.again = f, again
	}
}

// failAt notes the failure of one of its SKUs.
func (l *listing) failAt(sku string, f *connector.Failure) {
	if f == nil {
		return
	}
	one := *f
	if sku != l.SKU {
		one.Message = sku + ": " + one.Message
	}
	l.fail(&one, !f.Lasting())
}

// standing are the listings that have not failed.
func standing(list []*listing) []*listing {
	return slices.DeleteFunc(slices.Clone(list), func(l *listing) bool { return l.failed != nil })
}

// skusOf are the SKUs of all forms of listings, and the listing of each.
func skusOf(list []*listing) (skus []string, by map[string]*listing, forms map[string]connector.Variant) {
	by, forms = map[string]*listing{}, map[string]connector.Variant{}
	for _, l := range list {
		for _, f := range l.forms {
			skus = append(skus, f.SKU)
			by[f.SKU], forms[f.SKU] = l, f
		}
	}
	return skus, by, forms
}

// each runs a step for each listing that has not failed.
func each(list []*listing, do func(*listing) error) error {
	list = standing(list)
	return connector.Each(len(list), func(i int) error { return do(list[i]) },
		func(i int, f *connector.Failure, again bool) { list[i].fail(f, again) })
}

// Upsert lists products. A listing takes three steps, each of which may be repeated: the item, which is replaced
// whole; the offer, one for each SKU and marketplace; and its publication. Each step is done for all products
// together, as far as eBay takes several in one request. Variants are items of a group, which is one listing.
func (s *session) Upsert(ctx context.Context, products []connector.Product) ([]connector.Result, error) {
	if err := s.spare(ctx, inventoryAPI); err != nil {
		return nil, err
	}
	list := make([]*listing, len(products))
	for i := range products {
		p := &products[i]
		list[i] = &listing{Product: p, forms: p.Forms(), there: map[string]itemThere{}, offers: map[string]offer{}}
		if len(p.Images) == 0 {
			list[i].fail(connector.Failf(connector.Rejected, "eBay lists nothing without a picture"), false)
		}
		if until, why, waits := s.rest(list[i].shown(), contentChanges); waits && p.OnSale {
			list[i].rest(until, why)
		}
	}
	if len(standing(list)) == 0 {
		return s.resultsOf(list), nil
	}
	a, err := s.readAccount(ctx)
	if f := connector.FailureOf(err); f != nil && (f.Kind == connector.Rejected || f.Kind == connector.Forbidden) {
		for _, l := range list {
			l.fail(f, false)
		}
	} else if err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context, []*listing) error{s.look, s.categorizeNew, s.putItems, s.putGroups,
		func(ctx context.Context, list []*listing) error { return s.putOffers(ctx, a, list) }, s.show, s.endOthers} {
		if err := step(ctx, list); err != nil {
			return nil, err
		}
	}
	return s.resultsOf(list), nil
}

func (s *session) resultsOf(list []*listing) (results []connector.Result) {
	for _, l := range list {
		if l.failed == nil {
			results = append(results, s.results(l)...)
			continue
		}
		if until, why, waits := s.noteDay(l.shown(), l.failed); waits {
			l.failed, l.again, l.rests = &connector.Failure{Kind: connector.Throttled, Message: why}, true, until
		}
		failed := connector.FailedProduct(l.Product, l.failed, l.again)
		for i := range failed {
			failed[i].Rests = l.rests
		}
		results = append(results, failed...)
	}
	return results
}

// look reads the items that eBay has, and refuses SKUs that belong to another group of variants than the product's.
func (s *session) look(ctx context.Context, list []*listing) error {
	skus, by, _ := skusOf(standing(list))
	found, err := s.items(ctx, skus)
	if err != nil {
		return err
	}
	for _, sku := range skus {
		l, e := by[sku], found.of(sku)
		switch f := e.failure(); {
		case f == nil:
			l.there[sku] = e.InventoryItem
		case f.Kind != connector.Missing:
			l.failAt(sku, f)
			continue
		}
		for _, group := range e.InventoryItem.groups() {
			if group != l.SKU || len(l.Variants) == 0 {
				l.fail(connector.Failf(connector.Rejected, "the SKU %s belongs to the group %s on eBay", sku, group), false)
			}
		}
	}
	return nil
}

// putItems creates or replaces the items.
func (s *session) putItems(ctx context.Context, list []*listing) error {
	skus, by, forms := skusOf(standing(list))
	bodies := map[string]fields{}
	for _, sku := range skus {
		body := item(by[sku], forms[sku])
		body["sku"], body["locale"] = sku, s.market.locale()
		if parcel := s.parcel(forms[sku].Weight); len(parcel) > 0 {
			whole := body.part("packageWeightAndSize")
			maps.Copy(whole, parcel)
			body["packageWeightAndSize"] = whole
		}
		bodies[sku] = body
	}
	skus = slices.DeleteFunc(skus, func(sku string) bool {
		return same(bodies[sku], by[sku].there[sku].whole, "groupIds", "inventoryItemGroupKeys")
	})
	done, err := s.bulk(ctx, "/bulk_create_or_replace_inventory_item", skus, func(sku string) fields { return bodies[sku] })
	if err != nil {
		return err
	}
	for _, sku := range skus {
		f := done.of(sku).failure()
		if by[sku].failAt(sku, f); f == nil {
			s.changed(by[sku].shown())
		}
	}
	return nil
}

// putGroups creates or replaces the groups of variants: eBay takes one at a time.
func (s *session) putGroups(ctx context.Context, list []*listing) error {
	return each(list, func(l *listing) error {
		if len(l.Variants) == 0 {
			return nil
		}
		_, err := s.call(connector.Repeatable(ctx), http.MethodPut, inventory+"/inventory_item_group/"+url.PathEscape(l.SKU),
			itemGroup(l.Product), nil)
		if err == nil {
			s.changed(l.shown())
		}
		return err
	})
}

func (s *session) results(l *listing) []connector.Result {
	link := ""
	if l.id != "" {
		link = "https://" + s.market.site + "/itm/" + l.id
	}
	return l.Results(func(sku string) connector.Result {
		ids := connector.IDs{Product: l.id, Variant: sku}
		if o := l.offers[sku]; o.OfferID != "" {
			ids.Other = map[string]string{offerID: o.OfferID}
			if !l.OnSale {
				ids.Other[connector.HiddenID] = "1"
			}
		}
		return connector.Result{SKU: sku, State: connector.Live, Priced: true, IDs: ids, URL: link}
	})
}

// offerID is under what the id of a SKU's offer is kept.
const offerID = "offer"

// liveOffer is the offer of a SKU that buyers see, "" for none: eBay sets quantities and prices of no other.
func liveOffer(it connector.Item) string {
	if it.IDs.Hidden() {
		return ""
	}
	return it.IDs.Other[offerID]
}

// Unpublish ends listings; remove takes the items away as well. A listing with variations ends as a whole, by the
// group of its variants.
func (s *session) Unpublish(ctx context.Context, items []connector.Item, remove bool) ([]connector.Result, error) {
	skus := make([]string, len(items))
	for i, it := range items {
		skus[i] = it.SKU
	}
	found, err := s.items(ctx, skus)
	if err != nil {
		return nil, err
	}
	for _, sku := range skus {
		if f := found.of(sku).failure(); f != nil && f.Kind != connector.Missing {
			return nil, f
		}
	}
	parents, keys, groups := parentsOf(items), map[string]string{}, map[string][]string{}
	for _, it := range items {
		keys[it.SKU] = it.SKU
		group := parents[it.IDs.Product]
		if named := found[it.SKU].InventoryItem.groups(); len(named) > 0 {
			group = named[0]
		}
		if group != "" {
			keys[it.SKU], groups[group] = groupKey+group, append(groups[group], it.SKU)
		}
	}
	if !remove {
		return connector.UnpublishEach(items, func(it connector.Item) string { return keys[it.SKU] },
			func(key string) error { return s.takeOff(ctx, key, groups) })
	}
	results, err := connector.UnpublishEach(items, func(it connector.Item) string { return it.SKU },
		func(sku string) error { return s.remove(ctx, "/inventory_item/"+url.PathEscape(sku)) })
	for group := range groups {
		if err == nil {
			err = s.remove(ctx, "/inventory_item_group/"+url.PathEscape(group))
		}
	}
	return results, err
}

// parentsOf are the groups of listings with variants, as they were made here: the SKU that has no offer of its own.
// eBay may leave out of an item to which group it belongs.
func parentsOf(items []connector.Item) map[string]string {
	parents, offers := map[string]string{}, map[string]bool{}
	for _, it := range items {
		if it.IDs.Other[offerID] == "" {
			parents[it.IDs.Product] = it.SKU
		} else {
			offers[it.IDs.Product] = true
		}
	}
	maps.DeleteFunc(parents, func(listing, _ string) bool { return listing == "" || !offers[listing] })
	return parents
}

// groupKey is the beginning of the key of a group of variants among SKUs; no SKU has a line break.
const groupKey = "group\n"

// takeOff ends the listing of a SKU, or of a group of variants with its SKUs: where eBay ends no groups, one by one.
func (s *session) takeOff(ctx context.Context, key string, groups map[string][]string) error {
	if group, ok := strings.CutPrefix(key, groupKey); ok {
		err := s.ofGroup(ctx, "withdraw", group, nil)
		if f := connector.FailureOf(err); f != nil && f.Code == noOffer { // it is off sale
			return nil
		}
		if !connector.Is(err, connector.Missing) {
			return err
		}
		for _, sku := range groups[group] {
			if err := s.takeOff(ctx, sku, nil); err != nil {
				return err
			}
		}
		return nil
	}
	there, err := s.offerOf(ctx, key)
	if err != nil || !there.live() {
		return err
	}
	err = s.withdraw(ctx, there)
	// it is off sale if the answer of the first time was lost
	if connector.Is(err, connector.Rejected, connector.Missing) {
		if now, failed := s.offerOf(ctx, key); failed == nil && !now.live() {
			return nil
		}
		err = connector.Failf(connector.Rejected, "eBay does not end its listing: %s", connector.FailureOf(err).Message)
	}
	return err
}

// noOffer is the code of the refusal to end a listing that does not exist.
const noOffer = "25725"

// remove deletes an item or a group; that it is not there is a success.
func (s *session) remove(ctx context.Context, path string) error {
	_, err := s.call(connector.Repeatable(ctx), http.MethodDelete, inventory+path, nil, nil)
	if connector.Is(err, connector.Missing) {
		return nil
	}
	return err
}
