package fakeshop

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector/connectortest/fakeshop"
)

// hook is a registration.
type hook struct {
	id       int64
	name     string
	topic    string
	address  string
	secret   string
	status   string
	failures int
	pinged   bool
}

// notification is one that waits: what it says is rendered when it is delivered.
type notification struct {
	topic string
	id    int64
}

var topics = []string{
	"order.created",
	"order.updated",
	"order.deleted",
	"order.restored",
	"product.created",
	"product.updated",
	"product.deleted",
}

func (s *Shop) serveWebhooks(q request) answer {
	if len(q.path) == 1 && q.method == http.MethodGet {
		var list []*hook
		for _, h := range s.hooks {
			if status := q.query.Get("status"); status == "" || status == "all" || status == h.status {
				list = append(list, h)
			}
		}
		slices.SortFunc(list, func(a, b *hook) int { return int(a.id - b.id) })
		return page(q, list, showHook)
	}
	if len(q.path) == 1 {
		h := &hook{status: "active"}
		if refused := apply(h, q.body); refused != nil {
			return *refused
		}
		h.id = s.id()
		s.hooks[h.id] = h
		s.nudge()
		return good(201, showHook(h))
	}
	id, _ := strconv.ParseInt(q.path[1], 10, 64)
	h := s.hooks[id]
	switch {
	case h == nil:
		return bad(404, "woocommerce_rest_shop_webhook_invalid_id", "Invalid ID.")
	case q.method == http.MethodDelete:
		delete(s.hooks, id)
	case q.method != http.MethodGet:
		if refused := apply(h, q.body); refused != nil {
			return *refused
		}
		h.failures = 0
		s.nudge()
	}
	return good(200, showHook(h))
}

func apply(h *hook, body map[string]any) *answer {
	for name, into := range map[string]*string{"name": &h.name, "topic": &h.topic, "delivery_url": &h.address, "secret": &h.secret,
		"status": &h.status} {
		if v, ok := text(body, name); ok {
			*into = v
		}
	}
	var refused answer
	switch {
	case !slices.Contains(topics, h.topic):
		refused = bad(400, "woocommerce_rest_shop_webhook_invalid_topic", "Webhook topic is required and must be valid.")
	case !strings.HasPrefix(h.address, "http"):
		refused = bad(
			400,
			"woocommerce_rest_shop_webhook_invalid_delivery_url",
			"Webhook delivery URL must be a valid URL starting with http:// or https://.",
		)
	default:
		return nil
	}
	return &refused
}

// showHook never shows the secret.
func showHook(h *hook) map[string]any {
	return map[string]any{"id": h.id, "name": h.name, "status": h.status, "topic": h.topic, "delivery_url": h.address}
}

// notify queues a notification unless the same one waits already: quick changes come together.
func (s *Shop) notify(topic string, id int64) {
	n := notification{topic, id}
	if !slices.Contains(s.queue, n) {
		s.queue = append(s.queue, n)
	}
	s.nudge()
}

func (s *Shop) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Deliver delivers notifications until ctx ends, one after the other, as the shop's own queue does.
func (s *Shop) Deliver(ctx context.Context) {
	client := &http.Client{
		Timeout:       10 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	for ctx.Err() == nil {
		s.pings(ctx, client)
		if n, ok := s.take(); ok {
			s.send(ctx, client, n)
			continue
		}
		select {
		case <-ctx.Done():
		case <-s.wake:
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (s *Shop) take() (n notification, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 || s.down != 0 {
		return n, false
	}
	at := 0
	if s.Habits.Reorder {
		at = len(s.queue) - 1
	}
	n = s.queue[at]
	s.queue = slices.Delete(s.queue, at, at+1)
	return n, true
}

// pings sends the unsigned form that every webhook begins with, and again until it is answered 200.
func (s *Shop) pings(ctx context.Context, client *http.Client) {
	for _, h := range s.listening("") {
		if h.pinged {
			continue
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.address, strings.NewReader(fmt.Sprintf("webhook_id=%d", h.id)))
		if err != nil {
			continue
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if got, err := client.Do(r); err == nil {
			got.Body.Close()
			s.mu.Lock()
			if mine := s.hooks[h.id]; mine != nil && got.StatusCode == 200 {
				mine.pinged = true
			}
			s.mu.Unlock()
		}
	}
}

// listening are copies of the active webhooks of a topic, of all topics for "".
func (s *Shop) listening(topic string) (list []hook) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.hooks {
		if h.status == "active" && (topic == "" || topic == h.topic) {
			list = append(list, *h)
		}
	}
	slices.SortFunc(list, func(a, b hook) int { return int(a.id - b.id) })
	return list
}

// send delivers one notification to all who want it. A failed delivery is never repeated; the seventh failure in a
// row ends the webhook.
func (s *Shop) send(ctx context.Context, client *http.Client, n notification) {
	for _, h := range s.listening(n.topic) {
		s.mu.Lock()
		body := s.render(n)
		dropped := s.every(s.Habits.Drop, "drop")
		times := 1
		if s.Habits.Duplicate {
			times = 2
		}
		s.mu.Unlock()
		if dropped {
			continue
		}
		var delivery [16]byte
		_, _ = rand.Read(delivery[:])
		for range times {
			ok := s.post(ctx, client, h, body, hex.EncodeToString(delivery[:]))
			s.mu.Lock()
			if mine := s.hooks[h.id]; mine != nil {
				if mine.failures++; ok {
					mine.failures = 0
				}
				if mine.failures >= 7 {
					mine.status = "disabled"
				}
			}
			s.mu.Unlock()
		}
	}
}

func (s *Shop) post(ctx context.Context, client *http.Client, h hook, body []byte, delivery string) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.address, bytes.NewReader(body))
	if err != nil {
		return false
	}
	resource, event, _ := strings.Cut(h.topic, ".")
	for name, value := range map[string]string{"Content-Type": "application/json", "X-WC-Webhook-Topic": h.topic,
		"X-WC-Webhook-Resource": resource,
		"X-WC-Webhook-Event":    event, "X-WC-Webhook-ID": strconv.FormatInt(h.id, 10), "X-WC-Webhook-Delivery-ID": delivery,
		"X-WC-Webhook-Signature": base64.StdEncoding.EncodeToString(fakeshop.MAC(h.secret, body)),
		"User-Agent":             "WooCommerce/11.0.1 Hookshot (WordPress/7.1)"} {
		r.Header.Set(name, value)
	}
	got, err := client.Do(r)
	if err != nil {
		return false
	}
	got.Body.Close()
	return got.StatusCode >= 200 && got.StatusCode <= 302
}

// render returns a notification's body as things stand now.
func (s *Shop) render(n notification) []byte {
	var body any
	switch {
	case strings.HasSuffix(n.topic, ".deleted"):
		body = map[string]any{"id": n.id}
	case strings.HasPrefix(n.topic, "order."):
		body = map[string]any{
			"code":    "woocommerce_rest_shop_order_invalid_id",
			"message": "Invalid ID.",
			"data":    map[string]any{"status": 404},
		}
		if o := s.orders[n.id]; o != nil {
			body = s.showOrder(request{}, o)
		}
	default:
		body = map[string]any{
			"code":    "woocommerce_rest_product_invalid_id",
			"message": "Invalid ID.",
			"data":    map[string]any{"status": 404},
		}
		if p := s.products[n.id]; p != nil {
			body = s.show(p)
		}
	}
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return raw
}

// Hook is a webhook as a test sees it.
type Hook struct{ Topic, Address, Status, Secret string }

// Hooks returns all webhooks, oldest first.
func (s *Shop) Hooks() (list []Hook) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []int64
	for id := range s.hooks {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		h := s.hooks[id]
		list = append(list, Hook{h.topic, h.address, h.status, h.secret})
	}
	return list
}

// Disable switches a webhook off, as seven failures in a row would.
func (s *Shop) Disable(topic string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.hooks {
		if h.topic == topic {
			h.status = "disabled"
		}
	}
}
