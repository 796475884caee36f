package shopify_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/shopify"
	"entrepot/internal/connector/shopify/fakeshop"
)

// shop is a fake shop that answers, and the service that calls it.
type shop struct {
	*fakeshop.Shop
	*connectortest.Host
	session connector.Session
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{Shop: fakeshop.New()}
	s.Host = connectortest.NewHost(nil, connector.Credentials{"shop": "fake.myshopify.com", "baseUrl": connectortest.Serve(t, s.Shop),
		"accessToken": fakeshop.Token, "clientId": fakeshop.ClientID, "clientSecret": fakeshop.ClientSecret})
	s.Now = s.Clock
	s.reopen()
	return s
}

// reopen begins another session, as each job does.
func (s *shop) reopen() { s.session = s.Open(shopify.New()) }

func shirt() connector.Product {
	return connector.Product{ID: "019a-shirt-0001", SKU: "SHIRT", Name: "Shirt", Slug: "shirt", OnSale: true, Price: 200000, Currency: "EUR",
		Images: []connector.Image{{ID: "i1", URL: "https://pictures.example/front.png"}},
		Variants: []connector.Variant{
			{SKU: "SHIRT-S", Price: 200000, Attributes: []connector.Attribute{{Name: "Size", Value: "S"}}, Quantity: 4},
			{SKU: "SHIRT-M", Price: 215000, Attributes: []connector.Attribute{{Name: "Size", Value: "M"}}, Quantity: 6},
		}}
}

func mug() connector.Product {
	before := money.Amount(99000)
	return connector.Product{ID: "019a-mug-0002", SKU: "MUG", Name: "Mug", OnSale: true, Price: 79000, CompareAt: &before, Currency: "EUR",
		Quantity: 9}
}

func TestTestNamesWhatIsMissing(t *testing.T) {
	s := newShop(t)
	found := connectortest.Must(s.session.Test(t.Context()))(t)
	if len(found.Missing) != 0 || found.Name != "Fake shop" || found.Currency != "EUR" ||
		found.Version != "2026-10" {
		t.Errorf("%+v", found)
	}
	s.Version = "2027-10" // the one that is asked for is retired
	if found := connectortest.Must(s.session.Test(t.Context()))(t); len(found.Missing) != 0 || len(found.Lacking) != 1 ||
		!strings.Contains(found.Lacking[0], "2027-10") {
		t.Errorf("%+v", found)
	}
	s.Version = ""
	s.Scopes = []string{"write_orders"}
	if found := connectortest.Must(s.session.Test(t.Context()))(t); !slices.Contains(found.Missing, "the app lacks the scope write_orders") {
		t.Errorf("%v", found.Missing)
	}
	s.Expire() // and is renewed
	connectortest.Must(s.session.Test(t.Context()))(t)
	s.Expire()
	s.Kept["clientSecret"] = "wrong"
	if _, err := s.session.Test(t.Context()); !connector.Is(err, connector.Unauthorized) {
		t.Errorf("%v", err)
	}
}

// For the domain that buyers see, the error names the one that is wanted.
func TestShopThatIsNoDomainOfShopify(t *testing.T) {
	s := newShop(t)
	s.Kept = connector.Credentials{"shop": "corner.example", "accessToken": fakeshop.Token}
	s.reopen()
	_, err := s.session.Test(t.Context())
	if !connector.Is(err, connector.Forbidden) || !strings.Contains(err.Error(), ".myshopify.com") || s.Client.Calls() != 0 {
		t.Errorf("%v after %d calls", err, s.Client.Calls())
	}
}

// A token that ends while a query waits for the shop's points is renewed, too: the channel does not ask for new credentials.
func TestTokenEndsDuringAWait(t *testing.T) {
	s := newShop(t)
	s.Faults.Throttle = 1
	s.Slept = func() {
		s.Faults.Throttle = 0
		s.Expire()
		s.Slept = nil
	}
	connectortest.Must(s.session.Test(t.Context()))(t)
	if s.Slept != nil {
		t.Error("nothing was waited for")
	}
}

// A shop that wants fewer requests is asked three times, with growing rests, and then no more: the job goes on later. Points come back at
// the shop's rate, which says how long to wait for them.
func TestWishesForFewerRequests(t *testing.T) {
	const second = time.Second
	const spent = `{"errors":[{"message":"Throttled","extensions":{"code":"THROTTLED"}}],
		"extensions":{"cost":{"requestedQueryCost":%d,"throttleStatus":{"currentlyAvailable":%d,"restoreRate":%d}}}}`
	for name, c := range map[string]struct {
		status int
		body   string
		calls  int64
		rests  []time.Duration
		after  time.Duration
	}{
		"429":                     {429, "", 3, []time.Duration{second, 2 * second}, 0},
		"points for some seconds": {200, fmt.Sprintf(spent, 800, 100, 100), 3, []time.Duration{7 * second, 7 * second}, 7 * second},
		"the dearest query":       {200, fmt.Sprintf(spent, 1000, 0, 100), 3, []time.Duration{10 * second, 10 * second}, 10 * second},
		"points for long":         {200, fmt.Sprintf(spent, 1000, 0, 50), 1, nil, 20 * second},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.Kept["baseUrl"] = connectortest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			s.reopen()
			var rests []time.Duration
			at := s.Clock()
			s.Slept = func() { rests, at = append(rests, s.Clock().Sub(at)), s.Clock() }
			_, err := s.session.PullOrders(t.Context(), connector.Cursor{})
			f := connector.FailureOf(err)
			if f == nil || f.Kind != connector.Throttled || f.After != c.after || s.Client.Calls() != c.calls || !slices.Equal(rests, c.rests) {
				t.Errorf("%+v after %d calls and rests of %v", f, s.Client.Calls(), rests)
			}
		})
	}
}

func TestWebhooksAreRegisteredOnce(t *testing.T) {
	s := newShop(t)
	target := connector.WebhookTarget{URL: "https://entrepot.example/hook"}
	for range 2 {
		on := connectortest.Must(s.session.EnsureWebhooks(t.Context(), target))(t)
		if len(on) != 9 || len(s.Webhooks()) != 9 {
			t.Errorf("%d on, %d there", len(on), len(s.Webhooks()))
		}
	}
	s.DropWebhook("ORDERS_UPDATED")
	connectortest.Must(s.session.EnsureWebhooks(t.Context(), target))(t)
	if len(s.Webhooks()) != 9 {
		t.Errorf("%d there", len(s.Webhooks()))
	}
	if err := s.session.RemoveWebhooks(t.Context(), target); err != nil || len(s.Webhooks()) != 0 {
		t.Errorf("%v, %d there", err, len(s.Webhooks()))
	}
}

func TestProductsAreMadeOnce(t *testing.T) {
	for name, faults := range map[string]fakeshop.Faults{
		"a good day": {}, "answers are lost": {LoseAnswer: 2}, "throttled": {Throttle: 2}, "broken": {Broken: 3},
		"the index is behind": {Blind: true, LoseAnswer: 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.Faults = faults
			for range 20 { // as the frame does: again later
				results, err := s.session.Upsert(t.Context(), []connector.Product{shirt(), mug()})
				if err == nil && !slices.ContainsFunc(results,
					func(r connector.Result) bool { return r.State != connector.Live || r.IDs.Product == "" }) {
					break
				}
				s.Pass(time.Minute)
			}
			small, ok := s.Variant("SHIRT-S")
			if !ok || s.Products() != 2 || small != (fakeshop.Variant{Price: "20", Available: 4, Status: "ACTIVE", Published: true, Pictures: 1}) {
				t.Errorf("%d products, %+v", s.Products(), small)
			}
			if m, _ := s.Variant("MUG"); m.Price != "7.9" || m.Before != "9.9" || m.Available != 9 {
				t.Errorf("%+v", m)
			}
		})
	}
}

func TestForeignSKUs(t *testing.T) {
	s := newShop(t)
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{shirt()}))(t)
	other := mug()
	other.SKU = "SHIRT-M"
	if results := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{other}))(t); results[0].State != connector.Failed ||
		!strings.Contains(results[0].Error, "SHIRT-M") {
		t.Errorf("%+v", results)
	}
	adopted := shirt()
	adopted.ID, adopted.Slug = "019a-shirt-9999", "another-shirt"
	results := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{adopted}))(t)
	if s.Products() != 1 || results[1].State != connector.Live {
		t.Errorf("%d products: %+v", s.Products(), results)
	}
}

func TestStockAndPrices(t *testing.T) {
	s := newShop(t)
	ids := map[string]connector.IDs{}
	for _, r := range connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{shirt(), mug()}))(t) {
		ids[r.SKU] = r.IDs
	}
	item := func(sku string) connector.Item { return connector.Item{SKU: sku, IDs: ids[sku]} }
	before := s.Client.Calls()
	gone := connector.Item{SKU: "GONE", IDs: connector.IDs{Other: map[string]string{"item": "gid://shopify/InventoryItem/1"}}}
	got := connectortest.Must(s.session.SetStock(t.Context(),
		[]connector.StockItem{{Item: item("SHIRT-S")}, {Item: gone, Quantity: 1}, {Item: item("MUG"), Quantity: 3}}))(t)
	if got[0].State != connector.Live || got[1].State != connector.Gone || got[2].State != connector.Live || s.Client.Calls()-before != 2 {
		t.Errorf("%d calls: %+v", s.Client.Calls()-before, got)
	}
	shown := connectortest.Must(s.session.ReadStock(t.Context(), []connector.Item{item("SHIRT-S"), item("MUG"), gone}))(t)
	if shown["SHIRT-S"] != 0 || shown["MUG"] != 3 || len(shown) != 2 {
		t.Errorf("%v", shown)
	}
	reducedFrom := money.Amount(300000)
	connectortest.Must(s.session.SetPrices(t.Context(),
		[]connector.PriceItem{{Item: item("SHIRT-S"), Price: 230000, CompareAt: &reducedFrom}, {Item: item("MUG"), Price: 10000}}))(t)
	if v, _ := s.Variant("SHIRT-S"); v.Price != "23" || v.Before != "30" {
		t.Errorf("%+v", v)
	}
	for _, r := range connectortest.Must(s.session.Unpublish(t.Context(), []connector.Item{item("MUG"), gone}, true))(t) {
		if r.State != connector.Gone {
			t.Errorf("%+v", r)
		}
	}
	if _, there := s.Variant("MUG"); there {
		t.Error("the product is still there")
	}
}

// An item that a fulfilment service keeps stays with it, and says so; the others are set.
func TestStockOfAFulfilmentService(t *testing.T) {
	s := newShop(t)
	var items []connector.StockItem
	for _, r := range connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{shirt(), mug()}))(t) {
		if r.SKU != "SHIRT" {
			items = append(items, connector.StockItem{Item: connector.Item{SKU: r.SKU, IDs: r.IDs}, Quantity: 7})
		}
	}
	s.Serve("MUG")
	for _, r := range connectortest.Must(s.session.SetStock(t.Context(), items))(t) {
		if served := r.SKU == "MUG"; served != (r.State == connector.Failed) || served != strings.Contains(r.Error, "fulfillment service") || r.Again {
			t.Errorf("%+v", r)
		}
	}
}

// Prices are sent with the decimals of the shop's currency, whatever the account counts in.
func TestPricesHaveTheDecimalsOfTheShop(t *testing.T) {
	for currency, want := range map[string]fakeshop.Variant{"EUR": {Price: "12.35", Before: "20.01"}, "JPY": {Price: "12", Before: "20"},
		"KWD": {Price: "12.346", Before: "20.006"}} {
		s := newShop(t)
		s.Currency = currency
		cup, before := mug(), money.Amount(200_056)
		cup.Price, cup.CompareAt = 123_456, &before
		ids := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{cup}))(t)[0].IDs
		if v, _ := s.Variant("MUG"); v.Price != want.Price || v.Before != want.Before {
			t.Errorf("%s, put on sale: %+v", currency, v)
		}
		s.reopen()
		item := connector.PriceItem{Item: connector.Item{SKU: "MUG", IDs: ids}, Price: 123_456, CompareAt: &before, Currency: "EUR"}
		connectortest.Must(s.session.SetPrices(t.Context(), []connector.PriceItem{item}))(t)
		if v, _ := s.Variant("MUG"); v.Price != want.Price || v.Before != want.Before {
			t.Errorf("%s, set: %+v", currency, v)
		}
	}
}

// A variant that got another SKU in the shop is the same still: it gets ours again, and keeps its id and its stock.
func TestVariantsThatGotAnotherSKUInTheShop(t *testing.T) {
	s := newShop(t)
	cup, top := mug(), shirt()
	first := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{cup, top}))(t)
	cup.Known, top.Known, top.Variants[0].Known, top.Variants[1].Known = first[0].IDs, first[1].IDs, first[2].IDs, first[3].IDs
	s.Rename("MUG", "THEIRS")
	s.Rename("SHIRT-M", "THEIRS-M")
	for i, r := range connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{cup, top}))(t) {
		if r.State != connector.Live || r.IDs.Product != first[i].IDs.Product || r.IDs.Variant != first[i].IDs.Variant {
			t.Errorf("%+v, was %+v", r, first[i])
		}
	}
	if v, _ := s.Variant("SHIRT-M"); v.Available != 6 {
		t.Errorf("%+v", v)
	}
}

// Stock is kept where online orders are shipped from, and the test warns of other such locations, unless the setting chooses one.
func TestLocationsThatSell(t *testing.T) {
	s := newShop(t)
	warning := func() string {
		t.Helper()
		s.reopen()
		return strings.Join(connectortest.Must(s.session.Test(t.Context()))(t).Lacking, "\n")
	}
	kept := func() string {
		t.Helper()
		s.reopen()
		results := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
		item := connector.StockItem{Item: connector.Item{SKU: "MUG", IDs: results[0].IDs}, Quantity: 4}
		connectortest.Must(s.session.SetStock(t.Context(), []connector.StockItem{item}))(t)
		return s.StockedAt("MUG")
	}
	if text := warning(); text != "" {
		t.Errorf("one location: %q", text)
	}
	s.Online("Shop", false)
	s.Locate("Warehouse", true)
	if text, at := warning(), kept(); text != "" || at != "Warehouse" {
		t.Errorf("one location that ships online orders: %q, kept at %s", text, at)
	}
	s.Online("Shop", true)
	text := warning()
	if !strings.Contains(text, "stock is kept at the location Shop") || !strings.Contains(text, "Warehouse is sold beside it") {
		t.Errorf("two locations: %q", text)
	}
	s.Kept["locationId"] = "2"
	if text := warning(); text != "" {
		t.Errorf("chosen: %q", text)
	}
}

// A location that is opened later does not become the one where stock is kept: buyers would be shown the stock of both.
func TestStockStaysAtItsLocation(t *testing.T) {
	s := newShop(t)
	results := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
	set := func(n int64) fakeshop.Variant {
		t.Helper()
		clear(s.Facts) // as new credentials do
		s.reopen()
		item := connector.StockItem{Item: connector.Item{SKU: "MUG", IDs: results[0].IDs}, Quantity: n}
		if got := connectortest.Must(s.session.SetStock(t.Context(), []connector.StockItem{item}))(t); got[0].State != connector.Live {
			t.Fatalf("%+v", got)
		}
		v, _ := s.Variant("MUG")
		return v
	}
	s.Locate("Aachen", true)
	if v := set(4); v.Available != 4 {
		t.Errorf("%d available after a second location was opened, not 4", v.Available)
	}
	s.Locate("Shop", false)
	set(5)
	shown := connectortest.Must(s.session.ReadStock(t.Context(), []connector.Item{{SKU: "MUG", IDs: results[0].IDs}}))(t)
	if shown["MUG"] != 5 {
		t.Errorf("%v at the location that is left", shown)
	}
}
