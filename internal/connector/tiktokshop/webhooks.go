package tiktokshop

import (
	"context"
	"net/http"

	"entrepot/internal/connector"
)

// topics are the events to register.
var topics = []string{"ORDER_STATUS_CHANGE", "CANCELLATION_STATUS_CHANGE", "RETURN_STATUS_CHANGE", "PACKAGE_UPDATE",
	"RECIPIENT_ADDRESS_UPDATE", "PRODUCT_STATUS_CHANGE", "SELLER_DEAUTHORIZATION", "UPCOMING_AUTHORIZATION_EXPIRATION"}

const webhooksPath = "/event/202309/webhooks"

// registered are the addresses for notifications, by topic: a topic has one.
func (s *session) registered(ctx context.Context) (map[string]string, error) {
	var out struct {
		Webhooks []struct {
			Topic   string `json:"event_type"`
			Address string `json:"address"`
		} `json:"webhooks"`
	}
	if _, err := s.call(ctx, request{method: http.MethodGet, path: webhooksPath}, &out); err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, w := range out.Webhooks {
		found[w.Topic] = w.Address
	}
	return found, nil
}

// EnsureWebhooks registers all topicNames for the target. An app may not have every topic; one that is refused is
// left out.
func (s *session) EnsureWebhooks(ctx context.Context, target connector.WebhookTarget) ([]connector.Webhook, error) {
	there, err := s.registered(ctx)
	if err != nil {
		return nil, err
	}
	var on []connector.Webhook
	var refused error
	for _, topic := range topics {
		if there[topic] != target.URL {
			_, err := s.call(connector.Repeatable(ctx), request{method: http.MethodPut, path: webhooksPath,
				body: fields{"event_type": topic, "address": target.URL}}, nil)
			if connector.Is(err, connector.Rejected) || connector.Is(err, connector.Forbidden) {
				refused = err
				continue
			}
			if err != nil {
				return on, err
			}
		}
		on = append(on, connector.Webhook{Topic: topic, Status: "active"})
	}
	if len(on) == 0 {
		return nil, refused
	}
	return on, nil
}

// RemoveWebhooks removes the topicNames registered for the target.
func (s *session) RemoveWebhooks(ctx context.Context, target connector.WebhookTarget) error {
	there, err := s.registered(ctx)
	if err != nil {
		return err
	}
	for topic, address := range there {
		if address != target.URL {
			continue
		}
		if _, err := s.call(connector.Repeatable(ctx), request{method: http.MethodDelete, path: webhooksPath,
			body: fields{"event_type": topic}}, nil); err != nil {
			return err
		}
	}
	return nil
}
