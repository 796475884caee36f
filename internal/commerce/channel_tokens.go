package commerce

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"time"

	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
)

// channelTokens renews a channel's tokens, one renewal at a time among all nodes.
type channelTokens struct {
	service *Service
	store   *db.DB
	channel channels.Channel
}

// Times of a renewal.
const (
	renewLease = 30 * time.Second
	renewLook  = 50 * time.Millisecond
)

// Renew replaces a stale token (see connector.Tokens).
func (t *channelTokens) Renew(
	ctx context.Context,
	name, stale string,
	renew func(context.Context, connector.Credentials) (connector.Credentials, error),
) (connector.Credentials, error) {
	for {
		var current connector.Credentials
		var mine bool
		err := t.store.Write(ctx, t.channel.Tenant, func(tx *db.Tx) (err error) {
			channelsync.Begin(tx, t.channel.ID, tx.Now())
			// The lease comes before the credentials are read, so that its holder sees what the previous holder stored.
			if mine, err = channelsync.Lease(tx, t.channel.ID, renewLease); err != nil {
				return err
			}
			c, err := channels.ByID(tx, t.channel.ID)
			if err != nil {
				return err
			}
			opened, err := t.service.Opened(c)
			if err != nil {
				return err
			}
			if current = opened.Credentials; mine && current[name] != stale {
				channelsync.EndLease(tx, t.channel.ID)
			}
			return nil
		})
		if err != nil || current[name] != stale {
			return current, err
		}
		if mine {
			return t.renewed(ctx, current, renew)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(renewLook):
		}
	}
}

// renewed calls renew and stores the new tokens before anybody uses them. If its caller hangs up, or has less time
// than the platform takes, the renewal continues, because a rotated token must not be lost.
func (t *channelTokens) renewed(
	ctx context.Context,
	current connector.Credentials,
	renew func(context.Context, connector.Credentials) (connector.Credentials, error),
) (connector.Credentials, error) {
	type outcome struct {
		credentials connector.Credentials
		err         error
	}
	done := make(chan outcome, 1)
	go func() {
		credentials, err := t.renewAndStore(context.WithoutCancel(ctx), current, renew)
		done <- outcome{credentials, err}
	}()
	select {
	case o := <-done:
		return o.credentials, o.err
	case <-ctx.Done():
		return nil, &connector.Failure{Kind: connector.Temporary, Message: "the platform gave no access token in time", Err: ctx.Err()}
	}
}

func (t *channelTokens) renewAndStore(
	ctx context.Context,
	current connector.Credentials,
	renew func(context.Context, connector.Credentials) (connector.Credentials, error),
) (connector.Credentials, error) {
	ctx, cancel := context.WithTimeout(ctx, renewLease/2)
	defer cancel()
	change, failed := renew(ctx, maps.Clone(current))
	err := t.store.Write(ctx, t.channel.Tenant, func(tx *db.Tx) error {
		if failed == nil {
			c, err := channels.Lock(tx, t.channel.ID)
			if err != nil {
				return err
			}
			if current, err = t.service.mergedCredentials(c, change); err != nil {
				return err
			}
			text, err := json.Marshal(current)
			if err != nil {
				return err
			}
			if c.Credentials, err = t.service.Encrypt(tx, string(text), channels.Place(c.Tenant, c.ID)); err != nil {
				return err
			}
			c.Save(tx)
		}
		channelsync.EndLease(tx, t.channel.ID)
		return nil
	})
	return current, errors.Join(failed, err)
}
