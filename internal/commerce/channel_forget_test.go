package commerce_test

import (
	"testing"
	"time"

	"entrepot/internal/base/secretbox"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
)

// New credentials may be those of another account, or may do more or less than the old ones: what the last test found out about the shop,
// and what sessions learnt of it, is forgotten, and stays when anything else of the channel changes.
func TestNewCredentialsForgetTheShop(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		key, _, err := secretbox.MakeFile(t.TempDir())
		s.must(err)
		s.do.Key = key
		s.must(s.write(t, func(tx *db.Tx) error {
			state, err := channelsync.Lock(tx, s.channel.ID)
			state.Shop, state.Facts = `{"Account": "seller-1"}`, `{"role": "none"}`
			state.Save(tx)
			return err
		}))
		kept := func() (account, role string) {
			s.must(s.store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
				state, err := channelsync.ByChannel(tx, s.channel.ID)
				account, role = state.Account(), state.Fact("role")
				return err
			}))
			return account, role
		}
		s.set(`{"stockBuffer": 1}`, channels.Active)
		if account, role := kept(); account != "seller-1" || role != "none" {
			t.Errorf("after other settings: account %q, role %q", account, role)
		}
		s.must(s.write(t, func(tx *db.Tx) error {
			_, err := s.do.UpdateChannel(tx, s.who, s.channel.ID, commerce.Expected{},
				commerce.ChannelDraft{Credentials: connector.Credentials{"token": "2"}})
			return err
		}))
		if account, role := kept(); account != "" || role != "" {
			t.Errorf("after new credentials: account %q, role %q", account, role)
		}
	})
}

// A push that runs while its channel is pointed at another shop leaves no ids of the first one behind.
func TestAChannelIsPointedAtAnotherShopDuringAPush(t *testing.T) {
	for _, during := range []string{"products", "stock"} {
		t.Run(during, func(t *testing.T) {
			syncedEngines(t, 1, func(t *testing.T, s *synced) {
				point := func() { s.set(`{"baseUrl": "https://other.example"}`, channels.Active) }
				if s.platform.whilePut = point; during == "stock" {
					s.platform.whilePut = nil
				}
				s.publish()
				s.work()
				if during == "stock" {
					s.platform.whilePut = point
					s.compare()
					s.work()
				}
				*s.clock = s.clock.Add(10 * time.Second)
				s.work()
				if as := s.platform.pushedAs; len(as) < 2 || as[len(as)-1].Product != "" {
					t.Errorf("pushed by %v, and to the other shop by the last of them", as)
				}
			})
		})
	}
}

// A job that is running while its merchant replaces the credentials goes on with the new ones: that the old ones are refused by then is no
// failure of anything. What it learns of the shop by the old ones is not kept.
func TestCredentialsAreReplacedWhileAJobRuns(t *testing.T) {
	syncedEngines(t, 3, func(t *testing.T, s *synced) {
		key, _, err := secretbox.MakeFile(t.TempDir())
		s.must(err)
		s.do.Key = key
		enter := func(token string) {
			*s.clock = s.clock.Add(time.Second)
			s.must(s.write(t, func(tx *db.Tx) error {
				_, err := s.do.UpdateChannel(tx, s.who, s.channel.ID, commerce.Expected{},
					commerce.ChannelDraft{Credentials: connector.Credentials{"token": token}})
				return err
			}))
		}
		enter("old")
		p := s.platform
		s.publish()
		s.work()
		p.facts.Keep("role", "all")
		p.whilePut = func() {
			p.wants = "new"
			enter("new")
			p.facts.Keep("role", "none")
		}
		s.compare()
		s.work()
		if len(p.setStock) != 3 || p.opened["token"] != "new" || p.facts.Fact("role") != "" {
			t.Errorf("stock of %v was set with %v, role %q", p.setStock, p.opened, p.facts.Fact("role"))
		}
		if n := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND status <> 'COMPLETED'"); n != 0 {
			t.Errorf("%d jobs did not succeed", n)
		}
		if n := s.count("SELECT count(*) FROM channels WHERE tenant_id = $1 AND status = 'active'"); n != 1 {
			t.Error("the channel is not active")
		}
	})
}

// Renewed tokens are no change of a channel for its merchant: a job goes on, and the channel is the version that it was.
func TestRenewedTokensAreNoChange(t *testing.T) {
	syncedEngines(t, 3, func(t *testing.T, s *synced) {
		key, _, err := secretbox.MakeFile(t.TempDir())
		s.must(err)
		s.do.Key = key
		p := s.platform
		s.publish()
		s.work()
		p.whilePut = func() {
			*s.clock = s.clock.Add(time.Second)
			s.renew(t.Context(), "", func() (string, error) { return "one", nil })
		}
		s.compare()
		s.work()
		if len(p.setStock) != 3 || p.opened[connector.TokenField] != "" {
			t.Errorf("stock of %v was set, by a session with %v", p.setStock, p.opened)
		}
		if n := s.count("SELECT updated_at - created_at FROM channels WHERE tenant_id = $1"); n != 0 {
			t.Errorf("the channel was changed after %d µs", n)
		}
	})
}
