package worker

import (
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/webhooks"
)

// key makes an API key of the account.
func (s *shop) key(until time.Time, scopes ...string) (key accounts.Key) {
	s.t.Helper()
	s.write(func(tx *db.Tx) (err error) {
		key, _, err = s.svc.CreateKey(tx, accounts.Caller{}, commerce.KeyDraft{Name: "hooks", Scopes: scopes, ExpiresAt: until})
		return err
	})
	return key
}

// madeBy returns a change that makes a key the maker of an endpoint.
func madeBy(key accounts.Key) func(*webhooks.Endpoint) {
	return func(e *webhooks.Endpoint) { e.MadeBy(key.ID, key.Scopes, "") }
}

// Nothing is sent any more for a key that is revoked or has expired: neither later events nor deliveries that waited.
// Whoever takes the endpoint over gets all of these (interface §4.5.9).
func TestNothingIsSentForAKeyThatIsGone(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		revoked, expired := s.key(time.Time{}, "write:orders"), s.key(store.Now().Add(time.Hour), "read:orders")
		orders := func(e *webhooks.Endpoint) { e.Events = []string{webhooks.OrderUpdated} }
		first, _ := s.endpoint(rc.URL+"/revoked", madeBy(revoked), orders)
		second, _ := s.endpoint(rc.URL+"/expired", madeBy(expired), orders)
		third, _ := s.endpoint(rc.URL+"/other", orders)
		s.emit(2, each) // they wait
		s.write(func(tx *db.Tx) error {
			tx.Queue("UPDATE api_keys SET expires_at = $3 WHERE tenant_id = $1 AND id = $2", tx.Tenant, expired.ID, tx.Micros())
			return s.svc.RevokeKey(tx, accounts.Caller{}, revoked.ID)
		})
		s.start()
		s.emit(2, each)
		dbtest.Until(t, "the other's deliveries", func() bool { return s.counts0(third).Delivered == 4 })
		dbtest.Until(t, "theirs to wait", func() bool { return s.counts0(first).Pending == 4 && s.counts0(second).Pending == 4 })
		if n := len(rc.on("/revoked")) + len(rc.on("/expired")); n > 0 {
			t.Errorf("%d deliveries were sent", n)
		}
		status := webhooks.Active
		for _, e := range []*webhooks.Endpoint{first, second} {
			s.write(func(tx *db.Tx) error {
				_, err := s.svc.UpdateEndpoint(tx, accounts.Caller{}, e.ID, commerce.Expected{}, commerce.EndpointDraft{Status: &status})
				return err
			})
			dbtest.Until(t, "what waited", func() bool { return s.counts0(e).Delivered == 4 })
		}
	})
}

// A delivery that waits from the time when the endpoint was subscribed to more events is not sent if the maker may not
// read it.
func TestWhatAMakerMayNotReadIsNotSent(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		e, _ := s.endpoint(rc.URL+"/hook", func(e *webhooks.Endpoint) { e.Events = []string{webhooks.OrderUpdated} })
		s.emit(1, each)
		s.start()
		dbtest.Until(t, "a delivery", func() bool { return s.counts0(e).Delivered == 1 })
		key := s.key(time.Time{}, "write:webhooks", "read:inventory")
		s.write(func(tx *db.Tx) error {
			_, err := s.svc.UpdateEndpoint(tx, accounts.Caller{Key: key.ID, Scopes: key.Scopes}, e.ID, commerce.Expected{},
				commerce.EndpointDraft{Events: []string{webhooks.StockLow}})
			return err
		})
		list, _ := s.deliveries(e)
		s.write(func(tx *db.Tx) error {
			_, err := webhooks.Retry(tx, list[0].ID)
			return err
		})
		dbtest.Until(t, "the end of the delivery", func() bool { return s.counts0(e).Failed == 1 })
		_, tries := s.deliveries(e)
		if n := len(rc.on("/hook")); n != 1 || tries[0][1].Error != webhooks.ErrorUnreadable {
			t.Errorf("%d sent, then %+v", n, tries[0])
		}
	})
}
