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
	"entrepot/internal/base/money"
	"entrepot/internal/base/spans"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
)

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
			tx.Queue(`INSERT INTO order_figures (tenant_id, span, status, bucket, channel, currency, orders, items, big, small)
				SELECT tenant_id, $2::BIGINT, status, bucket, '', currency, sum(orders), sum(items), sum(big), sum(small) FROM order_figures
				WHERE tenant_id = $1 AND span = $3 GROUP BY 1, 3, 4, 6`, tx.Tenant, int64(spans.DaysOfAll), spans.Widths[spans.Days])
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
