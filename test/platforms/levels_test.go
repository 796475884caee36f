package platforms

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest/story"
	wooshop "entrepot/internal/connector/woocommerce/fakeshop"
)

// Stock and prices are pushed while the n-th request fails, for every n: what is reported as done beside the failure was done, so that
// nothing which was not is taken for done.
func TestLevelsThatFail(t *testing.T) {
	for _, shop := range shops() {
		shop.Faults = nil
		t.Run(shop.Platform, func(t *testing.T) {
			var left atomic.Int64 // requests until one fails; below 0 for none
			left.Store(-1)
			o := open(t, shop, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if left.Load() >= 0 && left.Add(-1) == 0 {
					left.Store(-1)
					http.Error(w, "broken", http.StatusNotImplemented) // which is not repeated, as 500 is
					return
				}
				shop.Handler.ServeHTTP(w, r)
			}))
			sold := o.publish(t)
			if len(sold) != 3 {
				t.Fatalf("%+v", sold)
			}
			failures := 0
			for n, more := int64(1), true; more; n++ {
				if more = false; n > 100 {
					t.Fatal("it fails without end")
				}
				for what, push := range o.pushes(sold, n) {
					left.Store(n)
					results, wrong, err := push(t)
					left.Store(-1)
					if err != nil {
						more, failures = true, failures+1
					}
					there, _ := shop.Stands()
					for _, r := range results {
						if shown := there[r.SKU]; r.State == connector.Live && wrong(shown) {
							t.Errorf("%s, failing at request %d: %s is reported as done, the shop shows %+v; %v", what, n, r.SKU, shown, err)
						}
					}
					if err == nil && len(results) != len(sold) {
						t.Errorf("%s: %d results of %d", what, len(results), len(sold))
					}
				}
			}
			if failures == 0 {
				t.Error("nothing failed")
			}
		})
	}
}

// push writes levels; wrong reports whether a shop shows anything else.
type push func(t *testing.T) (results []connector.Result, wrong func(story.Shown) bool, err error)

// pushes are a push of stock and one of prices, of numbers that follow from n.
func (o *opened) pushes(sold []connector.Item, n int64) map[string]push {
	return map[string]push{
		"stock": func(t *testing.T) (out []connector.Result, wrong func(story.Shown) bool, err error) {
			var items []connector.StockItem
			for _, it := range sold {
				items = append(items, connector.StockItem{Item: it, Quantity: 100 + n})
			}
			wrong = func(s story.Shown) bool { return s.Quantity != 100+n }
			for piece := range slices.Chunk(items, max(1, o.does.Batch.Stock)) {
				results, err := o.SetStock(t.Context(), piece)
				if out = append(out, results...); err != nil {
					return out, wrong, err
				}
			}
			return out, wrong, nil
		},
		"prices": func(t *testing.T) (out []connector.Result, wrong func(story.Shown) bool, err error) {
			price := money.Amount(300_000 + n*100)
			var items []connector.PriceItem
			for _, it := range sold {
				items = append(items, connector.PriceItem{Item: it, Price: price, Currency: "EUR"})
			}
			wrong = func(s story.Shown) bool { return s.Price != price.Text("EUR") }
			for piece := range slices.Chunk(items, max(1, o.does.Batch.Prices)) {
				results, err := o.SetPrices(t.Context(), piece)
				if out = append(out, results...); err != nil {
					return out, wrong, err
				}
			}
			return out, wrong, nil
		},
	}
}

// callsOfAWave is how many requests a wave of stock over 200 products takes, and one of prices.
var callsOfAWave = map[string]struct{ stock, prices int64 }{"WOOCOMMERCE": {2, 2}, "PRESTASHOP": {6, 16}, "SHOPIFY": {1, 11},
	"EBAY": {8, 8}, "AMAZON": {4, 3}, "TIKTOK_SHOP": {201, 200}}

// A wave over 200 products is some calls, not 200, wherever a platform takes several products in a request: TikTok Shop does not. With
// -full it is one over 5,000.
func TestCallsOfAWave(t *testing.T) {
	count := 200
	if *full {
		count = 5000
	}
	for _, shop := range shops() {
		shop.Faults = nil
		t.Run(shop.Platform, func(t *testing.T) {
			var calls atomic.Int64
			o := open(t, shop, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				shop.Handler.ServeHTTP(w, r)
			}))
			var products []connector.Product
			for i := range count {
				p := o.mug(t)
				p.ID, p.SKU, p.Attributes[0].Value = fmt.Sprint("p", i), fmt.Sprint("MUG-", i), story.EAN(i)
				p.Slug = strings.ToLower(p.SKU)
				products = append(products, p)
			}
			var stocks []connector.StockItem
			var prices []connector.PriceItem
			for _, item := range o.put(t, products) {
				stocks = append(stocks, connector.StockItem{Item: item, Quantity: 77})
				prices = append(prices, connector.PriceItem{Item: item, Price: 770_000, Currency: "EUR"})
			}
			before, most := calls.Load(), callsOfAWave[shop.Platform]
			var waiting []string
			for piece := range slices.Chunk(stocks, max(1, o.does.Batch.Stock)) {
				waiting = append(waiting, o.accepted(t, func() ([]connector.Result, error) { return o.SetStock(t.Context(), piece) })...)
			}
			wave := calls.Load() - before
			for piece := range slices.Chunk(prices, max(1, o.does.Batch.Prices)) {
				waiting = append(waiting, o.accepted(t, func() ([]connector.Result, error) { return o.SetPrices(t.Context(), piece) })...)
			}
			second := calls.Load() - before - wave
			if o.Pass(time.Hour); len(waiting) > 0 {
				o.accepted(t, func() ([]connector.Result, error) { return o.Poll(t.Context(), waiting) })
			}
			t.Logf("%d products: %d calls for stock, %d for prices", count, wave, second)
			if pieces := int64(count / 200); len(stocks) != count || wave > most.stock*pieces || second > most.prices*pieces {
				t.Errorf("%d and %d calls for %d SKUs, at most %d and %d for 200", wave, second, len(stocks), most.stock, most.prices)
			}
			there, _ := shop.Stands()
			for i := range products {
				if shown := there[products[i].SKU]; shown.Quantity != 77 || shown.Price != "77.00" {
					t.Fatalf("%s: %+v", products[i].SKU, shown)
				}
			}
		})
	}
}

// accepted does a write as soon as the platform's limits let it. It gives the operations that are under way by it.
func (o *opened) accepted(t *testing.T, do func() ([]connector.Result, error)) (waiting []string) {
	t.Helper()
	results, err := do()
	for connector.Is(err, connector.Throttled) {
		o.Pass(max(time.Second, connector.FailureOf(err).After))
		results, err = do()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.State == connector.Waiting && !slices.Contains(waiting, r.Operation) {
			waiting = append(waiting, r.Operation)
		}
	}
	return waiting
}

// A level is pushed, and whether the shop took it stays unknown: its answers are failures, or the service ends before the answer comes. The
// level that comes back here meanwhile is what the shop shows in the end.
func TestLevelsThatComeBack(t *testing.T) {
	t.Parallel()
	for _, killed := range []bool{false, true} {
		t.Run(fmt.Sprintf("killed=%v", killed), func(t *testing.T) {
			engines(t, func(t *testing.T, s *service) {
				inner := wooshop.New("ck_test", "cs_test")
				inner.Now = s.clock.now
				var mode atomic.Value // what becomes of requests
				mode.Store("")
				written := make(chan struct{}, 100)
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					now, writes := mode.Load(), r.Method != http.MethodGet && strings.HasSuffix(r.URL.Path, "/batch")
					if now == "" || now != "away" && !writes {
						inner.ServeHTTP(w, r)
						return
					}
					if now != "away" {
						inner.ServeHTTP(httptest.NewRecorder(), r)
						written <- struct{}{}
					}
					if now == "silent" {
						<-r.Context().Done()
						return
					}
					http.Error(w, "broken", http.StatusInternalServerError)
				}))
				t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
				channel := s.connect(&wooShop{inner, server.URL}, nil)
				s.call("POST", "/api/v1/products",
					map[string]any{"sku": "MUG", "name": "Mug", "price": 10, "stock": map[string]any{"quantity": 30}}, 201)
				s.call("POST", "/api/v1/channels/"+channel+"/publications", map[string]any{"skus": []string{"MUG"}}, 200)
				shows := func(quantity int64, price string) {
					t.Helper()
					for began := s.Now(); ; s.Pass(5 * time.Second) {
						items, _ := inner.Items()
						if got := items["MUG"]; got.Quantity == quantity && got.Regular == price {
							return
						}
						if s.Now().Sub(began) > 30*time.Minute {
							t.Fatalf("the shop shows %+v, want %d at %s: %s", items["MUG"], quantity, price, s.jobs(channel))
						}
					}
				}
				set := func(quantity int, price string) {
					s.call("PATCH", "/api/v1/sdk/inventory/bulk-update",
						map[string]any{"updates": []any{map[string]any{"sku": "MUG", "quantity": quantity}}}, 200)
					s.call("PATCH", "/api/v1/sdk/prices/bulk-update",
						map[string]any{"updates": []any{map[string]any{"sku": "MUG", "price": price}}}, 200)
				}
				shows(30, "10.00")
				for range 30 { // until nothing is due
					s.Pass(time.Minute)
				}
				mode.Store("broken")
				if killed {
					mode.Store("silent")
				}
				set(42, "11.00")
				for waits := true; waits; {
					select {
					case <-written:
						waits = false
					default:
						s.Pass(time.Second)
					}
				}
				mode.Store("away")
				if killed {
					s.restart()
				}
				set(30, "10.00")
				s.Pass(time.Minute)
				mode.Store("")
				shows(30, "10.00")
			}, timed)
		})
	}
}
