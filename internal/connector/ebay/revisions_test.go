package ebay_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/ebay"
	"entrepot/internal/connector/ebay/fakeshop"
)

// sold puts a product on sale and returns it with its ids, and its item.
func (a *account) sold(t *testing.T, p connector.Product) (connector.Product, connector.Item) {
	t.Helper()
	p.Known = connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p}))(t)[0].IDs
	return p, connector.Item{SKU: p.SKU, IDs: p.Known}
}

// levels sets a quantity and a price.
func (a *account) levels(t *testing.T, it connector.Item, quantity, price int64) connector.Result {
	t.Helper()
	var stocks []connector.StockItem
	var prices []connector.PriceItem
	if quantity >= 0 {
		stocks = []connector.StockItem{{Item: it, Quantity: quantity}}
	}
	if price >= 0 {
		prices = []connector.PriceItem{{Item: it, Price: money.Amount(price * 100)}}
	}
	return connectortest.Must(a.session.(connector.LevelSetter).SetLevels(t.Context(), stocks, prices))(t)[0]
}

// What is on eBay as it is to be is not written again, and quantity and price are one change: eBay takes 250 of a listing a day.
func TestChangesOfAListingAreFew(t *testing.T) {
	a := newAccount(t)
	p, it := a.sold(t, mug())
	for _, c := range []struct {
		what   string
		do     func()
		change int
	}{
		{"the same again", func() {}, 0},
		{"another name", func() { p.Name = "Big mug" }, 1},
		{"another price", func() { p.Price = 88000 }, 1},
	} {
		before := a.Revisions(it.SKU)
		c.do()
		connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p}))(t)
		if n := a.Revisions(it.SKU) - before; n != c.change {
			t.Errorf("%s: %d changes, want %d", c.what, n, c.change)
		}
	}
	before := a.Revisions(it.SKU)
	if r := a.levels(t, it, 4, 990); r.State != connector.Live || !r.Rests.IsZero() {
		t.Errorf("%+v", r)
	}
	if n := a.Revisions(it.SKU) - before; n != 1 {
		t.Errorf("quantity and price are %d changes", n)
	}
	if price, n, _ := a.Offer(it.SKU); price != "9.90" || n != 4 {
		t.Errorf("%s, %d", price, n)
	}
}

// When a listing has had many changes today, products and then prices wait for the next day and say so; stock goes on to the last change
// that eBay takes, then rests until the next day. Another listing goes on.
func TestStockComesBeforePricesAndTexts(t *testing.T) {
	a := newAccount(t)
	p, it := a.sold(t, mug())
	other := mug()
	other.SKU, other.ID = "CUP", "p3"
	other, cup := a.sold(t, other)
	stocked := int64(0)
	until := func(n int) {
		for a.Revisions(it.SKU) < n {
			if r := a.levels(t, it, stocked%50, -1); r.State != connector.Live {
				t.Fatalf("after %d: %+v", a.Revisions(it.SKU), r)
			}
			stocked++
		}
	}
	rests := func(what string, r connector.Result) {
		t.Helper()
		tomorrow := time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)
		if !r.Rests.Equal(tomorrow) || !strings.Contains(r.Error, "2026-11-23 08:00 UTC") || !strings.Contains(r.Error, "250") {
			t.Errorf("%s: %+v", what, r)
		}
	}
	until(149)
	p.Name = "Mug of the day"
	if r := connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p}))(t)[0]; r.State != connector.Live {
		t.Errorf("%+v", r)
	}
	p.Name = "Another one"
	calls := a.Client.Calls()
	rests("a product", connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p}))(t)[0])
	if n := a.Client.Calls() - calls; n != 0 {
		t.Errorf("%d requests for a product that waits", n)
	}
	both := connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p, other}))(t)
	rests("beside another", both[0])
	if both[1].State != connector.Live {
		t.Errorf("%+v", both[1])
	}
	until(200)
	both[0] = a.levels(t, it, 77, 1234)
	rests("a price", both[0])
	if price, n, _ := a.Offer(it.SKU); both[0].State != connector.Live || price == "12.34" || n != 77 {
		t.Errorf("%+v: %s, %d", both[0], price, n)
	}
	if r := a.levels(t, it, -1, 1234); r.State != connector.Failed || !r.Again {
		t.Errorf("a price alone: %+v", r)
	}
	until(fakeshop.MostRevisions)
	r := a.levels(t, it, 5, -1)
	if r.State != connector.Failed || !r.Again || !r.Rests.Equal(a.Clock().Add(time.Hour)) || !strings.Contains(r.Error, "tomorrow") {
		t.Errorf("beyond: %+v", r)
	}
	calls = a.Client.Calls()
	if r = a.levels(t, it, 5, -1); r.Rests.IsZero() || a.Client.Calls() != calls {
		t.Errorf("%+v after %d requests", r, a.Client.Calls()-calls)
	}
	if r = a.levels(t, cup, 5, 500); r.State != connector.Live || !r.Rests.IsZero() {
		t.Errorf("another: %+v", r)
	}
	a.SetClock(time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC))
	if r = a.levels(t, it, 5, 1234); r.State != connector.Live || !r.Rests.IsZero() {
		t.Errorf("the next day: %+v", r)
	}
	if price, n, _ := a.Offer(it.SKU); price != "12.34" || n != 5 {
		t.Errorf("%s, %d", price, n)
	}
	if r := connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p}))(t)[0]; r.State != connector.Live {
		t.Errorf("the product the next day: %+v", r)
	}
}

// Another node goes on with the count of the day.
func TestChangesAreCountedOverNodes(t *testing.T) {
	a := newAccount(t)
	p, it := a.sold(t, mug())
	for a.Revisions(it.SKU) < 155 {
		a.levels(t, it, int64(a.Revisions(it.SKU)%9), -1)
	}
	a.session = a.Open(ebay.New(http.DefaultClient, a.Now))
	p.Name = "Another one"
	if r := connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p}))(t)[0]; r.Rests.IsZero() {
		t.Errorf("%+v", r)
	}
}
