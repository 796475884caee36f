package commerce_test

import (
	"testing"
	"time"

	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/secretbox"
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
				s.platform.pushedAs = nil
				*s.clock = s.clock.Add(10 * time.Second)
				s.work()
				if as := s.platform.pushedAs; len(as) == 0 || as[0].Product != "" {
					t.Errorf("pushed to the other shop by %v", as)
				}
			})
		})
	}
}
