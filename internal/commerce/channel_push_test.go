package commerce_test

import (
	"slices"
	"testing"
	"time"

	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// What a publication has brought to the platform is not pushed again: neither stock nor price is set apart after it. A change is, and
// nothing else with it.
func TestWhatWasPublishedIsNotPushedAgain(t *testing.T) {
	syncedEngines(t, 3, func(t *testing.T, s *synced) {
		s.publish()
		s.work()
		p := s.platform
		if p.upserts != 1 || len(p.setStock)+len(p.setPrices) != 0 || len(p.prices) != 3 {
			t.Errorf("%d publications, then stock of %v and prices of %v", p.upserts, p.setStock, p.setPrices)
		}
		s.rename("SKU-1", 120000)
		s.work()
		if !slices.Equal(p.setPrices, []string(nil)) || p.upserts != 2 || p.prices["SKU-1"] != "12" {
			t.Errorf("content and price at once: %d publications, then prices of %v: %v", p.upserts, p.setPrices, p.prices)
		}
		s.must(s.write(t, func(tx *db.Tx) error {
			tx.Change("UPDATE products SET price = 130000, changed_at = "+db.Clock+" + $2::BIGINT WHERE tenant_id = $1 AND sku = 'SKU-1'",
				tx.Tenant, tx.Stamps(1))
			return nil
		}))
		s.work()
		if !slices.Equal(p.setPrices, []string{"SKU-1"}) || p.prices["SKU-1"] != "13" || len(p.setStock) != 0 {
			t.Errorf("a price: prices of %v, stock of %v: %v", p.setPrices, p.setStock, p.prices)
		}
	})
}

// rename gives a product a name that it never had, and a price.
func (s *synced) rename(sku string, price int64) {
	s.t.Helper()
	*s.clock = s.clock.Add(time.Second)
	s.must(s.write(s.t, func(tx *db.Tx) error {
		tx.Change("UPDATE products SET name = name || '!', price = $4, changed_at = "+db.Clock+" + $3::BIGINT WHERE tenant_id = $1 AND sku = $2",
			tx.Tenant, sku, tx.Stamps(1), price)
		_, err := s.do.SyncChannel(tx, s.channel.ID, commerce.SyncDraft{Type: jobs.ProductPush})
		return err
	}))
}
