package verify_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/idempotency"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
	"entrepot/internal/verify"
	"entrepot/internal/view/all"
	"entrepot/internal/webhooks"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const skus = 12

func TestALifeHolds(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.life()
		s.dispatch()
		for name, examples := range s.wrong() {
			t.Errorf("%s: %v", name, examples)
		}
	})
}

// An order that is new, or has another status or total, has an event in the same commit.
func TestChangesOfOrdersAreInTheLog(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		known, changes, clock := map[id.Order]string{}, 0, int64(0)
		s.wrote = func() {
			logged := map[id.Order]bool{}
			err := store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
				w := db.AndIn(db.NewWhere(tx, "e"), "e.event", []string{"order.received", "order.status_changed", "order.updated"})
				err := tx.Each(func(r db.Rows) error {
					var order id.Order
					err := r.Scan(&order)
					logged[order] = true
					return err
				}, "SELECT e.resource_id FROM events e WHERE "+w.And("e.stamp > ?", clock).String(), w.Args()...)
				if err == nil {
					err = tx.Row("SELECT last FROM change_clocks WHERE tenant_id = $1", []any{tx.Tenant}, &clock)
				}
				if err != nil {
					return err
				}
				return tx.Each(func(r db.Rows) error {
					var order id.Order
					var status string
					var total int64
					err := r.Scan(&order, &status, &total)
					is := fmt.Sprint(status, total)
					if is != known[order] {
						if changes++; !logged[order] {
							t.Errorf("%s is %s, was %s, without an event", order, is, known[order])
						}
					}
					known[order] = is
					return err
				}, "SELECT id, status, total FROM orders WHERE tenant_id = $1", tx.Tenant)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if s.life(); changes < 20 {
			t.Errorf("%d changes", changes)
		}
	})
}

// The maintained figures of deliveries hold while attempts are made, deliveries attempted again, and old ones dropped, until none is left.
func TestFiguresOfDeliveriesHold(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.life()
		s.dispatch()
		holds := func(beside string) {
			t.Helper()
			if failed := s.wrong(); names(failed) != beside {
				t.Fatal(failed)
			}
		}
		s.settle()
		s.settle()
		holds("")
		var endpoint id.Endpoint
		s.must(func(tx *db.Tx) error {
			failed, err := webhooks.Across(tx, webhooks.AcrossFilter{State: webhooks.Failed, Limit: 3})
			if err != nil {
				return err
			}
			for _, d := range failed.Deliveries {
				if _, err := webhooks.Retry(tx, d.ID); err != nil {
					return err
				}
				endpoint = d.Endpoint
			}
			return nil
		})
		holds("")
		s.settle()
		holds("")
		for dropped := 1; dropped > 0; {
			s.must(func(tx *db.Tx) (err error) {
				dropped, err = webhooks.DeleteOldDeliveries(tx, endpoint, tx.Micros()+1_000_000_000, 7)
				return err
			})
		}
		holds("deliveries") // those of today are gone
		err := store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
			var settled, empty int64
			err := tx.Row(`SELECT coalesce(sum(delivered + failed), 0)::BIGINT,
				coalesce(sum(CASE WHEN delivered + failed + attempts = 0 THEN 1 ELSE 0 END), 0)::BIGINT
				FROM delivery_figures WHERE tenant_id = $1`, []any{tx.Tenant}, &settled, &empty)
			if settled != 0 || empty != 0 {
				t.Errorf("%d deliveries are counted that are gone, %d rows count nothing", settled, empty)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// An endpoint is changed by a transaction that began before some events and was stored after their deliveries: they were right.
func TestDeliveriesBeforeASlowChange(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.life()
		s.dispatch()
		s.must(func(tx *db.Tx) error {
			_, err := tx.Exec(`UPDATE endpoints SET events = 'order.deleted',
				updated_at = (SELECT min(created_at) FROM events WHERE tenant_id = $1) - 1 WHERE tenant_id = $1`, tx.Tenant)
			return err
		})
		for name, examples := range s.wrong() {
			t.Errorf("%s: %v", name, examples)
		}
	})
}

// Every check finds what it is for: each of these changes behind the service's back breaks what one or two checks say.
func TestChecksFind(t *testing.T) {
	breaks := []struct{ sql, found string }{
		{"UPDATE stock_levels SET on_hand = on_hand + 1 WHERE tenant_id = $1 AND sku = 'SKU-2'",
			"kept counts, ledger, stock events, stock value"},
		{"UPDATE movements SET delta = delta + 1, balance = balance + 1 WHERE tenant_id = $1 AND sku = 'SKU-2-V'", "ledger"},
		{"DELETE FROM movements WHERE tenant_id = $1 AND sku = 'SKU-0' AND stamp = (SELECT min(stamp) FROM movements WHERE tenant_id = $1 AND " +
			"sku = 'SKU-0')", "ledger"},
		{"UPDATE stock_levels SET low = NOT low WHERE tenant_id = $1 AND sku = 'SKU-3'", "kept counts, levels"},
		{"UPDATE stock_levels SET variant_id = NULL WHERE tenant_id = $1 AND sku = 'SKU-3-V'", "levels"},
		{"DELETE FROM warehouses WHERE tenant_id = $1 AND code = 'LYON'", "levels"},
		{"UPDATE warehouses SET is_default = TRUE WHERE tenant_id = $1", "warehouses"},
		{"UPDATE stock_levels SET reserved = reserved + 1 WHERE tenant_id = $1 AND sku = 'SKU-6'", "kept counts, reservations"},
		{"UPDATE order_lines SET reserved = reserved - 1 WHERE tenant_id = $1 AND sku = 'SKU-7'", "open lines, reservations"},
		{"UPDATE order_lines SET shipped = shipped - 1 WHERE tenant_id = $1 AND sku = 'SKU-3' AND shipped > 0", "order status, shipped lines"},
		{"DELETE FROM shipment_lines WHERE tenant_id = $1", "shipped lines"},
		{"UPDATE orders SET status = 'DELIVERED' WHERE tenant_id = $1 AND status = 'PENDING'",
			"kept counts, open lines, order figures, order history, order status"},
		{"UPDATE orders SET total = total + 1 WHERE tenant_id = $1 AND status = 'CANCELLED'", "order figures, order totals"},
		{"UPDATE orders SET total = total + 1 WHERE tenant_id = $1 AND status = 'PENDING' AND customer_id IS NOT NULL",
			"customer totals, order figures, order totals"},
		{"UPDATE order_lines SET line_total = line_total + 1 WHERE tenant_id = $1 AND sku = 'SKU-3'", "order totals"},
		{"UPDATE orders SET reopened_by = id WHERE tenant_id = $1 AND status = 'CANCELLED'", "reopened orders"},
		{"UPDATE orders SET reopens = id WHERE tenant_id = $1 AND status = 'PENDING'", "reopened orders"},
		{"DELETE FROM order_history WHERE tenant_id = $1 AND status = 'RETURNED'", "order events, order history"},
		{"UPDATE order_history SET previous_status = 'PENDING' WHERE tenant_id = $1 AND status = 'RETURNED'", "order history"},
		{"UPDATE search_blocks SET body = 'x' || body WHERE tenant_id = $1 AND kind = 'order'", "searches"},
		{"DELETE FROM search_blocks WHERE tenant_id = $1 AND kind = 'customer'", "searches"},
		{"INSERT INTO search_places SELECT tenant_id, kind, 0, first_id FROM search_blocks WHERE tenant_id = $1 AND kind = 'order'" +
			" ORDER BY first_id LIMIT 1", "searches"},
		{"INSERT INTO search_loose SELECT tenant_id, 'order', id, created_at, 'x', 0 FROM orders WHERE tenant_id = $1", "searches"},
		{"UPDATE order_figures SET orders = orders + 1 WHERE tenant_id = $1 AND status = 'PENDING'", "order figures"},
		{"UPDATE order_figures SET small = small + 1 WHERE tenant_id = $1 AND status = 'PENDING'", "order figures"},
		{"UPDATE order_figures SET items = items - 1 WHERE tenant_id = $1 AND status = 'PENDING'", "order figures"},
		{"DELETE FROM order_figures WHERE tenant_id = $1", "order figures"},
		{"UPDATE delivery_figures SET failed = failed + 1 WHERE tenant_id = $1", "delivery figures"},
		{"UPDATE delivery_figures SET pending = pending + 1 WHERE tenant_id = $1", "delivery figures"},
		{"UPDATE delivery_figures SET answered = answered - 1 WHERE tenant_id = $1", "delivery figures"},
		{"UPDATE attempts SET duration_ms = duration_ms + 1 WHERE tenant_id = $1 AND number = 1", "delivery figures"},
		{"DELETE FROM delivery_figures WHERE tenant_id = $1", "delivery figures"},
		{"UPDATE tallies SET n = n + 1 WHERE tenant_id = $1 AND name = 'products'", "kept counts"},
		{"DELETE FROM tallies WHERE tenant_id = $1 AND name = 'customers'", "kept counts"},
		{"UPDATE tallies SET n = n - 1 WHERE tenant_id = $1 AND name = 'orders'", "kept counts"},
		{"UPDATE customers SET orders_count = orders_count + 1 WHERE tenant_id = $1 AND status = 'active'", "customer totals"},
		{"DELETE FROM customers WHERE tenant_id = $1 AND status = 'erased'", "customer totals, kept counts, searches"},
		{"DELETE FROM skus WHERE tenant_id = $1 AND sku = 'SKU-1'", "levels, skus"},
		{"INSERT INTO skus (tenant_id, sku, product_id) SELECT $1::BIGINT, 'GHOST', product_id FROM skus WHERE tenant_id = $1 AND sku = 'SKU-1'",
			"skus"},
		{"UPDATE product_sorts SET price = price + 1 WHERE tenant_id = $1", "product sorts"},
		{"DELETE FROM product_sorts WHERE tenant_id = $1", "product sorts"},
		{"DELETE FROM segment_members WHERE tenant_id = $1", "segments"},
		{"UPDATE segment_lists SET members = members - 1 WHERE tenant_id = $1", "segments"},
		{"INSERT INTO segment_members SELECT l.tenant_id, l.id, c.id FROM segment_lists l, customers c WHERE l.tenant_id = $1" +
			" AND c.tenant_id = $1 AND c.status = 'erased'", "segments"},
		{"UPDATE stock_values SET bc = bc + 1 WHERE tenant_id = $1", "stock value"},
		{"DELETE FROM stock_values WHERE tenant_id = $1", "stock value"},
		{"UPDATE stock_level_values SET price = price + 100000000 WHERE tenant_id = $1 AND sku = 'SKU-1'", "stock value"},
		{"INSERT INTO stock_level_values SELECT tenant_id, 'GHOST', code, 0, 0 FROM warehouses WHERE tenant_id = $1", "stock value"},
		{"UPDATE products SET name = 'x' WHERE tenant_id = $1 AND sku = 'SKU-1'", "product sorts"},
		{"UPDATE products SET variant_count = 7 WHERE tenant_id = $1 AND sku = 'SKU-1'", "product parts"},
		{"UPDATE categories SET parent_id = (SELECT id FROM categories WHERE tenant_id = $1 AND slug = 'boots') WHERE tenant_id = $1",
			"categories"},
		{"UPDATE categories SET parent_id = '019a1c41-0000-7000-8000-000000000000' WHERE tenant_id = $1 AND slug = 'boots'", "categories"},
		{"DELETE FROM events WHERE tenant_id = $1 AND event = 'order.received'", "order events"},
		{"UPDATE events SET event = 'order.updated' WHERE tenant_id = $1 AND event = 'order.shipped'", "event payloads, order events"},
		{"UPDATE events SET event = 'order.updated' WHERE tenant_id = $1 AND event = 'order.shipment_created'", "event payloads, order events"},
		{"UPDATE events SET event = 'order.cancelled' WHERE tenant_id = $1 AND event = 'order.returned'", "event payloads, order events"},
		{"DELETE FROM events WHERE tenant_id = $1 AND event = 'product.deleted'", "record events"},
		{"UPDATE events SET resource_id = 'nobody' WHERE tenant_id = $1 AND event = 'customer.created'", "record events"},
		{"DELETE FROM events WHERE tenant_id = $1 AND event = 'stock.updated' AND resource_id = 'SKU-8'", "stock events"},
		{"UPDATE events SET payload = 'x' WHERE tenant_id = $1 AND event = 'stock.updated' AND resource_id = 'SKU-8'",
			"event payloads, stock events"},
		{"DELETE FROM deliveries WHERE tenant_id = $1 AND event = 'stock.low'", "deliveries, delivery figures"},
		{"UPDATE products SET changed_at = (SELECT min(stamp) FROM events WHERE tenant_id = $1) WHERE tenant_id = $1 AND sku = 'SKU-1'",
			"stamps"},
		{"UPDATE change_clocks SET last = last - 1000 WHERE tenant_id = $1", "stamps"},
		{"UPDATE idempotency_keys SET resource_id = '019a1c41-0000-7000-8000-000000000000' WHERE tenant_id = $1", "idempotency"},
		{"UPDATE orders SET refunded_amount = refunded_amount + 1 WHERE tenant_id = $1 AND status = 'PENDING'", "refunds"},
		{"INSERT INTO order_refunds (tenant_id, order_id, id, external_id, amount, reason, created_at) " +
			"SELECT tenant_id, id, id, 'R1', 100, '', 0 FROM orders WHERE tenant_id = $1 AND status = 'PENDING'", "refunds"},
		{"UPDATE orders SET tags = '[\"late\"]' WHERE tenant_id = $1 AND status = 'PENDING'", "order tags"},
		{"INSERT INTO order_tags (tenant_id, order_id, tag, created_at) SELECT tenant_id, id, 'late', created_at FROM orders " +
			"WHERE tenant_id = $1 AND status = 'PENDING'", "order tags"},
		{"UPDATE order_return_lines SET quantity = quantity + 1 WHERE tenant_id = $1", "returns"},
		{"UPDATE order_return_lines SET restock = FALSE WHERE tenant_id = $1", "returns"},
		{"UPDATE order_returns SET status = 'received' WHERE tenant_id = $1 AND status = 'requested'", "returns"},
		{"UPDATE order_returns SET refund_id = NULL WHERE tenant_id = $1", "returns"},
		{"UPDATE orders SET billing_address = '{\"line1\": \"1 High' WHERE tenant_id = $1 AND status = 'PENDING'", "json"},
		{"UPDATE orders SET payment_metadata = '[1' WHERE tenant_id = $1 AND status = 'PENDING'", "json"},
		{"UPDATE customers SET metadata = '{}}' WHERE tenant_id = $1", "json"},
		{"UPDATE users SET role = 'admin' WHERE tenant_id = $1", "owners"},
		{"DELETE FROM users WHERE tenant_id = $1", "owners"},
		{"UPDATE events SET payload = replace(payload, '\"currency\":\"EUR\"', '\"currency\":\"USD\"') " +
			"WHERE tenant_id = $1 AND event = 'order.received'", "event payloads"},
		{"UPDATE events SET checksum = NULL WHERE tenant_id = $1 AND event = 'order.received'", "event payloads"},
		{"UPDATE idempotency_keys SET answer = '{\"data\":1}' WHERE tenant_id = $1 AND key = 'k2'", "kept answers"},
		{"UPDATE audit_log SET action = 'x' WHERE tenant_id = $1 AND number = 1", "audit log"},
		{"DELETE FROM audit_log WHERE tenant_id = $1 AND number = 1", "audit log"},
	}
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.broad()
		defer verify.InPartsOf(5)() // records at a time
		if failed := s.wrong(); len(failed) > 0 {
			t.Fatalf("before anything is broken: %v", failed)
		}
		for _, b := range breaks {
			var failed map[string][]string
			undo := errors.New("undo")
			err := s.write(func(tx *db.Tx) error {
				if n, err := tx.Exec(b.sql, tx.Tenant); err != nil || n == 0 {
					t.Errorf("%s: %d rows, %v", b.sql, n, err)
				}
				results, err := verify.Within(tx)
				if err != nil {
					t.Errorf("%s: %v", b.sql, err)
				}
				failed = map[string][]string{}
				for _, r := range results {
					if r.Wrong > 0 {
						failed[r.Name] = r.Examples
					}
				}
				return undo
			})
			if !errors.Is(err, undo) {
				t.Fatalf("%s: %v", b.sql, err)
			}
			if got := names(failed); got != b.found {
				t.Errorf("%s: found by %q, want %q: %v", b.sql, got, b.found, failed)
			}
		}
		if failed := s.wrong(); len(failed) > 0 {
			t.Fatalf("after all is undone: %v", failed)
		}
	})
}

// giveBack has a unit of an order come back, restocked and refunded, and another one announced.
func (s *shop) giveBack() {
	s.Helper()
	order, err := s.order(draft("dora@example.com", orders.Shipped, "SKU-1"))
	if err != nil {
		s.Fatal(err)
	}
	var made orders.Return
	for range 2 {
		if err := s.change(order, func(tx *db.Tx, o *orders.Order) (err error) {
			_, made, err = s.do.CreateReturn(tx, o.ID, commerce.Expected{}, orders.ReturnDraft{Reason: "too small",
				Lines: []orders.ReturnLine{{Line: o.Lines[0].ID, Quantity: 1, Restock: true}}})
			return err
		}); err != nil {
			s.Fatal(err)
		}
	}
	for _, to := range []orders.ReturnStatus{orders.ReturnReceived, orders.ReturnRefunded} {
		if err := s.change(order, func(tx *db.Tx, o *orders.Order) error {
			_, _, err := s.do.UpdateReturn(tx, s.who, o.ID, commerce.Expected{}, made.ID, commerce.ReturnUpdate{Status: patch.To(to)})
			return err
		}); err != nil {
			s.Fatal(err)
		}
	}
}

// broad lives and makes everything that is derived from records.
func (s *shop) broad() {
	s.Helper()
	s.must(func(tx *db.Tx) error { s.do.CreateSegment(tx, s.who, "Everybody", customers.Rules{}); return nil })
	s.follow()
	s.life()
	order, err := s.order(draft("dora@example.com", orders.Pending, "SKU-1"))
	if err != nil {
		s.Fatal(err)
	}
	s.giveBack()
	s.must(func(tx *db.Tx) error {
		tx.Queue(`INSERT INTO idempotency_keys (tenant_id, key, space, fingerprint, status, answer, resource_id, checksum, created_at,
			expires_at) VALUES ($1,'k','POST /api/v1/orders','',201,'{}',$2,$3,$4,$4)`, tx.Tenant, order, db.Checksum("{}"), tx.Micros()+1_000_000)
		return nil
	})
	s.must(func(tx *db.Tx) error {
		idempotency.Save(tx, "k2", "PATCH /api/v1/account", idempotency.Answer{Status: 200, Body: `{"data":{}}`})
		_, err := s.do.CreateUser(tx, accounts.Caller{}, commerce.UserDraft{Email: s.Name() + "@test.example", Role: accounts.Owner})
		return err
	})
	s.must(func(tx *db.Tx) error {
		shoes, err := s.do.CreateCategory(tx, catalog.CategoryDraft{Name: patch.To("Shoes")})
		if err == nil {
			_, err = s.do.CreateCategory(tx, catalog.CategoryDraft{Name: patch.To("Boots"), Parent: patch.To(shoes.ID)})
		}
		return err
	})
	s.dispatch()
	s.follow()
	s.settle()
}

// follow brings the views up to date.
func (s *shop) follow() {
	s.Helper()
	if err := all.FollowTenant(s.Context(), s.store, s.who.Tenant); err != nil {
		s.Fatal(err)
	}
}

// names lists the checks in the order of the alphabet.
func names(failed map[string][]string) string {
	var list []string
	for name := range failed {
		list = append(list, name)
	}
	for i := range list {
		for j := i; j > 0 && list[j] < list[j-1]; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	return strings.Join(list, ", ")
}

// Everything holds after many callers have worked on few SKUs at once: orders, shipments, bulk updates planned beside the writer,
// movements and transfers.
func TestHoldsUnderRaces(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		<-s.writers(8, 25)
		s.dispatch()
		for name, examples := range s.wrong() {
			t.Errorf("%s: %v", name, examples)
		}
	})
}

// writers are callers that do some operations each; ended is closed after the last.
func (s *shop) writers(n, operations int) (ended chan struct{}) {
	var group sync.WaitGroup
	for caller := range n {
		random := rand.New(rand.NewPCG(3, uint64(caller)))
		group.Go(func() {
			var mine []id.Order
			for range operations {
				if err := s.anything(random, &mine); err != nil {
					if _, ok := apperr.As(err); !ok {
						s.Error(err)
					}
				}
			}
		})
	}
	ended = make(chan struct{})
	go func() { group.Wait(); close(ended) }()
	return ended
}

// anything does one operation by chance; a refusal is an error.
func (s *shop) anything(random *rand.Rand, mine *[]id.Order) error {
	sku := func() string { return fmt.Sprintf("SKU-%d%s", random.IntN(4), []string{"", "-V"}[random.IntN(2)]) }
	pick := func() id.Order { return (*mine)[random.IntN(len(*mine))] }
	n := random.IntN(10)
	if len(*mine) == 0 {
		n = 0
	}
	switch n {
	case 0, 1, 2:
		order, err := s.order(draft(fmt.Sprintf("c%d@example.com", random.IntN(3)), orders.Processing, sku(), sku()))
		if err == nil {
			*mine = append(*mine, order)
		}
		return err
	case 3:
		return s.change(pick(), func(tx *db.Tx, o *orders.Order) error {
			_, _, err := s.do.ShipOrder(tx, s.who, o.ID, commerce.Expected{},
				orders.ShipmentDraft{Lines: []orders.DraftLine{{Line: o.Lines[0].ID, Quantity: 1}}})
			return err
		})
	case 4:
		to := orders.Statuses[2+random.IntN(5)]
		return s.change(pick(), func(tx *db.Tx, o *orders.Order) error {
			_, err := s.do.MoveOrder(tx, s.who, o.ID, commerce.Expected{}, commerce.Move{To: to, Restock: true, Source: orders.FromAPI})
			return err
		})
	case 5:
		return s.change(pick(), func(tx *db.Tx, o *orders.Order) error {
			if len(o.Shipments) == 0 {
				return nil
			}
			_, err := s.do.UnshipOrder(tx, s.who, o.ID, commerce.Expected{}, o.Shipments[0].ID)
			return err
		})
	case 6:
		return s.write(func(tx *db.Tx) error {
			_, err := s.do.MoveStock(tx, s.who, commerce.Movement{SKU: sku(), Cause: stock.Receive, Quantity: 3})
			return err
		})
	case 7:
		return s.write(func(tx *db.Tx) error {
			_, err := s.do.TransferStock(tx, s.who, commerce.Transfer{SKU: sku(), From: "MAIN", To: []string{"LYON", "OSLO"}[random.IntN(2)],
				Quantity: 2})
			return err
		})
	}
	var u commerce.StockUpdate
	for i := range 4 {
		u.Drafts = append(u.Drafts, commerce.StockDraft{Index: i, SKU: fmt.Sprintf("SKU-%d", i), Warehouse: []string{"", "LYON"}[random.IntN(2)],
			Quantity: int64(random.IntN(60))})
	}
	var plan *commerce.StockPlan
	make := func(tx *db.Tx) (err error) {
		plan, err = s.do.PlanInventory(tx, s.who, u)
		return err
	}
	if err := s.store.Read(s.Context(), s.who.Tenant, make); err != nil {
		return err
	}
	first := true
	return s.write(func(tx *db.Tx) error {
		if !first {
			if err := make(tx); err != nil {
				return err
			}
		}
		first = false
		_, err := plan.Apply(tx, s.who)
		return err
	})
}
