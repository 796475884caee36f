package connectortest

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"entrepot/internal/base/netguard"
	"entrepot/internal/connector"
)

// Host is the service as sessions see it: a channel's credentials and facts, a client, and the clock. The fake shop
// uses the same clock, and waiting moves it.
type Host struct {
	Channel  string                // its id
	Kept     connector.Credentials // as Renew stores them
	Settings map[string]string
	Facts    map[string]string
	Renewals int
	Ahead    time.Duration     // by which the service's clock is ahead of the shop's
	Slept    func()            // called after each wait, if not nil
	Client   *connector.Client // of the session that was opened last

	clients *connector.Clients
	ticks   sync.Mutex // guards now: a handler whose answer is lost may still read it
	now     time.Time
}

// NewHost returns the service for a channel with these credentials. Its client calls this machine too if guard is nil.
func NewHost(guard *netguard.Guard, credentials connector.Credentials) *Host {
	if guard == nil {
		guard = &netguard.Guard{Dev: true}
	}
	h := &Host{Channel: "channel", Kept: credentials, Settings: map[string]string{}, Facts: map[string]string{},
		now: time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)}
	h.clients = connector.NewClients(guard, "entrepot/test").Timed(h.service, func(ctx context.Context, d time.Duration) error {
		h.Pass(d)
		if h.Slept != nil {
			h.Slept()
		}
		return ctx.Err()
	})
	return h
}

// Open opens a session, as each job does.
func (h *Host) Open(p connector.Platform) connector.Session {
	h.Client = h.clients.Client(h.Channel, p.Capabilities().Limits)
	return p.Open(connector.Link{Client: h.Client, Tokens: h, Facts: facts(h.Facts), Now: h.service, Channel: connector.Channel{
		ID: h.Channel, Platform: p.Profile().Platform, Credentials: maps.Clone(h.Kept), Settings: h.Settings}})
}

// Clock returns the shop's time.
func (h *Host) Clock() time.Time {
	h.ticks.Lock()
	defer h.ticks.Unlock()
	return h.now
}

// service returns the service's time.
func (h *Host) service() time.Time { return h.Clock().Add(h.Ahead) }

// Pass lets time pass.
func (h *Host) Pass(d time.Duration) { h.SetClock(h.Clock().Add(d)) }

// SetClock sets the time.
func (h *Host) SetClock(now time.Time) {
	h.ticks.Lock()
	defer h.ticks.Unlock()
	h.now = now
}

// Renew implements connector.Tokens.
func (h *Host) Renew(ctx context.Context, name, stale string,
	renew func(context.Context, connector.Credentials) (connector.Credentials, error)) (connector.Credentials, error) {
	if h.Kept[name] != stale {
		return maps.Clone(h.Kept), nil
	}
	fresh, err := renew(ctx, maps.Clone(h.Kept))
	if err == nil {
		maps.Copy(h.Kept, fresh)
		h.Renewals++
	}
	return maps.Clone(h.Kept), err
}

// facts implement connector.Facts.
type facts map[string]string

// Fact returns a fact.
func (f facts) Fact(name string) string { return f[name] }

// Keep keeps a fact.
func (f facts) Keep(name, value string) {
	if f[name] = value; value == "" {
		delete(f, name)
	}
}

// Serve serves a shop until the test ends, and returns its address.
func Serve(t testing.TB, shop http.Handler) string {
	t.Helper()
	server := httptest.NewServer(shop)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL
}

// Pictures returns an address below which everything is a picture.
func Pictures(t testing.TB) string {
	t.Helper()
	return Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("\x89PNG\r\n\x1a\n0123456789"))
	}))
}
