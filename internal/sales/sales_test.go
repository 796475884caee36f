package sales_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
	"entrepot/internal/sales"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const (
	hour = 3_600_000_000
	day  = 24 * hour
)

// shop is an account with some products, whose orders are created, changed, cancelled and deleted at random.
type shop struct {
	t       *testing.T
	store   *db.DB
	tenant  id.Tenant
	do      *commerce.Service
	dice    *rand.Rand
	channel id.Channel
	now     int64
	skus    []string
	orders  []id.Order
	number  int64
}

func newShop(t *testing.T, store *db.DB, now int64) *shop {
	s := &shop{t: t, store: store, tenant: dbtest.Account(t, store), do: &commerce.Service{Numbers: orders.NewNumbers()},
		dice: rand.New(rand.NewSource(7)), channel: id.New[id.Channel](), now: now}
	s.write(func(tx *db.Tx) error {
		for i := range 12 {
			sku, product := fmt.Sprintf("SKU-%02d", i), id.New[id.Product]()
			s.skus = append(s.skus, sku)
			tx.Change(`INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, media, attributes, search, variant_count,
				category_count, created_at, updated_at, changed_at)
				VALUES ($1,$2,$3,$4,$3,'','ACTIVE',0,'[]','{}','',0,0,0,0,`+db.Clock+` + $5::BIGINT)`, tx.Tenant, product, sku, "Name of "+sku,
				tx.Stamps(1))
			tx.Queue("INSERT INTO skus (tenant_id, sku, product_id) VALUES ($1,$2,$3)", tx.Tenant, sku, product)
		}
		tx.Queue(`INSERT INTO channels (tenant_id, id, name, platform, status, credentials, settings, oversell, created_at, updated_at)
			VALUES ($1,$2,'Shop','CUSTOM','inactive','','{}','allow',0,0)`, tx.Tenant, s.channel)
		return nil
	})
	return s
}

func (s *shop) write(run func(tx *db.Tx) error) {
	s.t.Helper()
	if err := s.store.Write(s.t.Context(), s.tenant, run); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) read(run func(tx *db.Tx) error) {
	s.t.Helper()
	if err := s.store.Read(s.t.Context(), s.tenant, run); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) who() accounts.Caller { return accounts.Caller{Tenant: s.tenant} }

// order creates an order at a moment.
func (s *shop) order(at int64) {
	s.number++
	draft := commerce.OrderDraft{Number: s.number, CustomerName: "Ada", Status: orders.Pending, Source: orders.FromAPI, CreatedAt: at,
		Currency: []string{"EUR", "EUR", "USD"}[s.dice.Intn(3)], Lines: s.lines()}
	if s.dice.Intn(5) == 0 {
		draft.Channel = s.channel
	}
	s.write(func(tx *db.Tx) error {
		o, err := s.do.CreateOrder(tx, s.who(), draft)
		if err == nil {
			s.orders = append(s.orders, o.ID)
		}
		return err
	})
}

func (s *shop) lines() (list []orders.LineDraft) {
	for range 1 + s.dice.Intn(3) {
		list = append(list, orders.LineDraft{SKU: s.skus[s.dice.Intn(len(s.skus))], Quantity: 1 + s.dice.Int63n(4),
			UnitPrice: money.Amount(1+s.dice.Int63n(3)) * money.Scale})
	}
	return list
}

// change cancels, processes or edits a random order; an order that does not allow it stays as it is.
func (s *shop) change() {
	order := s.orders[s.dice.Intn(len(s.orders))]
	_ = s.store.Write(s.t.Context(), s.tenant, func(tx *db.Tx) (err error) {
		switch s.dice.Intn(3) {
		case 0:
			_, err = s.do.MoveOrder(tx, s.who(), order, commerce.Expected{}, commerce.Move{To: orders.Cancelled, Source: orders.FromAPI})
		case 1:
			_, err = s.do.MoveOrder(tx, s.who(), order, commerce.Expected{}, commerce.Move{To: orders.Processing, Source: orders.FromAPI})
		default:
			_, err = s.do.EditOrder(tx, s.who(), order, commerce.Expected{}, commerce.Edit{Lines: s.lines()})
		}
		return err
	})
}

// slowly returns what Best must return, computed from every line.
func (s *shop) slowly(currency string, from, to int64) (list []sales.Seller) {
	s.read(func(tx *db.Tx) (err error) {
		list, err = db.List(tx, func(r db.Rows) (b sales.Seller, err error) {
			return b, r.Scan(&b.SKU, &b.Quantity, &b.Small)
		}, `SELECT sku, sum(quantity)::BIGINT, sum(CASE WHEN currency = $4 THEN line_total ELSE 0 END)::BIGINT
			FROM orders o JOIN order_lines l ON l.tenant_id = $1 AND l.order_id = o.id
			WHERE o.tenant_id = $1 AND status <> 'CANCELLED' AND created_at >= $2 AND created_at < $3
			GROUP BY sku ORDER BY 3 DESC, 2 DESC, 1 LIMIT 5`, tx.Tenant, from, to, currency)
		return err
	})
	return list
}

// compare expects Best to return the sums of all lines of a range.
func (s *shop) compare(from, to int64) {
	s.t.Helper()
	for _, currency := range []string{"EUR", "USD"} {
		var got []sales.Seller
		s.read(func(tx *db.Tx) (err error) {
			got, err = sales.Best(tx, currency, from, to, 5)
			return err
		})
		want := s.slowly(currency, from, to)
		equal := cmp.Comparer(func(a, b sales.Seller) bool {
			return a.SKU == b.SKU && a.Quantity == b.Quantity && a.Big*100_000_000+a.Small == b.Big*100_000_000+b.Small
		})
		if diff := cmp.Diff(want, got, equal, cmpopts.EquateEmpty()); diff != "" {
			s.t.Fatalf("%s from %d to %d:\n%s", currency, from, to, diff)
		}
		for _, b := range got {
			if b.Name != "Name of "+b.SKU || b.Product == "" {
				s.t.Errorf("%s is %q of product %q", b.SKU, b.Name, b.Product)
			}
		}
	}
}

// The best sellers of any range are the sums of all lines, whatever happens to orders and whenever blocks are built.
func TestBestSellersAreWhatTheLinesAddUpTo(t *testing.T) {
	was := sales.SetFewest(2)
	defer sales.SetFewest(was)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro() / (30 * day) * (30 * day)
	now := start
	dbtest.EnginesAt(t, func() time.Time { return time.UnixMicro(now) }, func(t *testing.T, store *db.DB) {
		now = start + 70*day
		s := newShop(t, store, start)
		for round := range 6 {
			for range 25 {
				at := start + s.dice.Int63n(70*day)
				if s.dice.Intn(3) == 0 {
					at = start + 31*day + s.dice.Int63n(3*hour) // some hours with many
				}
				s.order(at)
			}
			for range 10 {
				s.change()
			}
			if round%2 == 1 {
				now += 13 * hour
				if _, err := sales.Build(t.Context(), store, s.tenant); err != nil {
					t.Fatal(err)
				}
			}
			s.compare(0, start+100*day)
			for range 6 {
				from := start + s.dice.Int63n(70*day)
				s.compare(from, from+1+s.dice.Int63n(40*day))
			}
		}
		s.write(func(tx *db.Tx) error {
			_, err := s.do.DeleteChannel(tx, s.who(), s.channel, commerce.Expected{}, false, nil)
			return err
		})
		s.compare(start, start+70*day)
		if blocks := s.verified(); blocks == 0 {
			t.Error("no block is valid")
		}
	})
}

// Two nodes may build the same blocks at once while orders change: no block is wrong.
func TestNodesBuildAtOnce(t *testing.T) {
	for engine, config := range map[string]db.Config{"sqlite": {Dir: dbtest.StoreDir(t), Unsafe: true},
		"postgres": {URL: dbtest.StoreURL(t)}} {
		t.Run(engine, func(t *testing.T) {
			now := int64(100*day + day/2)
			another := func() {}
			config.Now = func() time.Time { return time.UnixMicro(now) }
			config.Trace = func(sql string, _ []any) {
				if strings.Contains(sql, "SELECT o.currency") {
					run := another
					another = func() {}
					run()
				}
			}
			store := dbtest.Open(t, config)
			s := newShop(t, store, now)
			defer sales.SetFewest(sales.SetFewest(1))
			build := func() {
				if _, err := sales.Build(t.Context(), store, s.tenant); err != nil {
					t.Error(err)
				}
			}
			s.order(now - hour)
			another = build
			build()
			s.compare(now-2*day, now)
			now += day // past the wait of the day and of the month
			s.order(now - day - hour)
			another = func() { s.order(now - day - hour); build() }
			build()
			s.compare(now-4*day, now)
			if blocks := s.verified(); blocks == 0 {
				t.Error("no block is valid")
			}
		})
	}
}

// verified expects every valid block to be right, and counts the blocks.
func (s *shop) verified() (blocks int) {
	s.t.Helper()
	s.read(func(tx *db.Tx) error {
		return sales.View.Verify(tx, func() { blocks++ }, func(_ func(tx *db.Tx) error, format string, args ...any) {
			s.t.Errorf(format, args...)
		})
	})
	return blocks
}

// Lines are found by their orders, and orders by time, on SQLite too, whose planner would begin with the lines.
func TestLinesAreReadOrderByOrder(t *testing.T) {
	var statements []string
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true,
		Trace: func(sql string, _ []any) { statements = append(statements, sql) }})
	s := newShop(t, store, 0)
	defer sales.SetFewest(sales.SetFewest(1))
	s.order(100 * day)
	if _, err := sales.Build(t.Context(), store, s.tenant); err != nil {
		t.Fatal(err)
	}
	s.order(100*day + hour)
	s.read(func(tx *db.Tx) error {
		statements = nil
		_, err := sales.Best(tx, "EUR", 99*day, 101*day, 5)
		return err
	})
	lines, plan := slices.IndexFunc(statements, func(sql string) bool { return strings.Contains(sql, "order_lines") }), ""
	s.read(func(tx *db.Tx) error {
		plan = dbtest.Plan(t, tx, statements[lines], s.tenant, 1, 2)
		return nil
	})
	for _, want := range []string{"status=? AND created_at>? AND created_at<?)", "(tenant_id=? AND order_id=?)", "(tenant_id=? AND sku=?)"} {
		if !strings.Contains(plan, want) {
			t.Errorf("no %s in\n%s", want, plan)
		}
	}
	names, plan := slices.IndexFunc(statements, func(sql string) bool { return strings.Contains(sql, "JOIN sold_skus") }), ""
	s.read(func(tx *db.Tx) error {
		plan = dbtest.Plan(t, tx, statements[names], s.tenant, 1, 2, 3, 4)
		return nil
	})
	if !strings.Contains(plan, "sold_skus_tenant_id_number (tenant_id=? AND number=?)") {
		t.Errorf("numbers are not looked up:\n%s", plan)
	}
}

// Where blocks are valid, no line is read; a change is read from the lines of its hour only, until its blocks are built
// again.
func TestBlocksSpareLines(t *testing.T) {
	was := sales.SetFewest(1)
	defer sales.SetFewest(was)
	start := int64(700 * 30 * day)
	now := start
	dbtest.EnginesAt(t, func() time.Time { return time.UnixMicro(now) }, func(t *testing.T, store *db.DB) {
		now = start + 61*day
		s := newShop(t, store, start)
		for i := range 60 {
			s.order(start + int64(i)*day + hour/2)
		}
		lines := func(from, to int64) (n int64) {
			s.read(func(tx *db.Tx) (err error) {
				n, err = sales.LinesRead(tx, from, to)
				return err
			})
			return n
		}
		fold := func() (later bool) {
			whole, err := sales.Build(t.Context(), store, s.tenant)
			if err != nil {
				t.Fatal(err)
			}
			return !whole
		}
		if n := lines(start, start+60*day); n < 60 {
			t.Fatalf("%d lines of 60 orders before there is a block", n)
		}
		if fold() {
			t.Error("blocks are left to be made")
		}
		for name, c := range map[string][2]int64{"two months": {start, start + 60*day}, "days": {start + day, start + 59*day},
			"hours": {start + 29*day, start + 29*day + 3*hour}} {
			if n := lines(c[0], c[1]); n != 0 {
				t.Errorf("%s: %d lines are read", name, n)
			}
		}
		s.order(start + 5*day + 7*hour)
		if n := lines(start, start+60*day); n < 1 || n > 3 {
			t.Errorf("%d lines are read for one new order", n)
		}
		if !fold() {
			t.Error("the block of 30 days, made a moment ago, is made anew")
		}
		now += hour / 30 // nothing changes for two minutes
		if !fold() {
			t.Error("the block of 30 days is made anew after two minutes")
		}
		if n := lines(start, start+60*day); n != 0 {
			t.Errorf("%d lines are read two minutes after the last change", n)
		}
		now += 13 * hour
		if fold() {
			t.Error("blocks are left to be made")
		}
		if n := lines(start, start+60*day); n != 0 {
			t.Errorf("%d lines are read after the blocks were made anew", n)
		}
	})
}

// The lines of each hour are read once to compare blocks of every width with them.
func TestVerifyReadsLinesOnce(t *testing.T) {
	reads := 0
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true, Trace: func(sql string, _ []any) {
		if strings.Contains(sql, "CROSS JOIN order_lines") {
			reads++
		}
	}})
	s := newShop(t, store, 0)
	defer sales.SetFewest(sales.SetFewest(1))
	for i := range int64(6) {
		s.order(90*day + i*day/2)
	}
	if _, err := sales.Build(t.Context(), store, s.tenant); err != nil {
		t.Fatal(err)
	}
	reads = 0
	if blocks := s.verified(); reads != 6 || blocks != 6+3+1 {
		t.Errorf("lines were read %d times for %d blocks", reads, blocks)
	}
}

// A SKU whose product was deleted keeps its product and name, also when the order that is stored with the SKU has lost
// it.
func TestSKUsOfDeletedProductsHaveAName(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 0)
		line := func(sku string) []orders.LineDraft {
			return []orders.LineDraft{{SKU: sku, Quantity: 1, UnitPrice: money.Scale}}
		}
		for range 2 {
			s.number++
			s.write(func(tx *db.Tx) error {
				o, err := s.do.CreateOrder(tx, s.who(), commerce.OrderDraft{Number: s.number, CustomerName: "Ada", Status: orders.Pending,
					Source: orders.FromAPI, CreatedAt: day, Currency: "EUR", Lines: line("SKU-00")})
				s.orders = append(s.orders, o.ID)
				return err
			})
		}
		best := func() (list []sales.Seller) {
			s.read(func(tx *db.Tx) (err error) {
				list, err = sales.Best(tx, "EUR", 0, 2*day, 2)
				return err
			})
			return list
		}
		before := best()[0]
		s.write(func(tx *db.Tx) error {
			tx.Queue("INSERT INTO sold_skus (tenant_id, sku, number, order_id) VALUES ($1,$2,$3,$4)", tx.Tenant, "SKU-00", 0, s.orders[0])
			return nil
		})
		s.write(func(tx *db.Tx) error {
			_, err := s.do.EditOrder(tx, s.who(), s.orders[0], commerce.Expected{}, commerce.Edit{Lines: line("SKU-01")})
			return err
		})
		s.write(func(tx *db.Tx) error { return s.do.DeleteProduct(tx, s.who(), before.Product, commerce.Expected{}) })
		for _, got := range best() {
			if got.SKU == before.SKU && (got.Product != before.Product || got.Name != before.Name) {
				t.Errorf("%q of product %q, want %q of %q", got.Name, got.Product, before.Name, before.Product)
			}
		}
	})
}
