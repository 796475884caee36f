package fakeshop

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// WebhookSecret is what the shop signs its notifications with.
const WebhookSecret = "fake webhook secret"

// notice is a notification that waits to be sent.
type notice struct {
	topic string // as registered: ORDERS_CREATE
	id    string
	body  []byte
	tries int
}

// mostTries is how often a notification is sent until it is answered with success.
const mostTries = 3

// notify queues notifications about an order.
func (s *Shop) notify(topic string, o *order) {
	body, err := json.Marshal(object{"admin_graphql_api_id": o.id, "updated_at": o.updated.Format(time.RFC3339)})
	if err != nil {
		return
	}
	s.queue = append(s.queue, notice{topic: topic, id: s.gid("Delivery"), body: body})
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Deliver sends the shop's notifications to whoever registered them, until the context ends.
func (s *Shop) Deliver(ctx context.Context) {
	client := &http.Client{Timeout: 5 * time.Second}
	for ctx.Err() == nil {
		next, addresses, found := s.nextNotice()
		if !found {
			select {
			case <-ctx.Done():
			case <-s.wake:
			}
			continue
		}
		failed := false
		for _, address := range addresses {
			failed = !send(ctx, client, address, next) || failed
		}
		if next.tries++; failed && next.tries < mostTries {
			s.mu.Lock()
			s.queue = append(s.queue, next)
			s.mu.Unlock()
		}
	}
}

// nextNotice takes the oldest notification, with the addresses that registered its topic.
func (s *Shop) nextNotice() (next notice, addresses []string, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return next, nil, false
	}
	next = s.queue[0]
	s.queue = slices.Delete(s.queue, 0, 1)
	for _, w := range s.webhooks {
		if w.topic == next.topic {
			addresses = append(addresses, w.uri)
		}
	}
	return next, addresses, true
}

// send reports whether a notification was answered with success.
func send(ctx context.Context, client *http.Client, address string, n notice) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(n.body))
	if err != nil {
		return true
	}
	mac := hmac.New(sha256.New, []byte(WebhookSecret))
	_, _ = mac.Write(n.body)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Shopify-Topic", strings.ToLower(strings.Replace(n.topic, "_", "/", 1)))
	r.Header.Set("X-Shopify-Webhook-Id", n.id)
	r.Header.Set("X-Shopify-Hmac-Sha256", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	answer, err := client.Do(r)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode < 300
}
