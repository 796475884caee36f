package commerce_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/idempotency"
	"entrepot/internal/orders"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// shop is a store with one account, n products (SKU-0 …) and the operations.
type shop struct {
	store  *db.DB
	who    accounts.Caller
	do     *commerce.Service
	number atomic.Int64
}

func newShop(t testing.TB, store *db.DB, products int) *shop {
	t.Helper()
	s := &shop{store: store, who: accounts.Caller{Tenant: dbtest.Account(t, store)}, do: &commerce.Service{Numbers: orders.NewNumbers()}}
	err := store.Write(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
		for i := range products {
			sku, product := fmt.Sprintf("SKU-%d", i), id.New[id.Product]()
			tx.Change(`INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, media, attributes, search, variant_count,
				category_count, created_at, updated_at, changed_at)
				VALUES ($1,$2,$3,$4,$3,'','ACTIVE',100000,'[]','{}','',0,0,0,0,
					`+db.Clock+` + $5::BIGINT)`, tx.Tenant, product, sku, "Product "+sku, tx.Stamps(1))
			tx.Queue("INSERT INTO skus (tenant_id, sku, product_id) VALUES ($1,$2,$3)", tx.Tenant, sku, product)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// draft is an order of quantities by SKU number.
func (s *shop) draft(email string, quantities map[int]int64) commerce.OrderDraft {
	d := commerce.OrderDraft{Number: s.number.Add(1), CustomerName: "Ada Lovelace", CustomerEmail: email, Status: orders.Pending,
		Currency: "EUR", Source: orders.FromAPI,
		ShippingAddress: `{"line1":"1 rue de la Paix","city":"Paris","postalCode":"75002","country":"FR"}`}
	for sku, n := range quantities {
		d.Lines = append(d.Lines, orders.LineDraft{SKU: fmt.Sprintf("SKU-%d", sku), Quantity: n, UnitPrice: 199900})
	}
	return d
}

func (s *shop) write(t testing.TB, operation func(tx *db.Tx) error) error {
	return s.store.Write(context.Background(), s.who.Tenant, operation)
}

// change locks an order and runs an operation on it.
func (s *shop) change(t testing.TB, order id.Order, operation func(tx *db.Tx, o *orders.Order) error) error {
	return s.write(t, func(tx *db.Tx) error {
		o, err := orders.Lock(tx, order)
		if err != nil {
			return err
		}
		return operation(tx, o)
	})
}

func (s *shop) create(t testing.TB, d commerce.OrderDraft) *orders.Order {
	t.Helper()
	var o *orders.Order
	if err := s.write(t, func(tx *db.Tx) (err error) {
		o, err = s.do.CreateOrder(tx, s.who, d)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return s.read(t, o.ID)
}

func (s *shop) read(t testing.TB, order id.Order) *orders.Order {
	t.Helper()
	var o *orders.Order
	if err := s.store.Read(context.Background(), s.who.Tenant, func(tx *db.Tx) (err error) {
		o, err = orders.ByID(tx, order)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return o
}

// level reads on-hand and reserved of a SKU over all warehouses.
func (s *shop) level(t testing.TB, sku int) (onHand, reserved int64) {
	t.Helper()
	err := s.store.Read(context.Background(), s.who.Tenant, func(tx *db.Tx) error {
		return tx.Row(
			"SELECT coalesce(sum(on_hand), 0)::BIGINT, coalesce(sum(reserved), 0)::BIGINT FROM stock_levels WHERE tenant_id = $1 AND sku = $2",
			[]any{tx.Tenant, fmt.Sprintf("SKU-%d", sku)}, &onHand, &reserved)
	})
	if err != nil {
		t.Fatal(err)
	}
	return onHand, reserved
}

func (s *shop) events(t testing.TB) (names []string) {
	t.Helper()
	err := s.store.Read(context.Background(), s.who.Tenant, func(tx *db.Tx) (err error) {
		names, err = db.List(tx, func(r db.Rows) (n string, err error) { return n, r.Scan(&n) },
			"SELECT event FROM events WHERE tenant_id = $1 ORDER BY stamp", tx.Tenant)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// An order's whole life: created, partly shipped, undone, shipped, delivered, returned with restock.
func TestLifeOfAnOrder(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 3)
		o := s.create(t, s.draft("ada@example.com", map[int]int64{0: 2}))
		expectLevel := func(onHand, reserved int64) {
			t.Helper()
			if h, r := s.level(t, 0); h != onHand || r != reserved {
				t.Fatalf("on hand %d, reserved %d; want %d, %d", h, r, onHand, reserved)
			}
		}
		expectLevel(0, 2)
		move := func(to orders.Status, restock bool) error {
			return s.change(t, o.ID, func(tx *db.Tx, o *orders.Order) error {
				_, err := s.do.MoveOrder(tx, s.who, o.ID, commerce.Expected{}, commerce.Move{To: to, Source: orders.FromAPI, Restock: restock})
				return err
			})
		}
		ship := func(n int64) error {
			return s.change(t, o.ID, func(tx *db.Tx, o *orders.Order) error {
				_, _, err := s.do.ShipOrder(tx, s.who, o.ID, commerce.Expected{},
					orders.ShipmentDraft{Lines: []orders.DraftLine{{Line: o.Lines[0].ID, Quantity: n}}})
				return err
			})
		}
		if err := ship(1); !apperr.Is(err, apperr.Refused) {
			t.Fatalf("shipping a pending order: %v", err)
		}
		if err := move(orders.Processing, false); err != nil {
			t.Fatal(err)
		}
		if err := ship(3); !apperr.Is(err, apperr.Invalid) || err.Error() != "Cannot ship 3 of SKU-0 only 2 remaining" {
			t.Fatalf("shipping too much: %v", err)
		}
		if err := ship(1); err != nil {
			t.Fatal(err)
		}
		expectLevel(-1, 1)
		now := s.read(t, o.ID)
		if now.Status != orders.PartiallyShipped || now.Lines[0].Shipped != 1 || len(now.Shipments) != 1 {
			t.Fatalf("after one of two: %+v", now)
		}
		if err := s.change(t, o.ID, func(tx *db.Tx, o *orders.Order) error {
			_, err := s.do.UnshipOrder(tx, s.who, o.ID, commerce.Expected{}, now.Shipments[0].ID)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		expectLevel(0, 2)
		for _, to := range []orders.Status{orders.Shipped, orders.Delivered, orders.Returned} {
			if err := move(to, true); err != nil {
				t.Fatal(err)
			}
		}
		expectLevel(0, 0)
		if err := move(orders.Processing, false); !apperr.Is(err, apperr.Refused) {
			t.Fatalf("leaving RETURNED: %v", err)
		}
		want := []string{"customer.created", "order.received", "order.status_changed",
			"order.shipment_created", "order.status_changed", "stock.updated",
			"order.status_changed", "stock.updated",
			"order.shipment_created", "order.status_changed", "order.shipped", "stock.updated",
			"order.status_changed", "order.delivered", "order.status_changed", "order.returned", "stock.updated"}
		if got := s.events(t); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("events\n%v\nwant\n%v", got, want)
		}
		if h := s.read(t, o.ID).History; len(h) != 7 || h[0].Status != orders.Pending || h[6].Status != orders.Returned {
			t.Fatalf("history %+v", h)
		}
	})
}

func TestEditMovesStockAndTotals(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 3)
		o := s.create(t, s.draft("ada@example.com", map[int]int64{0: 2}))
		edit := func(lines ...orders.LineDraft) error {
			return s.change(t, o.ID, func(tx *db.Tx, o *orders.Order) error {
				_, err := s.do.EditOrder(tx, s.who, o.ID, commerce.Expected{}, commerce.Edit{Lines: lines})
				return err
			})
		}
		before := len(s.events(t))
		if err := edit(orders.LineDraft{ID: o.Lines[0].ID, SKU: "SKU-0", Quantity: 2, UnitPrice: 199900}); err != nil {
			t.Fatal(err)
		}
		if len(s.events(t)) != before {
			t.Fatal("an edit that changes nothing made an event")
		}
		if err := edit(orders.LineDraft{ID: o.Lines[0].ID, SKU: "SKU-0", Quantity: 5, UnitPrice: 199900},
			orders.LineDraft{SKU: "SKU-1", Quantity: 1, UnitPrice: 10000}); err != nil {
			t.Fatal(err)
		}
		_, zero := s.level(t, 0)
		_, one := s.level(t, 1)
		now := s.read(t, o.ID)
		if zero != 5 || one != 1 || now.Total != 5*199900+10000 || len(now.Lines) != 2 {
			t.Fatalf("reserved %d and %d, order %+v", zero, one, now)
		}
		if err := edit(orders.LineDraft{SKU: "SKU-2", Quantity: 1, UnitPrice: 10000}); err != nil {
			t.Fatal(err)
		}
		if _, zero = s.level(t, 0); zero != 0 {
			t.Fatalf("a removed line still holds %d", zero)
		}
		if err := edit(orders.LineDraft{ID: id.New[id.Line](), SKU: "SKU-2", Quantity: 1, UnitPrice: 10000}); !apperr.Is(err, apperr.Invalid) {
			t.Fatalf("unknown line: %v", err)
		}
		var spent money.Amount
		s.store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
			return tx.Row("SELECT total_spent FROM customers WHERE tenant_id = $1", []any{tx.Tenant}, &spent)
		})
		if spent != 10000 {
			t.Fatalf("spent %s", spent)
		}
	})
}

// Buyers race for what is left on a channel that rejects: exactly as many win as there are units, on both engines.
func TestExactlyKWin(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 1)
		const units, buyers = 7, 24
		channel := id.New[id.Channel]()
		err := s.write(t, func(tx *db.Tx) error {
			tx.Queue(`INSERT INTO channels (tenant_id, id, name, platform, status, credentials, settings, oversell, created_at, updated_at)
				VALUES ($1,$2,'ERP','CUSTOM','active','','{}','reject',0,0)`, tx.Tenant, channel)
			tx.Change(`INSERT INTO stock_levels (tenant_id, sku, warehouse_code, id, product_id, on_hand, reserved, threshold, low, updated_at,
				changed_at)
				VALUES ($1,'SKU-0','MAIN',$2,$3,$4,0,0,FALSE,0,`+db.Clock+` + $5::BIGINT)`, tx.Tenant, id.New[id.Level](), id.New[id.Product](), units,
				tx.Stamps(1))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var won, lost atomic.Int64
		var wg sync.WaitGroup
		for i := range buyers {
			d := s.draft(fmt.Sprintf("b%d@example.com", i), map[int]int64{0: 1})
			wg.Go(func() {
				err := s.write(t, func(tx *db.Tx) error {
					_, err := s.do.CreateOrder(tx, s.who, d)
					return err
				})
				switch {
				case err == nil:
					won.Add(1)
				case apperr.Is(err, apperr.Conflict):
					lost.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if _, reserved := s.level(t, 0); won.Load() != units || lost.Load() != buyers-units || reserved != units {
			t.Fatalf("%d won, %d lost, %d reserved", won.Load(), lost.Load(), reserved)
		}
	})
}

// A list's kept total is what a count would say, for every range of time.
func TestTotalsAreCounts(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 1)
		var first, last int64
		for i := range 40 {
			o := s.create(t, s.draft("ada@example.com", map[int]int64{0: 1}))
			if i == 0 {
				first = o.CreatedAt
			}
			last = o.CreatedAt
			if i%3 == 0 {
				s.change(t, o.ID, func(tx *db.Tx, o *orders.Order) error {
					_, err := s.do.MoveOrder(tx, s.who, o.ID, commerce.Expected{}, commerce.Move{To: orders.Cancelled, Source: orders.FromAPI})
					return err
				})
			}
		}
		for _, c := range []orders.CountedFilter{
			{}, {Statuses: []orders.Status{orders.Cancelled}}, {From: first}, {From: first + 1, To: last - 1}, {To: last}, {From: last + 1},
			{Statuses: []orders.Status{orders.Pending, orders.Cancelled}, From: (first + last) / 2}, {From: 1, To: first - 1},
		} {
			f := orders.Filter{CountedFilter: c, Limit: 100, Sort: orders.ByCreatedAt}
			s.totalIsRows(t, f)
		}
	})
}

// totalIsRows reads all pages of a list and gives how many orders are in them, which must be each page's total.
func (s *shop) totalIsRows(t *testing.T, f orders.Filter) (rows int64) {
	t.Helper()
	err := s.store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
		rows = 0
		var totals []int64
		for f.Offset = 0; ; f.Offset += f.Limit {
			list, total, err := orders.List(tx, f, nil)
			if err != nil {
				return err
			}
			rows, totals = rows+int64(len(list)), append(totals, total)
			if len(list) < f.Limit {
				break
			}
		}
		for _, total := range totals {
			if total != rows {
				t.Errorf("%+v: %d listed, totals %d", f, rows, totals)
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// BenchmarkCreateOrder is the write path of an order: 3 lines out of 10,000 SKUs, a new customer, two events, an idempotency
// row; 32 callers, SQLite waiting for the disk.
func BenchmarkCreateOrder(b *testing.B) {
	for _, callers := range []int{1, 8, 32} {
		b.Run(fmt.Sprintf("sqlite/%d", callers), func(b *testing.B) {
			benchCreate(b, dbtest.Open(b, db.Config{Dir: b.TempDir()}), callers)
		})
	}
	for _, callers := range []int{8, 32} {
		b.Run(fmt.Sprintf("postgres/%d", callers), func(b *testing.B) {
			benchCreate(b, dbtest.Open(b, db.Config{URL: dbtest.URL(b)}), callers)
		})
	}
}

func benchCreate(b *testing.B, store *db.DB, callers int) {
	s := newShop(b, store, 10_000)
	var next atomic.Int64
	b.ResetTimer()
	before := used()
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for {
				i := int(next.Add(1))
				if i > b.N {
					return
				}
				d := s.draft(fmt.Sprintf("buyer%d@example.com", i), map[int]int64{i * 7 % 10_000: 1, i * 13 % 10_000: 2, (i*31 + 1) % 10_000: 1})
				_, err := s.do.TakeOrder(b.Context(), s.store, commerce.OrderIntake{Draft: d, Who: s.who,
					Key: idempotency.Ref{Key: d.CustomerEmail, Space: "POST /api/v1/orders"}, Fingerprint: "x",
					Answer: func(o *orders.Order) idempotency.Answer {
						return idempotency.Answer{Status: 201, Body: o.ShippingAddress, Resource: string(o.ID)}
					}})
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "orders/s")
	b.ReportMetric(float64((used()-before).Microseconds())/float64(b.N), "cpu-µs")
}
