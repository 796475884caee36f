package amazon

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"entrepot/internal/connector"
)

// Further ids of an item: its product type, which every change must name, and "1" if Amazon ships it or it is hidden,
// so that its quantity is not set.
const (
	otherType   = "type"
	otherFBA    = "fba"
	otherHidden = "hidden"
)

// Upsert lists products: one listing for each form, and for full listings one more that groups variants. Existing
// listings are changed; new ones are accepted first and live later, which Poll finds out.
func (s *session) Upsert(ctx context.Context, products []connector.Product) ([]connector.Result, error) {
	var skus []string
	for i := range products {
		skus = append(skus, products[i].SKU)
		for _, v := range products[i].Variants {
			skus = append(skus, v.SKU)
		}
	}
	there, err := s.find(ctx, skus)
	if err != nil {
		return nil, err
	}
	return connector.UpsertEach(products, func(p *connector.Product) ([]connector.Result, error) { return s.upsert(ctx, p, there) })
}

func (s *session) upsert(ctx context.Context, p *connector.Product, there map[string]listing) ([]connector.Result, error) {
	list := forms(p)
	for _, f := range list {
		if err := s.mayList(p, f, there); err != nil {
			return nil, err
		}
	}
	var made []string
	if s.full() && len(p.Variants) > 0 && (p.OnSale || there[p.SKU].SKU != "") {
		if _, known := there[p.SKU]; !known {
			made = append(made, p.SKU)
		}
		if err := s.putListing(ctx, p.SKU, fields{"productType": s.typeOf(there[p.SKU]), "requirements": "LISTING_PRODUCT_ONLY",
			"attributes": s.parent(p)}); err != nil {
			return nil, err
		}
	}
	for _, f := range list {
		l, known := there[f.sku]
		var err error
		switch {
		case known:
			err = s.patchListing(ctx, f.sku, l.productType(), s.patches(p, f, l))
		case p.OnSale:
			made = append(made, f.sku)
			err = s.putListing(ctx, f.sku, s.newListing(p, f))
		}
		if connector.Is(err, connector.Rejected) {
			s.takeBack(ctx, made)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := s.drop(ctx, p.Dropped); err != nil {
		return nil, err
	}
	waiting := made
	for _, f := range list {
		if l, known := there[f.sku]; known && l.asin() == "" { // it was made a moment ago
			waiting = append(waiting, f.sku)
		}
	}
	return s.results(p, there, waiting), nil
}

// mayList refuses a SKU that is something else on Amazon, and one that Amazon cannot identify.
func (s *session) mayList(p *connector.Product, f form, there map[string]listing) error {
	l, known := there[f.sku]
	name, _ := s.identity(f)
	switch {
	case !known && name == "" && !s.full():
		return connector.Failf(connector.Rejected, "%s has neither an ASIN nor an EAN, GTIN, UPC or ISBN among its attributes, and Amazon "+
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

// patches change an existing listing. Offer and quantity are merged, so that what the merchant has set in addition,
// such as a handling time, stays.
func (s *session) patches(p *connector.Product, f form, l listing) []fields {
	var list []fields
	content := s.content(p, f)
	for _, name := range slices.Sorted(maps.Keys(content)) {
		list = append(list, patch("replace", name, content[name]))
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

// drop takes variants off sale that a product no longer has.
func (s *session) drop(ctx context.Context, items []connector.Item) error {
	for _, it := range items {
		if err := s.deleteListing(ctx, it.SKU); err != nil {
			return err
		}
	}
	return nil
}

// listingOperation identifies the listings of a product that are to become live.
func listingOperation(skus []string) string {
	text, err := json.Marshal(skus)
	if err != nil {
		return ""
	}
	return "listings " + string(text)
}

// results are the results for a product's SKUs: live, unless Amazon is still processing some of them.
func (s *session) results(p *connector.Product, there map[string]listing, waiting []string) []connector.Result {
	operation := ""
	if len(waiting) > 0 {
		operation = listingOperation(waiting)
	}
	one := func(sku string) connector.Result {
		r := connector.Result{SKU: sku, State: connector.Live, Operation: operation, Priced: p.OnSale || there[sku].SKU != ""}
		if l, known := there[sku]; known {
			r.IDs, r.URL = s.ids(l, !p.OnSale), s.page(l.asin())
		}
		if operation != "" {
			r.State = connector.Waiting
		}
		return r
	}
	list := []connector.Result{one(p.SKU)}
	for _, v := range p.Variants {
		list = append(list, one(v.SKU))
	}
	return list
}

// ids are Amazon's ids of a listing; the SKU is one of them.
func (s *session) ids(l listing, hidden bool) connector.IDs {
	ids := connector.IDs{Product: cmp.Or(l.asin(), l.SKU), Variant: l.SKU, Other: map[string]string{otherType: l.productType()}}
	if l.byAmazon() {
		ids.Other[otherFBA] = "1"
	}
	if hidden {
		ids.Other[otherHidden] = "1"
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
		return s.patchListing(ctx, sku, l.productType(), []fields{patch("merge", "fulfillment_availability", availability(0))})
	})
}
