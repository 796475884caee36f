package analytics_test

import (
	"fmt"
	"math/big"
	"math/rand"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"entrepot/internal/accounts"
	"entrepot/internal/analytics"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/id"
	"entrepot/internal/money"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/spans"
	"entrepot/internal/webhooks"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const (
	mug, pot id.Product = "019a1c52-7c1e-7d40-9a55-00000000000a", "019a1c52-7c1e-7d40-9a55-00000000000b"
	shop     id.Channel = "019a1c52-7c1e-7d40-9a55-00000000000c"
)

// monday is 2026-03-02 00:00 UTC.
var monday = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

func day(n int) int64 { return monday.AddDate(0, 0, n).Add(10 * time.Hour).UnixMicro() }

func euros(n int64) money.Total { return money.TotalOf(n*money.Scale, 0) }

// sale is one order of the sample account.
type sale struct {
	at       int64
	status   orders.Status
	currency string
	channel  bool
	lines    map[string]int64 // quantity by SKU; MUG costs 10, POT 40
}

// fill gives a store two accounts with the same sales and returns the second; orders come at the clock's times.
func fill(t *testing.T, store *db.DB, now *time.Time) id.Tenant {
	t.Helper()
	sales := []sale{
		{at: day(-10), status: orders.Delivered, currency: "EUR", lines: map[string]int64{"MUG": 1}},
		{at: day(0), status: orders.Processing, currency: "EUR", channel: true, lines: map[string]int64{"MUG": 2, "POT": 1}},
		{at: day(0), status: orders.Cancelled, currency: "EUR", channel: true, lines: map[string]int64{"POT": 5}},
		{at: day(1), status: orders.Returned, currency: "EUR", lines: map[string]int64{"MUG": 3}},
		{at: day(1), status: orders.Pending, currency: "USD", lines: map[string]int64{"MUG": 7}},
		{at: day(8), status: orders.Pending, currency: "EUR", channel: true, lines: map[string]int64{"POT": 1}},
	}
	prices := map[string]money.Amount{"MUG": 10 * money.Scale, "POT": 40 * money.Scale}
	do := &commerce.Service{Numbers: orders.NewNumbers()}
	var tenant id.Tenant
	for range 2 {
		*now = time.UnixMicro(day(-20))
		tenant = dbtest.Account(t, store)
		write(t, store, tenant, func(tx *db.Tx) error {
			product(tx, mug, "MUG", prices["MUG"])
			product(tx, pot, "POT", prices["POT"])
			return nil
		})
		channel := id.Channel(fmt.Sprintf("%s%x", shop[:35], int64(tenant)))
		write(t, store, tenant, func(tx *db.Tx) error { // not active: orders that name no channel have none
			tx.Queue(`INSERT INTO channels (tenant_id, id, name, platform, status, credentials, settings, oversell, created_at, updated_at)
				VALUES ($1,$2,'Shop','CUSTOM','inactive','','{}','allow',0,0)`, tenant, channel)
			return nil
		})
		for i, s := range sales {
			*now = time.UnixMicro(s.at)
			draft := commerce.OrderDraft{Number: int64(i + 1), CustomerName: "Ada", Status: s.status, Currency: s.currency, Source: orders.FromAPI}
			for sku, quantity := range s.lines {
				draft.Lines = append(draft.Lines, orders.LineDraft{SKU: sku, Quantity: quantity, UnitPrice: prices[sku]})
			}
			if s.channel {
				draft.Channel = channel
			}
			write(t, store, tenant, func(tx *db.Tx) error {
				_, err := do.CreateOrder(tx, accounts.Caller{Tenant: tenant}, draft)
				return err
			})
		}
		write(t, store, tenant, func(tx *db.Tx) error {
			tx.Queue("UPDATE channels SET status = 'active' WHERE tenant_id = $1", tenant)
			return nil
		})
	}
	return tenant
}

// product inserts what these tests need of one.
func product(tx *db.Tx, product id.Product, sku string, price money.Amount) {
	tx.Change(`INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, media, attributes, search, variant_count,
		category_count, created_at, updated_at, changed_at)
		VALUES ($1,$2,$3,$3,$3,'','ACTIVE',$4,'[]','{}','',0,0,0,0,`+db.Clock+` + $5::BIGINT)`, tx.Tenant, product, sku, price, tx.Stamps(1))
	tx.Queue("INSERT INTO skus (tenant_id, sku, product_id) VALUES ($1,$2,$3)", tx.Tenant, sku, product)
	tx.Tally("products", "ACTIVE", 1)
}

func write(t *testing.T, store *db.DB, tenant id.Tenant, operation func(tx *db.Tx) error) {
	t.Helper()
	if err := store.Write(t.Context(), tenant, operation); err != nil {
		t.Fatal(err)
	}
}

// engines runs a test on each engine with a clock that it sets.
func engines(t *testing.T, test func(t *testing.T, store *db.DB, now *time.Time)) {
	now := time.UnixMicro(day(0))
	dbtest.EnginesAt(t, func() time.Time { return now }, func(t *testing.T, store *db.DB) { test(t, store, &now) })
}

// week is the first week of March 2026.
var week = analytics.Span{From: monday.UnixMicro(), To: monday.AddDate(0, 0, 7).UnixMicro() - 1}

func read[T any](t *testing.T, store *db.DB, tenant id.Tenant, run func(tx *db.Tx) (T, error)) (out T) {
	t.Helper()
	err := store.Read(t.Context(), tenant, func(tx *db.Tx) (err error) {
		out, err = run(tx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSummaryLeavesOutCancelledOrdersAndOtherAccounts(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB, now *time.Time) {
		tenant := fill(t, store, now)
		got := read(t, store, tenant, func(tx *db.Tx) (analytics.Summary, error) { return analytics.Summarize(tx, "EUR", week) })
		want := analytics.Summary{Span: week, ItemsSold: 13, ToShip: 1, ActiveProducts: 2,
			Takings: []analytics.Takings{{Currency: "EUR", Orders: 2, Revenue: euros(90)}, {Currency: "USD", Orders: 1, Revenue: euros(70)}},
			Before:  analytics.Takings{Currency: "EUR"},
			ByStatus: []analytics.StatusCount{{"CANCELLED", 1, euros(200)}, {"PENDING", 1, money.Total{}},
				{"PROCESSING", 1, euros(60)}, {"RETURNED", 1, euros(30)}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		next := analytics.Span{From: week.To + 1, To: week.To + 7*86_400_000_000}
		got = read(t, store, tenant, func(tx *db.Tx) (analytics.Summary, error) { return analytics.Summarize(tx, "EUR", next) })
		if got.Before.Revenue != euros(90) || got.Takings[0].Orders != 1 {
			t.Errorf("the week after: %+v", got)
		}
		moment := analytics.Span{From: day(0), To: day(0)}
		got = read(t, store, tenant, func(tx *db.Tx) (analytics.Summary, error) { return analytics.Summarize(tx, "EUR", moment) })
		if got.Takings[0].Orders != 1 || got.ItemsSold != 3 {
			t.Errorf("the moment of two orders: %+v", got)
		}
		second := analytics.Span{From: day(1), To: day(2) - 1} // the span before it begins at the moment of two orders
		got = read(t, store, tenant, func(tx *db.Tx) (analytics.Summary, error) { return analytics.Summarize(tx, "EUR", second) })
		if got.Before.Revenue != euros(60) || got.Takings[0].Revenue != euros(30) {
			t.Errorf("the second day: %+v", got)
		}
	})
}

func TestSalesFillEveryInterval(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB, now *time.Time) {
		tenant := fill(t, store, now)
		sales := func(s analytics.Span, every analytics.Interval) analytics.Sales {
			return read(t, store, tenant, func(tx *db.Tx) (analytics.Sales, error) { return analytics.ReadSales(tx, "EUR", s, every, time.UTC) })
		}
		days := sales(week, analytics.Day)
		if len(days.Points) != 7 || days.Points[0].Start != monday.UnixMicro() {
			t.Fatalf("%+v", days.Points)
		}
		want := []analytics.Point{{Start: monday.UnixMicro(), Orders: 1, ItemsSold: 3, Revenue: euros(60)},
			{Start: monday.AddDate(0, 0, 1).UnixMicro(), Orders: 2, ItemsSold: 10, Revenue: euros(30)}}
		if diff := cmp.Diff(want, days.Points[:2]); diff != "" {
			t.Error(diff)
		}
		best := []analytics.Seller{{"MUG", mug, "MUG", 12, euros(50)}, {"POT", pot, "POT", 1, euros(40)}}
		if diff := cmp.Diff(best, days.Best); diff != "" {
			t.Error(diff)
		}
		for every, want := range map[analytics.Interval]int{analytics.Hour: 168, analytics.Week: 1, analytics.Month: 1} {
			s := sales(week, every)
			var orders int64
			for _, p := range s.Points {
				orders += p.Orders
			}
			if len(s.Points) != want || orders != 3 {
				t.Errorf("%s: %d points with %d orders", every, len(s.Points), orders)
			}
		}
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			_, err := analytics.ReadSales(tx, "EUR", analytics.Span{From: 0, To: week.To}, analytics.Day, time.UTC)
			return err
		})
		if err == nil {
			t.Error("56 years of days were not refused")
		}
	})
}

// A span within one of the kept buckets is read from the records alone.
func TestSpansWithinABucket(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB, now *time.Time) {
		*now = monday.Add(5 * time.Second)
		tenant := dbtest.Account(t, store)
		write(t, store, tenant, func(tx *db.Tx) error {
			product(tx, mug, "MUG", money.Scale)
			return nil
		})
		write(t, store, tenant, func(tx *db.Tx) error {
			_, err := (&commerce.Service{Numbers: orders.NewNumbers()}).CreateOrder(tx, accounts.Caller{Tenant: tenant},
				commerce.OrderDraft{Number: 1, CustomerName: "Ada", Status: orders.Pending, Currency: "EUR", Source: orders.FromAPI,
					Lines: []orders.LineDraft{{SKU: "MUG", Quantity: 2, UnitPrice: money.Scale}}})
			return err
		})
		at := now.UnixMicro()
		for _, c := range []struct{ from, to, orders int64 }{{at, at, 1}, {at - 4_000_000, at + 4_000_000, 1}, {at + 1, at + 4_000_000, 0}} {
			s := analytics.Span{From: c.from, To: c.to}
			summary := read(t, store, tenant, func(tx *db.Tx) (analytics.Summary, error) { return analytics.Summarize(tx, "EUR", s) })
			sales := read(t, store, tenant, func(tx *db.Tx) (analytics.Sales, error) {
				return analytics.ReadSales(tx, "EUR", s, analytics.Hour, time.UTC)
			})
			channels := read(t, store, tenant, func(tx *db.Tx) ([]analytics.Channel, error) { return analytics.Channels(tx, "EUR", s) })
			hooks := read(t, store, tenant, func(tx *db.Tx) (analytics.Webhooks, error) { return analytics.ReadWebhooks(tx, s) })
			if summary.Takings[0].Orders != c.orders || summary.ItemsSold != 2*c.orders || sales.Points[0].Orders != c.orders ||
				int64(len(sales.Best)) != c.orders || int64(len(channels)) != c.orders || len(hooks.ByEvent) != 0 {
				t.Errorf("%+v of an order at %d: %+v, %+v, %+v, %+v", s, at, summary, sales, channels, hooks)
			}
		}
	})
}

// Whatever span is asked for, its figures are those of its orders, also after they moved, were edited or came at the ends of the kept
// buckets.
func TestFiguresAreThoseOfTheOrders(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB, now *time.Time) {
		*now = time.UnixMicro(day(-1))
		tenant := dbtest.Account(t, store)
		write(t, store, tenant, func(tx *db.Tx) error {
			product(tx, mug, "MUG", money.Scale)
			return nil
		})
		dice := rand.New(rand.NewSource(3))
		do, who := &commerce.Service{Numbers: orders.NewNumbers()}, accounts.Caller{Tenant: tenant}
		var moments []int64
		for i := range 80 {
			at := monday.UnixMicro() + dice.Int63n(5*86_400_000_000)
			if i%3 == 0 {
				at = at / 10_000_000 * 10_000_000
			}
			moments = append(moments, at)
			*now = time.UnixMicro(at)
			draft := commerce.OrderDraft{Number: int64(i + 1), CustomerName: "Ada", Status: orders.Pending,
				Currency: []string{"EUR", "USD"}[dice.Intn(2)], Source: orders.FromAPI,
				Lines: []orders.LineDraft{{SKU: "MUG", Quantity: 1 + dice.Int63n(5), UnitPrice: money.Amount(dice.Int63n(90_000_000_000_000))}}}
			write(t, store, tenant, func(tx *db.Tx) error {
				o, err := do.CreateOrder(tx, who, draft)
				if err != nil || i%2 == 0 {
					return err
				}
				if i%4 == 1 {
					_, err = do.EditOrder(tx, who, o.ID, commerce.Expected{},
						commerce.Edit{Lines: []orders.LineDraft{{SKU: "MUG", Quantity: 7, UnitPrice: money.Amount(i) * 123_456_789}}})
					return err
				}
				_, err = do.MoveOrder(tx, who, o.ID, commerce.Expected{},
					commerce.Move{To: []orders.Status{orders.Processing, orders.Cancelled}[i/4%2], Source: orders.FromAPI})
				return err
			})
		}
		for range 60 {
			from, to := moments[dice.Intn(len(moments))], moments[dice.Intn(len(moments))]
			if dice.Intn(3) == 0 {
				from = monday.UnixMicro() + dice.Int63n(5)*86_400_000_000
			}
			s := analytics.Span{From: min(from, to), To: max(from, to)}
			got := read(t, store, tenant, func(tx *db.Tx) (analytics.Summary, error) { return analytics.Summarize(tx, "EUR", s) })
			hours := read(t, store, tenant, func(tx *db.Tx) (analytics.Sales, error) {
				return analytics.ReadSales(tx, "EUR", s, analytics.Hour, time.UTC)
			})
			counts := read(t, store, tenant, func(tx *db.Tx) (map[string][3]string, error) {
				list := map[string][3]string{}
				return list, tx.Each(func(r db.Rows) error {
					var status, currency string
					var n, items, big, small int64
					err := r.Scan(&status, &currency, &n, &items, &big, &small)
					list[status+currency] = [3]string{fmt.Sprint(n), fmt.Sprint(items), money.TotalOf(big, 8).Plus(money.TotalOf(small, 0)).String()}
					return err
				}, `SELECT o.status, o.currency, count(*), sum(l.quantity)::BIGINT, sum(o.total / 100000000)::BIGINT, sum(o.total % 100000000)::BIGINT
					FROM orders o JOIN order_lines l ON l.tenant_id = $1 AND l.order_id = o.id
					WHERE o.tenant_id = $1 AND o.created_at >= $2 AND o.created_at <= $3 GROUP BY o.status, o.currency`, tenant, s.From, s.To)
			})
			var sold, items, inHours, itemsInHours int64
			for key, c := range counts {
				if n, i := number(c[0]), number(c[1]); !strings.HasPrefix(key, "CANCELLED") {
					sold, items = sold+n, items+i
				}
			}
			for _, p := range hours.Points {
				inHours, itemsInHours = inHours+p.Orders, itemsInHours+p.ItemsSold
			}
			if got.ItemsSold != items || inHours != sold || itemsInHours != items {
				t.Fatalf("%+v: %d orders with %d pieces; the summary has %d pieces, the hours %d orders with %d", s, sold, items, got.ItemsSold,
					inHours, itemsInHours)
			}
			for _, c := range got.ByStatus {
				euro, dollar := counts[c.Status+"EUR"], counts[c.Status+"USD"]
				if number(euro[0])+number(dollar[0]) != c.Orders || euro[2] != c.Total.String() && (euro[2] != "" || c.Total.String() != "0") {
					t.Fatalf("%+v: %s is %+v, the orders say %v and %v", s, c.Status, c, euro, dollar)
				}
			}
		}
	})
}

func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

func TestChannelsTellOrdersWithoutOneApart(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB, now *time.Time) {
		tenant := fill(t, store, now)
		channel := shop[:35] + "2"
		*now = time.UnixMicro(day(20))
		write(t, store, tenant, func(tx *db.Tx) error {
			for _, at := range []int64{week.From - 1, week.From, week.To, week.To + 1} {
				tx.Queue(`INSERT INTO jobs (tenant_id, id, type, channel_id, status, total, processed, created, updated, failed, errors, input, cursor,
					tries, created_at, completed_at) VALUES ($1,$2,'order_pull',$3,'FAILED',0,0,0,0,0,'[]','{}','',1,0,$4)`, tenant, id.New[id.Job](),
					channel, at)
			}
			_, err := (&commerce.Service{Numbers: orders.NewNumbers()}).CreateOrder(tx, accounts.Caller{Tenant: tenant},
				commerce.OrderDraft{Number: 99, CustomerName: "Ada", Status: orders.Cancelled, Currency: "EUR", Source: orders.FromAPI,
					Channel: channel, Lines: []orders.LineDraft{{SKU: "MUG", Quantity: 1, UnitPrice: money.Scale}}})
			return err
		})
		late := read(t, store, tenant, func(tx *db.Tx) ([]analytics.Channel, error) {
			return analytics.Channels(tx, "EUR", analytics.Span{From: day(20), To: day(21)})
		})
		if len(late) != 1 || late[0].Orders != 0 || late[0].Cancelled != 1 || late[0].LastOrder != day(20) {
			t.Errorf("a channel whose only order is cancelled: %+v", late)
		}
		got := read(t, store, tenant, func(tx *db.Tx) ([]analytics.Channel, error) { return analytics.Channels(tx, "EUR", week) })
		want := []analytics.Channel{
			{ID: channel, Name: "Shop", Platform: "CUSTOM", Status: "active", Orders: 1, Cancelled: 1, Revenue: euros(60),
				LastOrder: day(0), FailedJobs: 2},
			{Orders: 2, Returned: 1, Revenue: euros(30), LastOrder: day(1)},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestStockIsCountedAndValued(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			product(tx, mug, "MUG", 10*money.Scale)
			for i, level := range []struct {
				sku              string
				onHand, reserved int64
				threshold        any
			}{{"MUG", 12, 3, 10}, {"MUG-OUT", -2, 0, nil}, {"MUG-OK", 7, 1, 2}} {
				tx.Change(`INSERT INTO stock_levels (tenant_id, sku, warehouse_code, id, product_id, on_hand, reserved, threshold, low, updated_at,
					changed_at)
					VALUES ($1,$2,'MAIN',$3,$4,$5,$6,$7::BIGINT,$9,0,$8)`, tenant, level.sku, id.New[id.Level](), mug, level.onHand, level.reserved,
					level.threshold, i+1, level.sku == "MUG")
			}
			for name, n := range map[string]int64{"levels": 3, "on hand": 17, "reserved": 4, "out of stock": 1, "low": 1} {
				tx.Tally(name, "MAIN", n)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		got := read(t, store, tenant, func(tx *db.Tx) (analytics.Stock, error) { return analytics.ReadStock(tx) })
		want := analytics.Stock{
			Warehouses: []analytics.Warehouse{{Code: "MAIN", Name: "Main warehouse", SKUs: 3, OnHand: 17, Reserved: 4, OutOfStock: 1, Low: 1,
				Value: money.TotalOf(190*money.Scale, 0)}},
			Low: []analytics.Level{{SKU: "MUG", Product: mug, Name: "MUG", Warehouse: "MAIN", OnHand: 12, Reserved: 3, Threshold: 10}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// Lists of levels have the account's own, the worst first, and say how many there are beyond their limit.
func TestLevelsThatNeedAttention(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		var tenant id.Tenant
		for range 2 {
			tenant = dbtest.Account(t, store)
			write(t, store, tenant, func(tx *db.Tx) error {
				product(tx, mug, "MUG", money.Scale)
				for i, missing := range []int64{1, 3, 2} {
					tx.Change(`INSERT INTO stock_levels (tenant_id, sku, warehouse_code, id, product_id, on_hand, reserved, threshold, low, updated_at,
						changed_at) VALUES ($1,$2,'MAIN',$3,$4,5,$5,0,TRUE,0,$6)`, tenant, fmt.Sprint("MUG-", i), id.New[id.Level](), mug, 5+missing, i+1)
				}
				return nil
			})
		}
		for limit, want := range map[int]string{1: "[MUG-1] 3", 2: "[MUG-1 MUG-2] 3", 3: "[MUG-1 MUG-2 MUG-0] 3", 9: "[MUG-1 MUG-2 MUG-0] 3"} {
			got := read(t, store, tenant, func(tx *db.Tx) (string, error) {
				oversold, total, err := analytics.Oversold(tx, limit)
				if err != nil {
					return "", err
				}
				low, err := analytics.LowLevels(tx, limit)
				if err == nil && !cmp.Equal(low, oversold) {
					err = fmt.Errorf("low are %+v, oversold %+v", low, oversold)
				}
				var skus []string
				for _, l := range oversold {
					skus = append(skus, l.SKU)
				}
				return fmt.Sprint(skus, " ", total), err
			})
			if got != want {
				t.Errorf("the first %d: %s, want %s", limit, got, want)
			}
		}
	})
}

// The stock value may exceed the largest amount: it is returned exactly.
func TestStockOfAnyValue(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		write(t, store, tenant, func(tx *db.Tx) error {
			product(tx, mug, "MUG", 99_999_999_999*money.Scale+9_999)
			for i := range 40 {
				tx.Change(`INSERT INTO stock_levels (tenant_id, sku, warehouse_code, id, product_id, on_hand, reserved, threshold, low, updated_at,
					changed_at)
					VALUES ($1,$2,'MAIN',$3,$4,999999999,0,NULL,FALSE,0,$5)`, tenant, fmt.Sprint("MUG-", i), id.New[id.Level](), mug, i+1)
			}
			return nil
		})
		got := read(t, store, tenant, func(tx *db.Tx) (analytics.Stock, error) { return analytics.ReadStock(tx) })
		exact := new(big.Int).Mul(big.NewInt(999_999_999_999_999), big.NewInt(40*999_999_999))
		want := strings.TrimRight(strings.TrimRight(new(big.Rat).SetFrac(exact, big.NewInt(money.Scale)).FloatString(4), "0"), ".")
		if value := got.Warehouses[0].Value.String(); value != want {
			t.Errorf("%s, want %s", value, want)
		}
	})
}

func TestDeliveriesAreCountedByEndpoint(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB, now *time.Time) {
		tenant := dbtest.Account(t, store)
		good, bad := webhooks.Endpoint{ID: id.New[id.Endpoint](), URL: "https://good.example", Events: []string{"*"}, Status: webhooks.Active},
			webhooks.Endpoint{ID: id.New[id.Endpoint](), URL: "https://bad.example", Events: []string{"*"}, Status: webhooks.Paused}
		write(t, store, tenant, func(tx *db.Tx) error { good.Insert(tx); return nil })
		*now = now.Add(time.Second)
		var outcomes []webhooks.Outcome
		write(t, store, tenant, func(tx *db.Tx) error {
			outcomes = nil
			bad.Insert(tx)
			webhooks.Record(tx, records.EventOf("order.received", "1", []byte("{}")),
				records.EventOf("order.updated", "1", []byte("{}")))
			for i, d := range []struct {
				endpoint id.Endpoint
				event    string
				state    webhooks.State
				at       int64
			}{{good.ID, "order.received", webhooks.Delivered, day(0)}, {good.ID, "order.updated", webhooks.Delivered, day(1)},
				{bad.ID, "order.received", webhooks.Failed, day(0)}, {bad.ID, "order.received", webhooks.Delivered, day(-20)},
				{bad.ID, "order.updated", webhooks.Pending, day(1)}} {
				o := webhooks.Outcome{Queue: webhooks.Queue{Tenant: tenant, Endpoint: d.endpoint}, Position: d.at + int64(i), Name: d.event,
					State: d.state, Attempt: webhooks.Attempt{Number: 1, At: d.at + int64(i), Duration: int64(20 * (i + 1))}}
				if o.StatusCode = 200; d.state != webhooks.Delivered {
					o.StatusCode, o.Error = 500, string(d.state)
				}
				if d.state == webhooks.Pending {
					o.DueAt = day(2)
				}
				outcomes = append(outcomes, o)
				tx.Queue(`INSERT INTO deliveries (tenant_id, endpoint_id, position, id, event_id, event_stamp, event, resource_id, ordered, by_hand,
					state, attempts, due_at) VALUES ($1,$2,$3,$4,$5,$3,$6,'1',FALSE,FALSE,'pending',0,$3)`, tenant, d.endpoint, o.Position,
					id.New[id.Delivery](), id.New[id.Event](), d.event)
				tx.Change("UPDATE queues SET pending = pending + 1 WHERE tenant_id = $1 AND endpoint_id = $2", tenant, d.endpoint)
			}
			countPending(tx)
			return nil
		})
		write(t, store, db.Across, func(tx *db.Tx) error { return webhooks.Settle(tx, outcomes) })
		got := read(t, store, tenant, func(tx *db.Tx) (analytics.Webhooks, error) { return analytics.ReadWebhooks(tx, week) })
		want := analytics.Webhooks{Span: week, Events: 2,
			Endpoints: []analytics.Endpoint{{ID: good.ID, URL: good.URL, Status: "active", Delivered: 2, Attempts: 2, Answered: 2, Duration: 60,
				LastAttempt: day(1) + 1},
				{ID: bad.ID, URL: bad.URL, Status: "paused", Pending: 1, Failed: 1, Attempts: 2, Duration: 160, LastAttempt: day(1) + 4,
					LastError: "pending"}}, // that of the newest attempt, though its delivery is still tried
			ByEvent: []analytics.EventCount{{"order.received", 2, 1}, {"order.updated", 2, 0}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAverageIsRoundedToTheMinorUnit(t *testing.T) {
	for _, c := range []struct {
		currency string
		orders   int64
		revenue  money.Amount
		want     string
	}{{"EUR", 3, 10 * money.Scale, "3.33"}, {"EUR", 3, 20 * money.Scale, "6.67"}, {"JPY", 3, 20 * money.Scale, "7"}, {"EUR", 0, 0, "0"}} {
		got := analytics.Takings{Currency: c.currency, Orders: c.orders, Revenue: money.TotalOf(int64(c.revenue), 0)}.Average()
		if got.String() != c.want {
			t.Errorf("%s of %d %s: %s, not %s", c.revenue, c.orders, c.currency, got, c.want)
		}
	}
}

// Sales of more than 63 bits hold are exact in every figure, and the best sellers are in the right order.
func TestSalesBeyond63BitsAreExact(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB, now *time.Time) {
		tenant := fill(t, store, now)
		const each = 9_000_000_000_000_000_001
		write(t, store, tenant, func(tx *db.Tx) error {
			tx.Queue("UPDATE orders SET status = 'PENDING', currency = 'EUR', total = $2 WHERE tenant_id = $1", tx.Tenant, each)
			tx.Queue("UPDATE order_lines SET line_total = CASE WHEN sku = 'POT' THEN $2::BIGINT + 1 ELSE $2::BIGINT END WHERE tenant_id = $1",
				tx.Tenant, each)
			tx.Queue("DELETE FROM order_figures WHERE tenant_id = $1", tx.Tenant)
			for _, width := range spans.Widths {
				tx.Queue(`INSERT INTO order_figures (tenant_id, span, status, bucket, channel, currency, orders, items, big, small)
					SELECT tenant_id, $2::BIGINT, status, created_at / $2::BIGINT * $2::BIGINT, coalesce(channel_id::TEXT, ''), currency, count(*), 1,
						sum(total / 100000000), sum(total % 100000000) FROM orders WHERE tenant_id = $1 GROUP BY 1, 3, 4, 5, 6`, tx.Tenant, width)
			}
			return nil
		})
		all := analytics.Span{From: day(-15), To: day(15)}
		summary := read(t, store, tenant, func(tx *db.Tx) (analytics.Summary, error) { return analytics.Summarize(tx, "EUR", all) })
		sales := read(t, store, tenant, func(tx *db.Tx) (analytics.Sales, error) {
			return analytics.ReadSales(tx, "EUR", all, analytics.Day, time.UTC)
		})
		list := read(t, store, tenant, func(tx *db.Tx) ([]analytics.Channel, error) { return analytics.Channels(tx, "EUR", all) })
		of := func(n, more int64) string {
			exact := new(big.Int).Mul(big.NewInt(each), big.NewInt(n))
			return new(big.Rat).SetFrac(exact.Add(exact, big.NewInt(more)), big.NewInt(money.Scale)).FloatString(4)
		}
		points := map[int64]money.Total{}
		for _, p := range sales.Points {
			points[p.Start] = p.Revenue
		}
		for name, c := range map[string]struct {
			got  money.Total
			want string
		}{
			"takings":       {summary.Takings[0].Revenue, of(6, 0)},
			"by status":     {summary.ByStatus[0].Total, of(6, 0)},
			"of Monday":     {points[monday.UnixMicro()], of(2, 0)},
			"of a channel":  {list[0].Revenue, of(3, 0)},
			"of no channel": {list[1].Revenue, of(3, 0)},
			"of mugs":       {sales.Best[0].Revenue, of(4, 0)},
			"of pots":       {sales.Best[1].Revenue, of(3, 3)},
		} {
			if c.got.String() != strings.TrimRight(c.want, "0") {
				t.Errorf("%s: %s, want %s", name, c.got, c.want)
			}
		}
		if got := summary.Takings[0].Average().String(); got != "900000000000000" {
			t.Errorf("average %s", got)
		}
	})
}
