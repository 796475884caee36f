package ebay

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"entrepot/internal/connector"
)

// topics are the events to subscribe to, if the application may.
var topics = []string{"MARKETPLACE_ACCOUNT_DELETION", "AUTHORIZATION_REVOCATION", "ORDER_CONFIRMATION", "ITEM_MARKED_SHIPPED"}

const notifying = "/commerce/notification/v1"

// EnsureWebhooks makes eBay send notifications to the address: a destination, which eBay verifies by a challenge, and
// a subscription for each topic that the application may have.
func (s *session) EnsureWebhooks(ctx context.Context, target connector.WebhookTarget) ([]connector.Webhook, error) {
	destination, err := s.destination(ctx, target.URL)
	if err != nil {
		return nil, err
	}
	var there struct {
		Subscriptions []struct{ SubscriptionID, TopicID, DestinationID, Status string }
	}
	if _, err := s.get(ctx, notifying+"/subscription", url.Values{"limit": {"100"}}, &there); err != nil {
		return nil, err
	}
	var on []connector.Webhook
	for _, topic := range topics {
		at := ""
		for _, sub := range there.Subscriptions {
			if sub.TopicID != topic || sub.DestinationID != destination {
				continue
			}
			if at = sub.SubscriptionID; sub.Status != "ENABLED" {
				if _, err := s.call(connector.Repeatable(ctx), http.MethodPost, notifying+"/subscription/"+at+"/enable", fields{}, nil); err != nil {
					return on, err
				}
			}
		}
		if at == "" {
			body := fields{"topicId": topic, "status": "ENABLED", "destinationId": destination,
				"payload": fields{"format": "JSON", "schemaVersion": "1.0", "deliveryProtocol": "HTTPS"}}
			_, err := s.call(ctx, http.MethodPost, notifying+"/subscription", body, nil)
			if f := connector.FailureOf(err); f != nil && (f.Kind == connector.Rejected || f.Kind == connector.Forbidden) {
				continue // not every application may have every topic
			}
			if err != nil {
				return on, err
			}
		}
		on = append(on, connector.Webhook{Topic: topic, Status: "active"})
	}
	return on, nil
}

// findDestination finds the destination of an address; id is "" if there is none.
func (s *session) findDestination(ctx context.Context, address string) (id string, enabled bool, err error) {
	var there struct {
		Destinations []struct {
			DestinationID, Status string
			DeliveryConfig        struct{ Endpoint string }
		}
	}
	if _, err := s.get(ctx, notifying+"/destination", url.Values{"limit": {"100"}}, &there); err != nil {
		return "", false, err
	}
	for _, d := range there.Destinations {
		if d.DeliveryConfig.Endpoint == address {
			return d.DestinationID, d.Status == "ENABLED", nil
		}
	}
	return "", false, nil
}

// destination finds or creates the destination of an address, and enables it again.
func (s *session) destination(ctx context.Context, address string) (string, error) {
	id, enabled, err := s.findDestination(ctx, address)
	if err != nil || enabled {
		return id, err
	}
	body := fields{"name": "entrepot", "status": "ENABLED",
		"deliveryConfig": fields{"endpoint": address, "verificationToken": s.link.Channel.Credentials["verificationToken"]}}
	if id != "" {
		_, err = s.call(connector.Repeatable(ctx), http.MethodPut, notifying+"/destination/"+id, body, nil)
		return id, err
	}
	answer, err := s.call(ctx, http.MethodPost, notifying+"/destination", body, nil)
	if err != nil {
		return "", err
	}
	location := answer.Header.Get("Location")
	return location[strings.LastIndexByte(location, '/')+1:], nil
}

// RemoveWebhooks takes away the subscriptions of the address, and its destination.
func (s *session) RemoveWebhooks(ctx context.Context, target connector.WebhookTarget) error {
	destination, _, err := s.findDestination(ctx, target.URL)
	if err != nil || destination == "" {
		return err
	}
	var there struct {
		Subscriptions []struct{ SubscriptionID, DestinationID string }
	}
	if _, err := s.get(ctx, notifying+"/subscription", url.Values{"limit": {"100"}}, &there); err != nil {
		return err
	}
	for _, sub := range there.Subscriptions {
		if sub.DestinationID == destination {
			if _, err := s.call(connector.Repeatable(ctx), http.MethodDelete, notifying+"/subscription/"+sub.SubscriptionID, nil, nil); err != nil {
				return err
			}
		}
	}
	_, err = s.call(connector.Repeatable(ctx), http.MethodDelete, notifying+"/destination/"+destination, nil, nil)
	return err
}
