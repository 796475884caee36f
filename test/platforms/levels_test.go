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

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest/story"
	"entrepot/internal/money"

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

// A wave of stock over 200 products is some calls, not 200, wherever a platform takes several products in a request: TikTok Shop does not.
func TestCallsOfAWave(t *testing.T) {
	most := map[string]int64{"WOOCOMMERCE": 2, "PRESTASHOP": 6, "SHOPIFY": 1, "EBAY": 8, "AMAZON": 4, "TIKTOK_SHOP": 204}
	for _, shop := range shops() {
		shop.Faults = nil
		t.Run(shop.Platform, func(t *testing.T) {
			var calls atomic.Int64
			o := open(t, shop, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				shop.Handler.ServeHTTP(w, r)
			}))
			var products []connector.Product
			for i := range 200 {
				p := o.mug(t)
				p.ID, p.SKU, p.Attributes[0].Value = fmt.Sprint("p", i), fmt.Sprint("MUG-", i), story.EAN(i)
				p.Slug = strings.ToLower(p.SKU)
				products = append(products, p)
			}
			var stocks []connector.StockItem
			for _, item := range o.put(t, products) {
				stocks = append(stocks, connector.StockItem{Item: item, Quantity: 77})
			}
			before := calls.Load()
			for piece := range slices.Chunk(stocks, max(1, o.does.Batch.Stock)) {
				if _, err := o.SetStock(t.Context(), piece); err != nil {
					t.Fatal(err)
				}
			}
			if n := calls.Load() - before; len(stocks) != 200 || n > most[shop.Platform] {
				t.Errorf("%d calls for %d SKUs, at most %d", n, len(stocks), most[shop.Platform])
			}
		})
	}
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
