package ebay

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
)

// offer is a SKU's offer on the marketplace.
type offer struct {
	whole           fields // as eBay has it
	OfferID, Status string
	Format          string
	CategoryID      string
	Listing         struct {
		ListingID, ListingStatus string
		ListingOnHold            bool
	}
}

// live reports whether buyers see the offer: the offer of an ended listing may still be published.
func (o offer) live() bool { return o.ended() == "" }

// ended says why buyers do not see the offer, "" if they do.
func (o offer) ended() string {
	switch {
	case o.OfferID == "":
		return "its offer was deleted on eBay"
	case o.Listing.ListingStatus == "EBAY_ENDED":
		return "eBay has ended its listing"
	case o.Status != onSale, o.Listing.ListingStatus == "ENDED", o.Listing.ListingStatus == "NOT_LISTED":
		return "its listing has ended on eBay"
	}
	return ""
}

// offSale says why nobody can buy it, "" if somebody can. An offer on sale that eBay holds back is off sale, too.
func (o offer) offSale() string {
	switch reason := o.ended(); {
	case reason != "":
		return reason
	case o.Listing.ListingOnHold:
		return "eBay holds its listing back because it breaks a rule of eBay: correct it there before eBay ends it"
	case o.Listing.ListingStatus == "INACTIVE":
		return "eBay shows its listing as inactive"
	}
	return ""
}

// UnmarshalJSON reads an offer, and keeps what is not known here.
func (o *offer) UnmarshalJSON(raw []byte) error {
	type known offer
	if err := json.Unmarshal(raw, (*known)(o)); err != nil {
		return err
	}
	return json.Unmarshal(raw, &o.whole)
}

// putOffers creates or changes the offers. It creates several at a time; an existing one is changed alone, because
// eBay has no other way.
func (s *session) putOffers(ctx context.Context, a *account, list []*listing) error {
	err := each(list, func(l *listing) error { // offers of the last push
		for _, f := range l.forms {
			if f.Known.Other[offerID] == "" {
				continue
			}
			if err := s.changeOffer(ctx, a, l, f); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := each(list, func(l *listing) error { // of an offer that eBay does not have any more
		if l.category != "" || !slices.ContainsFunc(l.forms, func(f connector.Variant) bool { return l.offers[f.SKU].OfferID == "" }) {
			return nil
		}
		return s.categorize(ctx, l)
	}); err != nil {
		return err
	}
	var skus []string
	all, by, forms := skusOf(standing(list))
	for _, sku := range all {
		if by[sku].offers[sku].OfferID == "" {
			skus = append(skus, sku)
		}
	}
	made, err := s.bulk(ctx, "/bulk_create_offer", skus, func(sku string) fields { return s.offerBody(a, by[sku], forms[sku], offer{}) })
	if err != nil {
		return err
	}
	return each(list, func(l *listing) error {
		for _, f := range l.forms {
			if l.offers[f.SKU].OfferID != "" {
				continue
			}
			e := made.of(f.SKU)
			if l.offers[f.SKU] = (offer{OfferID: e.OfferID}); e.failure() == nil {
				continue
			}
			// Most likely there is one already, for example because the answer of an earlier request was lost.
			if err := s.changeOffer(ctx, a, l, f); err != nil {
				return err
			}
			if l.offers[f.SKU].OfferID == "" {
				l.failAt(f.SKU, e.failure())
			}
		}
		return nil
	})
}

// changeOffer changes the offer of a form, if eBay has one.
func (s *session) changeOffer(ctx context.Context, a *account, l *listing, f connector.Variant) error {
	there, err := s.offerOf(ctx, f.SKU)
	if l.offers[f.SKU] = there; err != nil || there.OfferID == "" {
		return err
	}
	l.id, l.category = cmp.Or(there.Listing.ListingID, l.id), cmp.Or(there.CategoryID, l.category)
	body := s.offerBody(a, l, f, there)
	if same(body, there.whole, notOffered...) {
		return nil
	}
	_, err = s.call(connector.Repeatable(ctx), http.MethodPut, inventory+"/offer/"+url.PathEscape(there.OfferID), body, nil)
	if err == nil && there.live() {
		s.changed(l.shown())
	}
	return err
}

// offerBody is the whole offer of a form, because eBay deletes what is left out. The seller's choices at eBay, such
// as another policy or a category of the shop, stay unless the channel's settings name one.
func (s *session) offerBody(a *account, l *listing, f connector.Variant, there offer) fields {
	body := without(there.whole, notOffered...)
	chosen := func(setting string, theirs any, otherwise string) string {
		text, _ := theirs.(string)
		return cmp.Or(s.link.Channel.Value(setting), text, otherwise)
	}
	policies, price := body.part("listingPolicies"), body.part("pricingSummary")
	for _, p := range []struct{ setting, account string }{
		{settingFulfillment, a.fulfillment}, {settingPayment, a.payment}, {settingReturns, a.returns}} {
		policies[p.setting] = chosen(p.setting, policies[p.setting], p.account)
	}
	price["price"] = s.price(f.Price)
	maps.Copy(body, fields{"sku": f.SKU, "marketplaceId": s.market.id, "format": fixedPrice,
		"listingDescription":  kept(l.Product, body["listingDescription"], text(l.Product)),
		"merchantLocationKey": chosen(settingLocation, body["merchantLocationKey"], a.location),
		"listingPolicies":     policies, "pricingSummary": price})
	if category := chosen(settingCategory, there.CategoryID, l.category); category != "" {
		body["categoryId"] = category
	}
	if f.Quantity != connector.NotOurs {
		body["availableQuantity"] = f.Quantity
	}
	return body
}

// notOffered is the part of an offer that eBay returns and that is never written.
var notOffered = []string{"offerId", "status", "listing", "listingStartDate"}

// fixedPrice is the format of the offers; a SKU may have an auction as well.
const fixedPrice = "FIXED_PRICE"

// offerOf is the offer of a SKU, without an id if there is none.
func (s *session) offerOf(ctx context.Context, sku string) (offer, error) {
	there, err := s.offersOf(ctx, sku)
	if connector.Is(err, connector.Missing) {
		err = nil
	}
	return there, err
}

// offersOf is offerOf; eBay's answer that there is none is an error.
func (s *session) offersOf(ctx context.Context, sku string) (offer, error) {
	var there struct{ Offers []offer }
	_, err := s.get(ctx, inventory+"/offer", url.Values{"sku": {sku}, "marketplace_id": {s.market.id}}, &there)
	for _, o := range there.Offers {
		if err == nil && (o.Format == "" || o.Format == fixedPrice) {
			return o, nil
		}
	}
	return offer{}, err
}

func (s *session) price(p money.Amount) fields {
	return fields{"value": p.Text(s.market.currency), "currency": s.market.currency}
}

// show publishes offers that are to be on sale and are not, and withdraws those that are on sale and should not be.
// Offers of products without variants are published several at a time, a group of variants alone.
func (s *session) show(ctx context.Context, list []*listing) error {
	var offers []string
	byOffer := map[string]*listing{}
	for _, l := range standing(list) {
		if id := l.offers[l.SKU].OfferID; l.OnSale && len(l.Variants) == 0 && !l.published() {
			offers, byOffer[id] = append(offers, id), l
		}
	}
	done, err := s.bulk(ctx, "/bulk_publish_offer", offers, func(id string) fields { return fields{"offerId": id} })
	if err != nil {
		return err
	}
	for id, l := range byOffer {
		e := done.of(id)
		l.id = e.ListingID
		l.failAt(l.SKU, s.unlessDone(ctx, l, true, e.failure()))
	}
	return each(list, func(l *listing) error {
		var err error
		switch {
		case l.OnSale && len(l.Variants) > 0 && !l.published():
			var out struct{ ListingID string }
			err = s.ofGroup(ctx, "publish", l.SKU, &out)
			l.id = out.ListingID
		case l.OnSale || l.id == "":
		case len(l.Variants) > 0:
			variants, _, _ := skusOf([]*listing{l})
			err = s.takeOff(ctx, groupKey+l.SKU, map[string][]string{l.SKU: variants})
		default:
			err = s.withdraw(ctx, l.offers[l.SKU])
		}
		if f := s.unlessDone(ctx, l, l.OnSale, connector.FailureOf(err)); f != nil {
			return f
		}
		return nil
	})
}

// endOthers ends earlier forms of products on sale: a product that has variants now is ended under its own SKU, one
// that has none any more as a group, and lost variants one by one.
func (s *session) endOthers(ctx context.Context, list []*listing) error {
	return each(list, func(l *listing) error {
		var lost []string
		for _, it := range l.Dropped {
			if liveOffer(it) != "" {
				lost = append(lost, it.SKU)
			}
		}
		if len(l.Variants) == 0 {
			if len(lost) == 0 {
				return nil
			}
			return s.takeOff(ctx, groupKey+l.SKU, map[string][]string{l.SKU: lost})
		}
		for _, sku := range lost { // eBay takes them out of the listing with the group, and may refuse to do it twice
			if err := s.takeOff(ctx, sku, nil); err != nil && !connector.Is(err, connector.Rejected) {
				return err
			}
		}
		if l.Known.Other[offerID] == "" {
			return nil
		}
		return s.takeOff(ctx, l.SKU, nil)
	})
}

// unlessDone is the failure of putting a listing on sale or of ending it; nil if the listing is in that state all the
// same. eBay refuses to do it twice, and the first answer may be lost.
func (s *session) unlessDone(ctx context.Context, l *listing, on bool, f *connector.Failure) *connector.Failure {
	if f == nil || f.Kind != connector.Rejected && f.Kind != connector.Missing {
		return f
	}
	for _, form := range l.forms {
		there, err := s.offerOf(ctx, form.SKU)
		if err != nil || there.live() != on {
			return f
		}
		l.id = cmp.Or(there.Listing.ListingID, l.id)
	}
	return nil
}

// published reports whether all offers were on sale when they were read.
func (l *listing) published() bool {
	for _, f := range l.forms {
		if !l.offers[f.SKU].live() {
			return false
		}
	}
	return true
}

// onSale is the status of an offer that is published.
const onSale = "PUBLISHED"

// ofGroup publishes or withdraws a group of variants.
func (s *session) ofGroup(ctx context.Context, what, key string, into any) error {
	_, err := s.call(connector.Repeatable(ctx), http.MethodPost, inventory+"/offer/"+what+"_by_inventory_item_group",
		fields{"inventoryItemGroupKey": key, "marketplaceId": s.market.id}, into)
	return err
}

func (s *session) withdraw(ctx context.Context, o offer) error {
	_, err := s.call(connector.Repeatable(ctx), http.MethodPost, inventory+"/offer/"+url.PathEscape(o.OfferID)+"/withdraw", fields{}, nil)
	return err
}
