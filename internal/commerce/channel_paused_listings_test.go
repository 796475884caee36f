package commerce_test

import (
	"slices"
	"testing"
	"time"

	"entrepot/internal/channelsync"
	"entrepot/internal/db"
)

// What a platform takes no more changes of today waits until it does and says so; that is no failure, keeps nothing else waiting, and
// needs no change here to go on.
func TestListingsThatRest(t *testing.T) {
	syncedEngines(t, 2, func(t *testing.T, s *synced) {
		p := s.platform
		s.publish()
		s.work()
		*s.clock = s.clock.Add(10 * time.Minute)
		tomorrow := s.clock.Add(3 * time.Hour)
		p.full = map[string]time.Time{"SKU-0": tomorrow}
		s.rename("SKU-0", 120000)
		s.rename("SKU-1", 120000)
		s.work()
		s.price("SKU-0", 125000)
		s.price("SKU-1", 125000)
		before := p.upserts
		for range 20 {
			s.work()
			*s.clock = s.clock.Add(5 * time.Minute)
		}
		if p.prices["SKU-1"] != "12.5" || p.prices["SKU-0"] == "12.5" || p.upserts > before+21 { // with each pull, and the change
			t.Errorf("prices %v after %d pushes", p.prices, p.upserts)
		}
		state, publication := s.stateOf("SKU-0")
		if state.LastError == "" || publication != "SKU-0: enough for today" {
			t.Errorf("the channel says %q, the publication %q", state.LastError, publication)
		}
		if n := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND status = 'FAILED'"); n != 0 {
			t.Errorf("%d jobs failed", n)
		}
		if n := s.count(jobsWait); n != 0 {
			t.Errorf("%d jobs wait", n)
		}
		*s.clock = tomorrow
		for range 3 {
			s.work()
			*s.clock = s.clock.Add(5 * time.Minute)
		}
		if state, publication = s.stateOf("SKU-0"); p.prices["SKU-0"] != "12.5" || state.LastError != "" || publication != "" {
			t.Errorf("the next day: prices %v, the channel says %q, the publication %q", p.prices, state.LastError, publication)
		}
	})
}

// A price that waits does not have the quantity set again that is there already.
func TestAPriceThatRestsKeepsTheQuantity(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		p := s.platform
		s.publish()
		s.work()
		p.full = map[string]time.Time{"SKU-0": s.clock.Add(3 * time.Hour)}
		s.price("SKU-0", 125000)
		s.setOnHand(t, 7, "SKU-0")
		for range 10 {
			s.work()
			*s.clock = s.clock.Add(5 * time.Minute)
		}
		if len(p.setStock) != 1 || len(p.setPrices) != 0 {
			t.Errorf("stock was set %v, prices %v", p.setStock, p.setPrices)
		}
		s.setOnHand(t, 8, "SKU-0")
		if s.work(); len(p.setStock) != 2 {
			t.Errorf("stock was set %v", p.setStock)
		}
		*s.clock = s.clock.Add(3 * time.Hour)
		if s.work(); !slices.Equal(p.setPrices, []string{"SKU-0"}) || len(p.setStock) != 2 {
			t.Errorf("then stock was set %v, prices %v", p.setStock, p.setPrices)
		}
	})
}

// stateOf is the channel's state, and what the publication of a SKU's product says is wrong.
func (s *synced) stateOf(sku string) (state channelsync.State, reason string) {
	s.t.Helper()
	s.must(s.store.Read(s.t.Context(), s.who.Tenant, func(tx *db.Tx) (err error) {
		if state, err = channelsync.ByChannel(tx, s.channel.ID); err != nil {
			return err
		}
		return tx.Row("SELECT coalesce(error, '') FROM publications WHERE tenant_id = $1 AND product_id = $2::UUID",
			[]any{tx.Tenant, s.product(tx, sku)}, &reason)
	}))
	return state, reason
}
