package commerce

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"time"

	"entrepot/internal/base/apperr"
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

// Times of a renewal: the lease of the renewing node, how long the platform has, how long the store may be away when
// the platform's answer is there (as in a fail-over), and how often the lease is read again.
const (
	renewLease   = 90 * time.Second
	renewCall    = 15 * time.Second
	renewStoring = time.Minute
	renewLook    = 50 * time.Millisecond
)

// Renew replaces a stale token (see connector.Tokens).
func (t *channelTokens) Renew(
	ctx context.Context,
	name, stale string,
	renew func(context.Context, connector.Credentials) (connector.Credentials, error),
) (connector.Credentials, error) {
	for {
		var current connector.Credentials
		var mine, fresh bool
		err := t.store.Write(ctx, t.channel.Tenant, func(tx *db.Tx) (err error) {
			channelsync.Begin(tx, t.channel.ID, tx.Now())
			// The lease comes before the credentials are read, so that its holder sees what the previous holder
			// stored.
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
			if t.moved(opened) {
				return connector.Failf(connector.Temporary, "the channel was pointed at another address meanwhile")
			}
			current = opened.Credentials
			if fresh = current[name] != stale && current[name] != ""; mine && fresh {
				channelsync.EndLease(tx, t.channel.ID)
			}
			return nil
		})
		if err != nil || fresh {
			return current, err
		}
		if mine {
			if current, err = t.renewed(ctx, current, renew); err != nil || current[name] != "" {
				return current, err
			}
			continue // other credentials were entered meanwhile
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(renewLook):
		}
	}
}

// moved reports whether the channel has another host than when the session was opened: the session would send there
// credentials that were entered for the old host.
func (t *channelTokens) moved(now connector.Channel) bool {
	was, err := t.service.Opened(t.channel)
	known, ok := t.service.Connectors.ByPlatform(t.channel.Platform)
	return err != nil || ok && known.Profile().Hosts(was) != known.Profile().Hosts(now)
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
	if !t.service.renewing.TryRLock() {
		err := t.store.Write(ctx, t.channel.Tenant, func(tx *db.Tx) error { channelsync.EndLease(tx, t.channel.ID); return nil })
		return nil, errors.Join(connector.Failf(connector.Temporary, "the service stops"), err)
	}
	go func() {
		defer t.service.renewing.RUnlock()
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

// EndRenewals prevents further renewals, and returns when each one under way has stored what its platform issued,
// also if its caller hung up: at most 15 seconds later, or 75 while the store does not answer. If the store were
// closed before, a refresh token that is valid once would be spent for nothing.
func (s *Service) EndRenewals() {
	s.ended.Do(func() {
		if !s.renewing.TryLock() {
			s.log().Info("waiting for an access token that a platform issues")
			s.renewing.Lock()
		}
	})
}

func (t *channelTokens) renewAndStore(
	ctx context.Context,
	current connector.Credentials,
	renew func(context.Context, connector.Credentials) (connector.Credentials, error),
) (connector.Credentials, error) {
	calling, cancel := context.WithTimeout(ctx, renewCall)
	defer cancel()
	change, failed := renew(calling, maps.Clone(current))
	storing, cancelStoring := context.WithTimeout(ctx, renewStoring) // however long the platform took
	defer cancelStoring()
	for before := current; ; {
		err := t.store.Write(storing, t.channel.Tenant, func(tx *db.Tx) (err error) {
			if failed == nil {
				current, err = t.storeTokens(tx, before, change)
			}
			channelsync.EndLease(tx, t.channel.ID)
			return err
		})
		if failed != nil || !apperr.Is(err, apperr.Unavailable) {
			return current, errors.Join(failed, err)
		}
		select {
		case <-storing.Done():
			return nil, err
		case <-time.After(renewLook):
		}
	}
}

// storeTokens stores new tokens, and returns all credentials. If others were entered since the request began, it
// stores nothing.
func (t *channelTokens) storeTokens(tx *db.Tx, before, change connector.Credentials) (connector.Credentials, error) {
	c, err := channels.Lock(tx, t.channel.ID)
	if err != nil {
		return nil, err
	}
	opened, err := t.service.Opened(c)
	if err != nil {
		return nil, err
	}
	for _, entered := range []string{connector.TokenField, connector.RefreshField} {
		if opened.Credentials[entered] != before[entered] {
			return opened.Credentials, nil
		}
	}
	all, err := t.service.mergedCredentials(c, change)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	if c.Credentials, err = t.service.Encrypt(tx, string(text), channels.Place(c.Tenant, c.ID)); err != nil {
		return nil, err
	}
	c.SaveTokens(tx)
	return all, nil
}
