package fakeshop

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"time"

	"entrepot/internal/connector/connectortest/fakeshop"
)

// WebhookSecret is what the shop signs its notifications with.
const WebhookSecret = "fake webhook secret"

// mostTries is how often a notification is sent until it is answered with success.
const mostTries = 3

// notify queues a notification about an order; topics are as registered: ORDERS_CREATE.
func (s *Shop) notify(topic string, o *order) {
	s.Notices.Add(topic, object{"admin_graphql_api_id": o.id, "updated_at": o.updated.Format(time.RFC3339)})
}

// Deliver sends the shop's notifications to the registered addresses, until the context ends.
func (s *Shop) Deliver(ctx context.Context) {
	s.Notices.Deliver(ctx, func(topic string) string {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, w := range s.webhooks {
			if w.topic == topic {
				return w.uri
			}
		}
		return ""
	}, func(l fakeshop.Letter, header http.Header) {
		at := strings.LastIndexByte(l.Topic, '_') // INVENTORY_LEVELS_UPDATE is inventory_levels/update
		header.Set("X-Shopify-Topic", strings.ToLower(l.Topic[:at]+"/"+l.Topic[at+1:]))
		header.Set("X-Shopify-Webhook-Id", fmt.Sprint("delivery-", l.Number))
		header.Set("X-Shopify-Hmac-Sha256", base64.StdEncoding.EncodeToString(fakeshop.MAC(WebhookSecret, l.Body)))
	})
}
