package commerce_test

import (
	"testing"
	"time"

	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// A push that is reading stock, or taking a product off sale, while its channel is pointed at another shop stores no ids of the first one
// after these were forgotten: what the next runs set is found there by its SKU.
func TestAnotherShopBeforeAWrite(t *testing.T) {
	for _, during := range []string{"stock is read", "a product is taken off"} {
		t.Run(during, func(t *testing.T) {
			syncedEngines(t, 2, func(t *testing.T, s *synced) {
				p := s.platform
				point := func() { s.set(`{"baseUrl": "https://other.example"}`, channels.Active) }
				s.publish()
				s.work()
				known := len(p.pushedAs)
				if during == "stock is read" {
					p.whileRead = point
					s.compare()
				} else {
					p.whileOff = point
					s.rename("SKU-1", 110000)
					s.publish()
					s.unpublish("SKU-0")
				}
				s.work()
				*s.clock = s.clock.Add(10 * time.Second)
				s.work()
				there := 0
				for _, ids := range p.pushedAs[known:] {
					if ids.Product == "" {
						there++
					} else if there > 0 {
						t.Errorf("the other shop is written to by the ids of the first: %v", p.pushedAs[known:])
					}
				}
				if there == 0 || p.pushedAs[len(p.pushedAs)-1].Product != "" {
					t.Errorf("pushed by %v", p.pushedAs[known:])
				}
			})
		})
	}
}

// unpublish has a product taken off the channel.
func (s *synced) unpublish(sku string) {
	s.t.Helper()
	s.must(s.write(s.t, func(tx *db.Tx) error {
		c, err := channels.ByID(tx, s.channel.ID)
		if err != nil {
			return err
		}
		return s.do.UnpublishProduct(tx, c, s.product(tx, sku))
	}))
}

// product is the id of the product with a SKU.
func (s *synced) product(tx *db.Tx, sku string) (found id.Product) {
	s.t.Helper()
	s.must(tx.Row("SELECT id FROM products WHERE tenant_id = $1 AND sku = $2 AND deleted_at IS NULL", []any{tx.Tenant, sku}, &found))
	return found
}
