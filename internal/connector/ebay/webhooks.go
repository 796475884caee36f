package ebay

import (
	"cmp"
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
	if err := s.alerts(ctx); err != nil {
		return nil, err
	}
	destination, former, err := s.destination(ctx, s.endpoint(target))
	if err != nil {
		return nil, err
	}
	there, err := s.subscriptions(ctx)
	if err != nil {
		return nil, err
	}
	var on []connector.Webhook
	for _, topic := range topics {
		known := false
		for _, sub := range there {
			at := notifying + "/subscription/" + url.PathEscape(sub.SubscriptionID)
			var err error
			switch {
			case sub.TopicID != topic || sub.DestinationID != destination && !former[sub.DestinationID]:
				continue
			case sub.DestinationID != destination: // an application has one subscription to a topic
				_, err = sub.call(connector.Repeatable(ctx), http.MethodPut, at, subscribed("", destination), nil)
			case sub.Status != "ENABLED":
				_, err = sub.call(connector.Repeatable(ctx), http.MethodPost, at+"/enable", fields{}, nil)
			}
			if known = true; err != nil {
				return on, err
			}
		}
		if !known {
			err := s.subscribe(ctx, topic, destination)
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

// endpoint is the address for notifications: the one that the merchant entered, for which Challenge answers, else the
// service's.
func (s *session) endpoint(target connector.WebhookTarget) string {
	return cmp.Or(s.link.Channel.Value(connector.EndpointField), target.URL)
}

// alerts ensures that eBay knows whom to alert when notifications do not arrive: it sends none before.
func (s *session) alerts(ctx context.Context) error {
	_, err := s.callAsApp(ctx, http.MethodGet, notifying+"/config", nil, nil)
	if !connector.Is(err, connector.Missing) {
		return err
	}
	email := s.link.Channel.Value("alertEmail")
	if email == "" {
		return connector.Failf(connector.Rejected, "eBay wants an e-mail address for alerts about notifications: enter it in eBay's developer "+
			"account, or as the channel's setting alertEmail")
	}
	_, err = s.callAsApp(connector.Repeatable(ctx), http.MethodPut, notifying+"/config", fields{"alertEmail": email}, nil)
	return err
}

// subscription is a topic that is sent to a destination. call is by what token eBay has it managed.
type subscription struct {
	SubscriptionID, TopicID, DestinationID, Status string
	call                                           func(ctx context.Context, method, path string, body, into any) (*connector.Response, error)
}

// subscriptions are those of the seller and those of the application.
func (s *session) subscriptions(ctx context.Context) (list []subscription, err error) {
	for _, call := range []func(context.Context, string, string, any, any) (*connector.Response, error){s.call, s.callAsApp} {
		var there struct{ Subscriptions []subscription }
		if _, err := call(ctx, http.MethodGet, notifying+"/subscription?limit=100", nil, &there); err != nil {
			return nil, err
		}
		for _, sub := range there.Subscriptions {
			sub.call = call
			list = append(list, sub)
		}
	}
	return list, nil
}

// subscribe subscribes to a topic: some are for each seller, others for the application.
func (s *session) subscribe(ctx context.Context, topic, destination string) error {
	body := subscribed(topic, destination)
	_, err := s.call(ctx, http.MethodPost, notifying+"/subscription", body, nil)
	if connector.Is(err, connector.Rejected) || connector.Is(err, connector.Forbidden) {
		_, err = s.callAsApp(ctx, http.MethodPost, notifying+"/subscription", body, nil)
	}
	return err
}

// subscribed is a subscription as eBay takes it; the topic of one that exists stays.
func subscribed(topic, destination string) fields {
	body := fields{"status": "ENABLED", "destinationId": destination,
		"payload": fields{"format": "JSON", "schemaVersion": "1.0", "deliveryProtocol": "HTTPS"}}
	if topic != "" {
		body["topicId"] = topic
	}
	return body
}

// findDestination finds the destination of an address; id is "" if there is none. former are the channel's other
// destinations: where its notifications went while the service had another address.
func (s *session) findDestination(ctx context.Context, address string) (id string, enabled bool, former map[string]bool, err error) {
	var there struct {
		Destinations []struct {
			DestinationID, Status string
			DeliveryConfig        struct{ Endpoint string }
		}
	}
	if _, err := s.callAsApp(ctx, http.MethodGet, notifying+"/destination?limit=100", nil, &there); err != nil {
		return "", false, nil, err
	}
	former = map[string]bool{}
	for _, d := range there.Destinations {
		switch {
		case d.DeliveryConfig.Endpoint == address:
			id, enabled = d.DestinationID, d.Status == "ENABLED"
		case s.ours(d.DeliveryConfig.Endpoint):
			former[d.DestinationID] = true
		}
	}
	return id, enabled, former, nil
}

// ours reports whether an address is one of the service's for this channel, at whatever host.
func (s *session) ours(address string) bool {
	u, err := url.Parse(address)
	return err == nil && s.link.Channel.ID != "" && strings.HasPrefix(u.Path, "/api/v1/webhooks/platform/"+s.link.Channel.ID+"/")
}

// destination finds or creates the destination of an address, and enables it again.
func (s *session) destination(ctx context.Context, address string) (id string, former map[string]bool, err error) {
	id, enabled, former, err := s.findDestination(ctx, address)
	if err != nil || enabled {
		return id, former, err
	}
	body := fields{"name": "entrepot", "status": "ENABLED",
		"deliveryConfig": fields{"endpoint": address, "verificationToken": s.link.Channel.Credentials["verificationToken"]}}
	if id != "" {
		_, err = s.callAsApp(connector.Repeatable(ctx), http.MethodPut, notifying+"/destination/"+url.PathEscape(id), body, nil)
		return id, former, err
	}
	answer, err := s.callAsApp(ctx, http.MethodPost, notifying+"/destination", body, nil)
	if err != nil {
		return "", nil, err
	}
	location := answer.Header.Get("Location")
	return location[strings.LastIndexByte(location, '/')+1:], former, nil
}

// RemoveWebhooks takes away the subscriptions of the address, and its destination.
func (s *session) RemoveWebhooks(ctx context.Context, target connector.WebhookTarget) error {
	destination, _, _, err := s.findDestination(ctx, s.endpoint(target))
	if err != nil || destination == "" {
		return err
	}
	there, err := s.subscriptions(ctx)
	if err != nil {
		return err
	}
	for _, sub := range there {
		if sub.DestinationID == destination {
			_, err := sub.call(connector.Repeatable(ctx), http.MethodDelete, notifying+"/subscription/"+url.PathEscape(sub.SubscriptionID), nil, nil)
			if err != nil && !connector.Is(err, connector.Missing) {
				return err
			}
		}
	}
	_, err = s.callAsApp(connector.Repeatable(ctx), http.MethodDelete, notifying+"/destination/"+url.PathEscape(destination), nil, nil)
	return err
}
