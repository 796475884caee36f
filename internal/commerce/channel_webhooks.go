package commerce

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
)

// Paste is what a merchant must enter in the shop so that it sends notifications.
type Paste struct{ URL, Header, Secret string } // URL is "" without a public address

// checkEvery is how often the webhooks of a channel are checked: shops disable them without a message. A failed check
// is repeated sooner.
const (
	checkEvery      = 24 * time.Hour
	checkFailedSoon = 15 * time.Second
)

// nextCheck is when the webhooks are checked again, after a registration with this outcome.
func nextCheck(tx db.Writer, failed error) int64 {
	if failed != nil {
		return tx.Now().Add(checkFailedSoon).UnixMicro()
	}
	return tx.Now().Add(checkEvery).UnixMicro()
}

// registration is the result of registering a platform's webhooks to an address.
type registration struct {
	url    string // "" if the service has none
	hooks  []connector.Webhook
	failed error
	topics []string // of the platform
}

// ensureWebhooks registers the platform's webhooks. A platform without webhooks does not fail.
func (s *Service) ensureWebhooks(
	ctx context.Context,
	session connector.Session,
	c channels.Channel,
	base string,
) registration {
	out := registration{url: s.hookURL(base, c)}
	opened, err := s.Opened(c)
	if err != nil || base == "" && opened.Value(connector.EndpointField) == "" {
		return out
	}
	out.hooks, out.failed = session.EnsureWebhooks(ctx, connector.WebhookTarget{URL: out.url, Secret: opened.Credentials[connector.WebhookSecret]})
	if connector.Is(out.failed, connector.Cannot) {
		out.failed = nil
	}
	return out
}

// NoPublicAddress says what the operator must do before shops can notify the service. The address of a request does
// not count: whoever sends the request chooses it.
const NoPublicAddress = "the service has no public address to which the shop could send notifications: start it with --public-url https://…"

// unreachable is NoPublicAddress for a channel whose platform would notify the service, "" otherwise.
func (s *Service) unreachable(c channels.Channel, base string) string {
	known, ok := s.Connectors.ByPlatform(c.Platform)
	opened, err := s.Opened(c)
	if base != "" || !ok || err != nil || known.Profile().Webhooks == connector.Relayed || opened.Value(connector.EndpointField) != "" {
		return ""
	}
	return "; no webhooks are registered, because " + NoPublicAddress + "; until then orders are pulled on schedule"
}

// paste is what a merchant must enter if the service cannot register webhooks on the platform.
func (s *Service) paste(c channels.Channel, base string) (*Paste, error) {
	known, ok := s.Connectors.ByPlatform(c.Platform)
	if !ok || known.Profile().Webhooks != connector.Pasted {
		return nil, nil
	}
	opened, err := s.Opened(c)
	if err != nil {
		return nil, err
	}
	header := opened.Value("signatureHeader")
	if header == "" {
		header = known.Profile().Header
	}
	return &Paste{URL: s.hookURL(base, c), Header: header, Secret: opened.Credentials[connector.WebhookSecret]}, nil
}

// hookPending is the status of a topic that could not be registered yet.
const hookPending = "pending"

// hooksOf converts a platform's webhooks to their stored form. If the registration failed before the last, the other
// topics are pending.
func hooksOf(hooks []connector.Webhook, failed error, topics []string) []channelsync.Hook {
	list := make([]channelsync.Hook, len(hooks))
	for i, h := range hooks {
		list[i] = channelsync.Hook{Topic: h.Topic, Status: h.Status}
	}
	for _, topic := range topics {
		if failed != nil && !slices.ContainsFunc(hooks, func(h connector.Webhook) bool { return h.Topic == topic }) {
			list = append(list, channelsync.Hook{Topic: topic, Status: hookPending})
		}
	}
	return list
}

// RecheckWebhooks checks a channel's webhooks and registers again those that the platform has disabled.
func (s *Service) RecheckWebhooks(ctx context.Context, store *db.DB, c channels.Channel, hookURL string) error {
	session, err := s.openSession(ctx, store, c)
	if err != nil || session == nil {
		return err
	}
	opened, err := s.Opened(c)
	if err != nil {
		return err
	}
	hooks, failed := session.EnsureWebhooks(ctx, connector.WebhookTarget{URL: hookURL, Secret: opened.Credentials[connector.WebhookSecret]})
	err = store.Write(ctx, c.Tenant, func(tx *db.Tx) error {
		now, err := channels.Lock(tx, c.ID)
		if err != nil {
			return err
		}
		state, err := channelsync.Lock(tx, c.ID)
		if err != nil || state.HookURL == "" {
			return err
		}
		if edited(c, now) {
			hooksOutdated(tx, &state)
			return nil
		}
		if state.CheckAt = nextCheck(tx, failed); failed == nil || len(hooks) > 0 {
			state.SetHooks(hooksOf(hooks, failed, session.does.Topics))
		}
		state.Save(tx)
		return nil
	})
	if failed != nil {
		failed = fmt.Errorf("looking at the webhooks: %w", failed)
	}
	return errors.Join(failed, err)
}

// hooksOutdated queues that the webhooks of a channel were set up with credentials that were replaced meanwhile: what
// is known of them is void, and a new check is due.
func hooksOutdated(tx *db.Tx, state *channelsync.State) {
	state.CheckAt = tx.Micros()
	state.Save(tx)
	channelsync.ForgetShop(tx, state.Channel)
	tx.Wake(SyncTopic)
}

// RemoveWebhooks removes a channel's webhooks from its platform, if the platform answers.
func (s *Service) RemoveWebhooks(ctx context.Context, store *db.DB, c channels.Channel, hookURL string) error {
	session, err := s.openSession(ctx, store, c)
	if err != nil || session == nil || hookURL == "" {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	failed := session.RemoveWebhooks(ctx, connector.WebhookTarget{URL: hookURL})
	if connector.Is(failed, connector.Cannot) {
		failed = nil
	}
	err = store.Write(context.WithoutCancel(ctx), c.Tenant, func(tx *db.Tx) error {
		now, err := channels.Lock(tx, c.ID)
		if err != nil && !apperr.Is(err, apperr.NotFound) {
			return err
		}
		if failed == nil {
			channelsync.NoHooks(tx, c.ID)
		}
		// it was activated again meanwhile, and its webhooks may have been found before they went
		if err == nil && now.Receives() {
			channelsync.CheckNow(tx, c.ID)
			tx.Wake(SyncTopic)
		}
		return nil
	})
	return errors.Join(failed, err)
}
