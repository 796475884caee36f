package shopify

import (
	"context"
	"slices"
	"strings"

	"entrepot/internal/connector"
)

// Test reads the shop and the rights of the token.
func (s *session) Test(ctx context.Context) (connector.Shop, error) {
	var a shopAnswer
	answer, err := s.call(reading(ctx), queryShop, nil, &a)
	if f := connector.FailureOf(err); f != nil && f.Code == accessDenied {
		return connector.Shop{Missing: []string{"the app lacks a scope: " + f.Message}}, nil
	}
	if err != nil {
		return connector.Shop{}, err
	}
	out := connector.Shop{Name: a.Shop.Name, URL: a.Shop.URL, Version: answer.Header.Get("X-Shopify-API-Version"),
		Currency: a.Shop.CurrencyCode,
		Timezone: a.Shop.IanaTimezone, PricesIncludeTax: &a.Shop.TaxesIncluded}
	var granted []string
	for _, scope := range a.CurrentAppInstallation.AccessScopes {
		granted = append(granted, scope.Handle)
	}
	for _, scope := range scopes {
		if !slices.Contains(granted, scope) && !slices.Contains(granted, strings.Replace(scope, "read_", "write_", 1)) {
			out.Missing = append(out.Missing, "the app lacks the scope "+scope)
		}
	}
	if v := out.Version; v != "" && v != apiVersion { // it serves a version that it has retired by another one
		out.Lacking = append(out.Lacking, "Shopify answers with version "+connector.Line(v)+" of its API in place of "+apiVersion+
			": this version of entrepot is too old, and what has changed there may not work")
	}
	if s.choose(a); s.shop.location == "" {
		out.Missing = append(out.Missing, "the shop has no active location to keep stock at")
	} else if others := s.soldBeside(a.Locations.Nodes); others != "" {
		out.Lacking = append(out.Lacking, others)
	}
	return out, nil
}

// scopes are what a token must be allowed.
var scopes = []string{"read_products", "write_products", "read_inventory", "write_inventory", "read_locations", "read_publications",
	"write_publications", "read_orders", "write_orders", "read_merchant_managed_fulfillment_orders",
	"write_merchant_managed_fulfillment_orders"}
