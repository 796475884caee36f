package analytics_test

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/analytics"
	"entrepot/internal/base/money"
	"entrepot/internal/base/regional"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
)

// placed is an order as the test knows it.
type placed struct {
	at        time.Time
	cancelled bool
	ofShop    bool
	units     int64
	euros     money.Total
}

// Whatever the time zone, the points of a series are what the orders of their days, weeks, months and hours add up to, also where a day has
// 23, 24.5 or 25 hours, and where a zone is not whole hours from UTC.
func TestSeriesOfTimeZones(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB, now *time.Time) {
		begin := time.Date(2026, 3, 20, 0, 0, 0, 0, time.UTC)
		*now = begin.AddDate(0, 0, -1)
		tenant := dbtest.Account(t, store)
		write(t, store, tenant, func(tx *db.Tx) error {
			product(tx, mug, "MUG", money.Scale)
			tx.Queue(`INSERT INTO channels (tenant_id, id, name, platform, status, credentials, settings, oversell, created_at, updated_at)
				VALUES ($1,$2,'Shop','CUSTOM','inactive','','{}','allow',0,0)`, tenant, shop)
			return nil
		})
		dice := rand.New(rand.NewSource(8))
		do := &commerce.Service{Numbers: orders.NewNumbers()}
		var list []placed
		for i := range 260 {
			at := begin.Add(time.Duration(dice.Int63n(int64(20 * 24 * time.Hour)))).Truncate(time.Microsecond)
			if i%4 == 0 { // at the beginning of a day somewhere, or the moment before
				at = at.Truncate(15 * time.Minute).Add(-time.Duration(i%8/4) * time.Microsecond)
			}
			*now = at
			o := placed{at: at, cancelled: i%7 == 0, units: 1 + dice.Int63n(5)}
			draft := commerce.OrderDraft{Number: int64(i + 1), CustomerName: "Ada", Status: orders.Pending, Currency: "EUR", Source: orders.FromAPI,
				Lines: []orders.LineDraft{{SKU: "MUG", Quantity: o.units, UnitPrice: money.Amount(dice.Int63n(1e9))}}}
			if i%3 == 0 {
				o.ofShop, draft.Channel = true, shop
			}
			if o.cancelled {
				draft.Status = orders.Cancelled
			}
			if i%5 == 0 {
				draft.Currency = "USD"
			} else {
				draft.Lines[0].UnitPrice = draft.Lines[0].UnitPrice / 100 * 100
				o.euros = money.TotalOf(int64(draft.Lines[0].UnitPrice)*o.units, 0)
			}
			list = append(list, o)
			write(t, store, tenant, func(tx *db.Tx) error {
				_, err := do.CreateOrder(tx, accounts.Caller{Tenant: tenant}, draft)
				return err
			})
		}
		for _, name := range []string{"UTC", "Europe/Paris", "Europe/London", "America/New_York", "America/Los_Angeles", "Asia/Kolkata",
			"Asia/Kathmandu", "Australia/Lord_Howe", "Asia/Beirut", "Pacific/Apia"} {
			zone, ok := regional.Zone(name)
			if !ok {
				t.Fatal(name)
			}
			spans := []analytics.Span{ // whole days of the zone, and any stretch
				{From: regional.Day(2026, 3, 22, zone).UnixMicro(), To: regional.Day(2026, 4, 7, zone).UnixMicro() - 1},
				{From: begin.UnixMicro() + dice.Int63n(4*86_400_000_000), To: begin.UnixMicro() + 9*86_400_000_000 + dice.Int63n(9*86_400_000_000)},
				{From: begin.UnixMicro() + 86_400_000_000 + dice.Int63n(1e10), To: begin.UnixMicro() + 86_400_000_000 + 1e10 + dice.Int63n(1e10)},
			}
			for _, s := range spans {
				ofShop := slices.DeleteFunc(slices.Clone(list), func(o placed) bool { return !o.ofShop })
				overview := read(t, store, tenant, func(tx *db.Tx) (analytics.Overview, error) {
					return analytics.ReadOverview(tx, "EUR", shop, s, s, zone)
				})
				compareSeries(t, name+" of one channel", overview.Now, ofShop)
				compareSeries(t, name+" of one channel, before", overview.Before, ofShop)
				for _, every := range analytics.Intervals {
					got := read(t, store, tenant, func(tx *db.Tx) (analytics.Sales, error) {
						return analytics.ReadSales(tx, "EUR", s, every, zone)
					})
					compareSeries(t, fmt.Sprintf("%s by %s from %s", name, every, time.UnixMicro(s.From).UTC()), got, list)
				}
			}
		}
	})
}

// compareSeries wants of each point what the orders between its beginning and the next one's add up to.
func compareSeries(t *testing.T, name string, got analytics.Sales, list []placed) {
	t.Helper()
	for i, p := range got.Points {
		from, to := max(p.Start, got.From), got.To+1
		if i+1 < len(got.Points) {
			to = min(to, got.Points[i+1].Start)
		}
		start := time.UnixMicro(p.Start).In(got.Zone)
		if got.Interval != analytics.Hour && !regional.Day(start.Year(), start.Month(), start.Day(), got.Zone).Equal(start) ||
			got.Interval == analytics.Week && start.Weekday() != time.Monday || got.Interval == analytics.Month && start.Day() != 1 {
			t.Errorf("%s: a point begins at %s", name, start)
		}
		want := analytics.Point{Start: p.Start}
		for _, o := range list {
			if at := o.at.UnixMicro(); !o.cancelled && at >= from && at < to {
				want.Orders, want.ItemsSold, want.Revenue = want.Orders+1, want.ItemsSold+o.units, want.Revenue.Plus(o.euros)
			}
		}
		if want != p {
			t.Errorf("%s: the point from %s is %+v, the orders add up to %+v", name, start, p, want)
		}
	}
}

// A series by days of UTC reads nothing beside its figures; one of another zone reads the same buckets, and once what is to be moved.
func TestSeriesReadFewBuckets(t *testing.T) {
	var asked int
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true, Trace: func(string, []any) { asked++ }})
	tenant := dbtest.Account(t, store)
	for name, want := range map[string]int{"UTC": 5, "Europe/Paris": 7, "Asia/Kolkata": 7} {
		zone, _ := regional.Zone(name)
		now := analytics.Span{From: regional.Day(2026, 3, 1, zone).UnixMicro(), To: regional.Day(2026, 3, 31, zone).UnixMicro() - 1}
		before := analytics.Span{From: regional.Day(2026, 1, 30, zone).UnixMicro(), To: now.From - 1}
		asked = 0
		o := read(t, store, tenant, func(tx *db.Tx) (analytics.Overview, error) {
			return analytics.ReadOverview(tx, "EUR", "", now, before, zone)
		})
		if len(o.Now.Points) != 30 || len(o.Before.Points) != 30 || asked != want {
			t.Errorf("%s: %d and %d days, %d statements instead of %d", name, len(o.Now.Points), len(o.Before.Points), asked, want)
		}
	}
}
