package shopify

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/connector"
)

// scopes are what a token must be allowed.
var scopes = []string{"read_products", "write_products", "read_inventory", "write_inventory", "read_locations", "read_publications",
	"write_publications", "read_orders", "write_orders", "read_merchant_managed_fulfillment_orders",
	"write_merchant_managed_fulfillment_orders"}

// shop is what is known of the shop in a session's life.
type shop struct {
	location     string   // where stock is kept
	publications []string // sales channels of the shop on which products appear
}

type shopAnswer struct {
	Shop struct {
		Name, MyshopifyDomain, URL, CurrencyCode, IanaTimezone string
		TaxesIncluded                                          bool
	}
	CurrentAppInstallation struct{ AccessScopes []struct{ Handle string } }
	Locations              struct{ Nodes []location }
	Publications           struct{ Nodes []struct{ ID, Name string } }
}

// location is a place where the shop has stock.
type location struct {
	ID, Name             string
	IsActive             bool
	FulfillsOnlineOrders bool // what is in stock there is sold by sales channels
}

// number is the location's own part of its id: they are numbered as they are opened.
func (l location) number() (text string, n int64) {
	text = l.ID[strings.LastIndexByte(l.ID, '/')+1:]
	n, _ = strconv.ParseInt(text, 10, 64)
	return text, n
}

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
	if s.choose(a); s.shop.location == "" {
		out.Missing = append(out.Missing, "the shop has no active location to keep stock at")
	} else if others := s.soldBeside(a.Locations.Nodes); others != "" {
		out.Lacking = append(out.Lacking, others)
	}
	return out, nil
}

// choose sets where stock is kept: at the location of the setting, else at the oldest active one of those that online orders are shipped
// from, else at the oldest active one. The shop lists them by their names, so a new one may be the first: stock that moved there would also
// stay at the old one.
func (s *session) choose(a shopAnswer) {
	s.shop = &shop{}
	wanted := s.link.Channel.Value("locationId")
	var chosen *location
	for i := range a.Locations.Nodes {
		l := &a.Locations.Nodes[i]
		own, number := l.number()
		if !l.IsActive || wanted != "" && wanted != l.ID && wanted != own {
			continue
		}
		if chosen != nil {
			_, oldest := chosen.number()
			if chosen.FulfillsOnlineOrders != l.FulfillsOnlineOrders && chosen.FulfillsOnlineOrders ||
				chosen.FulfillsOnlineOrders == l.FulfillsOnlineOrders && oldest <= number {
				continue
			}
		}
		chosen = l
	}
	if chosen != nil {
		s.shop.location = chosen.ID
	}
	for _, p := range a.Publications.Nodes {
		s.shop.publications = append(s.shop.publications, p.ID)
	}
}

// soldBeside warns of other locations from which the shop sells, and whose stock is its merchant's; "" if there are none, or a setting has
// chosen among them.
func (s *session) soldBeside(locations []location) string {
	var here string
	var others []string
	for _, l := range locations {
		switch {
		case l.ID == s.shop.location:
			here = l.Name
		case l.IsActive && l.FulfillsOnlineOrders:
			others = append(others, l.Name)
		}
	}
	if len(others) == 0 || s.link.Channel.Value("locationId") != "" {
		return ""
	}
	return connector.Line("stock is kept at the location " + here + ", and what the shop has at " + strings.Join(others, ", ") +
		" is sold beside it: count that stock in the shop alone, or set it to nothing there; the setting locationId names another location, " +
		"and ends this warning")
}

// facts reads the shop once in the session's life.
func (s *session) facts(ctx context.Context) (*shop, error) {
	if s.shop == nil {
		var a shopAnswer
		if _, err := s.call(reading(ctx), queryShop, nil, &a); err != nil {
			return nil, err
		}
		if s.choose(a); s.shop.location == "" {
			s.shop = nil
			return nil, connector.Failf(connector.Rejected, "the shop has no active location to keep stock at")
		}
	}
	return s.shop, nil
}

// topics are the events to register, by the API's names and by those in notifications.
var topics = []string{"ORDERS_CREATE", "ORDERS_UPDATED", "ORDERS_CANCELLED", "FULFILLMENTS_UPDATE", "REFUNDS_CREATE", "PRODUCTS_UPDATE",
	"PRODUCTS_DELETE", "INVENTORY_LEVELS_UPDATE", "APP_UNINSTALLED"}

// registered gives the shop's webhooks that go to an address, by topic.
func (s *session) registered(ctx context.Context, address string) (map[string][]string, error) {
	found := map[string][]string{}
	for after := any(nil); ; {
		var a struct {
			WebhookSubscriptions struct {
				PageInfo pageInfo
				Nodes    []struct{ ID, Topic, URI string }
			}
		}
		if _, err := s.call(reading(ctx), queryWebhooks, vars{"after": after}, &a); err != nil {
			return nil, err
		}
		for _, w := range a.WebhookSubscriptions.Nodes {
			if w.URI == address {
				found[w.Topic] = append(found[w.Topic], w.ID)
			}
		}
		if !a.WebhookSubscriptions.PageInfo.HasNextPage {
			return found, nil
		}
		after = a.WebhookSubscriptions.PageInfo.EndCursor
	}
}

type pageInfo struct {
	HasNextPage bool
	EndCursor   string
}

// EnsureWebhooks registers missing webhooks. The shop deletes a subscription after eight failures, so it is missing then.
func (s *session) EnsureWebhooks(ctx context.Context, target connector.WebhookTarget) ([]connector.Webhook, error) {
	there, err := s.registered(ctx, target.URL)
	if err != nil {
		return nil, err
	}
	var on []connector.Webhook
	for _, topic := range topics {
		if len(there[topic]) == 0 {
			webhook := vars{"uri": target.URL, "format": "JSON"}
			if strings.HasPrefix(topic, "ORDERS_") {
				webhook["includeFields"] = []string{"id", "admin_graphql_api_id", "updated_at"}
			}
			var a struct {
				WebhookSubscriptionCreate struct{ UserErrors userErrors }
			}
			_, err := s.call(ctx, mutateWebhook, vars{"topic": topic, "webhook": webhook}, &a)
			if err == nil {
				err = a.WebhookSubscriptionCreate.UserErrors.err()
			}
			if err != nil {
				return on, err
			}
		}
		on = append(on, connector.Webhook{Topic: topic, Status: "active"})
	}
	return on, nil
}

// RemoveWebhooks takes away all that go to the address.
func (s *session) RemoveWebhooks(ctx context.Context, target connector.WebhookTarget) error {
	there, err := s.registered(ctx, target.URL)
	if err != nil {
		return err
	}
	for _, ids := range there {
		for _, id := range ids {
			var a struct {
				WebhookSubscriptionDelete struct{ UserErrors userErrors }
			}
			if _, err := s.call(reading(ctx), mutateDropWebhook, vars{"id": id}, &a); err != nil {
				return err
			}
		}
	}
	return nil
}
