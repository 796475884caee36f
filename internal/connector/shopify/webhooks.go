package shopify

import (
	"context"
	"strings"

	"entrepot/internal/connector"
)

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

// EnsureWebhooks registers missing webhooks. The shop deletes a subscription after eight failures, so it is missing
// then.
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
