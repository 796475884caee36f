package amazon

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"entrepot/internal/connector"
)

// Test tests that the seller sells on the marketplace, that the app may read its orders, and that it may write its
// listings: by validating a listing that is then not created.
func (s *session) Test(ctx context.Context) (connector.Shop, error) {
	if !s.known && s.link.Channel.Value("baseUrl") == "" {
		return connector.Shop{}, connector.Failf(connector.Rejected, "%s is no marketplace id of Amazon; Germany's is A1PA6795UKMFR9",
			s.market.id)
	}
	var there struct {
		Payload []struct {
			StoreName   string
			Marketplace struct {
				ID, Name, DefaultCurrencyCode, DomainName string
			}
			Participation struct{ IsParticipating, HasSuspendedListings bool }
		}
	}
	if err := s.call(ctx, request{participations, http.MethodGet, "/sellers/v1/marketplaceParticipations", nil, nil}, &there); err != nil {
		return connector.Shop{}, err
	}
	shop := connector.Shop{URL: "https://" + s.market.site, Currency: s.market.currency}
	gross := !s.market.taxOnTop
	shop.PricesIncludeTax = &gross
	var sells []string
	for _, p := range there.Payload {
		if p.Participation.IsParticipating {
			sells = append(sells, p.Marketplace.ID)
		}
		if p.Marketplace.ID == s.market.id {
			shop.Name = strings.TrimSpace(p.StoreName + " " + p.Marketplace.Name)
			if shop.Currency == "" {
				shop.Currency, shop.URL = p.Marketplace.DefaultCurrencyCode, "https://"+p.Marketplace.DomainName
			}
		}
	}
	if !slices.Contains(sells, s.market.id) {
		shop.Missing = append(shop.Missing, "the account does not sell on the marketplace "+s.market.id+", but on "+strings.Join(sells, ", "))
	}
	missing, err := s.rights(ctx)
	shop.Missing = append(shop.Missing, missing...)
	return shop, err
}

// testSKU is the SKU of the validated listing.
const testSKU = "entrepot-connection-test"

// rights names the missing roles of the app, and finds out whether it gets the buyers' names and addresses.
func (s *session) rights(ctx context.Context) (missing []string, err error) {
	s.link.Facts.Keep(personFact, "") // it may have got the role since
	at := s.link.Now().Add(-time.Hour)
	_, err = s.searchOrders(ctx, url.Values{"lastUpdatedAfter": {at.UTC().Format(time.RFC3339)}, "maxResultsPerPage": {"1"}})
	switch f := connector.FailureOf(err); {
	case f == nil, f.Kind == connector.Throttled: // a pull has used up what may be searched, so it may be
	case f.Kind == connector.Forbidden:
		missing = append(missing, "the app lacks the role to read orders (Inventory and Order Tracking): "+f.Message)
	default:
		return missing, err
	}
	body := fields{"productType": offerType, "requirements": "LISTING_OFFER_ONLY",
		"attributes": fields{"condition_type": []fields{{"value": "new_new", "marketplace_id": s.market.id}}}}
	query := s.about()
	query.Set("mode", "VALIDATION_PREVIEW")
	err = s.call(connector.Repeatable(ctx), request{putListing, http.MethodPut, s.listing(testSKU), query, body}, nil)
	switch f := connector.FailureOf(err); {
	case f == nil, f.Kind == connector.Rejected, f.Kind == connector.Missing: // it was looked at
	case f.Kind == connector.Forbidden:
		missing = append(missing, "the app may not write listings of the seller "+s.seller+" (role Product Listing): "+f.Message)
	default:
		return missing, err
	}
	return missing, nil
}
