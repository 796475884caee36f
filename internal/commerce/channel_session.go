package commerce

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	"entrepot/internal/apperr"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/orders"
)

// openSession opens a channel's platform. ok is false when its connector does not call it.
func (s *Service) openSession(
	ctx context.Context,
	store *db.DB,
	c channels.Channel,
) (session connector.Session, does connector.Capabilities, ok bool, err error) {
	platform, calls := s.platform(c.Platform)
	if !calls {
		return nil, does, false, nil
	}
	opened, err := s.Opened(c)
	if err != nil {
		return nil, does, true, err
	}
	does = platform.Capabilities()
	facts := &channelFacts{ctx: ctx, store: store, channel: c}
	return platform.Open(connector.Link{Channel: opened, Client: s.clients().Client(string(c.ID), does.Limits),
		Tokens: &channelTokens{service: s, store: store, channel: c}, Facts: facts, Now: store.Now}), does, true, nil
}

// clients are those of the service; one without any makes them, for tests that never call a platform.
func (s *Service) clients() *connector.Clients {
	if s.Clients != nil {
		return s.Clients
	}
	return connector.NewClients(s.guard(), "entrepot")
}

// channelFacts keeps a session's findings in the channel's row.
type channelFacts struct {
	ctx     context.Context
	store   *db.DB
	channel channels.Channel
	mu      sync.Mutex
	all     map[string]string // nil until they were read
}

// maxFacts bounds what is kept of one shop.
const maxFacts = 5000

// Fact reads one of them, "" when it is not known.
func (f *channelFacts) Fact(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read()
	return f.all[name]
}

func (f *channelFacts) read() {
	if f.all != nil {
		return
	}
	f.all = map[string]string{}
	_ = f.store.Read(f.ctx, f.channel.Tenant, func(tx *db.Tx) error { // without them, they are found again
		state, err := channelsync.ByChannel(tx, f.channel.ID)
		if err == nil {
			f.all = state.AllFacts()
		}
		return err
	})
}

// Keep keeps one of them; one that is empty is forgotten.
func (f *channelFacts) Keep(name, value string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read()
	switch {
	case f.all[name] == value, value != "" && len(f.all) >= maxFacts:
		return
	case value == "":
		delete(f.all, name)
	default:
		f.all[name] = value
	}
	all := maps.Clone(f.all)
	_ = f.store.Write(f.ctx, f.channel.Tenant, func(tx *db.Tx) error {
		channelsync.KeepFacts(tx, f.channel.ID, all)
		return nil
	})
}

// channelTokens renews a channel's tokens, one renewal at a time over all nodes.
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
			// The lease comes before the credentials are read: who gets it sees what the one before has stored.
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

// renewed calls renew and stores what it gives before anybody uses it. Its caller may hang up, or have less time than the platform takes;
// the renewal goes on then, since a rotated token must not be lost.
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

// channelSettings are the settings that the synchronisation of a channel uses (interface §4.5).
type channelSettings struct {
	PullEvery   time.Duration // 0: the service's
	OrdersFrom  time.Time     // zero: the channel's creation
	PushStock   bool
	StockBuffer int64
	Warehouses  []string // nil: all
	PriceFactor string   // decimal; "" for 1
	StatusMap   map[string]orders.Status
	Remove      bool // unpublishing deletes on the platform
}

// settingsOf reads a channel's settings; what is not of the form it should be counts as not given.
func settingsOf(c channels.Channel) channelSettings {
	out := channelSettings{PushStock: true, StatusMap: map[string]orders.Status{}}
	var raw map[string]json.RawMessage
	if json.Unmarshal([]byte(c.Settings), &raw) != nil {
		return out
	}
	text := func(name string) (value string) {
		_ = json.Unmarshal(raw[name], &value)
		return value
	}
	whole := func(name string) int64 {
		n, err := strconv.ParseInt(strings.Trim(string(raw[name]), `"`), 10, 64)
		if err != nil {
			return 0
		}
		return n
	}
	out.PullEvery = time.Duration(min(max(0, whole("pullEvery")), 86400)) * time.Second
	out.StockBuffer = max(0, whole("stockBuffer"))
	if at, err := time.Parse(time.RFC3339, text("ordersFrom")); err == nil {
		out.OrdersFrom = at.UTC()
	} else if at, err := time.Parse(time.DateOnly, text("ordersFrom")); err == nil {
		out.OrdersFrom = at.UTC()
	}
	out.PushStock = text("stock") != "off"
	out.Remove = text("unpublish") == "delete"
	_ = json.Unmarshal(raw["warehouses"], &out.Warehouses)
	out.PriceFactor = strings.Trim(string(raw["priceFactor"]), `"`)
	_ = json.Unmarshal(raw["statusMap"], &out.StatusMap)
	return out
}

// reauth makes a channel needs_reauth when its platform refused the credentials with which a call was made. Others that were entered
// meanwhile have not been refused.
func (s *Service) reauth(tx *db.Tx, tried channels.Channel) error {
	c, err := channels.Lock(tx, tried.ID)
	if apperr.Is(err, apperr.NotFound) {
		return nil
	}
	if err != nil || c.Credentials != tried.Credentials || c.Status == channels.Inactive {
		return err
	}
	c.Status = channels.NeedsReauth
	c.Save(tx)
	return nil
}

// hookURL is where a channel's platform sends its notifications.
func (s *Service) hookURL(base string, c channels.Channel) string {
	known, ok := s.Connectors.ByPlatform(c.Platform)
	if !ok || base == "" {
		return ""
	}
	return strings.TrimRight(base, "/") + "/api/v1/webhooks/platform/" + string(c.ID) + "/" + known.Profile().Slug
}

// channelNow reads a channel as it is now.
func channelNow(ctx context.Context, store *db.DB, tenant id.Tenant, channel id.Channel) (c channels.Channel, err error) {
	err = store.Read(ctx, tenant, func(tx *db.Tx) error {
		c, err = channels.ByID(tx, channel)
		return err
	})
	return c, err
}
