package commerce

import (
	"context"
	"strings"
	"sync"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
)

// platformSession is a session with a channel's platform.
type platformSession struct {
	connector.Session
	does   connector.Capabilities
	client *connector.Client
}

// openSession opens a session with a channel's platform; nil if the connector cannot call it.
func (s *Service) openSession(ctx context.Context, store *db.DB, c channels.Channel) (*platformSession, error) {
	platform, calls := s.platform(c.Platform)
	if !calls {
		return nil, nil
	}
	opened, err := s.Opened(c)
	if err != nil {
		return nil, err
	}
	does := platform.Capabilities()
	facts := &channelFacts{ctx: ctx, store: store, channel: c}
	client := s.clients().Client(string(c.ID), does.Limits)
	client.Hide(platform.Profile().Secrets(opened.Credentials)...)
	session := platform.Open(connector.Link{Channel: opened, Client: client,
		Tokens: &channelTokens{service: s, store: store, channel: c}, Facts: facts, Now: store.Now})
	return &platformSession{session, does, client}, nil
}

// clients are the service's HTTP clients; a service without any creates them, in tests that never call a platform.
func (s *Service) clients() *connector.Clients {
	if s.Clients != nil {
		return s.Clients
	}
	return connector.NewClients(s.guard(), "entrepot")
}

// later is how long a wait before the next calls becomes (connector.Clients.Later).
func (s *Service) later(wait time.Duration) time.Duration {
	if s.Clients == nil {
		return wait
	}
	return s.Clients.Later(wait)
}

// channelFacts stores what a session learns about the shop in the channel's row.
type channelFacts struct {
	ctx     context.Context
	store   *db.DB
	channel channels.Channel
	mu      sync.Mutex
	all     map[string]string // nil until they are read
}

// maxFacts limits the facts stored for one shop.
const maxFacts = 5000

// Fact reads a fact, "" if it is unknown.
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
	_ = f.store.Read(f.ctx, f.channel.Tenant, func(tx *db.Tx) error { // after an error they are found again
		state, err := channelsync.ByChannel(tx, f.channel.ID)
		if err == nil {
			f.all = state.AllFacts()
		}
		return err
	})
}

// Keep stores a fact; an empty one is deleted.
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
	_ = f.store.Write(f.ctx, f.channel.Tenant, func(tx *db.Tx) error { return f.save(tx, name, value) })
}

// save adds one fact to those that other sessions of the channel have stored meanwhile. It does not store facts about
// a shop, or about credentials, that the merchant has replaced since the session was opened.
func (f *channelFacts) save(tx *db.Tx, name, value string) error {
	now, err := channels.Lock(tx, f.channel.ID)
	if err != nil || edited(f.channel, now) {
		return err
	}
	state, err := channelsync.Lock(tx, f.channel.ID)
	if err != nil {
		return err
	}
	all := state.AllFacts()
	if all[name] = value; value == "" {
		delete(all, name)
	}
	if len(all) <= maxFacts {
		channelsync.KeepFacts(tx, f.channel.ID, all)
	}
	return nil
}

// edited reports whether a merchant has changed credentials or settings of a channel between two versions. Renewed
// tokens are no such change: they leave UpdatedAt as it is.
func edited(before, now channels.Channel) bool {
	return now.Settings != before.Settings || now.UpdatedAt != before.UpdatedAt && now.Credentials != before.Credentials
}

// reauth makes a channel needs_reauth when its platform refused the credentials of a call, unless other credentials
// were entered meanwhile.
func (s *Service) reauth(tx *db.Tx, tried channels.Channel) error {
	c, err := channels.Lock(tx, tried.ID)
	if apperr.Is(err, apperr.NotFound) {
		return nil
	}
	if err != nil || edited(tried, c) || c.Status == channels.Inactive {
		return err
	}
	c.Status = channels.NeedsReauth
	c.Save(tx)
	return nil
}

// hookURL is the address to which a channel's platform sends its notifications.
func (s *Service) hookURL(base string, c channels.Channel) string {
	known, ok := s.Connectors.ByPlatform(c.Platform)
	if !ok || base == "" {
		return ""
	}
	return strings.TrimRight(base, "/") + "/api/v1/webhooks/platform/" + string(c.ID) + "/" + known.Profile().Slug
}

// channelNow reads a channel again.
func channelNow(ctx context.Context, store *db.DB, tenant id.Tenant, channel id.Channel) (c channels.Channel, err error) {
	err = store.Read(ctx, tenant, func(tx *db.Tx) error {
		c, err = channels.ByID(tx, channel)
		return err
	})
	return c, err
}
