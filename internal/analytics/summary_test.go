package analytics_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"entrepot/internal/accounts"
	"entrepot/internal/analytics"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

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
