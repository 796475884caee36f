package analytics_test

import (
	"fmt"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/analytics"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
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
