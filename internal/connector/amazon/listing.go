package amazon

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"entrepot/internal/connector"
)

// issue is a problem that Amazon reports about a listing. Enforcements are what Amazon did because of it, unless the
// listing is exempt.
type issue struct {
	Code, Message, Severity string
	Enforcements            struct {
		Actions   []struct{ Action string }
		Exemption struct{ Status string }
	}
}

// suppresses reports whether Amazon has taken the listing off sale because of the issue.
func (i issue) suppresses() bool {
	for _, a := range i.Enforcements.Actions {
		if a.Action == "LISTING_SUPPRESSED" || a.Action == "CATALOG_ITEM_REMOVED" {
			return !strings.HasPrefix(i.Enforcements.Exemption.Status, "EXEMPT")
		}
	}
	return false
}

// refusals are the messages of the issues that keep a listing from being correct.
func refusals(list []issue) string {
	var texts []string
	for _, i := range list {
		if i.Severity == "ERROR" || i.suppresses() {
			texts = append(texts, connector.Line(i.Message))
		}
	}
	return strings.Join(texts[:min(len(texts), 3)], " ")
}

// listing is what Amazon has under a SKU of the seller.
type listing struct {
	SKU       string
	Summaries []struct {
		MarketplaceID, Asin, ProductType string
		Status                           []string
	}
	Issues                  []issue
	FulfillmentAvailability []struct {
		FulfillmentChannelCode string
		Quantity               int64
	}
	ProductTypes  []struct{ ProductType string }
	Relationships []struct {
		Relationships []struct {
			Type       string
			ParentSkus []string
		}
	}
}

// refusal is the reason why buyers cannot have the listing, "" for none. An error about a part of a listing that they
// can have is none.
func (l listing) refusal() string {
	buyable := slices.ContainsFunc(l.Summaries, func(s struct {
		MarketplaceID, Asin, ProductType string
		Status                           []string
	}) bool {
		return slices.Contains(s.Status, "BUYABLE")
	})
	return refusals(slices.DeleteFunc(slices.Clone(l.Issues), func(i issue) bool { return buyable && !i.suppresses() }))
}

// suppressed is the reason why Amazon has taken the listing off sale, "" if it has not.
func (l listing) suppressed() string {
	return refusals(slices.DeleteFunc(slices.Clone(l.Issues), func(i issue) bool { return !i.suppresses() }))
}

// asin is its number in Amazon's catalog, "" while it is not live.
func (l listing) asin() string {
	for _, s := range l.Summaries {
		if s.Asin != "" {
			return s.Asin
		}
	}
	return ""
}

func (l listing) productType() string {
	for _, t := range l.ProductTypes {
		return t.ProductType
	}
	for _, s := range l.Summaries {
		return s.ProductType
	}
	return offerType
}

// ownChannel is the code of items that the merchant ships; all other codes are Amazon's warehouses.
const ownChannel = "DEFAULT"

// byAmazon reports whether Amazon ships the listing from its own warehouses. Its quantity is then Amazon's, and
// setting one would end that.
func (l listing) byAmazon() bool {
	return slices.ContainsFunc(l.FulfillmentAvailability, func(f struct {
		FulfillmentChannelCode string
		Quantity               int64
	}) bool {
		return f.FulfillmentChannelCode != ownChannel
	})
}

// offered is the quantity that the merchant ships.
func (l listing) offered() int64 {
	for _, f := range l.FulfillmentAvailability {
		if f.FulfillmentChannelCode == ownChannel {
			return f.Quantity
		}
	}
	return 0
}

// parents are the SKUs whose variant it is.
func (l listing) parents() (skus []string) {
	for _, m := range l.Relationships {
		for _, r := range m.Relationships {
			if r.Type == "VARIATION" {
				skus = append(skus, r.ParentSkus...)
			}
		}
	}
	return skus
}

// searchMost is the largest number of SKUs in one search.
const searchMost = 20

// find searches the listings of some SKUs.
func (s *session) find(ctx context.Context, skus []string) (map[string]listing, error) {
	found := map[string]listing{}
	var plain, others []string
	for _, sku := range slices.Compact(slices.Sorted(slices.Values(skus))) {
		if strings.Contains(sku, ",") { // the comma is what parts SKUs in a search
			others = append(others, sku)
		} else {
			plain = append(plain, sku)
		}
	}
	for piece := range slices.Chunk(plain, searchMost) {
		query := s.about()
		query.Set("identifiers", strings.Join(piece, ","))
		query.Set("identifiersType", "SKU")
		query.Set("includedData", listingParts)
		query.Set("pageSize", "20")
		var out struct{ Items []listing }
		err := s.call(ctx, request{searchListings, http.MethodGet, "/listings/2021-08-01/items/" + url.PathEscape(s.seller), query, nil}, &out)
		if connector.Is(err, connector.Missing) { // the search is not there
			others = append(others, piece...)
		} else if err != nil {
			return nil, err
		}
		for _, l := range out.Items {
			found[l.SKU] = l
		}
	}
	for _, sku := range others {
		if err := s.findOne(ctx, sku, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// listingParts are the parts of a listing that are requested.
const listingParts = "summaries,issues,fulfillmentAvailability,relationships,productTypes"

func (s *session) findOne(ctx context.Context, sku string, found map[string]listing) error {
	query := s.about()
	query.Set("includedData", listingParts)
	var l listing
	err := s.call(ctx, request{searchListings, http.MethodGet, s.listing(sku), query, nil}, &l)
	if connector.Is(err, connector.Missing) {
		return nil
	}
	if err == nil {
		found[sku] = l
	}
	return err
}

// submission is the answer to a write of a listing: accepted, which does not mean that it is live, or invalid.
type submission struct {
	Status string
	Issues []issue
}

// accepted is the failure of a submission that was not accepted.
func (a submission) accepted() error {
	text := refusals(a.Issues)
	if a.Status != "INVALID" && text == "" {
		return nil
	}
	if text == "" {
		text = "Amazon found it invalid and does not say why"
	}
	return connector.Failf(connector.Rejected, "%s", text)
}

// Kinds of changes of a listing, as feeds name them.
const (
	replaceListing = "UPDATE"
	changeListing  = "PATCH"
	endListing     = "DELETE"
)

// listingWrite is one change of a listing: a request, or a message of a feed.
type listingWrite struct {
	sku, kind string
	body      fields
	made      bool // the listing is new
}

// write makes a change by a request.
func (s *session) write(ctx context.Context, w listingWrite) error {
	r := request{putListing, http.MethodPut, s.listing(w.sku), s.about(), w.body}
	switch w.kind {
	case endListing:
		return s.deleteListing(ctx, w.sku)
	case changeListing:
		r.op, r.method = patchListing, http.MethodPatch
	}
	var out submission
	err := s.call(connector.Repeatable(ctx), r, &out)
	if err == nil {
		err = out.accepted()
	}
	return err
}

// deleteListing ends a listing.
func (s *session) deleteListing(ctx context.Context, sku string) error {
	query := url.Values{"marketplaceIds": {s.market.id}}
	err := s.call(connector.Repeatable(ctx), request{deleteListing, http.MethodDelete, s.listing(sku), query, nil}, nil)
	if connector.Is(err, connector.Missing) {
		return nil
	}
	return err
}

// offerType is the product type of a listing that only offers what is in Amazon's catalog.
const offerType = "PRODUCT"

// about are the parameters of all requests about listings.
func (s *session) about() url.Values {
	return url.Values{"marketplaceIds": {s.market.id}, "issueLocale": {"en_US"}}
}

// listing is the path of a SKU's listing.
func (s *session) listing(sku string) string {
	return "/listings/2021-08-01/items/" + url.PathEscape(s.seller) + "/" + url.PathEscape(sku)
}
