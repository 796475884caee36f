package amazon

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"entrepot/internal/connector"
)

// Further ids of an item: its product type, which every change must name, and "1" if Amazon ships it, so that its
// quantity is not set.
const (
	otherType = "type"
	otherFBA  = "fba"
)

// Upsert lists products: one listing for each form, and for full listings one more that groups variants. Existing
// listings are changed; new ones are accepted first and live later, which Poll finds out.
func (s *session) Upsert(ctx context.Context, products []connector.Product) ([]connector.Result, error) {
	var skus []string
	for i := range products {
		skus = append(skus, products[i].SKUs()...)
	}
	there, err := s.find(ctx, skus)
	if err != nil {
		return nil, err
	}
	plans, writes := make([]plan, len(products)), 0
	for i := range products {
		plans[i] = s.plan(&products[i], there)
		writes += len(plans[i].writes)
	}
	if writes > smallWave {
		return s.feedProducts(ctx, plans, there)
	}
	var results []connector.Result
	err = connector.Each(len(plans), func(i int) error {
		one, err := s.upsert(ctx, &plans[i], there)
		results = append(results, one...)
		return err
	}, func(i int, f *connector.Failure, again bool) {
		results = append(results, connector.FailedProduct(plans[i].product, f, again)...)
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// plan is a product with the changes of listings that put it on Amazon, or why none of them may be made.
type plan struct {
	product *connector.Product
	writes  []listingWrite
	waiting []string // listings that become live later
	refused error
}

// plan compares a product with the listings that Amazon has.
func (s *session) plan(p *connector.Product, there map[string]listing) plan {
	out := plan{product: p}
	list := forms(p)
	for _, f := range list {
		if out.refused = s.mayList(p, f, there); out.refused != nil {
			return out
		}
	}
	if s.full() && len(p.Variants) > 0 && (p.OnSale || there[p.SKU].SKU != "") {
		_, known := there[p.SKU]
		out.writes = append(out.writes, listingWrite{sku: p.SKU, kind: replaceListing, made: !known, body: fields{
			"productType": s.typeOf(there[p.SKU]), "requirements": "LISTING_PRODUCT_ONLY", "attributes": s.parent(p)}})
	}
	for _, f := range list {
		l, known := there[f.sku]
		switch {
		case known:
			out.writes = append(out.writes, listingWrite{sku: f.sku, kind: changeListing,
				body: fields{"productType": l.productType(), "patches": s.patches(p, f, l)}})
		case p.OnSale:
			out.writes = append(out.writes, listingWrite{sku: f.sku, kind: replaceListing, made: true, body: s.newListing(p, f)})
		}
	}
	// it had none before
	if own := there[p.SKU]; !s.full() && len(p.Variants) > 0 && p.Known.Product != "" && own.offered() > 0 {
		out.writes = append(out.writes, listingWrite{sku: p.SKU, kind: changeListing, body: fields{"productType": own.productType(),
			"patches": []fields{patch("merge", "fulfillment_availability", availability(0))}}})
	}
	for _, it := range p.Dropped {
		out.writes = append(out.writes, listingWrite{sku: it.SKU, kind: endListing})
	}
	out.waiting = out.made()
	for _, f := range list {
		if l, known := there[f.sku]; known && l.asin() == "" { // it was made a moment ago
			out.waiting = append(out.waiting, f.sku)
		}
	}
	return out
}

// made are the SKUs of new listings.
func (p *plan) made() (skus []string) {
	for _, w := range p.writes {
		if w.made {
			skus = append(skus, w.sku)
		}
	}
	return skus
}

// upsert makes the changes of a product one by one. If one is refused, the listings made before it are taken back.
func (s *session) upsert(ctx context.Context, p *plan, there map[string]listing) ([]connector.Result, error) {
	if p.refused != nil {
		return nil, p.refused
	}
	for i, w := range p.writes {
		err := s.write(ctx, w)
		if connector.Is(err, connector.Rejected) {
			done := plan{writes: p.writes[:i+1]}
			s.takeBack(ctx, done.made())
		}
		if err != nil {
			return nil, err
		}
	}
	operation := ""
	if len(p.waiting) > 0 {
		operation = listingOperation(p.waiting)
	}
	return s.results(p.product, there, operation), nil
}

// mayList refuses a SKU that is something else on Amazon, and one that Amazon cannot identify.
func (s *session) mayList(p *connector.Product, f form, there map[string]listing) error {
	l, known := there[f.sku]
	name, _ := s.identity(f)
	switch {
	case !known && name == "" && !s.full():
		return connector.Failf(connector.Rejected, "%s has neither a GTIN nor an ASIN, EAN, UPC or ISBN among its attributes, and Amazon "+
			"has no listing of it yet", f.sku)
	case !known && s.full() && s.link.Channel.Settings["productType"] == "":
		return connector.Failf(connector.Rejected, "the channel's setting productType must say as what Amazon lists %s", f.sku)
	case s.full() && f.variant && s.link.Channel.Settings["variationTheme"] == "":
		return connector.Failf(connector.Rejected, "the channel's setting variationTheme must say by what variants differ on Amazon")
	case known && f.asin() != "" && l.asin() != "" && l.asin() != f.asin():
		return connector.Failf(connector.Rejected, "the SKU %s is the listing of %s on Amazon, not of %s", f.sku, l.asin(), f.asin())
	case known && s.full() && len(l.parents()) > 0 && !(f.variant && slices.Contains(l.parents(), p.SKU)):
		return connector.Failf(connector.Rejected, "the SKU %s is a variant of %s on Amazon", f.sku, l.parents()[0])
	}
	return nil
}

// typeOf is the product type of a listing: the one that it has, else that of the setting.
func (s *session) typeOf(l listing) string {
	if l.SKU != "" {
		return l.productType()
	}
	return cmp.Or(s.link.Channel.Settings["productType"], offerType)
}

// newListing is a listing that Amazon does not have yet.
func (s *session) newListing(p *connector.Product, f form) fields {
	attributes := s.content(p, f)
	attributes["condition_type"] = []fields{{"value": "new_new", "marketplace_id": s.market.id}}
	attributes["purchasable_offer"] = s.offer(f.price)
	if f.quantity != connector.NotOurs {
		attributes["fulfillment_availability"] = availability(f.quantity)
	}
	if name, value := s.identity(f); name != "" {
		attributes[name] = value
	} else {
		attributes["supplier_declared_has_product_identifier_exemption"] = []fields{{"value": true, "marketplace_id": s.market.id}}
	}
	requirements := "LISTING_OFFER_ONLY"
	if s.full() {
		requirements = "LISTING"
		attributes["list_price"] = s.listPrice(f.price, f.compareAt)
	}
	return fields{"productType": s.typeOf(listing{}), "requirements": requirements, "attributes": attributes}
}

// patches change an existing listing. Offer and quantity are merged, so that the merchant's additions, such as a
// handling time, stay.
func (s *session) patches(p *connector.Product, f form, l listing) []fields {
	var list []fields
	content := s.content(p, f)
	for _, name := range slices.Sorted(maps.Keys(content)) {
		list = append(list, patch("replace", name, content[name]))
	}
	for _, name := range s.emptied(p) {
		list = append(list, patch("delete", name, []fields{{"marketplace_id": s.market.id}}))
	}
	list = append(list, s.pricePatches(f.price, f.compareAt)...)
	quantity := f.quantity
	if !p.OnSale {
		quantity = 0
	}
	if f.quantity != connector.NotOurs && !l.byAmazon() {
		list = append(list, patch("merge", "fulfillment_availability", availability(quantity)))
	}
	return list
}

func patch(op, attribute string, value any) fields {
	return fields{"op": op, "path": "/attributes/" + attribute, "value": value}
}

// takeBack deletes listings created for a product that could not be listed completely. One that remains is adopted by
// the next try.
func (s *session) takeBack(ctx context.Context, skus []string) {
	for _, sku := range skus {
		_ = s.deleteListing(ctx, sku)
	}
}

// listingOperation identifies the listings of a product that are to become live.
func listingOperation(skus []string) string {
	text, err := json.Marshal(skus)
	if err != nil {
		return ""
	}
	return "listings " + string(text)
}

// results are the results for a product's SKUs: live, unless Amazon is still processing an operation.
func (s *session) results(p *connector.Product, there map[string]listing, operation string) []connector.Result {
	one := func(sku string) connector.Result {
		r := connector.Result{SKU: sku, State: connector.Live, Operation: operation, Priced: p.OnSale || there[sku].SKU != ""}
		if l, known := there[sku]; known {
			r.IDs, r.URL = s.ids(l), s.page(l.asin())
			if !p.OnSale {
				r.IDs.Other[connector.HiddenID] = "1"
			}
		}
		if operation != "" {
			r.State = connector.Waiting
		}
		return r
	}
	list := p.Results(one)
	list[0].Images = s.images(p)
	return list
}

// ids are Amazon's ids of a listing; the SKU is one of them.
func (s *session) ids(l listing) connector.IDs {
	ids := connector.IDs{Product: cmp.Or(l.asin(), l.SKU), Variant: l.SKU, Other: map[string]string{otherType: l.productType()}}
	if l.byAmazon() {
		ids.Other[otherFBA] = "1"
	}
	return ids
}

// page is the address at which buyers see an ASIN.
func (s *session) page(asin string) string {
	if asin == "" || s.market.site == "" {
		return ""
	}
	return "https://" + s.market.site + "/dp/" + asin
}

// Unpublish ends the offers of the items; with remove it deletes their listings.
func (s *session) Unpublish(ctx context.Context, items []connector.Item, remove bool) ([]connector.Result, error) {
	var skus []string
	for _, it := range items {
		skus = append(skus, it.SKU)
	}
	there, err := s.find(ctx, skus)
	if err != nil {
		return nil, err
	}
	return connector.UnpublishEach(items, func(it connector.Item) string { return it.SKU }, func(sku string) error {
		l, known := there[sku]
		switch {
		case !known:
			return nil
		case remove:
			return s.deleteListing(ctx, sku)
		case l.byAmazon():
			return connector.Failf(connector.Rejected, "Amazon ships it from its own warehouses: close the offer in Seller Central")
		}
		return s.write(ctx, listingWrite{sku: sku, kind: changeListing, body: fields{"productType": l.productType(),
			"patches": []fields{patch("merge", "fulfillment_availability", availability(0))}}})
	})
}
