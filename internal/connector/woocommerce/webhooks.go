package woocommerce

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"entrepot/internal/connector"
)

// topics are the events to register. The last one is also sent, with an order's id, when an order is moved to the bin.
var topics = []string{"order.created", "order.updated", "order.deleted", "product.updated", "product.deleted"}

// webhook is a registration as the shop shows it. Its secret is never shown.
type webhook struct {
	ID      int64  `json:"id"`
	Topic   string `json:"topic"`
	Status  string `json:"status"`
	Address string `json:"delivery_url"`
}

// EnsureWebhooks ensures that each topic has exactly one active webhook for the address. Shops disable one after seven
// failures in a row.
func (s *session) EnsureWebhooks(ctx context.Context, target connector.WebhookTarget) ([]connector.Webhook, error) {
	there, err := s.registered(ctx, target.URL)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(target.URL + "\x00" + target.Secret))
	fingerprint := hex.EncodeToString(sum[:8])
	sameSecret := s.link.Facts.Fact(secretFact) == fingerprint
	var on []connector.Webhook
	for _, topic := range topics {
		hook, err := s.ensure(ctx, target, topic, there, sameSecret)
		if err != nil {
			return on, err
		}
		on = append(on, connector.Webhook{Topic: topic, Status: hook.Status})
	}
	s.link.Facts.Keep(secretFact, fingerprint)
	return on, nil
}

func (s *session) ensure(
	ctx context.Context,
	target connector.WebhookTarget,
	topic string,
	there []webhook,
	sameSecret bool,
) (webhook, error) {
	var mine []webhook
	for _, w := range there {
		if w.Topic == topic {
			mine = append(mine, w)
		}
	}
	if len(mine) == 0 {
		return s.createWebhook(ctx, target, topic)
	}
	for _, double := range mine[1:] {
		if err := s.deleteWebhook(ctx, double.ID); err != nil {
			return double, err
		}
	}
	if mine[0].Status == "active" && sameSecret {
		return mine[0], nil
	}
	var changed webhook
	_, err := s.call(connector.Repeatable(ctx), http.MethodPut, "/wc/v3/webhooks/"+strconv.FormatInt(mine[0].ID, 10), nil,
		map[string]string{"status": "active", "secret": target.Secret}, &changed)
	return changed, err
}

// createWebhook creates a webhook. If the answer is lost, it checks whether the shop created it.
func (s *session) createWebhook(ctx context.Context, target connector.WebhookTarget, topic string) (made webhook, err error) {
	_, err = s.call(ctx, http.MethodPost, "/wc/v3/webhooks", nil, map[string]string{"name": "entrepot " + topic, "topic": topic,
		"delivery_url": target.URL, "secret": target.Secret, "status": "active"}, &made)
	if !connector.Is(err, connector.Temporary) {
		return made, err
	}
	there, again := s.registered(ctx, target.URL)
	if at := slices.IndexFunc(there, func(w webhook) bool { return w.Topic == topic }); again == nil && at >= 0 {
		return there[at], nil
	}
	return made, err
}

// RemoveWebhooks deletes the webhooks for the address.
func (s *session) RemoveWebhooks(ctx context.Context, target connector.WebhookTarget) error {
	there, err := s.registered(ctx, target.URL)
	if err != nil {
		return err
	}
	for _, w := range there {
		if err := s.deleteWebhook(ctx, w.ID); err != nil {
			return err
		}
	}
	s.link.Facts.Keep(secretFact, "")
	return nil
}

func (s *session) deleteWebhook(ctx context.Context, id int64) error {
	_, err := s.call(
		connector.Repeatable(ctx),
		http.MethodDelete,
		"/wc/v3/webhooks/"+strconv.FormatInt(id, 10),
		url.Values{"force": {"true"}},
		nil,
		nil,
	)
	if connector.Is(err, connector.Missing) {
		return nil
	}
	return err
}

// registered lists those for an address, whatever their status.
func (s *session) registered(ctx context.Context, address string) ([]webhook, error) {
	all, err := list[webhook](ctx, s, "/webhooks", url.Values{"status": {"all"}, "orderby": {"id"}, "order": {"asc"}})
	return slices.DeleteFunc(all, func(w webhook) bool { return w.Address != address }), err
}
