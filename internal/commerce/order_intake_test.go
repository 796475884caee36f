package commerce_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/idempotency"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
)

// together hands in orders while the account's clock is held, so that all but the first are one group, and returns what became of each.
func together(t *testing.T, s *shop, list []commerce.OrderIntake) ([]commerce.Taken, []error) {
	t.Helper()
	held, release := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		if err := s.store.Write(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
			err := tx.LockClock()
			close(held)
			<-release
			return err
		}); err != nil {
			t.Error(err)
		}
	})
	<-held
	taken, errs := make([]commerce.Taken, len(list)), make([]error, len(list))
	for i := range list {
		all.Go(func() { taken[i], errs[i] = s.do.TakeOrder(t.Context(), s.store, list[i]) })
		if i > 0 {
			dbtest.Until(t, "the order waits", func() bool { return s.do.IntakeWaiting(s.who.Tenant) == i })
		} else {
			dbtest.Until(t, "the first order is at work", func() bool { return s.do.IntakeWaiting(s.who.Tenant) == 0 })
		}
	}
	close(release)
	all.Wait()
	return taken, errs
}

// Orders that are stored together are as right as one by one: each has its own customer, number and events, levels add up, and every
// stamp is another one; those that cannot be stored are refused, and the others stored.
func TestOrdersStoredTogether(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 3)
		s.fill(t, 8)
		before := s.levelOf(t, 0)
		intake := func(email, key, reference string, lines map[int]int64) commerce.OrderIntake {
			d := s.draft(email, lines)
			d.ExternalReference = reference
			in := commerce.OrderIntake{Draft: d, Who: s.who, Fingerprint: "print of " + key,
				Author: db.Author{Actor: "key:" + email, Request: "request of " + email},
				Answer: func(o *orders.Order) idempotency.Answer {
					return idempotency.Answer{Status: 201, Body: string(o.ID), Resource: string(o.ID)}
				}}
			if key != "" {
				in.Key = idempotency.Ref{Key: key, Space: "space"}
			}
			return in
		}
		sent := intake("sent@post.example", "", "", map[int]int64{0: 2})
		sent.Draft.Status = orders.Shipped
		unknown := intake("unknown@post.example", "", "", map[int]int64{0: 1})
		unknown.Draft.Lines[0].SKU = "nothing has this SKU"
		list := []commerce.OrderIntake{
			intake("first@post.example", "", "", map[int]int64{0: 1}),
			intake("ada@post.example", "k1", "", map[int]int64{0: 1, 1: 1}),
			intake("ADA@post.example", "", "ref", map[int]int64{0: 1}),      // the same customer
			intake("ada@post.example", "k1", "", map[int]int64{0: 1, 1: 1}), // the same request
			intake("bob@post.example", "", "ref", map[int]int64{0: 1}),      // the same reference
			unknown, sent,
			intake("last@post.example", "", "", map[int]int64{0: 1}),
		}
		taken, errs := together(t, s, list)
		for i, err := range errs {
			refused := i == 4 || i == 5
			if (err != nil) != refused {
				t.Errorf("order %d: %v", i, err)
			}
		}
		if !apperr.Is(errs[4], apperr.Conflict) || !apperr.Is(errs[5], apperr.Invalid) {
			t.Errorf("%v; %v", errs[4], errs[5])
		}
		same := taken[1].Answer
		if again := taken[3]; !again.Before && !taken[1].Before || again.Answer.Body != same.Body || same.Fingerprint != "print of k1" {
			t.Errorf("one request twice: %+v and %+v", taken[1], again)
		}
		stored := []id.Order{taken[0].Order.ID, id.Order(same.Body), taken[2].Order.ID, taken[6].Order.ID, taken[7].Order.ID}
		slices.Sort(stored)
		if len(slices.Compact(stored)) != 5 {
			t.Errorf("stored: %v", stored)
		}
		after := s.levelOf(t, 0)
		if after.Reserved-before.Reserved != 4 || before.OnHand-after.OnHand != 2 {
			t.Errorf("the level went from %+v to %+v", before, after)
		}
		for sql, want := range map[string]int64{
			"SELECT count(*) FROM orders WHERE tenant_id = $1":                                                             5,
			"SELECT count(DISTINCT number) FROM orders WHERE tenant_id = $1":                                               5,
			"SELECT count(*) FROM customers WHERE tenant_id = $1":                                                          4,
			"SELECT orders_count FROM customers WHERE tenant_id = $1 AND email_key = 'ada@post.example'":                   2,
			"SELECT count(*) FROM events WHERE tenant_id = $1 AND event = 'order.received'":                                5,
			"SELECT count(*) FROM events WHERE tenant_id = $1 AND event = 'customer.created'":                              4,
			"SELECT count(*) - count(DISTINCT stamp) FROM events WHERE tenant_id = $1":                                     0,
			"SELECT count(*) FROM events WHERE tenant_id = $1 AND request_id = 'request of last@post.example'":             2,
			"SELECT count(*) - count(DISTINCT changed_at) FROM stock_levels WHERE tenant_id = $1":                          0,
			"SELECT sum(n)::BIGINT FROM tallies WHERE tenant_id = $1 AND name = 'orders'":                                  5,
			"SELECT sum(delta)::BIGINT FROM movements WHERE tenant_id = $1 AND sku = 'SKU-0' AND reference_type = 'order'": -2,
			"SELECT count(*) FROM idempotency_keys WHERE tenant_id = $1":                                                   1,
		} {
			var got int64
			if err := store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error { return tx.Row(sql, []any{tx.Tenant}, &got) }); err != nil {
				t.Fatal(sql, err)
			}
			if got != want {
				t.Errorf("%s: %d, want %d", sql, got, want)
			}
		}
	})
}

// Of orders that come together for more than there is, a channel that rejects gets as many as there is enough for.
func TestOrdersTogetherSellNothingTwice(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 2)
		s.fill(t, 8)
		channel := id.New[id.Channel]()
		if err := s.write(t, func(tx *db.Tx) error {
			tx.Queue(`INSERT INTO channels (tenant_id, id, name, platform, status, credentials, settings, oversell, created_at, updated_at)
				VALUES ($1,$2,'ERP','CUSTOM','active','','{}','reject',0,0)`, tx.Tenant, channel)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		available := s.levelOf(t, 0).Available()
		var list []commerce.OrderIntake
		for i := range 6 {
			d := s.draft(fmt.Sprintf("buyer%d@post.example", i), map[int]int64{0: available / 4})
			d.Channel = channel
			list = append(list, commerce.OrderIntake{Draft: d, Who: s.who})
		}
		_, errs := together(t, s, list)
		refused := 0
		for _, err := range errs {
			if apperr.Is(err, apperr.Conflict) {
				refused++
			} else if err != nil {
				t.Error(err)
			}
		}
		if left := s.levelOf(t, 0); refused != 2 || left.Available() != available-4*(available/4) {
			t.Errorf("%d refused, %+v left of %d", refused, left, available)
		}
	})
}

// A credential that is gone when the group commits, or an import, refuses its own order only.
func TestOrdersTogetherOutliveTheRefusedOne(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 1)
		s.fill(t, 8)
		var list []commerce.OrderIntake
		for i := range 5 {
			list = append(list, commerce.OrderIntake{Draft: s.draft(fmt.Sprintf("buyer%d@post.example", i), map[int]int64{0: 1}), Who: s.who})
		}
		list[2].Who.Key, list[2].Confirm = id.New[id.Key](), true // the key was revoked
		list[3].Import = id.New[id.Import]()
		_, errs := together(t, s, list)
		for i, err := range errs {
			want := map[int]apperr.Kind{2: apperr.Unauthorized, 3: apperr.NotFound}[i]
			if (err != nil) != (i == 2 || i == 3) || err != nil && !apperr.Is(err, want) {
				t.Errorf("order %d: %v", i, err)
			}
		}
		if level := s.levelOf(t, 0); level.Reserved != 3 {
			t.Errorf("%d are reserved, want 3", level.Reserved)
		}
	})
}

// fill puts units of the first SKU in stock, and leases so many order numbers that an intake needs no transaction for one.
func (s *shop) fill(t *testing.T, units int64) {
	t.Helper()
	for range 30 {
		if _, err := s.do.Numbers.Take(t.Context(), s.store, s.who.Tenant); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.write(t, func(tx *db.Tx) error {
		sellable, err := catalog.Resolve(tx, []string{"SKU-0"})
		if err != nil {
			return err
		}
		inputs := []stock.StockInput{{SKU: "SKU-0", Product: sellable["SKU-0"].Product, Quantity: units}}
		snapshot, err := stock.ReadSnapshot(tx, inputs)
		if err == nil {
			snapshot.Set(tx, inputs, stock.Why{Cause: stock.Import})
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// levelOf is the level of the n-th SKU.
func (s *shop) levelOf(t *testing.T, n int) stock.Level {
	t.Helper()
	var level stock.Level
	if err := s.store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
		levels, err := stock.PrefetchLevels(tx, []string{fmt.Sprintf("SKU-%d", n)}).Wait()
		for _, l := range levels {
			level = l
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return level
}
