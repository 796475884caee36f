package api

import (
	"context"
	"sync"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/limits"
)

// Stock that is set in a new warehouse after the deletion of its product has looked at the levels, and before it is stored, leaves no
// level behind: whichever comes second sees the other. On SQLite there is one writer, so nothing can come between.
func TestStockSetDuringTheDeletionOfItsProduct(t *testing.T) {
	s := newServer(t, "postgres", limits.Off{})
	made := s.must(t, 201, "POST", "/api/v1/products", map[string]any{"sku": "GONE", "name": "A", "price": 1,
		"stock": map[string]any{"quantity": 5}})
	product := id.Product(text(made, "data", "id"))
	var setting sync.WaitGroup
	var once sync.Once
	who := accounts.Caller{Tenant: s.tenant, Currency: "EUR"}
	s.write(s.tenant, func(tx *db.Tx) error {
		if err := s.Commerce.DeleteProduct(tx, who, product, commerce.Expected{}); err != nil {
			return err
		}
		once.Do(func() {
			done := make(chan struct{})
			setting.Go(func() {
				defer close(done)
				s.answered(t, call{method: "PATCH", path: "/api/v1/sdk/inventory/bulk-update", body: map[string]any{"updates": []any{
					map[string]any{"sku": "GONE", "warehouseCode": "NEW", "quantity": 7}}}}, 200)
			})
			awaitDoneOrWaiting(t, s, done)
		})
		return nil
	})
	setting.Wait()
	for _, path := range []string{"/api/v1/inventory?sku=GONE", "/api/v1/sdk/inventory/changes"} {
		list := s.must(t, 200, "GET", path, nil)
		if n := number(list, "meta", "total"); n != "0" {
			t.Errorf("GET %s has %s levels of a deleted product: %v", path, n, at(list, "data"))
		}
	}
	s.sound(t)
}

// awaitDoneOrWaiting waits until something is done, or waits for a lock of the account.
func awaitDoneOrWaiting(t *testing.T, s *server, done <-chan struct{}) {
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); {
		select {
		case <-done:
			return
		case <-time.After(10 * time.Millisecond):
		}
		var waiting bool
		err := s.DB.Read(context.WithoutCancel(t.Context()), db.Across, func(tx *db.Tx) error {
			return tx.Row(`SELECT count(*) > 0 FROM pg_locks WHERE NOT granted
				AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`, nil, &waiting)
		})
		if err != nil {
			t.Error(err)
			return
		}
		if waiting {
			return
		}
	}
	t.Error("the change of stock neither ended nor waited for anybody")
}
