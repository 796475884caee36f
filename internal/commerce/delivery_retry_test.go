package commerce_test

import (
	"math"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/webhooks"
)

// However many endpoints have however many deliveries that wait, one request makes no more of them due than one transaction should; the
// next one goes on with the others.
func TestRequestsHurryBoundedDeliveries(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		who, do := accounts.Caller{Tenant: dbtest.Account(t, store)}, &commerce.Service{}
		const each = webhooks.MostHurried*2/3 + 1
		write := func(run func(tx *db.Tx) error) {
			t.Helper()
			if err := store.Write(t.Context(), who.Tenant, run); err != nil {
				t.Fatal(err)
			}
		}
		write(func(tx *db.Tx) error {
			for range 2 {
				endpoint := id.New[id.Endpoint]()
				tx.Queue("INSERT INTO queues (tenant_id, endpoint_id, due_at, holder, pending, delivered, failed) VALUES ($1,$2,NULL,'',$3,0,0)",
					tx.Tenant, endpoint, each)
				for i := range each {
					tx.Queue(`INSERT INTO deliveries (tenant_id, endpoint_id, position, id, event_id, event_stamp, event, resource_id, ordered, lane,
						by_hand, state, attempts, due_at) VALUES ($1,$2,$3,$4,$5,$3,'order.received','r',FALSE,NULL,FALSE,'pending',1,$6)`, tx.Tenant,
						endpoint, 1+i, id.New[id.Delivery](), id.New[id.Event](), tx.Micros()+3_600_000_000)
				}
			}
			return nil
		})
		for _, want := range []int64{webhooks.MostHurried, 2*each - webhooks.MostHurried, 0} {
			write(func(tx *db.Tx) error {
				n, err := do.RetryDeliveries(tx, who, "", webhooks.Pending, commerce.Span{To: math.MaxInt64}, nil)
				if n != want {
					t.Errorf("%d are made due, not %d", n, want)
				}
				return err
			})
		}
	})
}
