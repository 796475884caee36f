package ebay

import (
	"context"
	"net/url"
	"strings"

	"entrepot/internal/connector"
)

// Test reads the account: whose it is, and whether it has what a listing needs.
func (s *session) Test(ctx context.Context) (connector.Shop, error) {
	var user struct{ UserID, Username, RegistrationMarketplaceID string }
	if _, err := s.get(ctx, identity(s.base)+"/commerce/identity/v1/user/", nil, &user); err != nil {
		return connector.Shop{}, err
	}
	a, missing, err := s.policies(ctx)
	if connector.Is(err, connector.Forbidden) {
		missing, err = []string{"the consent lacks a scope: " + connector.FailureOf(err).Message}, nil
	}
	if err != nil {
		return connector.Shop{}, err
	}
	s.account = a
	gross := s.market.id != "EBAY_US" && s.market.id != "EBAY_CA"
	return connector.Shop{Name: user.Username, Account: user.UserID, URL: "https://" + s.market.site + "/usr/" + url.PathEscape(user.Username),
		Currency:         s.market.currency,
		PricesIncludeTax: &gross, Missing: missing}, nil
}

// identity is the host for user accounts, which differs from that of all other calls.
func identity(base string) string { return strings.Replace(base, "://api.", "://apiz.", 1) }
